/**
 * The nodes that updates have created, to be stored soon. Their hashes are packed into one array: an update replaces
 * some twenty nodes, and allocating an array for each hash would cost more than the hashing.
 * @module
 */
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { writeWords } from '../../base/hash/tagged.ts';

const HASH_BYTES = 32;
const BYTES_MIN = 16 * HASH_BYTES;
const NO_BYTES = new Uint8Array(0);

/** Hashes in the order in which they were pushed, until they are written to the store: do not keep a list. */
export class HashList implements Iterable<Uint8Array> {
  #bytes: Uint8Array = NO_BYTES;
  #length = 0;

  get size(): number {
    return this.#length / HASH_BYTES;
  }

  /** All hashes, 32 bytes each: a view, valid until the next one is added. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds the hash that is the eight words in `words` from `at`. */
  push(words: Int32Array, at: number): void {
    this.#reserve(HASH_BYTES);
    writeWords(words, at, this.#bytes, this.#length);
    this.#length += HASH_BYTES;
  }

  /** Drops all but the first `size`. */
  truncate(size: number): void {
    this.#length = Math.min(this.#length, size * HASH_BYTES);
  }

  /** A copy of the hash at `index`. */
  at(index: number): Uint8Array {
    return this.#bytes.slice(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }

  *[Symbol.iterator](): Generator<Uint8Array, void, undefined> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#bytes.length) return;
    const grown = shortLivedBytes(Math.max(needed, BYTES_MIN, 2 * this.#bytes.length));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}

/** A node to store: `bytes` under `hash`. Do not change either, and do not keep `bytes`. */
interface FreshNode {
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * Nodes in the order in which they were pushed. A large transaction creates half a million, so there is no object for
 * each.
 */
export class FreshNodes implements Iterable<FreshNode> {
  readonly #hashes = new HashList();
  readonly #bytes: Uint8Array[] = [];

  get size(): number {
    return this.#bytes.length;
  }

  /** Adds a node whose hash is the eight words in `words` from `at`. */
  push(words: Int32Array, at: number, bytes: Uint8Array): void {
    this.#hashes.push(words, at);
    this.#bytes.push(bytes);
  }

  /** All hashes, 32 bytes each: a view, valid until the next node is added. */
  get hashes(): Uint8Array {
    return this.#hashes.bytes;
  }

  bytesAt(index: number): Uint8Array {
    return this.#bytes[index]!;
  }

  /** Drops all but the first `size`. */
  truncate(size: number): void {
    this.#hashes.truncate(size);
    this.#bytes.length = Math.min(this.#bytes.length, size);
  }

  *[Symbol.iterator](): Generator<FreshNode, void, undefined> {
    for (let index = 0; index < this.#bytes.length; index++) {
      yield { hash: this.#hashes.at(index), bytes: this.#bytes[index]! };
    }
  }
}
