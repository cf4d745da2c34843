/** How much code a store of instances keeps, against a sum of units: its own, those of bodies, and the rests of loops. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseAddressHex } from '../../../src/move/address.ts';
import { moduleKey } from '../../../src/vm/binary/module.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { InstanceStore } from '../../../src/vm/link/instance-store.ts';
import { Linker } from '../../../src/vm/link/linker.ts';
import { type LoadedFunction, LoadedModule } from '../../../src/vm/link/loaded-module.ts';
import { bodyUnits, instanceUnits, Preparation } from '../../../src/vm/link/preparation.ts';
import { TypeStore } from '../../../src/vm/link/type-store.ts';
import { genericOperations } from '../../../src/vm/value/generic-operations.ts';
import { structClass } from '../../../src/vm/value/struct.ts';
import { property } from '../../effort.ts';
import { assembleModule } from '../assemble.ts';

const MODULE = assembleModule(`module 0x1::m
  public fun old(): u64 { LdU64 1; Ret }
  public fun outer(n: u64): u64 { MoveLoc n; LdU64 1; Add; Ret }
  public fun inner(a: u64, b: u64): u64 { MoveLoc a; MoveLoc b; Add; LdU64 2; Mul; Ret }`);
const MANY = 1_000_000;

interface Fixture {
  readonly store: InstanceStore;
  readonly functions: Readonly<Record<'old' | 'outer' | 'inner', LoadedFunction>>;
}

/** Each with a module of its own: loaded functions hold their instances. */
function fixture(unitsMax: number): Fixture {
  const limits = { instantiationNodesMax: MANY, layoutNodesMax: MANY, layoutDepthMax: MANY, valueDepthMax: MANY };
  const types = new TypeStore(
    { ...limits, structTypesMax: MANY },
    {
      makeOperations: (type) => genericOperations(type, INITIAL_GAS_SCHEDULE.size),
      makeStructClass: (type) => structClass(type.fields.length, false),
    },
  );
  const preparation = new Preparation(false);
  const link = (): (() => void) => () => {};
  const store = new InstanceStore(types, { instancesMax: MANY, unitsMax, preparation, link });
  const loaded = new LoadedModule(MODULE, [undefined], () => false);
  const find = (name: string): LoadedFunction => loaded.findFunction(name)!;
  return { store, functions: { old: find('old'), outer: find('outer'), inner: find('inner') } };
}

/** Units of a function's instance with its body. */
const wholeUnits = (loaded: LoadedFunction): number => instanceUnits(loaded) + bodyUnits(loaded);

describe('InstanceStore', () => {
  it('counts code each time it is translated, and forgets the oldest when that is too much', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.integer({ min: -1, max: 1 }), (times, spare) => {
        const { old, outer } = fixture(MANY).functions;
        const sum = instanceUnits(old) + (1 + times) * wholeUnits(outer);
        const { store, functions } = fixture(sum + spare);
        const first = store.get(functions.old, []);
        const holder = store.get(functions.outer, []);
        store.prepare(holder);
        for (let time = 0; time < times; time++) store.countAgain(holder);
        expect(holder.units).toBe((1 + times) * wholeUnits(outer));
        expect(first.units).toBe(spare < 0 ? 0 : instanceUnits(old));
        expect(store.size).toBe(spare < 0 ? 1 : 2);
        expect(store.get(functions.old, []) === first).toBe(spare >= 0);
      }),
      property(60, 600),
    );
  });

  it('counts nothing for a function that it has forgotten', () => {
    const { store, functions } = fixture(wholeUnits(fixture(MANY).functions.inner));
    const forgotten = store.get(functions.old, []);
    store.prepare(store.get(functions.inner, []));
    expect(store.size).toBe(1);
    store.countAgain(forgotten);
    expect(forgotten.units).toBe(0);
    expect(store.size).toBe(1);
  });
});

vi.mock('../../../src/vm/binary/module.ts', { spy: true });

const ADDRESS = `0x${'00'.repeat(31)}42`;

/** Three hundred modules that each name all before took nine seconds, for each call after an upgrade of the lowest. */
it('does not search among the dependencies of a module for each of them', () => {
  const count = 60;
  const lines = Array.from({ length: count }, (_, at) => `extern ${ADDRESS}::m${at} { fun f() }`).join('\n');
  const calls = Array.from({ length: count }, (_, at) => `Call ${ADDRESS}::m${at}::f;`).join('\n');
  const top = assembleModule(`module ${ADDRESS}::top
    ${lines}
    public fun f() { ${calls} Ret }`);
  const below = Array.from({ length: count }, (_, at) =>
    assembleModule(`module ${ADDRESS}::m${at}
      public fun f() { Ret }`),
  );
  const source = {
    load: ({ name }: { readonly name: string }) => (name === 'top' ? top : below[Number(name.slice(1))]),
  };
  const linker = new Linker({} as TypeStore, () => false);
  vi.mocked(moduleKey).mockClear();
  const loaded = linker.module({ address: parseAddressHex(ADDRESS), name: 'top' }, source);
  expect(loaded.dependencies).toHaveLength(count + 1);
  expect(vi.mocked(moduleKey).mock.calls.length).toBeLessThan(10 * count);
});
