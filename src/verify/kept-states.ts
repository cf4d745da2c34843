/**
 * Checks the states that a chain with a bounded history keeps, node by node: every node that one of them reaches must
 * be in the store, and no node that the present one reaches may be about to be pruned.
 *
 * Each node is read once, however many states share it. Other nodes may be left over, since pruning runs in the
 * background; they are not a problem.
 * @module
 */

import { textOfBytes } from '../bytes/byte-text.ts';
import { equalBytes } from '../bytes/compare.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import type { Head } from '../ledger/head.ts';
import type { History } from '../ledger/history.ts';
import { readStateRoot, readStateRootOrder } from '../ledger/transactions.ts';
import { childrenOf, detachedNodes } from '../state/node-children.ts';
import { type ListColumn, nodeBytes, nodeOrder } from '../state/node-row.ts';
import { columnKey, columnRange, keyTail, readOrder } from '../store/column.ts';
import type { ReadableStore } from '../store/store.ts';
import { EMPTY_ROOT } from '../tree/tree.ts';
import { guarded, type Report } from './expected-rows.ts';

const HASH_BYTES = 32;

/** Whether the state after `order` can be read: states within a group of commits cannot. */
export function isKeptOrder(store: ReadableStore, order: bigint): boolean {
  const last = readStateRootOrder(store, readStateRoot(store, order));
  return last !== undefined && last >= order;
}

export class KeptStates {
  readonly #store: ReadableStore;
  readonly #head: Head;
  readonly #report: Report;
  /** Hashes met so far, as text, each with the order of its row. */
  readonly #nodes = new Map<string, bigint>();

  constructor(store: ReadableStore, head: Head, report: Report) {
    this.#store = store;
    this.#head = head;
    this.#report = report;
  }

  /** Checks all states that `history` keeps. `pause` is called between two of them. */
  async check({ oldest }: History, pause: () => Promise<void>): Promise<void> {
    this.#walk(this.#head.stateRoot);
    await this.#checkStale();
    for (let order = oldest; order <= this.#head.order; order++) {
      const isKept = guarded(this.#report, () => isKeptOrder(this.#store, order));
      if (isKept === true) this.#walk(readStateRoot(this.#store, order));
      else if (order === oldest || order === this.#head.order) {
        this.#report(`the state after order ${order} is kept and has no row of its root`);
      }
      await pause();
    }
  }

  #walk(root: Uint8Array): void {
    const waiting = [root];
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      const text = textOfBytes(hash);
      if (this.#nodes.has(text) || this.#isAbsent(hash)) continue;
      const row = guarded(this.#report, () => this.#store.get(columnKey('node', hash)));
      this.#nodes.set(text, row === undefined ? this.#head.order : nodeOrder(row));
      if (row === undefined) this.#report(`the tree node ${toHexPrefixed(hash)} is missing`);
      else waiting.push(...(guarded(this.#report, () => childrenOf(hash, nodeBytes(this.#store, row, hash))) ?? []));
    }
  }

  #isAbsent(root: Uint8Array): boolean {
    return equalBytes(root, EMPTY_ROOT) || this.#head.unloadedRoots.some((unloaded) => equalBytes(unloaded, root));
  }

  /** The nodes met so far belong to the present state: no list may have them removed. */
  async #checkStale(): Promise<void> {
    for await (const { order, hash } of this.#listed('staleNodes')) {
      if ((this.#nodes.get(textOfBytes(hash)) ?? order) < order) this.#reportStale(hash, order);
    }
    for await (const { order, hash: root } of this.#listed('detachedTrees')) {
      guarded(this.#report, () => {
        for (const key of detachedNodes(this.#store, root, order)) {
          const hash = keyTail(key, 0);
          if (this.#nodes.has(textOfBytes(hash))) this.#reportStale(hash, order);
        }
      });
    }
  }

  async *#listed(column: ListColumn): AsyncGenerator<{ readonly order: bigint; readonly hash: Uint8Array }> {
    for await (const { key, value } of this.#store.scan(columnRange(column))) {
      const order = readOrder(keyTail(key, 0), 0);
      for (let at = 0; at < value.length; at += HASH_BYTES) yield { order, hash: value.subarray(at, at + HASH_BYTES) };
    }
  }

  #reportStale(hash: Uint8Array, order: bigint): void {
    this.#report(`the tree node ${toHexPrefixed(hash)} of the present state is listed as stale since order ${order}`);
  }
}
