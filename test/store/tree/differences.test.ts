import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { runs } from '../../effort.ts';
import { anyBatch, anyKey, applyToModel, hex, type Model, World } from './world.ts';

type Difference = readonly [key: string, before: string | undefined, after: string | undefined];

interface Side {
  readonly world: World;
  readonly model: Model;
}

function differences(
  ...[before, root, after, other, from]: [Tree, Uint8Array, Tree, Uint8Array, Uint8Array?]
): Difference[] {
  return [...before.differences(root, after, other, from)].map((found): Difference => {
    const key = hex((found.before ?? found.after)!.key);
    for (const leaf of [found.before, found.after]) if (leaf !== undefined) expect(hex(leaf.key)).toBe(key);
    return [key, found.before && hex(found.before.value), found.after && hex(found.after.value)];
  });
}

function expected(before: Model, after: Model, from?: Uint8Array): Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => (from === undefined || key >= hex(from)) && before.get(key) !== after.get(key))
    .sort()
    .map((key) => [key, before.get(key), after.get(key)]);
}

describe('the differences of two roots', () => {
  it('are the keys whose values differ, ascending, from any key on', () => {
    fc.assert(
      fc.property(
        anyBatch,
        anyBatch,
        anyBatch,
        fc.option(anyKey, { nil: undefined }),
        (shared, first, second, start) => {
          const sides = [first, second].map((entries) => {
            const [world, model]: [World, Model] = [new World(), new Map()];
            for (const batch of [shared, entries]) {
              world.write(batch);
              applyToModel(model, batch);
            }
            return { world, model };
          });
          const [{ world: left, model: before }, { world: right, model: after }] = sides as [Side, Side];
          const from = start ?? second[0]?.[0];
          for (const tree of [right.tree, right.reader(new NodeCache({ nodesMax: 3 }))]) {
            expect(differences(left.tree, left.root, tree, right.root)).toEqual(expected(before, after));
            expect(differences(left.tree, left.root, tree, right.root, from)).toEqual(expected(before, after, from));
            expect(differences(tree, right.root, left.tree, left.root)).toEqual(expected(after, before));
          }
        },
      ),
      { numRuns: runs(50, 150) },
    );
  });

  it('from the empty tree are all of its leaves, and of the same root none', () => {
    const world = new World();
    world.write(Array.from({ length: 40 }, (_, index) => [new Uint8Array(32).fill(index), Uint8Array.of(index)]));
    expect(differences(world.tree, EMPTY_ROOT, world.tree, world.root)).toHaveLength(40);
    expect(differences(world.tree, world.root, world.tree, EMPTY_ROOT)).toHaveLength(40);
    expect(differences(world.tree, world.root, world.tree, world.root)).toEqual([]);
    expect(differences(world.tree, EMPTY_ROOT, world.tree, EMPTY_ROOT)).toEqual([]);
  });

  it('are found without reading what both have', () => {
    const world = new World();
    const keyOf = (index: number): Uint8Array => {
      const key = new Uint8Array(32);
      new DataView(key.buffer).setUint32(0, Math.imul(index + 1, 0x9e3779b1));
      return key;
    };
    world.write(Array.from({ length: 5_000 }, (_, index) => [keyOf(index), Uint8Array.of(1)]));
    const before = world.root;
    world.write([[keyOf(7), Uint8Array.of(2)]]);
    let reads = 0;
    const tree = new Tree((hash) => {
      reads++;
      return world.nodes.get(hex(hash));
    }, new NodeCache());
    expect(differences(tree, before, tree, world.root)).toEqual([[hex(keyOf(7)), '0x01', '0x02']]);
    // Two paths of some four nodes each.
    expect(reads).toBeLessThan(16);
  });
});
