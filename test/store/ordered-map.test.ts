import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap } from '../../src/store/ordered-map.ts';
import { runs } from '../effort.ts';

/** Keys of the models are strings of one character for each byte. */
function bytesOf(text: string): Uint8Array;
function bytesOf(text: string | undefined): Uint8Array | undefined;
function bytesOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** One text of all entries, since comparing thousands of small arrays takes most of the time of a test. */
const show = (entries: readonly [string, number][]): string => JSON.stringify(entries);

const entriesUp = (map: OrderedMap<number>, from?: string): string => {
  const found: [string, number][] = [];
  map.ascend(bytesOf(from), (key, value) => found.push([key, value]) > 0);
  return show(found);
};

const entriesDown = (map: OrderedMap<number>, from?: string): string => {
  const found: [string, number][] = [];
  map.descend(bytesOf(from), (key, value) => found.push([key, value]) > 0);
  return show(found);
};

const byKey = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : a > b ? 1 : 0);

function expectEqual(map: OrderedMap<number>, model: ReadonlyMap<string, number>, from?: string): void {
  const sorted = [...model].sort(byKey);
  expect(map.size).toBe(model.size);
  expect(entriesUp(map)).toBe(show(sorted));
  expect(entriesDown(map)).toBe(show(sorted.toReversed()));
  if (from === undefined) return;
  expect(map.get(bytesOf(from))).toBe(model.get(from));
  expect(entriesUp(map, from)).toBe(show(sorted.filter(([key]) => key >= from)));
  expect(entriesDown(map, from)).toBe(show(sorted.filter(([key]) => key <= from).toReversed()));
}

/** Runs of sets and deletes long enough to split and empty nodes on three levels. */
const runArbitrary = fc.record({
  remove: fc.boolean(),
  start: fc.nat({ max: 4000 }),
  count: fc.nat({ max: 2500 }),
  stride: fc.constantFrom(1, 7, 1009, 3989),
});

/** Common beginnings that leave the digest (30 bits) all, some or none of the two bytes that differ. */
const prefixArbitrary = fc.constantFrom('', '\0', '\xff\xff', '\x01\x02\x03', '\x01\x02\x03\x04\x05');

describe('OrderedMap', () => {
  it('equals a sorted Map, and so does every clone that was taken on the way', () => {
    fc.assert(
      fc.property(
        fc.array(runArbitrary, { minLength: 1, maxLength: 6 }),
        fc.nat({ max: 4000 }),
        prefixArbitrary,
        (runs, probe, prefix) => {
          const keyOf = (index: number): string => prefix + String.fromCharCode(index >> 8, index & 0xff);
          let map = new OrderedMap<number>();
          let agreed = true;
          const model = new Map<string, number>();
          const clones: { map: OrderedMap<number>; model: Map<string, number> }[] = [];
          for (const [turn, { remove, start, count, stride }] of runs.entries()) {
            for (let step = 0; step < count; step++) {
              const key = keyOf((start + step * stride) % 4001);
              if (remove) agreed &&= map.delete(bytesOf(key)) === model.delete(key);
              else {
                map.set(bytesOf(key), step);
                model.set(key, step);
              }
            }
            clones.push({ map: map.clone(), model: new Map(model) });
            if (turn % 2 === 1) map = map.clone();
          }
          expect(agreed).toBe(true);
          expectEqual(map, model, keyOf(probe));
          for (const clone of clones) expectEqual(clone.map, clone.model, keyOf(probe));
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it('is empty, and usable, after the last key is deleted', () => {
    const map = new OrderedMap<number>();
    for (let index = 0; index < 5000; index++) map.set(bytesOf(String(index)), index);
    let removed = 0;
    for (let index = 0; index < 5000; index++) if (map.delete(bytesOf(String(index)))) removed++;
    expect(removed).toBe(5000);
    expect(map.delete(bytesOf('1'))).toBe(false);
    expectEqual(map, new Map(), '1');
    map.set(bytesOf('1'), 1);
    expectEqual(map, new Map([['1', 1]]), '1');
  });

  it('stops where the visitor says so', () => {
    const map = new OrderedMap<number>();
    for (let index = 100; index < 200; index++) map.set(bytesOf(String(index)), index);
    const seen: number[] = [];
    map.ascend(bytesOf('150'), (_, value) => seen.push(value) < 40);
    map.descend(bytesOf('149'), (_, value) => seen.push(value) < 80);
    expect(seen).toEqual([
      ...Array.from({ length: 40 }, (_, index) => 150 + index),
      ...Array.from({ length: 40 }, (_, index) => 149 - index),
    ]);
  });
});
