import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap } from '../../src/store/ordered-map.ts';

const entriesUp = (map: OrderedMap<number>, from?: string): [string, number][] => {
  const found: [string, number][] = [];
  map.ascend(from, (key, value) => found.push([key, value]) > 0);
  return found;
};

const entriesDown = (map: OrderedMap<number>, from?: string): [string, number][] => {
  const found: [string, number][] = [];
  map.descend(from, (key, value) => found.push([key, value]) > 0);
  return found;
};

const byKey = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : a > b ? 1 : 0);

function expectEqual(map: OrderedMap<number>, model: ReadonlyMap<string, number>, from?: string): void {
  const sorted = [...model].sort(byKey);
  expect(map.size).toBe(model.size);
  expect(entriesUp(map)).toEqual(sorted);
  expect(entriesDown(map)).toEqual(sorted.toReversed());
  if (from === undefined) return;
  expect(map.get(from)).toBe(model.get(from));
  expect(entriesUp(map, from)).toEqual(sorted.filter(([key]) => key >= from));
  expect(entriesDown(map, from)).toEqual(sorted.filter(([key]) => key <= from).toReversed());
}

/** Runs of sets and deletes long enough to split and empty nodes on three levels. */
const runArbitrary = fc.record({
  remove: fc.boolean(),
  start: fc.nat({ max: 4000 }),
  count: fc.nat({ max: 3000 }),
  stride: fc.constantFrom(1, 7, 1009, 3989),
});

describe('OrderedMap', () => {
  it('equals a sorted Map, and so does every clone that was taken on the way', () => {
    fc.assert(
      fc.property(fc.array(runArbitrary, { minLength: 1, maxLength: 6 }), fc.nat({ max: 4000 }), (runs, probe) => {
        const keyOf = (index: number): string => String.fromCharCode(index >> 8, index & 0xff);
        let map = new OrderedMap<number>();
        const model = new Map<string, number>();
        const clones: { map: OrderedMap<number>; model: Map<string, number> }[] = [];
        for (const [turn, { remove, start, count, stride }] of runs.entries()) {
          for (let step = 0; step < count; step++) {
            const key = keyOf((start + step * stride) % 4001);
            if (remove) expect(map.delete(key)).toBe(model.delete(key));
            else {
              map.set(key, step);
              model.set(key, step);
            }
          }
          clones.push({ map: map.clone(), model: new Map(model) });
          if (turn % 2 === 1) map = map.clone();
        }
        expectEqual(map, model, keyOf(probe));
        for (const clone of clones) expectEqual(clone.map, clone.model, keyOf(probe));
      }),
      { numRuns: 30 },
    );
  });

  it('is empty, and usable, after the last key is deleted', () => {
    const map = new OrderedMap<number>();
    for (let index = 0; index < 5000; index++) map.set(String(index), index);
    for (let index = 0; index < 5000; index++) expect(map.delete(String(index))).toBe(true);
    expect(map.delete('1')).toBe(false);
    expectEqual(map, new Map(), '1');
    map.set('1', 1);
    expectEqual(map, new Map([['1', 1]]), '1');
  });

  it('stops where the visitor says so', () => {
    const map = new OrderedMap<number>();
    for (let index = 100; index < 200; index++) map.set(String(index), index);
    const seen: number[] = [];
    map.ascend('150', (_, value) => seen.push(value) < 40);
    map.descend('149', (_, value) => seen.push(value) < 80);
    expect(seen).toEqual([
      ...Array.from({ length: 40 }, (_, index) => 150 + index),
      ...Array.from({ length: 40 }, (_, index) => 149 - index),
    ]);
  });
});
