/**
 * Rows of a store in memory, one behind the other in chunks: a key and its value stand together.
 *
 * As a string and an array of their own, key and value would be copied twice by the collector before they are old, and a
 * transfer of coins writes 65 rows: that is most of what a collection finds alive, and takes twice as much memory. A chunk
 * is outside of the heap and lives as long as any row in it is in a store, a view or a checkpoint.
 *
 * Most rows are kept for good. Those of an index that names the last change of an object are not: the next transaction moves
 * them, a fifth of what it writes. So the place of a row that was put lately and removed again is used for the next of
 * the same length, as long as nobody else can see it: not after a clone of the map, nor if a branch holds it as a bound.
 *
 * A row is the length of its key less one (2 bytes, big endian), the key, the length of its value plus one (ULEB128; 0 for
 * a row that says that its key is deleted) and the value.
 * @module
 */

/** The first chunk: a fork that writes one transaction takes no more. */
const CHUNK_BYTES_MIN = 16 * 1024;
const CHUNK_BYTES_MAX = 512 * 1024;

/** The part of a chunk above which a row gets a chunk of its own, so that no more than that is left unused. */
const SHARED_PART = 8;

/** Rows of this length and more are not put where another one was. */
const REUSED_BYTES_MAX = 1024;

/** Bytes before the key. */
const HEAD_BYTES = 2;

export class RowChunks {
  #chunk = new Uint8Array(0);
  #at = 0;
  #last = this.#chunk;
  /** Where the rows of the chunk begin that nobody else can see. */
  #ownFrom = 0;
  /** Places of removed rows in the chunk, by the length of the row. */
  readonly #free = new Map<number, number[]>();
  /** Places of rows in the chunk that are bounds. */
  readonly #bounds = new Set<number>();

  /** Where the row stands that was put last. */
  get chunk(): Uint8Array {
    return this.#last;
  }

  /** Copies a row, `undefined` for a deleted one; gives where it begins in `chunk`. */
  put(key: Uint8Array, value: Uint8Array | undefined): number {
    let rest = value === undefined ? 0 : value.length + 1;
    const at = this.#reserve(HEAD_BYTES + key.length + numberBytes(rest) + (value?.length ?? 0));
    const chunk = this.#last;
    chunk[at] = (key.length - 1) >> 8;
    chunk[at + 1] = key.length - 1;
    chunk.set(key, at + HEAD_BYTES);
    let to = at + HEAD_BYTES + key.length;
    for (; rest >= 0x80; rest >>>= 7) chunk[to++] = rest | 0x80;
    chunk[to++] = rest;
    if (value !== undefined) chunk.set(value, to);
    return at;
  }

  /** Takes back the place of a row that is in no node any more. */
  remove(chunk: Uint8Array, at: number): void {
    if (chunk !== this.#chunk || at < this.#ownFrom || this.#bounds.has(at)) return;
    const length = rowLength(chunk, at);
    if (length >= REUSED_BYTES_MAX) return;
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [at]);
    else free.push(at);
  }

