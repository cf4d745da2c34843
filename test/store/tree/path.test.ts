import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { pathNodes } from '../../../src/store/tree/path.ts';
import { Tree } from '../../../src/store/tree/tree.ts';
import { runs } from '../../effort.ts';
import { anyBatches, anyKey, hex, World } from './world.ts';

describe('the nodes on the way to a key', () => {
  it('are those that a cold read of the key asks for, in that order, whether it is there or not', () => {
    fc.assert(
      fc.property(anyBatches, anyKey, (batches, other) => {
        const world = new World();
        for (const entries of batches) world.write(entries);
        const keys = [other, ...batches.flat().map(([key]) => key)];
        for (const key of keys) {
          const asked: string[] = [];
          const cold = new Tree(
            (hash) => {
              asked.push(hex(hash));
              return world.nodes.get(hex(hash));
            },
            new NodeCache({ nodesMax: 0 }),
          );
          cold.getLeaf(world.root, key);
          const found = [...pathNodes((hash) => world.nodes.get(hex(hash)), world.root, key)];
          expect(found.map(({ hash }) => hex(hash))).toEqual(asked);
          for (const { hash, bytes } of found) expect(bytes).toBe(world.nodes.get(hex(hash)));
        }
      }),
      { numRuns: runs(25) },
    );
  });

  it('end where the store has no more nodes', () => {
    const world = new World();
    const keys = [0x00, 0x01, 0x10].map((byte) => new Uint8Array(32).fill(byte));
    world.write(keys.map((key) => [key, Uint8Array.of(1)]));
    const rootOnly = (hash: Uint8Array): Uint8Array | undefined =>
      hex(hash) === hex(world.root) ? world.nodes.get(hex(hash)) : undefined;
    expect([...pathNodes(rootOnly, world.root, keys[0]!)].map(({ hash }) => hex(hash))).toEqual([hex(world.root)]);
    expect([...pathNodes(() => undefined, world.root, keys[0]!)]).toEqual([]);
  });
});
