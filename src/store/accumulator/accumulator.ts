/**
 * The accumulator: an append-only Merkle tree over hashes, whose root commits to the position of each.
 *
 * Leaf i is the i-th hash itself, not hashed again. The tree is the full binary tree over the leaves, in which a
 * subtree without leaves is the placeholder (not a hash of placeholders). A full subtree never changes again: it is
 * frozen. The roots of the largest frozen subtrees, one for each 1-bit of the number of leaves, are all that appending
 * needs. So an `AccumulatorInfo` is a whole accumulator, appending is a function, and going back means using an older
 * info.
 *
 * It has two uses: the transaction accumulator (leaf = transaction hash, place = order), whose frozen nodes are stored,
 * and the events of one transaction (leaf = SHA3 of the event's data), where only the root is kept.
 *
 * Cost: appending n leaves takes 2n pair hashes, and log n more for the root. Source: moveos/moveos-commons/accumulator
 * of the reference.
 * @module
 */
import { type Codec, hashText, struct, u64, vector } from '../../base/bcs.ts';
import { concatBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { sha3, sha3Joined } from '../../base/hash/sha3.ts';
import { isUnknownHash, unknownHash } from '../../base/hash/unknown-hash.ts';

/** The highest level above the leaves: 2^63 leaves. */
export const ACCUMULATOR_LEVELS_MAX = 63;

/** The largest number of leaves. */
const ACCUMULATOR_LEAVES_MAX: bigint = 1n << 63n;

/** The position of the `place`-th node (from 0) of `level` (0 for leaves). */
export function nodePosition(level: number, place: bigint): bigint {
  return (place << BigInt(level + 1)) | ((1n << BigInt(level)) - 1n);
}

/** The level of the root over `leaves` leaves: the lowest whose full tree holds them. */
export function rootLevel(leaves: bigint): number {
  let level = 0;
  while (1n << BigInt(level) < leaves) level++;
  return level;
}

/**
 * The root of an empty tree: the ASCII text, padded with zeros. Source: moveos/moveos-types/src/h256.rs of the
 * reference.
 */
export const EMPTY_ACCUMULATOR_ROOT: Uint8Array = new Uint8Array(32);
new TextEncoder().encodeInto('ACCUMULATOR_PLACEHOLDER_HASH', EMPTY_ACCUMULATOR_ROOT);

const HASH_BYTES = 32;

/** What appending needs to know about an accumulator. */
export interface AccumulatorInfo {
  readonly root: Uint8Array;
  /** Roots of the largest full subtrees from left to right, so largest first: one for each 1-bit of `numLeaves`. */
  readonly frozenSubtreeRoots: readonly Uint8Array[];
  readonly numLeaves: bigint;
  /** The number of leaves and of frozen nodes above them: twice the leaves minus the frozen roots. */
  readonly numNodes: bigint;
}

/** An accumulator in BCS, as a ledger record holds it. */
export const accumulatorInfo: Codec<AccumulatorInfo> = struct<AccumulatorInfo>({
  root: hashText,
  frozenSubtreeRoots: vector(hashText),
  numLeaves: u64,
  numNodes: u64,
});

/** The accumulator without leaves. */
export const EMPTY_ACCUMULATOR: AccumulatorInfo = {
  root: EMPTY_ACCUMULATOR_ROOT,
  frozenSubtreeRoots: [],
  numLeaves: 0n,
  numNodes: 0n,
};

/** A leaf or frozen node to store at `position`. See accumulator.ts for the numbering. */
export interface AccumulatorNodeRow {
  readonly position: bigint;
  readonly hash: Uint8Array;
}

/** The accumulator after leaves were appended, and the rows of its new nodes. */
export interface Appended {
  readonly info: AccumulatorInfo;
  readonly nodes: readonly AccumulatorNodeRow[];
}

/** The hash of a node with these two children: unknown if one of them is. */
export function accumulatorPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (isUnknownHash(left) || isUnknownHash(right)) return unknownHash(concatBytes(left, right));
  return sha3Joined(left, right);
}

/**
 * Appends `leaves` to the accumulator `before`. The rows are the new nodes, children before parents.
 * @throws {EngineError} `invalid-argument` for a leaf that is not 32 bytes long, or an info whose parts contradict each
 * other; `limit-exceeded` beyond 2^63 leaves.
 */
