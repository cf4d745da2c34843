import { expect, it } from 'vitest';
import { EngineError } from '../../../src/error.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { type ModuleId, moduleKey } from '../../../src/vm/module-id.ts';
import { NativeTable } from '../../../src/vm/native-table.ts';
import { vectorOf } from '../../../src/vm/value/generic-operations.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule } from '../assemble.ts';
import { mutateModule, randomFrom } from '../mutate.ts';
import { randomProgram } from './random-program.ts';
import { SMALL_SCHEDULE, summarise } from './world.ts';

const MUTANTS = Number(process.env['MOVELET_FUZZ_RUNS'] ?? 600);

/** A small value of a type. */
function someValue(type: Type): unknown {
  switch (type.kind) {
    case 'bool':
      return true;
    case 'u8':
    case 'u16':
    case 'u32':
      return 2;
    case 'u64':
    case 'u128':
    case 'u256':
      return 3n;
    case 'address':
      return addressOf(4);
    case 'signer':
      return new type.structClass(addressOf(5));
    case 'vector':
      return vectorOf(type.item, [someValue(type.item), someValue(type.item)]);
    case 'struct':
      return type.make(...type.fields.map((field) => someValue(field)));
    default:
      return type.item.isContainer ? someValue(type.item) : new Cell(someValue(type.item));
  }
}

/** The module as its bytes read, if they do: what a mutation broke of its indexes is found there. */
function reread(module: Module): Module | undefined {
  try {
    return readModule(writeModule(module));
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

it(`runs what the verifier lets pass of ${MUTANTS} mutated modules the same way`, { timeout: 600_000 }, () => {
  let ran = 0;
  for (let seed = 0; seed < MUTANTS; seed++) {
    const random = randomFrom(seed);
    // A few mutants of each program.
    const choices = randomFrom(Math.floor(seed / 20));
    const original = assembleModule(randomProgram((bound) => choices(bound)));
    const module = reread(mutateModule(original, random));
    if (module === undefined || !verifyModule(module).ok) continue;
    const self = idOfHandle(module, module.selfHandle);
    const source = {
      load: (id: ModuleId): Module | undefined => (moduleKey(id) === moduleKey(self) ? module : undefined),
    };
    const machines = (['interpret', 'translate', 'translate'] as const).map((engine, index) =>
      Machine.create({
        natives: new NativeTable(),
        schedule: SMALL_SCHEDULE,
        engine,
        translateAfter: index === 2 ? 1 : 0,
      }),
    );
    for (const { handle, code } of module.functionDefinitions) {
      const { name, typeParameters } = module.functionHandles[handle]!;
      if (code === undefined) continue;
      const target = {
        module: self,
        function: module.identifiers[name]!,
        typeArguments: typeParameters.map(() => ({ kind: 'u64' }) as const),
      };
      const outcomes = machines.map((machine) => {
        const gas = new GasMeter(5000n);
        const parameters = machine.parameterTypes(target, source);
        const given = 'status' in parameters ? [] : parameters.map((type) => ({ value: someValue(type) }));
        return `${summarise(machine.call({ ...target, arguments: given }, { source, gas, host: undefined }))} ${gas.left}`;
      });
      expect(new Set(outcomes), `seed ${seed} ${target.function}`).toHaveProperty('size', 1);
      ran++;
    }
  }
  expect(ran).toBeGreaterThan(MUTANTS / 10);
});
