// Random histories run through an independent model in Python. The files are made by test/vectors/tree-random.py, which
// needs the model (rooch_state.py); reading them needs nothing.
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { type Proof, verifyProof } from '../../../src/store/tree/proof.ts';
import type { TreeEntry } from '../../../src/store/tree/tree.ts';
import histories from '../../vectors/tree-random.json' with { type: 'json' };
import { hex, World } from './world.ts';

/** The tagged hash of hash and bytes of each node, ascending by hash. */
function nodesDigest(nodes: readonly { hash: Uint8Array; bytes: Uint8Array }[]): string {
  const sorted = [...nodes].sort((left, right) => (toHex(left.hash) < toHex(right.hash) ? -1 : 1));
  return toHex(taggedHash(concatBytes(...sorted.flatMap(({ hash, bytes }) => [hash, bytes]))));
}

/** The tagged hash of the leaf (`00`, or `01`, key and value hash) and the siblings. */
function proofDigest({ leaf, siblings }: Proof): string {
  const head = leaf === undefined ? [Uint8Array.of(0)] : [Uint8Array.of(1), leaf.key, leaf.valueHash];
  return toHex(taggedHash(concatBytes(...head, ...siblings)));
}

describe.each([
  ['a roomy cache', () => new NodeCache()],
  ['a cache of seven nodes', () => new NodeCache({ nodesMax: 7 })],
])('histories of the Python model, with %s', (_, cache) => {
  it.each(histories.map((history, index) => ({ index, ...history })))('$index: $kind keys', ({ steps }) => {
    const world = new World(cache());
    for (const step of steps) {
      const batch = step.batch.map(
        ([key, value]): TreeEntry => [fromHex(key!), value === null ? undefined : fromHex(value!)],
      );
      const update = world.write(batch);
      expect(toHex(update.root)).toBe(step.root);
      expect(nodesDigest([...update.fresh])).toBe(step.fresh);
      expect(nodesDigest([...update.stale].map((hash) => ({ hash, bytes: world.nodes.get(hex(hash))! })))).toBe(
        step.stale,
      );
      expect([...world.tree.iterate(world.root)].length).toBe(step.size);

      for (const [keyText, present, count, digest] of step.proofs as [string, boolean, number, string][]) {
        const key = fromHex(keyText);
        const value = world.tree.get(world.root, key);
        const proof = world.tree.prove(world.root, key);
        expect(value !== undefined).toBe(present);
        expect(proof.siblings.length).toBe(count);
        expect(proofDigest(proof)).toBe(digest);
        expect(verifyProof(proof, world.root, key, value)).toBe(true);
      }

      const [start, keys] = step.from as [string, string[]];
      const found: string[] = [];
      for (const leaf of world.tree.iterate(world.root, fromHex(start))) {
        if (found.length === 3) break;
        found.push(toHex(leaf.key));
      }
      expect(found).toEqual(keys);
    }
  });
});
