// The tree against a sorted map and the pure recursive definition of its root.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Leaf, type TreeEntry, type TreeUpdate } from '../../../src/store/tree/tree.ts';
import { runs } from '../../effort.ts';
import {
  anyBatch,
  anyBatches,
  anyKey,
  applyToModel,
  entriesOf,
  hex,
  type Model,
  pureRoot,
  reachable,
  sortedModel,
  World,
} from './world.ts';

const withCaches = [
  ['a roomy cache', () => new NodeCache()],
  ['a cache of five nodes', () => new NodeCache({ nodesMax: 5 })],
  ['a cache of 2,000 bytes', () => new NodeCache({ bytesMax: 2_000 })],
  ['no cache', () => new NodeCache({ nodesMax: 0 })],
] as const;

describe.each(withCaches)('updates, with %s', (_, cache) => {
  it('give the root of the pure definition and the entries of a sorted map', () => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const world = new World(cache());
        const model: Model = new Map();
        for (const entries of batches) {
          world.write(entries);
          applyToModel(model, entries);
          expect(hex(world.root)).toBe(hex(pureRoot(model)));
          expect(entriesOf(world.tree, world.root)).toEqual(sortedModel(model));
          for (const [key, value] of entries) {
            expect(world.tree.get(world.root, key)).toEqual(value);
          }
        }
      }),
      { numRuns: runs(80, 1_500) },
    );
  });

  it('list as fresh and stale exactly what the new and the old tree do not share', () => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const world = new World(cache());
        for (const entries of batches) {
          const before = new Set(reachable(world.nodes, world.root));
          const { fresh, stale } = world.write(entries);
          const after = new Set(reachable(world.nodes, world.root));
          const gone = [...before].filter((hash) => !after.has(hash));
          const made = [...after].filter((hash) => !before.has(hash));
          expect([...stale].map(hex).sort()).toEqual(gone.sort());
          expect([...fresh].map(({ hash }) => hex(hash)).sort()).toEqual(made.sort());
        }
      }),
      { numRuns: runs(80, 1_500) },
    );
  });

  it('leave every older root readable', () => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const world = new World(cache());
        const model: Model = new Map();
        const history: { root: Uint8Array; entries: [string, string][] }[] = [];
        for (const entries of batches) {
          world.write(entries);
          applyToModel(model, entries);
          history.push({ root: world.root, entries: sortedModel(model) });
        }
        for (const { root, entries } of history) expect(entriesOf(world.tree, root)).toEqual(entries);
      }),
      { numRuns: runs(16, 50) },
    );
  });

  it('give nodes from which a fresh reader reads the same', () => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const world = new World();
        for (const entries of batches) world.write(entries);
        const reader = world.reader(cache());
        expect(entriesOf(reader, world.root)).toEqual(entriesOf(world.tree, world.root));
        for (const [key] of batches.flat()) {
          expect(reader.get(world.root, key)).toEqual(world.tree.get(world.root, key));
          expect(reader.prove(world.root, key)).toEqual(world.tree.prove(world.root, key));
        }
      }),
      { numRuns: runs(16, 50) },
    );
  });
});

/** The root of an update that must not have touched a node. */
function untouched({ root, fresh, stale }: TreeUpdate): Uint8Array {
  expect(fresh.size).toBe(0);
  expect(stale.size).toBe(0);
  return root;
}

