/**
 * Rows of a store in memory, one after another in chunks (row-layout.ts): a key and its value stand together.
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
 * @module
 */
import { EngineError } from '../base/error.ts';
import { isDeletion, ROW_UNIT_BITS, rowBytes, rowLength, writeRow } from './row-layout.ts';

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

/** The number of the chunk of a place. */
export function chunkOf(place: number): number {
  return place >>> OFFSET_BITS;
}

/** Where the row of a place begins in its chunk. */
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

  /** The chunks, by their numbers. */
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

  /** Takes over a chunk laid out as in row-layout.ts; returns a function that counts a row and gives its place. */
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
