/**
 * Natives of `0x2::move_module` that publish: names, the checks before modules are stored, and their `init` functions.
 *
 * A module id is the text `0x`, the address without leading zeros, `::` and the name.
 * Source: the reference's `natives/moveos_stdlib/move_module.rs`.
 *
 * Natives of `0x2::move_module` that make changed copies of modules: templates that are published under other names,
 * addresses and constants. The result is not verified here, but when it is published.
 * Source: the reference's `natives/moveos_stdlib/move_module.rs`.
 * @module
 */

import { bytes, type Codec, encode, u8, u64, u256 } from '../../base/bcs.ts';
import { equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { EngineError } from '../../base/error.ts';
import { type Address, MOVEOS_STD_ADDRESS, parseAddressHex } from '../../move/address.ts';
import { isIdentifier } from '../../move/identifier.ts';
import {
  type Constant,
  type Module,
  type ModuleId,
  type ModuleLookup,
  moduleIdText,
  selfIdOf,
} from '../../vm/binary/module.ts';
import { type SignatureToken, TokenTag } from '../../vm/binary/signature-token.ts';
import { writeModule } from '../../vm/binary/write.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ArrayVector, ByteVector, U64Vector, type VectorValue } from '../../vm/value/vector.ts';
import { dependencyOrder, verifyBundle } from '../../vm/verify/bundle.ts';
import { checkCompatibility } from '../../vm/verify/compatibility.ts';
import { isConstantType, isValueOf } from '../../vm/verify/constants.ts';
import { hasInitFunction } from '../../vm/verify/entry-functions.ts';
import { checkMetadataCompatibility, verifyPublish } from '../../vm/verify/publish.ts';
import { verificationSteps } from '../../vm/verify/verify.ts';
import { FEATURE_COMPATIBILITY_CHECKER_V2 } from '../runtime/features.ts';
import { spendReading, spendVerification } from '../runtime/native-work.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { makeText, readText } from './known-struct.ts';
import type { ModuleNatives, NativePrices, Natives } from './module-natives.ts';
import { panic } from './panic.ts';

/** Module bytes read, searched or written per microsecond, measured on short functions. */
const MODULE_BYTES_PER_WORK = 4;

/** Two lists differ in length. */
const ERROR_LENGTH = 4;

/** Makes a copy of a module, given two lists of values that correspond by position. */
type Replace = (context: Context, module: Module, old: VectorValue, next: VectorValue) => Module;

function templateNatives(prices: NativePrices): Natives {
  const native = (name: string, replace: Replace): Natives => {
    const cost = prices.linear(`move_module.${name}`);
    return {
      [name]: (
        context: Context,
        _signature: NativeSignature,
        codes: ArrayVector,
        old: VectorValue,
        next: VectorValue,
      ): ArrayVector => {
        const isPaired = old.length === next.length;
        const given = codes.items as ByteVector[];
        if (!isPaired) {
          context.charge(cost(0));
          return context.abort(ERROR_LENGTH);
        }
        const copies = given.map((code) => write(context, replace(context, read(context, code), old, next)));
        context.charge(cost(given.reduce((sum, code) => sum + code.length, 0)));
        return new ArrayVector(copies);
      },
    };
  };
  return {
    ...native('replace_address_identifiers', replaceAddresses),
    ...native('replace_identifiers', replaceIdentifiers),
    ...native('replace_addresses_constant', replaceAddressConstants),
    ...native(
      'replace_bytes_constant',
      replaceConstants(isBytes, bytes, (value) => (value as ByteVector).view()),
    ),
    ...native(
      'replace_u8_constant',
      replaceConstants(isOf(TokenTag.U8), u8, (value) => value as number),
    ),
    ...native(
      'replace_u64_constant',
      replaceConstants(isOf(TokenTag.U64), u64, (value) => value as bigint),
    ),
    ...native(
      'replace_u256_constant',
      replaceConstants(isOf(TokenTag.U256), u256, (value) => value as bigint),
    ),
  };
}

function read(context: Context, code: ByteVector): Module {
  // Read, searched and written once each.
  context.host.work.spend(Math.ceil((3 * code.length) / MODULE_BYTES_PER_WORK));
  return decodeModule(context, code);
}

function write(context: Context, module: Module): ByteVector {
  try {
    return new ByteVector(writeModule(module));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'invariant-violation') throw error;
    return context.fail(StatusCode.VALUE_SERIALIZATION_ERROR, error.message);
  }
}

/** If an old value occurs twice, the last one counts. */
function pairsOf<T>(
  old: VectorValue,
  next: VectorValue,
  read: (value: unknown) => T,
  key: (value: T) => string,
): Map<string, T> {
  const pairs = new Map<string, T>();
  for (let index = 0; index < old.length; index++) pairs.set(key(read(old.get(index))), read(next.get(index)));
  return pairs;
}

function addressPairs(old: VectorValue, next: VectorValue): Map<string, Address> {
  return pairsOf(old, next, (value) => value as Address, textOfBytes);
}

