/**
 * Rows of a store in memory, one after another in chunks: a key and its value stand together.
 *
 * As a string and an array of their own, key and value would be copied twice by the garbage collector before they are
 * old, and a transfer of coins writes 65 rows: that is most of what a collection finds alive, and takes twice as much
 * memory. A chunk is outside the heap and lives as long as any row in it is in a store, a view or a checkpoint.
 *
 * A place is a 32-bit number: that of the chunk, and the row's offset in it. So what keeps places has no object for
 * a row, and writes none. Which chunk a number stands for is known to the map alone. Clones share that knowledge until
 * one of them writes; each counts how many bytes its own rows take in a chunk, and drops the chunk with the last of
 * them. When they take less than half of it, the map moves them, so that at most twice as much is held as is used.
 *
 * Most rows are kept for good. Those of an index that names the last change of an object are not: the next transaction
 * moves them, a fifth of what it writes. So the place of a row recently put and removed again is reused for the next
 * row of the same length, as long as no other map sees it, which ends with a clone of the map.
 *
 * A row is the length of its key less one (2 bytes, big endian), the key, the length of its value plus one (ULEB128; 0
 * for a row that records a deletion), the value, and padding to a multiple of eight bytes. So rows begin at multiples
 * of eight, and a place among gigabytes of them is a 32-bit number.
 *
 * Keys to search for are part of an array, too: `length` bytes from `from` on. No array is made to search for the key
 * of a row.
 * @module
 */
import { EngineError } from '../base/error.ts';

/** Rows begin at multiples of this many bytes, two to the power of `ROW_UNIT_BITS`. */
const ROW_UNIT_BITS = 3;
const ROW_UNIT = 1 << ROW_UNIT_BITS;

/** Bytes before the key. */
export const HEAD_BYTES = 2;

/** So few bytes that copying them one by one is faster than a call of `set`. */
const SHORT_BYTES_MAX = 64;

/** Bytes of a row of these lengths, up to where the next begins; without a value, of one that records a deletion. */
export function rowBytes(keyLength: number, valueLength: number | undefined): number {
  const stored = valueLength === undefined ? 0 : valueLength + 1;
  return padded(HEAD_BYTES + keyLength + numberBytes(stored) + (valueLength ?? 0));
}

/** Writes a row at `at`, a multiple of eight; without a value, one that records a deletion. */
export function writeRow(rows: Uint8Array, at: number, key: Uint8Array, value: Uint8Array | undefined): void {
  const { length } = key;
  rows[at] = (length - 1) >> 8;
  rows[at + 1] = length - 1;
  let to = at + HEAD_BYTES;
  for (let index = 0; index < length; index++) rows[to++] = key[index]!;
  let rest = value === undefined ? 0 : value.length + 1;
  for (; rest >= 0x80; rest >>>= 7) rows[to++] = rest | 0x80;
  rows[to++] = rest;
  if (value === undefined) return;
  if (value.length > SHORT_BYTES_MAX) rows.set(value, to);
  else for (let index = 0; index < value.length; index++) rows[to++] = value[index]!;
}

/** Bytes of the row at `at`, up to where the next begins. */
export function rowLength(rows: Uint8Array, at: number): number {
  const head = HEAD_BYTES + keyLength(rows, at);
  const stored = readNumber(rows, at + head);
  return padded(head + numberBytes(stored) + (stored === 0 ? 0 : stored - 1));
}

export function keyFrom(at: number): number {
  return at + HEAD_BYTES;
}

export function keyLength(rows: Uint8Array, at: number): number {
  return ((rows[at]! << 8) | rows[at + 1]!) + 1;
}

/** The key of a row: a view. */
export function keyViewOf(rows: Uint8Array, at: number): Uint8Array {
  const from = keyFrom(at);
  return rows.subarray(from, from + keyLength(rows, at));
}

/** The value of a row: a view; `undefined` for a deleted one. */
export function valueViewOf(rows: Uint8Array, at: number): Uint8Array | undefined {
  const lengthAt = keyFrom(at) + keyLength(rows, at);
  const stored = readNumber(rows, lengthAt);
  if (stored === 0) return undefined;
  const from = lengthAt + numberBytes(stored);
  return rows.subarray(from, from + stored - 1);
}

export function isDeletion(rows: Uint8Array, at: number): boolean {
  return rows[keyFrom(at) + keyLength(rows, at)] === 0;
}

/** The key of a row, in an array of its own. */
export function readKey(rows: Uint8Array, at: number): Uint8Array {
  const from = keyFrom(at);
  return rows.slice(from, from + keyLength(rows, at));
}

/** The value of a row, in an array of its own; `undefined` for a deleted one. */
export function readValue(rows: Uint8Array, at: number): Uint8Array | undefined {
  const lengthAt = keyFrom(at) + keyLength(rows, at);
  const stored = readNumber(rows, lengthAt);
  if (stored === 0) return undefined;
  const from = lengthAt + numberBytes(stored);
  return rows.slice(from, from + stored - 1);
}

