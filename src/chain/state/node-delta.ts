/**
 * A replaced node, stored as its difference from the node that replaced it.
 *
 * When a branch or a leaf changes, most of its children or bytes stay the same. A delta refers to another node, its base,
 * and holds the rest:
 *
 * | node | bytes |
 * | --- | --- |
 * | branch | hash of the base (32), bitmap of the children that the base does not have (u16), their hashes in nibble order; before that bitmap, those of children and of leaves (u16 each), unless they are the base's |
 * | packed leaf | hash of the base (32), lengths of the prefix and the suffix shared with the base (ULEB128 each), the bytes in between |
 *
 * @module
 */
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { concatBytes } from '../../base/bytes/bytes.ts';
import { readUleb128, uleb128Length, writeUleb128 } from '../../base/bytes/uleb128.ts';
import { EngineError } from '../../base/error.ts';
import { countBits, lowestBit } from '../../store/tree/nibble.ts';
import { BRANCH_HEAD_BYTES, BRANCH_TAG } from '../../store/tree/node.ts';

const HASH_BYTES = 32;
const BITMAP_BYTES = 2;
/** A length is below 2^32. */
const LENGTH_BYTES_MAX = 5;

/** Bytes that a delta must save, since reading it takes another read. */
const SAVED_BYTES_MIN = 32;

/** The bitmaps of a branch, after its tag. */
const BITMAPS_BYTES = 2 * BITMAP_BYTES;

/** Whether the branches at `from` in two rows have the same bitmaps: then a delta omits them. */
export function haveSameBitmaps(one: Uint8Array, other: Uint8Array, from: number): boolean {
  for (let at = from + 1; at < from + BRANCH_HEAD_BYTES; at++) if (one[at] !== other[at]) return false;
  return true;
}

/**
 * The delta of the branch at `at` in `row` to the one at the same place in `base`, whose key ends with its hash, after
 * `head` bytes that the caller fills; undefined if it would not be much shorter.
 */
export function branchDelta(
  row: Uint8Array,
  base: Uint8Array,
  at: number,
  baseKey: Uint8Array,
  head: number,
): Uint8Array | undefined {
  const own = ownChildren(row, base, at);
  const hasBitmaps = !haveSameBitmaps(row, base, at);
  const bitmapAt = head + HASH_BYTES + (hasBitmaps ? BITMAPS_BYTES : 0);
  const length = bitmapAt + BITMAP_BYTES + countBits(own) * HASH_BYTES;
  if (length + SAVED_BYTES_MIN > head + row.length - at) return undefined;
  const delta = shortLivedBytes(length);
  writeHash(delta, head, baseKey);
  if (hasBitmaps)
    for (let index = 0; index < BITMAPS_BYTES; index++) delta[head + HASH_BYTES + index] = row[at + 1 + index]!;
  delta[bitmapAt] = own;
  delta[bitmapAt + 1] = own >> 8;
  let to = bitmapAt + BITMAP_BYTES;
  const existence = bitmap(row, at + 1);
  for (let bits = own; bits !== 0; bits &= bits - 1) {
    const child = at + childAt(existence, lowestBit(bits));
    for (let index = 0; index < HASH_BYTES; index++) delta[to++] = row[child + index]!;
  }
  return delta;
}

/** The children of the branch in `row` that differ from those of the branch in `base` at the same position. */
function ownChildren(row: Uint8Array, base: Uint8Array, from: number): number {
  const existence = bitmap(row, from + 1);
  const others = bitmap(base, from + 1);
  let own = 0;
  let at = from + BRANCH_HEAD_BYTES;
  for (let bits = existence; bits !== 0; bits &= bits - 1, at += HASH_BYTES) {
    const nibble = lowestBit(bits);
    const exists = ((others >>> nibble) & 1) === 1;
    if (!exists || !isSame(row, at, base, from + childAt(others, nibble), HASH_BYTES)) own |= 1 << nibble;
  }
  return own;
}

/**
 * The branch of the delta that continues at `from`, after the hash of `base`.
 * @throws {EngineError} `corrupt`
 */