function replaceAddresses(_context: Context, module: Module, old: VectorValue, next: VectorValue): Module {
  const pairs = addressPairs(old, next);
  return { ...module, addresses: module.addresses.map((own) => pairs.get(textOfBytes(own)) ?? own) };
}

function replaceIdentifiers(context: Context, module: Module, old: VectorValue, next: VectorValue): Module {
  const readName = (value: unknown): string => readIdentifier(context, value as StructInstance);
  const pairs = pairsOf(old, next, readName, (name) => name);
  return { ...module, identifiers: module.identifiers.map((own) => pairs.get(own) ?? own) };
}

/** Addresses in constants, at any depth of vectors. */
function replaceAddressConstants(context: Context, module: Module, old: VectorValue, next: VectorValue): Module {
  const pairs = addressPairs(old, next);
  const change = ({ type, data }: Constant): Constant => {
    const copy = data.slice();
    for (const at of addressOffsets(type, new ByteReader(data))) {
      const other = pairs.get(textOfBytes(data.subarray(at, at + 32)));
      if (other !== undefined) copy.set(other, at);
    }
    return { type, data: copy };
  };
  return { ...module, constants: soundConstants(context, module).map(change) };
}

/** The offsets of addresses in a value of a type that constants may have. */
function* addressOffsets(type: SignatureToken, reader: ByteReader): Generator<number, void, undefined> {
  if (type.tag === TokenTag.Address) yield reader.skip(32);
  if (type.tag !== TokenTag.Vector) return;
  const [item] = type.arguments;
  if (!holdsAddresses(item!)) return;
  for (let left = reader.uleb128(); left > 0; left--) yield* addressOffsets(item!, reader);
}

function holdsAddresses(type: SignatureToken): boolean {
  return type.tag === TokenTag.Address || (type.tag === TokenTag.Vector && holdsAddresses(type.arguments[0]!));
}

/** Whole constants whose type `matches`. */
function replaceConstants<T>(
  matches: (constant: Constant) => boolean,
  codec: Codec<T>,
  readValue: (value: unknown) => T,
): Replace {
  return (context, module, old, next) => {
    const pairs = pairsOf(old, next, (value) => encode(codec, readValue(value)), textOfBytes);
    const change = (constant: Constant): Constant => {
      const other = matches(constant) ? pairs.get(textOfBytes(constant.data)) : undefined;
      return other === undefined ? constant : { type: constant.type, data: other };
    };
    return { ...module, constants: soundConstants(context, module).map(change) };
  };
}

function isOf(tag: TokenTag): (constant: Constant) => boolean {
  return ({ type }) => type.tag === tag;
}

/** `vector<u8>`, and empty vectors of any type, since the reference looks only at values. */
function isBytes({ type, data }: Constant): boolean {
  return type.tag === TokenTag.Vector && (type.arguments[0]!.tag === TokenTag.U8 || data.length === 1);
}

/** The constants of an unverified module, each of which must be a value of its type. */
function soundConstants(context: Context, module: Module): readonly Constant[] {
  if (module.constants.every(({ type, data }) => isConstantType(type) && isValueOf(type, data)))
    return module.constants;
  return context.fail(StatusCode.VALUE_DESERIALIZATION_ERROR, 'a constant is not a value of its type');
}

/** Microseconds for each module of a bundle besides its verification steps: for its name and its links. */
const MODULE_WORK = 50;

/** Microseconds for each module named by a module that is visited. */
const LINK_WORK = 1;

/** Microseconds for the name of a module. */
const NAME_WORK = 5;

type Context = NativeContext<SessionHost>;

/** A module of the bundle has another address than the package. */
const ERROR_ADDRESS = 1;
/** The bytecode verifier or the linker refused a module. */
const ERROR_VERIFICATION = 2;
/** A module may not replace the existing one. */
const ERROR_INCOMPATIBLE = 3;

export const MOVE_MODULE: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'move_module' },
  natives: (prices) => ({ ...nameNatives(prices), ...publishNatives(prices), ...templateNatives(prices) }),
};

function nameNatives(prices: NativePrices): Natives {
  const idCost = prices.linear('move_module.module_id_inner', 'per_byte_in_str');
  return {
    module_id_inner: (context, { returns }, code: ByteVector): StructInstance => {
      const text = moduleIdText(selfIdOf(readModule(context, code)));
      context.charge(idCost(text.length));
      return makeText(returns[0]!, text);
    },
    /** Free: the reference reads no price for it. */
    module_id_from_name: (context, { returns }, address: Address, name: StructInstance): StructInstance => {
      const text = moduleIdText({ address, name: readIdentifier(context, name) });
      return makeText(returns[0]!, text);
    },
  };
}