/** How many bytes a row's key and another key have in common; the first `known` are known to be equal. */
export function commonBytes(
  rows: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  known: number,
): number {
  const start = keyFrom(at);
  const own = keyLength(rows, at);
  const both = own < length ? own : length;
  let common = known;
  while (common < both && rows[start + common] === bytes[from + common]) common++;
  return common;
}

/**
 * The order of a row's key and another key that have exactly `common` bytes in common: negative, zero or positive.
 */
export function orderBehind(
  rows: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  common: number,
): number {
  const own = keyLength(rows, at);
  return common < own && common < length ? rows[keyFrom(at) + common]! - bytes[from + common]! : own - length;
}

/** Whether the key of a row is the key at `from`. */
export function isKey(rows: Uint8Array, at: number, bytes: Uint8Array, from: number, length: number): boolean {
  if (keyLength(rows, at) !== length) return false;
  const start = keyFrom(at);
  // From the end: keys are more often alike at the beginning than at the end.
  for (let index = length - 1; index >= 0; index--) if (rows[start + index] !== bytes[from + index]) return false;
  return true;
}

/** A length in bytes, up to where the next row begins. */
export function padded(length: number): number {
  return (length + ROW_UNIT - 1) & -ROW_UNIT;
}

/** Bytes of a number as ULEB128. */
export function numberBytes(number: number): number {
  let bytes = 1;
  for (let rest = number; rest >= 0x80; rest >>>= 7) bytes++;
  return bytes;
}