describe('updates', () => {
  it('do not depend on the order of entries or batches', () => {
    fc.assert(
      fc.property(anyBatch, fc.infiniteStream(fc.nat()), (entries, numbers) => {
        const puts = entries.filter(([, value]) => value !== undefined);
        const sorted = [...puts].sort(([left], [right]) => compareBytes(left, right));
        const shuffled = puts
          .map((entry) => ({ entry, at: numbers.next().value }))
          .sort((left, right) => left.at - right.at)
          .map(({ entry }) => entry);
        const atOnce = new World();
        atOnce.write(sorted);
        const reversed = new World();
        reversed.write([...sorted].reverse());
        const oneByOne = new World();
        for (const entry of shuffled) oneByOne.write([entry]);
        expect(hex(reversed.root)).toBe(hex(atOnce.root));
        expect(hex(oneByOne.root)).toBe(hex(atOnce.root));
        expect(reachable(oneByOne.nodes, oneByOne.root).sort()).toEqual([...atOnce.nodes.keys()].sort());
      }),
    );
  });

  it('that insert and then delete restore the root', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, (base, added) => {
        const world = new World();
        world.write(base);
        const { root } = world;
        const model: Model = new Map();
        applyToModel(model, base);
        const before = new Map(model);
        const { fresh, stale } = world.write(added);
        const restore = added.map(([key]): TreeEntry => {
          const value = before.get(hex(key));
          return [key, value === undefined ? undefined : fromHex(value)];
        });
        const back = world.write(restore);
        expect(hex(world.root)).toBe(hex(root));
        expect([...back.stale].map(hex).sort()).toEqual([...fresh].map(({ hash }) => hex(hash)).sort());
        expect([...back.fresh].map(({ hash }) => hex(hash)).sort()).toEqual([...stale].map(hex).sort());
      }),
    );
  });

  it('that change nothing give the same root and no nodes', () => {
    fc.assert(
      fc.property(anyBatch, anyKey, (entries, absent) => {
        const world = new World();
        world.write(entries);
        const { root } = world;
        expect(untouched(world.tree.update(root, []))).toBe(root);
        const same = [...world.tree.iterate(root)].map(({ key, value }): TreeEntry => [key, value]);
        expect(untouched(world.tree.update(root, same))).toBe(root);
        if (world.tree.get(root, absent) === undefined) {
          expect(untouched(world.tree.update(root, [[absent, undefined]]))).toBe(root);
        }
      }),
    );
  });

  it('keep copies of what they were given', () => {
    const world = new World();
    const key = new Uint8Array(32).fill(7);
    const value = Uint8Array.of(1, 2, 3);
    world.write([[key, value]]);
    const before = key.slice();
    key.fill(9);
    value.fill(9);
    expect(world.tree.get(world.root, before)).toEqual(Uint8Array.of(1, 2, 3));
    world.write([[before, undefined]]);
    expect(hex(world.root)).toBe(hex(EMPTY_ROOT));
    // Whoever asked for it may do as they like with it.
    world.root.fill(1);
    expect(EMPTY_ROOT[0]).toBe(0x53);
  });

  it('refuse a repeated key, an invalid key, an invalid root, and the ambiguous value length', () => {
    const { tree } = new World();
    const key = new Uint8Array(32);
    const value = Uint8Array.of(1);
    const invalid = expect.objectContaining({ code: 'invalid-argument' });
    const refuses = (act: () => unknown): void => expect(act).toThrow(invalid as never);
    refuses(() =>
      tree.update(EMPTY_ROOT, [
        [key, value],
        [key, undefined],
      ]),
    );
    refuses(() => tree.update(EMPTY_ROOT, [[new Uint8Array(31), value]]));
    refuses(() => tree.update(new Uint8Array(31), [[key, value]]));
    refuses(() => tree.update(EMPTY_ROOT, [[key, new Uint8Array(64)]]));
    refuses(() => tree.get(EMPTY_ROOT, new Uint8Array(33)));
    refuses(() => tree.prove(EMPTY_ROOT, new Uint8Array(0)));
    refuses(() => tree.iterate(EMPTY_ROOT, new Uint8Array(1)).next());
  });
});

describe('a leaf', () => {
  it('keeps what a reader made of it while it is in memory', () => {
    const world = new World();
    const keys = [0x00, 0x01, 0xff].map((byte) => new Uint8Array(32).fill(byte));
    world.write(keys.map((key) => [key, key.subarray(0, 3)]));
    const leaf = world.tree.getLeaf(world.root, keys[1]!)!;
    expect(leaf.key).toEqual(keys[1]);
    leaf.decoded = 'made of it';
    world.write([[keys[2]!, undefined]]);
    expect(world.tree.getLeaf(world.root, keys[1]!)?.decoded).toBe('made of it');
    world.write([[keys[1]!, Uint8Array.of(4)]]);
    expect(world.tree.getLeaf(world.root, keys[1]!)?.decoded).toBeUndefined();
  });
});

describe('leaves that are written as they are', () => {
  it('make the tree that keys and values make, in any order, each once', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, (base, batch) => {
        const one = new World();
        const other = new World();
        one.write(base);
        other.write(base);
        one.write(batch);
        other.write(batch.map(([key, value]) => (value === undefined ? [key, value] : Leaf.of(key, value, true))));
        expect(hex(other.root)).toBe(hex(one.root));
        expect(entriesOf(other.tree, other.root)).toEqual(entriesOf(one.tree, one.root));
      }),
    );
    const leaves = [1, 1].map((byte) => Leaf.of(new Uint8Array(32).fill(byte), Uint8Array.of(byte)));
    expect(() => new World().write(leaves)).toThrow('twice');
    const short = Leaf.of(new Uint8Array(32), new Uint8Array(64));
    expect(() => new World().write([short])).toThrow('64 bytes');
  });
});

describe('trees that share a cache', () => {
  it('list all that they make, even if the other made it too', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, (base, batch) => {
        const cache = new NodeCache();
        const one = new World(cache);
        const other = new World(cache);
        one.write(base);
        other.write(base);
        expect(other.nodes).toEqual(one.nodes);
        one.write(batch);
        other.write(batch);
        expect(entriesOf(other.reader(new NodeCache()), other.root)).toEqual(entriesOf(one.tree, one.root));
      }),
    );
  });

  it('are not harmed by an update that was never stored', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, anyBatch, (base, dropped, next) => {
        const world = new World();
        world.write(base);
        const lost = world.tree.update(world.root, dropped);
        // The same writes again, then more: all that the new root needs is in the store, whatever the cache knows.
        world.write(dropped);
        expect(hex(world.root)).toBe(hex(lost.root));
        world.write(next);
        const cold = world.reader(new NodeCache());
        expect(entriesOf(cold, world.root)).toEqual(entriesOf(world.tree, world.root));
      }),
    );
  });
});
