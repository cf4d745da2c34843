/**
 * Proofs that a key has a value under a root, or has none, and their check. They are made in prove.ts: who checks one
 * needs no tree.
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
import { bitAt, commonBits, KEY_BITS, KEY_BYTES } from './nibble.ts';
import { EMPTY_ROOT, VALUE_BYTES_FORBIDDEN } from './node.ts';

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
