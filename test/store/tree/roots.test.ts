/** Each root keeps its values, whatever was written in between, also for trees that share a cache. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { anyBatches, anyKey, applyToModel, hex, type Model, World } from './world.ts';

describe('the leaves of a root', () => {
  it('stay the same while other roots are written, left and returned to', () => {
    const step = fc.record({ from: fc.nat(), reads: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(
        anyBatches,
        fc.array(step, { minLength: 30, maxLength: 30 }),
        fc.array(anyKey, { minLength: 5 }),
        fc.integer({ min: 0, max: 30 }),
        (batches, steps, keys, nodesMax) => {
          const world = new World(new NodeCache({ nodesMax }));
          const states: { root: Uint8Array; model: Model }[] = [{ root: world.root, model: new Map() }];
          for (const [index, entries] of batches.entries()) {
            const { from, reads } = steps[index % steps.length]!;
            // Mostly the newest; sometimes an older one, as after a refused write.
            const before = from % 3 === 0 ? states[from % states.length]! : states.at(-1)!;
            for (let round = 0; round < reads; round++) {
              for (const key of keys) {
                const value = world.tree.get(before.root, key);
                expect(value && hex(value)).toBe(before.model.get(hex(key)));
              }
            }
            world.root = before.root;
            world.write(entries);
            const model = new Map(before.model);
            applyToModel(model, entries);
            states.push({ root: world.root, model });
            for (const { root, model: expected } of [states.at(-1)!, before]) {
              for (const key of [...keys, ...entries.map(([written]) => written)]) {
                const value = world.tree.get(root, key);
                expect(value && hex(value)).toBe(expected.get(hex(key)));
              }
            }
          }
        },
      ),
    );
  });

  it('stay apart in trees that share a cache and go their own ways', () => {
    const world = new World();
    const keys = Array.from({ length: 20 }, (_, index) => new Uint8Array(32).fill(index + 1));
    world.write(keys.map((key) => [key, key]));
    const trees = Array.from({ length: 3 }, () => world.reader(world.cache));
    const roots = trees.map(() => world.root);
    const read = (index: number, root: Uint8Array): string[] => {
      for (const key of keys) trees[index]!.get(root, key);
      return keys.slice(0, 4).map((key) => hex(trees[index]!.get(root, key)!));
    };
    const [, ...others] = keys.slice(0, 4).map(hex);
    for (let round = 0; round < 3; round++) {
      for (const index of trees.keys()) {
        expect(read(index, world.root)).toEqual([hex(keys[0]!), ...others]);
        const update = trees[index]!.update(roots[index]!, [[keys[0]!, Uint8Array.of(index, round)]]);
        for (const { hash, bytes } of update.fresh) world.nodes.set(hex(hash), bytes);
        roots[index] = update.root;
      }
      for (const [index, root] of roots.entries()) {
        expect(read(index, root)).toEqual([hex(Uint8Array.of(index, round)), ...others]);
      }
    }
  });
});
