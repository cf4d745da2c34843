/**
 * Tree nodes for applying the change sets of a chain with a bounded history once more. States that stood within a group of
 * commits are in no store, and neither is that of genesis once it was pruned: their nodes are those that applying made.
 * @module
 */
import { nodeSource } from '../state/node-row.ts';
import { textOfBytes } from '../store/byte-text.ts';
import type { ReadableStore } from '../store/store.ts';
import type { NodeSource, TouchedNodes } from '../tree/tree.ts';

export class ReplayedNodes {
  readonly source: NodeSource;
  readonly #genesis = new Map<string, Uint8Array>();
  readonly #latest = new Map<string, Uint8Array>();

  constructor(store: ReadableStore) {
    const stored = nodeSource(store);
    this.source = (hash) => {
      const text = textOfBytes(hash);
      return this.#latest.get(text) ?? this.#genesis.get(text) ?? stored(hash);
    };
  }

  /** Takes what applying the change set of `order` made. */
  add(order: bigint, { fresh }: TouchedNodes): void {
    const nodes = order === 0n ? this.#genesis : this.#latest;
    for (const { hash, bytes } of fresh) nodes.set(textOfBytes(hash), bytes.slice());
  }

  /** Lets go of all but genesis: the store has the state that was reached. */
  reachedKeptState(): void {
    this.#latest.clear();
  }
}
