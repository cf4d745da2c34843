/**
 * The nodes that updates have made, to be stored soon.
 * @module
 */
import { HashList } from './hash-list.ts';

/** A node as it is to be stored: `bytes` under `hash`. Neither is to be written to, nor `bytes` to be kept. */
export interface FreshNode {
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Nodes as they were pushed. A large transaction makes half a million, so there is no object for each. */
export class FreshNodes implements Iterable<FreshNode> {
  readonly #hashes = new HashList();
  readonly #bytes: Uint8Array[] = [];

  /** How many there are. */
  get size(): number {
    return this.#bytes.length;
  }

  /** Adds a node, whose hash stands as eight words in `words` from `at`. */
  push(words: Int32Array, at: number, bytes: Uint8Array): void {
    this.#hashes.push(words, at);
    this.#bytes.push(bytes);
  }

  /** All hashes, 32 bytes each: a view, good until the next node is added. */
  get hashes(): Uint8Array {
    return this.#hashes.bytes;
  }

  /** The bytes of the node at `index`. */
  bytesAt(index: number): Uint8Array {
    return this.#bytes[index]!;
  }

  /** Forgets all but the first `size`. */
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
