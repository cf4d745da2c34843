import { expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { type SignatureToken, TokenTag } from '../../../src/vm/binary/signature-token.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import type { GlobalStorage } from '../../../src/vm/processor.ts';
import { fieldReferenceClass, type Reference } from '../../../src/vm/value/reference.ts';
import type { StructInstance } from '../../../src/vm/value/struct.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { assembleModule } from '../assemble.ts';
import { generateModule } from '../generate.ts';
import { SMALL_SCHEDULE, summarise } from './world.ts';

const MODULES = runs(200, 4_000);
const ID = { address: addressOf(1), name: 'generated' };

const FieldZero = fieldReferenceClass(0);
const FieldOne = fieldReferenceClass(1);

/** The natives that generated modules declare. */
const natives = new NativeTable<undefined>().add(ID, {
  imm: (_context, _signature, a: StructInstance) => new FieldZero(a),
  mut: (_context, _signature, a: StructInstance) => new FieldOne(a),
  pick: (_context, _signature, a: StructInstance, b: StructInstance) => (a.f0 === 0n ? b : a),
  mixed: (_context, _signature, b: StructInstance) => b.f0,
  look: (_context, _signature, a: StructInstance) => new FieldOne(a),
  two: (_context, _signature, a: StructInstance, n: Reference) => {
    a.setField(0, n.get());
    n.set(a.f1);
  },
  take: (_context, { returns }, a: StructInstance) => returns[0]!.make(a.f1, a.f0),
  same: (_context, _signature, value: unknown) => value,
  touch: () => 3n,
});

class Globals implements GlobalStorage {
  readonly #values = new Map<string, StructInstance>();

  exists(address: Uint8Array): boolean {
    return this.#values.has(toHex(address));
  }

  borrow(address: Uint8Array, type: Type): StructInstance | undefined {
    const key = toHex(address);
    const [inner] = type.fields;
    const value = this.#values.get(key) ?? type.make(inner!.make(1n, 2n), 3n);
    this.#values.set(key, value);
    return value;
  }

  moveFrom(address: Uint8Array): StructInstance | undefined {
    const value = this.#values.get(toHex(address));
    this.#values.delete(toHex(address));
    return value;
  }

  moveTo(address: Uint8Array, _type: Type, value: StructInstance): boolean {
    if (this.exists(address)) return false;
    this.#values.set(toHex(address), value);
    return true;
  }
}

/** BCS of some value of a type. */
function someBytes(module: Module, token: SignatureToken, inForce: readonly SignatureToken[] = []): number[] {
  switch (token.tag) {
    case TokenTag.Bool:
      return [1];
    case TokenTag.U64:
      return [5, 0, 0, 0, 0, 0, 0, 0];
    case TokenTag.Vector:
      return [2, ...someBytes(module, token.arguments[0]!), ...someBytes(module, token.arguments[0]!)];
    case TokenTag.Reference:
    case TokenTag.MutableReference:
      return someBytes(module, token.arguments[0]!);
    case TokenTag.TypeParameter:
      return someBytes(module, inForce[token.index]!);
    default: {
      const definition = module.structDefinitions.find(({ handle }) => handle === token.index)!;
      return definition.fields!.flatMap((field) => someBytes(module, field.type, token.arguments));
    }
  }
}

it(`runs the sound ones of ${MODULES} generated modules the same way on every engine`, { timeout: 600_000 }, () => {
  let ran = 0;
  for (let number = 0; number < MODULES; number++) {
    const module = assembleModule(generateModule(randomNumbers(seed + number), { carelessness: 0 }));
    if (!verifyModule(module).ok) continue;
    const source = { load: (): Module => module };
    const machines = ([['interpret'], ['translate'], ['translate', true], ['translate', false, 3]] as const).map(
      ([engine, preferSwitch, translateAfter]) =>
        Machine.create({
          natives,
          schedule: SMALL_SCHEDULE,
          engine,
          preferSwitch: preferSwitch ?? false,
          translateAfter: translateAfter ?? 0,
        }),
    );
    for (const definition of module.functionDefinitions) {
      if (definition.code === undefined) continue;
      const handle = module.functionHandles[definition.handle]!;
      const given = module.signatures[handle.parameters]!.map((token) => {
        return { bytes: Uint8Array.from(someBytes(module, token)) };
      });
      const name = module.identifiers[handle.name]!;
      for (const budget of [3000n, 700n, 150n, 149n, 60n]) {
        const outcomes = machines.map((machine) => {
          const gas = new GasMeter(budget);
          const call = { module: ID, function: name, typeArguments: [], arguments: given };
          const setting = { source, gas, host: undefined, globals: new Globals() };
          return `${summarise(machine.call(call, setting))} with ${gas.left} left`;
        });
        expect(new Set(outcomes), `seed ${seed + number} ${name} ${budget}`).toHaveProperty('size', 1);
        ran++;
      }
    }
  }
  expect(ran).toBeGreaterThan(MODULES / 2);
});
