import { describe, expect, it } from 'vitest';
import type { TypeTag } from '../../../src/move/type-tag.ts';
import { type Module, type ModuleId, moduleKey } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { type NativeFunction, NativeTable } from '../../../src/vm/native.ts';
import { vectorOf } from '../../../src/vm/value/generic-operations.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { ByteVector } from '../../../src/vm/value/vector.ts';
import { type RandomNumber, randomNumbers, seed } from '../../effort.ts';
import { hasReference, releasedPackages, releaseNumbers } from '../corpus.ts';
import { summarise } from './world.ts';

const title = `the reference's newest framework${hasReference ? '' : ' (skipped: MOVELET_REFERENCE is not set)'}`;

/** A value of a type: zeros and nothing without `random`, otherwise small and varied. */
function someValue(type: Type, random?: RandomNumber): unknown {
  const roll = random?.(6) ?? 0;
  switch (type.kind) {
    case 'bool':
      return roll % 2 === 1;
    case 'u8':
    case 'u16':
    case 'u32':
      return [0, 1, 2, 48, 102, 255][roll]!;
    case 'u64':
    case 'u128':
    case 'u256':
      return [0n, 1n, 2n, 7n, 255n, 2n ** 64n - 1n][roll]!;
    case 'address':
      return new Uint8Array(32).fill(roll);
    case 'signer':
      return new type.structClass(new Uint8Array(32).fill(roll));
    case 'vector':
      return vectorOf(
        type.item,
        Array.from({ length: roll }, () => someValue(type.item, random)),
      );
    case 'struct':
      return type.make(...type.fields.map((field) => someValue(field, random)));
    default: {
      const value = someValue(type.item, random);
      return type.item.isContainer ? value : new Cell(value);
    }
  }
}

/** Gives every native a body: it charges a little and returns zeros, so that the code behind it runs on. */
class StandIns extends NativeTable<undefined> {
  override get(): NativeFunction<undefined> {
    return (context, { returns }) => {
      context.charge(100);
      const values = returns.map((type) => someValue(type));
      return values.length === 1 ? values[0] : values;
    };
  }
}

interface Target {
  readonly id: ModuleId;
  readonly name: string;
  readonly typeParameters: number;
}

describe.skipIf(!hasReference)(title, () => {
  const modules = new Map<string, Module>();
  const targets: Target[] = [];
  if (hasReference) {
    for (const { modules: binaries } of releasedPackages(releaseNumbers().at(-1)!)) {
      for (const module of binaries.map((bytes) => readModule(bytes))) {
        const id = idOfHandle(module, module.selfHandle);
        modules.set(moduleKey(id), module);
        for (const { handle, code } of module.functionDefinitions) {
          const { name, typeParameters } = module.functionHandles[handle]!;
          if (code === undefined) continue;
          targets.push({ id, name: module.identifiers[name]!, typeParameters: typeParameters.length });
        }
      }
    }
  }
  const source = { load: (id: ModuleId): Module | undefined => modules.get(moduleKey(id)) };
  const make = (natives: NativeTable<undefined>): Machine<undefined>[] =>
    (['interpret', 'translate', 'mixed'] as const).map((name) =>
      Machine.create({
        natives,
        schedule: INITIAL_GAS_SCHEDULE,
        engine: name === 'mixed' ? 'translate' : name,
        translateAfter: name === 'mixed' ? 2 : 0,
      }),
    );

  it('runs every function the same way on both engines', { timeout: 600_000 }, () => {
    const machines = make(new StandIns());
    const struct: TypeTag = {
      kind: 'struct',
      struct: { address: new Uint8Array(32).fill(1, 31), module: 'string', name: 'String', typeArguments: [] },
    };
    let returned = 0;
    let translated = 0;
    for (const [index, { id, name, typeParameters }] of targets.entries()) {
      const typeArguments = Array.from({ length: typeParameters }, () => struct);
      for (const [round, budget] of [1_000_000n, 1_000_000n, 300_000n, 20_000n].entries()) {
        const outcomes = machines.map((machine) => {
          const gas = new GasMeter(budget);
          const random = round === 0 ? undefined : randomNumbers(seed + index * 10 + round);
          const parameters = machine.parameterTypes({ module: id, function: name, typeArguments }, source);
          const given = 'status' in parameters ? [] : parameters.map((type) => ({ value: someValue(type, random) }));
          const call = { module: id, function: name, typeArguments, arguments: given };
          const outcome = machine.call(call, { source, gas, host: undefined });
          if (outcome.kind === 'returned') returned++;
          return `${summarise(outcome)} with ${gas.left} left`;
        });
        expect(outcomes[1], `${id.name}::${name}`).toBe(outcomes[0]);
        expect(outcomes[2], `${id.name}::${name}`).toBe(outcomes[0]);
        translated++;
      }
    }
    expect(targets.length).toBeGreaterThan(2000);
    expect(returned).toBeGreaterThan(translated / 2);
  });

  it('gives the values that were measured on the reference', () => {
    const [, machine] = make(new NativeTable());
    const run = (module: string, name: string, owner: number, ...values: unknown[]): [string, bigint] => {
      const gas = new GasMeter(10n ** 12n);
      const call = {
        module: { address: new Uint8Array(32).fill(owner, 31), name: module },
        function: name,
        typeArguments: [],
        arguments: values.map((value) => ({ value })),
      };
      return [summarise(machine!.call(call, { source, gas, host: undefined })), 10n ** 12n - gas.left];
    };
    const hex = new ByteVector(new TextEncoder().encode('00ff10Ab'));
    expect(run('hex', 'decode', 2, hex)[0]).toBe('[0, 255, 16, 171]');
    expect(run('u64', 'sqrt', 1, 1_000_000n)[0]).toBe('1000');
    expect(run('u256', 'pow', 1, 3n, 160)[0]).toBe(String(3n ** 160n));
    const [left, right] = [new ByteVector(Uint8Array.of(1, 2)), new ByteVector(Uint8Array.of(1, 3))];
    expect(run('compare', 'cmp_bcs_bytes', 2, left, right)[0]).toMatch(/^\d+$/);
  });
});
