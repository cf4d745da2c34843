import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT } from '../../../src/store/tree/tree.ts';
import { runs } from '../../effort.ts';
import { anyBatch, anyKey, applyToModel, hex, type Model, sortedModel, World } from './world.ts';

describe.each([
  ['a roomy cache', () => new NodeCache()],
  ['a cache of three nodes', () => new NodeCache({ nodesMax: 3 })],
])('iteration, with %s', (_, cache) => {
  it('goes both ways from any key, there or not', () => {
    fc.assert(
      fc.property(anyBatch, anyKey, fc.boolean(), (entries, other, known) => {
        const world = new World(cache());
        world.write(entries);
        const model: Model = new Map();
        applyToModel(model, entries);
        const keys = sortedModel(model).map(([key]) => key);
        const from = known && entries[0] !== undefined ? entries[0][0] : other;
        const walk = (...args: [Uint8Array?, ('ascending' | 'descending')?]): string[] =>
          [...world.tree.iterate(world.root, ...args)].map(({ key }) => hex(key));
        expect(walk(from)).toEqual(keys.filter((key) => key >= hex(from)));
        expect(walk(from, 'descending')).toEqual(keys.filter((key) => key <= hex(from)).reverse());
        expect(walk()).toEqual(keys);
        expect(walk(undefined, 'descending')).toEqual([...keys].reverse());
      }),
      { numRuns: runs(66, 200) },
    );
  });

  it('stays on its root while the tree moves on', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, (first, second) => {
        const world = new World(cache());
        world.write(first);
        const expected = [...world.tree.iterate(world.root)].map(({ key, value }) => [hex(key), hex(value)]);
        const found: string[][] = [];
        for (const { key, value } of world.tree.iterate(world.root)) {
          found.push([hex(key), hex(value)]);
          world.write(second.slice(0, found.length));
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: runs(16, 50) },
    );
  });
});

describe('iteration', () => {
  it('of the empty tree yields nothing', () => {
    expect([...new World().tree.iterate(EMPTY_ROOT)]).toEqual([]);
  });

  it('reads one path ahead, not the tree', () => {
    const world = new World();
    world.write(Array.from({ length: 5_000 }, (_, index) => [spread(index), Uint8Array.of(index & 255)]));
    let reads = 0;
    const cache = new NodeCache();
    const reader = world.reader(cache);
    const walk = reader.iterate(world.root, spread(77));
    expect(walk.next().done).toBe(false);
    reads = cache.nodes;
    expect(reads).toBeLessThan(10);
    walk.return();
  });
});

function spread(index: number): Uint8Array {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setUint32(0, Math.imul(index + 1, 0x9e3779b1));
  return key;
}
