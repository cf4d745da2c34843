import { describe, expect, it } from 'vitest';
import { nodeCache } from '../src/engine/engine-options.ts';
import { Leaf, Link } from '../src/store/tree/node.ts';

describe('the bounds of the tree nodes in memory', () => {
  it('are those of the options, either alone and both together', () => {
    for (const [options, wanted] of [
      [{ treeCacheNodesMax: 2 }, { nodes: 2 }],
      [{ treeCacheBytesMax: 0 }, { nodes: 0, bytes: 0 }],
      [{ treeCacheNodesMax: 1, treeCacheBytesMax: 1_000_000 }, { nodes: 1 }],
      [{}, { nodes: 5 }],
    ] as const) {
      const cache = nodeCache(options);
      for (let byte = 0; byte < 5; byte++) {
        cache.hold(new Link(undefined), Leaf.of(new Uint8Array(32).fill(byte), new Uint8Array(20)));
      }
      expect(cache, JSON.stringify(options)).toMatchObject(wanted);
    }
  });
});
