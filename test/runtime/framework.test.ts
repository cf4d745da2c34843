/**
 * Every function of our framework, with made-up arguments, on the local chain's state, by both engines with real
 * natives: values, status, location, gas, changes, events and context must agree. What they are is not looked at here.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes/hex.ts';
import { ByteWriter } from '../../src/bytes/writer.ts';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import { FRAMEWORK_PACKAGES } from '../../src/framework/framework.ts';
import { type Address, addressOf, formatAddressShort, parseAddressHex } from '../../src/move/address.ts';
import { canonicalStruct, parseStructTag, type TypeTag } from '../../src/move/type-tag.ts';
import { accountObjectId, namedObjectId, type ObjectId, objectId } from '../../src/object/object-id.ts';
import { isObjectHandle, isObjectId, isSigner, isString } from '../../src/runtime/call-arguments.ts';
import { StateModules } from '../../src/runtime/module-source.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import type { Type } from '../../src/vm/value/type.ts';
import { isLong, randomNumbers, runs, seed } from '../effort.ts';
import { type Call, contextOf, SessionWorld } from './session-world.ts';

const ACCOUNT = parseAddressHex(DEV_ACCOUNTS[0]!.address);
const RGAS = parseStructTag('0x3::gas_coin::RGas');
const ADDRESSES: readonly Address[] = [ACCOUNT, addressOf(0), addressOf(1), addressOf(3), addressOf(0x5e)];
const OBJECTS: readonly ObjectId[] = [
  namedObjectId(parseStructTag('0x2::timestamp::Timestamp')),
  namedObjectId(parseStructTag('0x3::coin::CoinInfo<0x3::gas_coin::RGas>')),
  accountObjectId(ACCOUNT),
  accountObjectId(addressOf(0x77)),
];
const TEXTS = ['', 'abc', '1.25', canonicalStruct(RGAS), '0x3::gas_coin::RGas', 'grüezi', '{"a":1}'];
const WIDTHS: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, u256: 32 };
/** Type arguments to try, one after the other, until the function takes them. */
const TYPE_ARGUMENTS: readonly TypeTag[] = [
  { kind: 'u64' },
  { kind: 'struct', struct: RGAS },
  { kind: 'struct', struct: parseStructTag('0x2::timestamp::Timestamp') },
  { kind: 'struct', struct: parseStructTag('0x1::string::String') },
];

/** BCS of some value: small, or at an edge. */
function writeValue(type: Type, random: (below: number) => number, writer: ByteWriter): void {
  const target = type.isReference ? type.item : type;
  if (target.kind === 'bool') writer.u8(random(2));
  else if (target.kind === 'address' || target.kind === 'signer') writer.bytes(ADDRESSES[random(ADDRESSES.length)]!);
  else if (target.kind === 'vector') {
    const length = random(4);
    writer.uleb128(length);
    for (let index = 0; index < length; index++) writeValue(target.item, random, writer);
  } else if (target.kind !== 'struct') {
    const width = WIDTHS[target.kind]!;
    const fill = random(6) === 0 ? 0xff : 0;
    writer.bytes(Uint8Array.from({ length: width }, (_, index) => (index === 0 ? random(4) * 50 : fill)));
  } else if (isString(target)) {
    const text = Buffer.from(TEXTS[random(TEXTS.length)]!);
    writer.uleb128(text.length);
    writer.bytes(text);
  } else if (isObjectId(target) || isObjectHandle(target)) {
    objectId.write(writer, OBJECTS[random(OBJECTS.length)]!);
  } else {
    for (const field of target.fields) writeValue(field, random, writer);
  }
}

/** Runs, and names the call and the seed where the engines differ. */
function ranBy<T>(call: Call, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const given = call.slice(1).map((bytes) => toHex(bytes as Uint8Array));
    throw new Error(`${call[0]}(${given.join(', ')}), MOVELET_FUZZ_SEED=${seed}`, { cause: error });
  }
}

const ROUNDS = runs(2, 100);
/** Some functions turn for as long as there is gas. */
const BUDGET = 3_000_000n;

describe('the functions of the framework', () => {
  let world: SessionWorld;
  beforeAll(async () => {
    world = await SessionWorld.open();
  });

  /** The call of a function with type arguments that it takes, or undefined. */
  function callOf(module: string, name: string, generics: number, random: (below: number) => number): Call | undefined {
    const { machine, modules, state } = world.settings('interpret');
    const [owner, own] = module.split('::') as [string, string];
    for (const argument of generics === 0 ? [undefined] : TYPE_ARGUMENTS) {
      const typeArguments = argument === undefined ? [] : Array.from({ length: generics }, () => argument);
      const target = { module: { address: parseAddressHex(owner), name: own }, function: name, typeArguments };
      const parameters = machine.parameterTypes(target, new StateModules(state, modules));
      if ('status' in parameters) continue;
      const given = parameters
        .filter((type) => !isSigner(type))
        .map((type) => {
          const writer = new ByteWriter();
          writeValue(type, random, writer);
          return writer.finish();
        });
      const names = typeArguments.map((tag) => (tag.kind === 'struct' ? canonicalStruct(tag.struct) : tag.kind));
      return [`${module}::${name}${names.length === 0 ? '' : `<${names.join(';')}>`}`, ...given];
    }
    return undefined;
  }

  it.each(FRAMEWORK_PACKAGES.map((framework) => [framework.name, framework] as const))(
    'in %s do the same by both engines',
    (_name, { address, modules }) => {
      const random = randomNumbers(seed);
      let called = 0;
      let returned = 0;
      for (const { name: moduleName, bytes } of modules) {
        const module = readModule(bytes);
        for (const { handle, code } of module.functionDefinitions) {
          if (code === undefined) continue;
          const { name, typeParameters } = module.functionHandles[handle]!;
          for (let round = 0; round < ROUNDS; round++) {
            const id = `${formatAddressShort(address)}::${moduleName}`;
            const call = callOf(id, module.identifiers[name]!, typeParameters.length, random);
            if (call === undefined) continue;
            const settings = { isReadOnly: true, context: contextOf(ACCOUNT), gasBudget: BUDGET };
            const { results } = ranBy(call, () => world.run([call], settings));
            called++;
            if (!/^[A-Z_]+ ?\d* at /.test(results[0]!)) returned++;
          }
        }
      }
      expect(called).toBeGreaterThan(100);
      expect(returned).toBeGreaterThan(called / 5);
    },
    isLong ? 3_600_000 : 120_000,
  );
});