/** The ULEB128 number at `at`. */
function readNumber(rows: Uint8Array, at: number): number {
  let number = 0;
  for (let index = at, shift = 0; ; index++, shift += 7) {
    const byte = rows[index]!;
    number += (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

/** Bits of a place that give the row's offset in its chunk; the ones above are the chunk number. */
const OFFSET_BITS = 16;
const OFFSET_MASK = (1 << OFFSET_BITS) - 1;
const CHUNKS_MAX = 1 << (32 - OFFSET_BITS);

/** The first chunk: a fork that writes one transaction takes no more. */
const CHUNK_BYTES_MIN = 16 * 1024;
/** As far as the places of one chunk reach. */
const CHUNK_BYTES_MAX = 1 << (OFFSET_BITS + ROW_UNIT_BITS);

/** A row larger than a chunk divided by this gets a chunk of its own, so that no more than that is left unused. */
const SHARED_PART = 8;

/** Rows of this length or more are not put where another one was. */
const REUSED_BYTES_MAX = 1024;

export function chunkOf(place: number): number {
  return place >>> OFFSET_BITS;
}

export function offsetOf(place: number): number {
  return (place & OFFSET_MASK) << ROW_UNIT_BITS;
}

const NONE: Uint8Array = new Uint8Array(0);

export class RowChunks {
  /** Indexed by number; an empty array where there is no chunk. */
  #chunks: Uint8Array[] = [NONE];
  /** Bytes of the map's rows in each chunk. */
  #used: number[] = [0];
  /** Numbers of chunks of which the map's rows take less than half. */
  #sparse: number[] = [];
  /** Whether another map has the same two lists. */
  #isShared = false;
  /** The number of the chunk that is being filled; 0 if there is none. */
  #current = 0;
  #chunk = NONE;
  #at = 0;
  /** Offset in the chunk from which on no other map sees the rows. */
  #ownFrom = 0;
  /** Places of removed rows in the chunk, by the length of the row. */
  readonly #free = new Map<number, number[]>();
  /** What `putRows` returned last. */
  readonly #places: number[] = [];

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Copies a row, `undefined` for a deleted one; returns its place. */
  put(key: Uint8Array, value: Uint8Array | undefined): number {
    if (this.#isShared) this.#part();
    const place = this.#reserve(rowBytes(key.length, value?.length));
    writeRow(this.#chunks[chunkOf(place)]!, offsetOf(place), key, value);
    return place;
  }

  /**
   * Copies rows laid out one after another, without those that record a deletion unless they are kept; returns their
   * places, in a list that is valid until the next call. Rows that stay neighbours are copied together.
   */
  putRows(rows: Uint8Array, keepsDeletions: boolean): readonly number[] {
    if (this.#isShared) this.#part();
    const places = this.#places;
    let count = 0;
    let runFrom = 0;
    let runTo = this.#at;
    for (let at = 0; at < rows.length; ) {
      const length = rowLength(rows, at);
      const isPut = keepsDeletions || !isDeletion(rows, at);
      const free = isPut ? this.#takeFree(length) : undefined;
      if (isPut && free === undefined && this.#at + length <= this.#chunk.length) {
        places[count++] = this.#takeNext(length);
      } else {
        this.#chunk.set(rows.subarray(runFrom, at), runTo);
        if (isPut) {
          const place = free ?? this.#reserve(length);
          this.#chunks[chunkOf(place)]!.set(rows.subarray(at, at + length), offsetOf(place));
          places[count++] = place;
        }
        runFrom = at + length;
        runTo = this.#at;
      }
      at += length;
    }
    this.#chunk.set(rows.subarray(runFrom), runTo);
    return places;
  }

  /** Copies the row at an offset of a chunk; returns the place of the copy. */
  copy(chunk: Uint8Array, at: number): number {
    const length = rowLength(chunk, at);
    const place = this.#reserve(length);
    this.#chunks[chunkOf(place)]!.set(chunk.subarray(at, at + length), offsetOf(place));
    return place;
  }

  /** The number of a chunk whose rows the map should move, if there is one; it is returned once. */
  takeSparse(): number | undefined {
    let number = this.#sparse.pop();
    // Its number may stand for another chunk by now.
    while (number !== undefined && (number === this.#current || !this.#isSparse(number))) number = this.#sparse.pop();
    return number;
  }

  /** Takes over a chunk laid out as in row-chunks.ts; returns a function that counts a row and gives its place. */
  adopt(chunk: Uint8Array): (at: number) => number {
    const numbers: number[] = [];
    return (at) => {
      const part = Math.floor(at / CHUNK_BYTES_MAX);
      numbers[part] ??= this.#number(chunk.subarray(part * CHUNK_BYTES_MAX));
      const number = numbers[part];
      this.#used[number]! += rowLength(chunk, at);
      return (number << OFFSET_BITS) | ((at % CHUNK_BYTES_MAX) >> ROW_UNIT_BITS);
    };
  }

  /** Takes back the place of a row that the map no longer has. */
  remove(place: number): void {
    if (this.#isShared) this.#part();
    const number = chunkOf(place);
    const chunk = this.#chunks[number]!;
    const at = offsetOf(place);
    const length = rowLength(chunk, at);
    const used = this.#used[number]! - length;
    this.#used[number] = used;
    if (number !== this.#current) {
      if (used === 0) this.#chunks[number] = NONE;
      else if (this.#isSparse(number) && 2 * (used + length) >= chunk.length) this.#sparse.push(number);
      return;
    }
    if (at < this.#ownFrom || length >= REUSED_BYTES_MAX) return;
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [place]);
    else free.push(place);
  }

  /** The chunks of a clone of the map: it puts its rows into chunks of its own. */
  clone(): RowChunks {
    const clone = new RowChunks();
    clone.#chunks = this.#chunks;
    clone.#used = this.#used;
    clone.#isShared = true;
    this.#isShared = true;
    this.#ownFrom = this.#at;
    this.#free.clear();
    return clone;
  }

  /** Stops sharing the lists with another map. */
  #part(): void {
    this.#chunks = this.#chunks.slice();
    this.#used = this.#used.slice();
    this.#isShared = false;
  }

  /** A place for a row of this length. The lists are this map's own. */
  #reserve(length: number): number {
    const free = this.#takeFree(length);
    if (free !== undefined) return free;
    if (this.#at + length > this.#chunk.length) {
      const next = Math.min(Math.max(CHUNK_BYTES_MIN, 2 * this.#chunk.length), CHUNK_BYTES_MAX);
      if (length > next / SHARED_PART) {
        const own = this.#number(new Uint8Array(length));
        this.#used[own] = length;
        return own << OFFSET_BITS;
      }
      this.#begin(new Uint8Array(next));
    }
    return this.#takeNext(length);
  }

  /** The place of a removed row of this length, if there is one. */
  #takeFree(length: number): number | undefined {
    const free = length < REUSED_BYTES_MAX ? this.#free.get(length)?.pop() : undefined;
    if (free !== undefined) this.#used[this.#current]! += length;
    return free;
  }

  /** The place after the rows of the chunk, which has room for one of this length. */
  #takeNext(length: number): number {
    const place = (this.#current << OFFSET_BITS) | (this.#at >> ROW_UNIT_BITS);
    this.#at += length;
    this.#used[this.#current]! += length;
    return place;
  }

  /** Goes on with another chunk. */
  #begin(chunk: Uint8Array): void {
    if (this.#used[this.#current] === 0) this.#chunks[this.#current] = NONE;
    else if (this.#isSparse(this.#current)) this.#sparse.push(this.#current);
    this.#current = this.#number(chunk);
    this.#chunk = chunk;
    this.#at = 0;
    this.#ownFrom = 0;
    this.#free.clear();
  }

  /** Whether moving the rows of a chunk frees more than they take. A part of a larger buffer frees nothing. */
  #isSparse(number: number): boolean {
    const { length, buffer } = this.#chunks[number]!;
    return 2 * this.#used[number]! < length && length === buffer.byteLength;
  }

  /** Gives a chunk the lowest free number. */
  #number(chunk: Uint8Array): number {
    const hole = this.#chunks.indexOf(NONE, 1);
    const number = hole === -1 ? this.#chunks.length : hole;
    if (number === CHUNKS_MAX) {
      throw new EngineError('limit-exceeded', `expected at most ${CHUNKS_MAX - 1} chunks of rows in a store in memory`);
    }
    this.#chunks[number] = chunk;
    this.#used[number] = 0;
    return number;
  }
}
