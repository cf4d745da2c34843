/**
 * The nodes that updates have created, to be stored soon.
 * @module
 */
import { HashList } from './hash-list.ts';

/** A node to store: `bytes` under `hash`. Do not change either, and do not keep `bytes`. */
export interface FreshNode {
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

  /** The number of nodes. */
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

  /** The bytes of the node at `index`. */
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
