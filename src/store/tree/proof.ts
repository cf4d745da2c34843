/**
 * Proofs that a key has a value under a root, or has none, and their verification. `Tree.prove` makes them: verifying
 * needs no tree.
 *
 * A proof has the leaf at the end of the key's path (it may be another key's) and the sibling's hash at each level of
 * the binary tree, deepest first. Folding the leaf with the siblings must give the root.
 *
 * One rule goes beyond the reference's (moveos/smt/src/jellyfish_merkle/proof.rs). The tree hashes a leaf (its key and
 * value hash) exactly as it hashes an inner pair. By the reference's rule, the two halves of any root could be passed
 * off as the key and value hash of a lone leaf, and so prove that any key is absent. Therefore a proof of absence that
 * rests on another key's leaf must include that leaf's value, and no value may be 64 bytes long, the length of a pair.
 * Passing off a pair as a leaf would now require inverting the hash.
 * @module
 */

import { assertBytes, assertObject, eachOf } from '../../base/argument.ts';
import { bytes, type Codec, hashText, option, struct, vector } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { hashToWords, taggedHash, taggedPairWords, wordsToHash } from '../../base/hash/tagged.ts';
import { bitAt, commonBits, KEY_BITS, KEY_BYTES } from './nibble.ts';
import { EMPTY_ROOT, VALUE_BYTES_FORBIDDEN } from './node.ts';

export interface ProofLeaf {
  readonly key: Uint8Array;
  /** The tagged hash of the value. */
  readonly valueHash: Uint8Array;
}

/** The path from a root to a key: proves the value there, or that there is none. */
export interface Proof {
  /** The leaf at the end of the key's path; undefined if the path ends in an empty range. */
  readonly leaf: ProofLeaf | undefined;
  /** Deepest first, with the placeholder for an empty range. */
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
 * Whether `proof` shows that under `root` the key has `value`, or, without `value`, that the key has none. Depends only
 * on its arguments; for bytes of any content and length, the answer is true or false.
 * @throws {EngineError} `invalid-argument` for anything that does not have the form of a proof
 */
export function verifyProof(proof: Proof, root: Uint8Array, key: Uint8Array, value?: Uint8Array): boolean {
  assertProof(proof);
  assertBytes(root, 'root');
  assertBytes(key, 'key');
  if (value !== undefined) assertBytes(value, 'value');
  const { leaf, siblings } = proof;
  if (key.length !== KEY_BYTES || siblings.length > KEY_BITS) return false;
  if (siblings.some((sibling) => sibling.length !== 32)) return false;
  if (leaf !== undefined && leaf.key.length !== KEY_BYTES) return false;
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

/** The root that follows from a leaf and the siblings on the path of `key`. */
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
