/**
 * Proofs that a key has a value under a root, or has none.
 *
 * A proof has the leaf that was met on the key's way (it may be another key's) and the hash of the other half at each
 * level of the binary tree, deepest first. Folding the leaf with the siblings must give the root.
 *
 * One rule goes beyond the reference's (moveos/smt/src/jellyfish_merkle/proof.rs). The tree hashes a leaf, key with value hash, exactly as
 * it hashes an inner pair. By the reference's rule the two halves of any root could be passed off as the key and the
 * value hash of a lone leaf, and so prove the absence of every key there is. Therefore a proof of absence that rests
 * on another key's leaf must show that leaf's value, and no value is 64 bytes long, the length of a pair: to pass off
 * a pair as a leaf one would now have to invert the hash.
 * @module
 */

import { assertBytes, assertObject, eachOf } from '../argument.ts';
import type { Codec } from '../bcs/codec.ts';
import { option, struct, vector } from '../bcs/composite.ts';
import { bytes, hashText } from '../bcs/primitive.ts';
import { equalBytes } from '../bytes/compare.ts';
import { hashToWords, taggedHash, taggedPairWords, wordsToHash } from '../hash/tagged.ts';
import { assertKey, bitAt, commonBits, KEY_BITS, KEY_BYTES, nibbleAt } from './nibble.ts';
import { EMPTY_ROOT, hashPosition, Leaf, VALUE_BYTES_FORBIDDEN } from './node.ts';
import { corrupt, type NodeReader } from './reader.ts';

export interface ProofLeaf {
  readonly key: Uint8Array;
  /** The tagged hash of the value. */
  readonly valueHash: Uint8Array;
}

/** The way from a root to a key: shows what stands there, or that nothing does. */
export interface Proof {
  /** The leaf on the key's way; nothing when the way ends in an empty range. */
  readonly leaf: ProofLeaf | undefined;
  /** Deepest first, empty ranges included as the placeholder. */
  readonly siblings: readonly Uint8Array[];
  /** The value of `leaf`, in a proof of absence that rests on another key's leaf. */
  readonly neighbour: Uint8Array | undefined;
}

/** The reference's `SparseMerkleProof`, followed by the neighbour's value as an option of bytes. */
export const proofCodec: Codec<Proof> = struct<Proof>({
  leaf: option(struct<ProofLeaf>({ key: hashText, valueHash: hashText })),
  siblings: vector(hashText),
  neighbour: option(bytes),
});

/** The proof for `key` under `root`: of its value, or of its absence. See `Tree.prove`. */
export function prove(reader: NodeReader, root: Uint8Array, key: Uint8Array): Proof {
  assertKey(key, 'tree key');
  const siblings: Uint8Array[] = [];
  let node = reader.root(root);
  for (let depth = 0; node !== undefined && !(node instanceof Leaf); depth++) {
    const { existence, leaves } = node;
    const nibble = nibbleAt(key, depth);
    // Down the four levels of the branch, until the key's half is empty, or is a single child whose hash stands for it.
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
  const leaf: ProofLeaf = { key: node.key, valueHash: taggedHash(node.value) };
  const common = commonBits(leaf.key, key);
  if (common < siblings.length) throw corrupt(root, 'a leaf below it stands on another path than its key');
  return { leaf, siblings, neighbour: common === KEY_BITS ? undefined : node.value };
}

/**
 * Whether `proof` shows that under `root` the key has `value`, or, without `value`, that the key has none.
 * Reads nothing but its arguments; bytes of any content and length are answered with true or false.
 * @throws {EngineError} `invalid-argument` for what is no proof in form, or not bytes
 */
export function verifyProof(proof: Proof, root: Uint8Array, key: Uint8Array, value?: Uint8Array): boolean {
  assertProof(proof);
  assertBytes(root, 'root');
  assertBytes(key, 'key');
  if (value !== undefined) assertBytes(value, 'value');
  const { leaf, siblings } = proof;
  if (key.length !== KEY_BYTES || root.length !== 32 || siblings.length > KEY_BITS) return false;
  if (siblings.some((sibling) => sibling.length !== 32)) return false;
  if (leaf !== undefined && (leaf.key.length !== KEY_BYTES || leaf.valueHash.length !== 32)) return false;
  if (value !== undefined) {
    if (leaf === undefined || !equalBytes(leaf.key, key) || !isValueOf(leaf, value)) return false;
  } else if (leaf !== undefined) {
    const common = commonBits(leaf.key, key);
    if (common === KEY_BITS || common < siblings.length) return false;
    if (proof.neighbour === undefined || !isValueOf(leaf, proof.neighbour)) return false;
  }
  return equalBytes(foldProof(leaf, siblings, key), root);
}

function assertProof(proof: Proof): void {
  assertObject(proof, 'proof', 'a proof { leaf, siblings, neighbour }');
  const { leaf, siblings, neighbour } = proof;
  for (const [index, sibling] of eachOf(siblings, 'proof.siblings', (item) => item).entries()) {
    assertBytes(sibling, `proof.siblings[${index}]`);
  }
  if (neighbour !== undefined) assertBytes(neighbour, 'proof.neighbour');
  if (leaf === undefined) return;
  assertObject(leaf, 'proof.leaf', '{ key, valueHash }');
  assertBytes(leaf.key, 'proof.leaf.key');
  assertBytes(leaf.valueHash, 'proof.leaf.valueHash');
}

function isValueOf(leaf: ProofLeaf, value: Uint8Array): boolean {
  return value.length !== VALUE_BYTES_FORBIDDEN && equalBytes(taggedHash(value), leaf.valueHash);
}

/** The root that follows from a leaf and the siblings on the way of `key`. */
function foldProof(leaf: ProofLeaf | undefined, siblings: readonly Uint8Array[], key: Uint8Array): Uint8Array {
  const pair = new Int32Array(16);
  const current = new Int32Array(8);
  if (leaf === undefined) {
    hashToWords(EMPTY_ROOT, current, 0);
  } else {
    hashToWords(leaf.key, pair, 0);
    hashToWords(leaf.valueHash, pair, 8);
    taggedPairWords(pair, 0, pair, 8, current, 0);
  }
  for (let index = 0; index < siblings.length; index++) {
    hashToWords(siblings[index]!, pair, 0);
    if (bitAt(key, siblings.length - 1 - index)) taggedPairWords(pair, 0, current, 0, current, 0);
    else taggedPairWords(current, 0, pair, 0, current, 0);
  }
  return wordsToHash(current, 0);
}
