/**
 * Tree nodes for replaying the change sets of a chain with a bounded history. No store has the states within a group of
 * commits, nor that of genesis once it is pruned: their nodes come from the replay itself.
 * @module
 */

import { textOfBytes } from '../../base/bytes/byte-text.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import type { ReadableStore } from '../../store/store.ts';
import type { NodeSource, TouchedNodes } from '../../store/tree/tree.ts';

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

  /** Takes the nodes that applying the change set of `order` created. */
  add(order: bigint, { fresh }: TouchedNodes): void {
    const nodes = order === 0n ? this.#genesis : this.#latest;
    for (const { hash, bytes } of fresh) nodes.set(textOfBytes(hash), bytes.slice());
  }

  /** Drops everything but genesis: the store has the state that was reached. */
  reachedKeptState(): void {
    this.#latest.clear();
  }
}
