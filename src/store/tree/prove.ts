/**
 * Makes proofs: the leaf at the end of a key's path, and the siblings along it.
 * @module
 */
import { taggedHash } from '../../base/hash/tagged.ts';
import { assertKey, commonBits, KEY_BITS, nibbleAt } from './nibble.ts';
import { hashPosition, Leaf } from './node.ts';
import type { Proof, ProofLeaf } from './proof.ts';
import { corrupt, type NodeReader } from './reader.ts';

/** The proof for `key` under `root`: of its value, or of its absence. See `Tree.prove`. */
export function prove(reader: NodeReader, root: Uint8Array, key: Uint8Array): Proof {
  assertKey(key, 'tree key');
  const siblings: Uint8Array[] = [];
  let node = reader.root(root);
  for (let depth = 0; node !== undefined && !(node instanceof Leaf); depth++) {
    const { existence, leaves } = node;
    const nibble = nibbleAt(key, depth);
    // Down the four levels of the branch, until the key's half is empty, or a single child whose hash is the half's.
    let at = 0;
    for (let height = 3; height >= 0; height--) {
      const position = (16 + nibble) >> height;
      siblings.push(node.rangeHash(position ^ 1));
      at = hashPosition(position, existence, leaves);
      if (at !== position) break;
    }
    node = at === 0 ? undefined : reader.child(node, at - 16, depth);
  }
  siblings.reverse();
  if (node === undefined) return { leaf: undefined, siblings, neighbour: undefined };
  // Copies: what the node has is shared by whoever reads it.
  const leaf: ProofLeaf = { key: node.key.slice(), valueHash: taggedHash(node.value) };
  const common = commonBits(leaf.key, key);
  if (common < siblings.length) throw corrupt(root, 'a leaf below it stands on another path than its key');
  return { leaf, siblings, neighbour: common === KEY_BITS ? undefined : node.value.slice() };
}