  /** Keeps a row beyond its removal: a branch takes it as a bound. */
  keep(chunk: Uint8Array, at: number): void {
    if (chunk === this.#chunk) this.#bounds.add(at);
  }

  /** Keeps all rows that were put so far: somebody else sees them from now on. */
  share(): void {
    this.#ownFrom = this.#at;
    this.#free.clear();
    this.#bounds.clear();
  }

  #reserve(length: number): number {
    const free = length < REUSED_BYTES_MAX ? this.#free.get(length)?.pop() : undefined;
    if (free !== undefined) {
      this.#last = this.#chunk;
      return free;
    }
    if (this.#at + length <= this.#chunk.length) {
      const at = this.#at;
      this.#at += length;
      this.#last = this.#chunk;
      return at;
    }
    const next = Math.min(Math.max(CHUNK_BYTES_MIN, 2 * this.#chunk.length), CHUNK_BYTES_MAX);
    if (length > next / SHARED_PART) {
      this.#last = new Uint8Array(length);
      return 0;
    }
    this.#chunk = new Uint8Array(next);
    this.#at = 0;
    this.share();
    this.#last = this.#chunk;
    this.#at = length;
    return 0;
  }
}

/** Bytes of a number as ULEB128. */
function numberBytes(number: number): number {
  let bytes = 1;
  for (let rest = number; rest >= 0x80; rest >>>= 7) bytes++;
  return bytes;
}

/** The ULEB128 number at `at`. */
function readNumber(chunk: Uint8Array, at: number): number {
  let number = 0;
  for (let index = at, shift = 0; ; index++, shift += 7) {
    const byte = chunk[index]!;
    number += (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

function keyLength(chunk: Uint8Array, at: number): number {
  return ((chunk[at]! << 8) | chunk[at + 1]!) + 1;
}

/** Bytes of a row. */
export function rowLength(chunk: Uint8Array, at: number): number {
  const head = HEAD_BYTES + keyLength(chunk, at);
  const stored = readNumber(chunk, at + head);
  return head + numberBytes(stored) + (stored === 0 ? 0 : stored - 1);
}

/** The key of a row, in an array of its own. */
export function readKey(chunk: Uint8Array, at: number): Uint8Array {
  const from = at + HEAD_BYTES;
  return chunk.slice(from, from + keyLength(chunk, at));
}

/** The value of a row, in an array of its own; `undefined` for a deleted one. */
export function readValue(chunk: Uint8Array, at: number): Uint8Array | undefined {
  const lengthAt = at + HEAD_BYTES + keyLength(chunk, at);
  const stored = readNumber(chunk, lengthAt);
  if (stored === 0) return undefined;
  const from = lengthAt + numberBytes(stored);
  return chunk.slice(from, from + stored - 1);
}

/**
 * The first 30 bits of a key, missing ones as zeros: it never orders two keys against their bytes. Thirty, because that
 * is the range of a small integer where V8 compresses pointers.
 */
export function digestOf(key: Uint8Array): number {
  if (key.length >= 4) return (key[0]! << 22) | (key[1]! << 14) | (key[2]! << 6) | (key[3]! >> 2);
  return ((key[0] ?? 0) << 22) | ((key[1] ?? 0) << 14) | ((key[2] ?? 0) << 6);
}

/** The digest of the key of a row. */
export function digestAt(chunk: Uint8Array, at: number): number {
  const from = at + HEAD_BYTES;
  return digestOf(chunk.subarray(from, from + keyLength(chunk, at)));
}

/** Bytes at the front of a key that its digest tells whole. */
export const DIGEST_BYTES = 3;

/** How many bytes the two keys of the last `compareKey` have in common. */
export let commonBytes = 0;

/** The order of the key of a row and `key`, whose first `from` bytes are known to be equal: negative, zero or positive. */
export function compareKey(chunk: Uint8Array, at: number, key: Uint8Array, from: number): number {
  const start = at + HEAD_BYTES;
  const length = keyLength(chunk, at);
  const both = length < key.length ? length : key.length;
  for (let index = from; index < both; index++) {
    const difference = chunk[start + index]! - key[index]!;
    if (difference !== 0) {
      commonBytes = index;
      return difference;
    }
  }
  commonBytes = both;
  return length - key.length;
}

/** Whether the key of a row is `key`. */
export function isKey(chunk: Uint8Array, at: number, key: Uint8Array): boolean {
  const { length } = key;
  if (keyLength(chunk, at) !== length) return false;
  const start = at + HEAD_BYTES;
  for (let index = 0; index < length; index++) if (chunk[start + index] !== key[index]) return false;
  return true;
}

/** The order of the keys of two rows. */
export function compareRows(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  const from = rightAt + HEAD_BYTES;
  return compareKey(left, leftAt, right.subarray(from, from + keyLength(right, rightAt)), 0);
}
