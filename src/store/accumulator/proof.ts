/**
 * Proves the position of a leaf of a stored accumulator under its root.
 *
 * This works at any past size: frozen nodes never change, and the few nodes on the right edge are computed from them.
 * Source: moveos/moveos-commons/accumulator/src/proof of the reference.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import {
  ACCUMULATOR_LEVELS_MAX,
  type AccumulatorInfo,
  accumulatorPair,
  EMPTY_ACCUMULATOR_ROOT,
  nodePosition,
  rootLevel,
} from './accumulator.ts';

/** The stored hash of the leaf or frozen node at a position; undefined if none is stored. Synchronous. */
export type AccumulatorSource = (position: bigint) => Uint8Array | undefined;

/** The hash of the sibling at each level, lowest first; the placeholder for an empty subtree. */
interface AccumulatorProof {
  readonly siblings: readonly Uint8Array[];
}

/**
 * The leaf at `place`, counted from 0; undefined beyond the last.
 * @throws {EngineError} `corrupt` if the source lacks a node that the info implies.
 */
function leafAt(source: AccumulatorSource, info: AccumulatorInfo, place: bigint): Uint8Array | undefined {
  if (place < 0n || place >= info.numLeaves) return undefined;
  return stored(source, nodePosition(0, place));
}

/**
 * The proof that `info.root` has this leaf at `place`; undefined beyond the last leaf.
 * @throws {EngineError} `corrupt` if the source lacks a node that the info implies, or its nodes do not lead to the
 * root.
 */
export function proveLeaf(
  source: AccumulatorSource,
  info: AccumulatorInfo,
  place: bigint,
): AccumulatorProof | undefined {
  const leaf = leafAt(source, info, place);
  if (leaf === undefined) return undefined;
  const siblings: Uint8Array[] = [];
  for (let level = 0; level < rootLevel(info.numLeaves); level++) {
    siblings.push(hashAt(source, info.numLeaves, level, (place >> BigInt(level)) ^ 1n));
  }
  const proof: AccumulatorProof = { siblings };
  if (!verifyLeaf(proof, info.root, leaf, place, info.numLeaves)) {
    throw new EngineError('corrupt', `the accumulator's stored nodes do not lead from leaf ${place} to its root`);
  }
  return proof;
}

/**
 * Whether `proof` shows that `leaf` is at `place` under `root`. Pass `numLeaves` if it is known: leaves are not hashed,
 * so without it an inner node could be passed off as a leaf of a smaller accumulator. Reads only its arguments and
 * never throws.
 */
export function verifyLeaf(
  proof: AccumulatorProof,
  root: Uint8Array,
  leaf: Uint8Array,
  place: bigint,
  numLeaves?: bigint,
): boolean {
  const { siblings } = proof;
  if (siblings.length > ACCUMULATOR_LEVELS_MAX || leaf.length !== 32) return false;
  if (numLeaves !== undefined && (place >= numLeaves || siblings.length !== rootLevel(numLeaves))) return false;
  let hash = leaf;
  let rest = place;
  for (const sibling of siblings) {
    if (sibling.length !== 32) return false;
    hash = (rest & 1n) === 0n ? accumulatorPair(hash, sibling) : accumulatorPair(sibling, hash);
    rest >>= 1n;
  }
  return rest === 0n && equalBytes(hash, root);
}

/** The hash of the `place`-th node of `level` over `leaves` leaves: empty, frozen, or computed from its children. */
function hashAt(source: AccumulatorSource, leaves: bigint, level: number, place: bigint): Uint8Array {
  const width = BigInt(level);
  if (place << width >= leaves) return EMPTY_ACCUMULATOR_ROOT;
  if ((place + 1n) << width <= leaves) return stored(source, nodePosition(level, place));
  return accumulatorPair(
    hashAt(source, leaves, level - 1, place * 2n),
    hashAt(source, leaves, level - 1, place * 2n + 1n),
  );
}

function stored(source: AccumulatorSource, position: bigint): Uint8Array {
  const hash = source(position);
  if (hash === undefined || hash.length !== 32) {
    throw new EngineError(
      'corrupt',
      `accumulator node ${position}: ${hash === undefined ? 'it is missing' : `expected 32 bytes, got ${hash.length}`}`,
      {
        details: { position: position.toString(), missing: hash === undefined },
      },
    );
  }
  return hash;
}