function publishNatives(prices: NativePrices): Natives {
  const sortCost = prices.linear('move_module.sort_and_verify_modules_inner');
  const sortPerModule = prices.of('move_module.sort_and_verify_modules_inner.per_module');
  const initBase = prices.of('move_module.request_init_functions.base');
  const initPerFunction = prices.of('move_module.request_init_functions.per_function');
  const checkCost = prices.linear('move_module.check_compatibililty_inner');
  return {
    sort_and_verify_modules_inner: (context, { returns }, codes: ArrayVector, address: Address): unknown[] => {
      const given = (codes.items as ByteVector[]).map((code) => readModule(context, code));
      const order = dependencyOrder(given);
      if (order === undefined) {
        const names = new Set(given.map((module) => moduleIdText(selfIdOf(module))));
        const isTwice = names.size < given.length;
        const message = isTwice ? 'two modules have the same name' : 'the modules depend on each other in a cycle';
        return context.fail(StatusCode.CYCLIC_MODULE_DEPENDENCY, message);
      }
      const bytes = (codes.items as ByteVector[]).reduce((sum, code) => sum + code.length, 0);
      context.charge(sortCost(bytes) + sortPerModule * given.length);
      const modules = order.map((position) => given[position]!);
      verifyForPublish(context, modules, address);
      const names = (chosen: readonly Module[], type: Type): ArrayVector =>
        new ArrayVector(chosen.map((module) => makeText(type.item, selfIdOf(module).name)));
      const withInit = modules.filter((module) => hasInitFunction(module));
      const indices = new U64Vector(BigUint64Array.from(order, (position) => BigInt(position)));
      return [names(modules, returns[0]!), names(withInit, returns[1]!), indices];
    },
    request_init_functions: (context, _signature, ids: ArrayVector): void => {
      context.host.work.spend(ids.length * NAME_WORK);
      const modules = (ids.items as StructInstance[]).map((id) => parseModuleId(context, id));
      context.charge(initBase + initPerFunction * modules.length);
      for (const id of modules) context.host.initRequests.add(id);
    },
    check_compatibililty_inner: (context, _signature, next: ByteVector, old: ByteVector): void => {
      const nextModule = readModule(context, next);
      const oldModule = readModule(context, old);
      context.charge(checkCost(next.length + old.length));
      const checksFriends = context.host.features.has(FEATURE_COMPATIBILITY_CHECKER_V2);
      const compatible = checkCompatibility(oldModule, nextModule, { checksFriends });
      if (!compatible.ok) context.abort(ERROR_INCOMPATIBLE, compatible.message);
      const metadata = checkMetadataCompatibility(oldModule, nextModule);
      if (!metadata.ok) context.abort(metadata.subStatus ?? 0, metadata.message);
    },
  };
}

/** First the chain's checks, which see only stored modules, then Move's, which also see what the session published. */
function verifyForPublish(context: Context, modules: readonly Module[], address: Address): void {
  const { modules: known } = context.host;
  context.host.work.spend(modules.length * MODULE_WORK);
  const chain = verifyPublish(modules, (id) => known.stored.load(id));
  if (!chain.ok) context.abort(chain.subStatus ?? ERROR_VERIFICATION, chain.message);
  // One module may take up to VERIFY_STEPS_MAX of work, and a transaction has room for a hundred: the one that would
  // exceed the transaction's total is abandoned midway.
  for (const module of modules) {
    spendVerification(context.host.work, (onSteps) => verificationSteps(module, onSteps));
  }
  const { work } = context.host;
  const lookup: ModuleLookup = (id) => known.load(id);
  const sound = verifyBundle(modules, lookup, (links) => work.spend(links * LINK_WORK));
  if (!sound.ok) context.abort(ERROR_VERIFICATION, sound.message);
  if (modules.some((module) => !equalBytes(selfIdOf(module).address, address))) context.abort(ERROR_ADDRESS);
}

function readModule(context: Context, code: ByteVector): Module {
  spendReading(context.host.work, code.length);
  return decodeModule(context, code);
}

/** @throws the failure of the reference's deserializer for these bytes */
function decodeModule(context: Context, code: ByteVector): Module {
  try {
    return context.host.modules.read(code.view());
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
    return panic(context, error.details['statusCode'] as StatusCode, error.message);
  }
}

function parseModuleId(context: Context, value: StructInstance): ModuleId {
  const text = readText(value);
  const [, digits, name] = /^(0x[0-9a-fA-F]{1,64}|[0-9a-fA-F]{64})::([^:]*)$/.exec(text ?? '') ?? [];
  if (digits === undefined || name === undefined || !isIdentifier(name)) {
    return panic(context, StatusCode.TYPE_RESOLUTION_FAILURE, `expected a module id, got ${text}`);
  }
  return { address: parseAddressHex(digits), name };
}

function readIdentifier(context: Context, value: StructInstance): string {
  const text = readText(value);
  if (text === undefined || !isIdentifier(text)) {
    return panic(context, StatusCode.TYPE_RESOLUTION_FAILURE, `expected an identifier, got ${text}`);
  }
  return text;
}
