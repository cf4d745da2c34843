// Every tree of the test network after genesis, from ../shared: the reference's own tree code gives the same roots. The
// modules are in that file by hash only, so their trees are folded by definition.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { verifyProof } from '../../../src/store/tree/proof.ts';
import type { TreeEntry } from '../../../src/store/tree/tree.ts';
import { foldLeaves, hex, World } from './world.ts';

interface GenesisTree {
  readonly object_id: string;
  readonly state_root: string;
  readonly leaves: readonly { key: string; leaf_hash: string; object_state_bcs?: string }[];
}

const { MOVELET_SHARED } = process.env;
const shared = MOVELET_SHARED ?? fileURLToPath(new URL('../../../../shared', import.meta.url));
const file = join(shared, 'data', 'test-network-genesis.json');
const present = existsSync(file);
const trees: GenesisTree[] = present ? JSON.parse(readFileSync(file, 'utf8')).trees : [];
const name = (text: string): string => (present ? text : `${text} (skipped: ../shared is missing)`);

describe('the test network after genesis', () => {
  it.skipIf(!present)(name('has these roots, leaf hashes and proofs'), () => {
    expect(trees.length).toBe(15);
    let built = 0;
    for (const { state_root, leaves } of trees) {
      const hashes = leaves.map(({ key, leaf_hash }) => ({ key: fromHex(key), hash: fromHex(leaf_hash) }));
      expect(hex(foldLeaves(hashes))).toBe(state_root);
      if (leaves.some(({ object_state_bcs }) => object_state_bcs === undefined)) continue;
      built++;
      const world = new World();
      world.write(leaves.map(({ key, object_state_bcs }): TreeEntry => [fromHex(key), fromHex(object_state_bcs!)]));
      expect(hex(world.root)).toBe(state_root);
      for (const { key, leaf_hash, object_state_bcs } of leaves) {
        expect(world.nodes.has(leaf_hash)).toBe(true);
        const proof = world.tree.prove(world.root, fromHex(key));
        expect(verifyProof(proof, world.root, fromHex(key), fromHex(object_state_bcs!))).toBe(true);
      }
    }
    expect(built).toBe(11);
  });
});
