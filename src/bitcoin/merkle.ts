/**
 * Bitcoin's Merkle trees: pairs under double SHA-256; on an odd level, the last hash is paired with itself.
 *
 * Pairing the last hash with itself lets two lists of transactions have one root (CVE-2012-2459): a list whose tail is
 * repeated. `merkleRoot` refuses that form, so a root names one list.
 * @module
 */
import type { Codec } from '../bcs/codec.ts';
import { struct, vector } from '../bcs/composite.ts';
import { bool, bytes32 } from '../bcs/primitive.ts';
import { concatBytes, equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import { sha256d } from '../hash/sha256.ts';

/** `0x4::types::ProofNode`: a hash beside the path, and whether it is on the left. */
export interface MerkleProofNode {
  readonly hash: Uint8Array;
  readonly isLeft: boolean;
}

/** `0x4::types::MerkleProof`: the nodes from a transaction up to the root. */
export type MerkleProof = readonly MerkleProofNode[];

export const merkleProof: Codec<MerkleProof> = vector(struct<MerkleProofNode>({ hash: bytes32, isLeft: bool }));

/**
 * The root above a list of hashes.
 * @throws {EngineError} `invalid-argument` for no hashes at all, or a list that repeats its tail.
 */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) throw new EngineError('invalid-argument', 'expected at least one hash, got none');
  let level = hashes;
  while (level.length > 1) level = nextLevel(level);
  return level[0]!;
}

/**
 * The path from the hash at `index` to the root.
 * @throws {EngineError} `invalid-argument` for an index outside of the list, or a list that `merkleRoot` refuses.
 */
export function proveMerkle(hashes: readonly Uint8Array[], index: number): MerkleProof {
  if (hashes[index] === undefined) {
    throw new EngineError('invalid-argument', `expected an index of 0 to ${hashes.length - 1}, got ${index}`);
  }
  const proof: MerkleProofNode[] = [];
  let position = index;
  for (let level = hashes; level.length > 1; level = nextLevel(level)) {
    const isLeft = position % 2 === 1;
    proof.push({ hash: level[isLeft ? position - 1 : position + 1] ?? level[position]!, isLeft });
    position = Math.floor(position / 2);
  }
  return proof;
}

/** The root that a proof leads to from `hash`. */
export function foldMerkleProof(hash: Uint8Array, proof: MerkleProof): Uint8Array {
  return proof.reduce((current, node) => (node.isLeft ? pair(node.hash, current) : pair(current, node.hash)), hash);
}

function nextLevel(level: readonly Uint8Array[]): Uint8Array[] {
  const next: Uint8Array[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const left = level[index]!;
    const right = level[index + 1];
    if (right !== undefined && equalBytes(left, right)) {
      throw new EngineError(
        'invalid-argument',
        `expected hashes that differ, got the same at ${index} and ${index + 1}`,
      );
    }
    next.push(pair(left, right ?? left));
  }
  return next;
}

function pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256d(concatBytes(left, right));
}