export function branchOfDelta(delta: Uint8Array, from: number, base: Uint8Array, hasBitmaps: boolean): Uint8Array {
  if (base[0] !== BRANCH_TAG) throw damaged('a branch');
  const bitmaps = hasBitmaps ? delta : base;
  const bitmapsAt = hasBitmaps ? from : 1;
  const bitmapAt = from + (hasBitmaps ? BITMAPS_BYTES : 0);
  const existence = bitmap(bitmaps, bitmapsAt);
  const own = bitmap(delta, bitmapAt);
  const others = bitmap(base, 1);
  let next = bitmapAt + BITMAP_BYTES;
  const inherited = existence & ~own;
  if (delta.length !== next + countBits(own) * HASH_BYTES || (own & ~existence) !== 0 || (inherited & ~others) !== 0) {
    throw damaged('a branch');
  }
  const branch = new Uint8Array(BRANCH_HEAD_BYTES + countBits(existence) * HASH_BYTES);
  branch[0] = BRANCH_TAG;
  branch.set(bitmaps.subarray(bitmapsAt, bitmapsAt + BITMAPS_BYTES), 1);
  let to = BRANCH_HEAD_BYTES;
  for (let bits = existence; bits !== 0; bits &= bits - 1, to += HASH_BYTES) {
    const nibble = lowestBit(bits);
    if (((own >>> nibble) & 1) === 1) {
      branch.set(delta.subarray(next, next + HASH_BYTES), to);
      next += HASH_BYTES;
    } else {
      const at = childAt(others, nibble);
      branch.set(base.subarray(at, at + HASH_BYTES), to);
    }
  }
  return branch;
}

/**
 * The delta of the packed leaf at `at` in `row` to the one at `baseAt` in `base`, whose key ends with its hash, after
 * `head` bytes that the caller fills; undefined if it would not be much shorter.
 */
export function leafDelta(
  row: Uint8Array,
  at: number,
  base: Uint8Array,
  baseAt: number,
  baseKey: Uint8Array,
  head: number,
): Uint8Array | undefined {
  const length = row.length - at;
  const most = Math.min(length, base.length - baseAt);
  let first = 0;
  while (first < most && row[at + first] === base[baseAt + first]) first++;
  let last = 0;
  while (last < most - first && row[row.length - 1 - last] === base[base.length - 1 - last]) last++;
  const middle = length - first - last;
  const middleAt = head + HASH_BYTES + uleb128Length(first) + uleb128Length(last);
  if (middleAt + middle + SAVED_BYTES_MIN > head + length) return undefined;
  const delta = shortLivedBytes(middleAt + middle);
  writeHash(delta, head, baseKey);
  writeUleb128(delta, writeUleb128(delta, head + HASH_BYTES, first), last);
  delta.set(row.subarray(at + first, at + first + middle), middleAt);
  return delta;
}

/**
 * The packed leaf of the delta that continues at `from`, after the hash of its base.
 * @throws {EngineError} `corrupt`
 */
export function leafOfDelta(delta: Uint8Array, from: number, base: Uint8Array): Uint8Array {
  const first = readUleb128(delta, from, LENGTH_BYTES_MAX);
  const last = first && readUleb128(delta, first.end, LENGTH_BYTES_MAX);
  if (first === undefined || last === undefined || first.value + last.value > base.length) throw damaged('a leaf');
  const middle = delta.subarray(last.end);
  return concatBytes(base.subarray(0, first.value), middle, base.subarray(base.length - last.value));
}

/** The hash is the end of the key. */
function writeHash(target: Uint8Array, to: number, key: Uint8Array): void {
  const from = key.length - HASH_BYTES;
  for (let index = 0; index < HASH_BYTES; index++) target[to + index] = key[from + index]!;
}

function bitmap(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

/** The offset of the hash of the child at `nibble` in a branch with the children of `existence`. */
function childAt(existence: number, nibble: number): number {
  return BRANCH_HEAD_BYTES + HASH_BYTES * countBits(existence & ((1 << nibble) - 1));
}

function isSame(one: Uint8Array, at: number, other: Uint8Array, otherAt: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (one[at + index] !== other[otherAt + index]) return false;
  return true;
}

function damaged(node: string): EngineError {
  return new EngineError('corrupt', `a stored delta of ${node} does not fit its base`);
}