export function append(before: AccumulatorInfo, leaves: readonly Uint8Array[]): Appended {
  const { info, nodes } = appendLazily(before, leaves);
  const { root, frozenSubtreeRoots, numLeaves, numNodes } = info;
  return { info: { root, frozenSubtreeRoots, numLeaves, numNodes }, nodes };
}

/** As `append`; but the new root is made when it is first looked at, which it need not be until the next leaf. */
export function appendLazily(before: AccumulatorInfo, leaves: readonly Uint8Array[]): Appended {
  assertInfo(before);
  let frozen = before.frozenSubtreeRoots;
  const nodes: AccumulatorNodeRow[] = [];
  let count = before.numLeaves;
  for (const leaf of leaves) {
    if (leaf.length !== HASH_BYTES) {
      throw new EngineError('invalid-argument', `expected a leaf of ${HASH_BYTES} bytes, got ${leaf.length}`);
    }
    if (count >= ACCUMULATOR_LEAVES_MAX) throw new EngineError('limit-exceeded', 'an accumulator holds 2^63 leaves');
    nodes.push({ position: nodePosition(0, count), hash: leaf });
    let root = leaf;
    let level = 0;
    for (let place = count; (place & 1n) === 1n; place >>= 1n) {
      level++;
      root = accumulatorPair(frozen[frozen.length - level]!, root);
      nodes.push({ position: nodePosition(level, place >> 1n), hash: root });
    }
    frozen = [...frozen.slice(0, frozen.length - level), root];
    count++;
  }
  return { info: new GrownAccumulator(frozen, count, before.numNodes + BigInt(nodes.length)), nodes };
}

class GrownAccumulator implements AccumulatorInfo {
  readonly frozenSubtreeRoots: readonly Uint8Array[];
  readonly numLeaves: bigint;
  readonly numNodes: bigint;
  #root: Uint8Array | undefined;

  constructor(frozenSubtreeRoots: readonly Uint8Array[], numLeaves: bigint, numNodes: bigint) {
    this.frozenSubtreeRoots = frozenSubtreeRoots;
    this.numLeaves = numLeaves;
    this.numNodes = numNodes;
  }

  get root(): Uint8Array {
    this.#root ??= foldedRoot(this.frozenSubtreeRoots, this.numLeaves);
    return this.#root;
  }
}

/**
 * The event root of a transaction, from the data of its events in order. Only the root of that accumulator is kept, so
 * memory holds just the roots of its full subtrees, however many events there are.
 */
export function eventRoot(events: readonly { readonly eventData: Uint8Array }[]): Uint8Array {
  const frozen: Uint8Array[] = [];
  for (let place = 0; place < events.length; place++) {
    frozen.push(sha3(events[place]!.eventData));
    for (let rest = place; rest % 2 === 1; rest = (rest - 1) / 2) joinLast(frozen);
  }
  return foldedRoot(frozen, BigInt(events.length));
}

/** Joins the last two of the subtrees into one. */
function joinLast(frozen: Uint8Array[]): void {
  const right = frozen.pop()!;
  frozen.push(accumulatorPair(frozen.pop()!, right));
}

/**
 * The root over the frozen subtrees of `count` leaves, folded from the lowest up: at a 1-bit of the count, a frozen tree
 * is to the left of the part folded so far; at a 0-bit, an empty one is to its right.
 */
function foldedRoot(frozen: readonly Uint8Array[], count: bigint): Uint8Array {
  if (frozen.length === 0) return EMPTY_ACCUMULATOR_ROOT;
  let next = frozen.length - 1;
  if (next === 0) return frozen[0]!;
  const digits = count.toString(2);
  let root = accumulatorPair(frozen[next]!, EMPTY_ACCUMULATOR_ROOT);
  for (let at = digits.lastIndexOf('1') - 1; at >= 0; at--) {
    root = digits[at] === '1' ? accumulatorPair(frozen[--next]!, root) : accumulatorPair(root, EMPTY_ACCUMULATOR_ROOT);
  }
  return root;
}

function assertInfo({ frozenSubtreeRoots: { length: frozen }, numLeaves, numNodes: given }: AccumulatorInfo): void {
  let ones = 0;
  for (const digit of numLeaves.toString(2)) if (digit === '1') ones++;
  if (ones !== frozen) {
    throw new EngineError('invalid-argument', `expected ${ones} frozen roots for ${numLeaves} leaves, got ${frozen}`);
  }
  const numNodes = 2n * numLeaves - BigInt(ones);
  if (given !== numNodes) {
    throw new EngineError('invalid-argument', `expected ${numNodes} frozen nodes, got ${given}`);
  }
}
