/**
 * Pruning: taking away the states that a chain with a bounded history need not keep, a bounded piece at a time.
 *
 * An order K is chosen, at least as far behind the head as the bound says and with a state that can be read: the oldest
 * that stays. Of every order up to K three things go: the nodes that it made stale, its change set, and the row of the root
 * before it. Transactions, events and indexes stay for good. A piece and how far it came are one batch (ledger/history.ts),
 * and K is part of it: so a process may die at any moment, and a state is readable whole or refused.
 *
 * A node is named by its content, so one that went stale may be there again: a value returns to what it was, and the same
 * leaf and the same branches with it. The list of nodes that order S made stale therefore says only that each was absent
 * after S. Whoever makes a node writes its row anew with his order, also where the row is there already. Hence a node whose
 * row has an order below S was not made since, is in no state from S on, and goes; one whose row has a higher order came
 * back, and stays, until a later list names it. The states from K on read nothing that goes, since S is at most K.
 *
 * Nobody who reads an older moment loses anything: views, dumps and forks read through a snapshot of the database, or a
 * copy-on-write map. What an object had as fields when it was removed is in no list and stays.
 *
 * Cost: a read for each stale node, and one batch that waits for no disk: what of it is lost with the power is done again.
 * @module
 */
import { PRUNE_ORDERS_MIN, PRUNE_PIECE_OPERATIONS } from '../config.ts';
import { changeSetDeletions } from '../ledger/change-sets.ts';
import type { Head } from '../ledger/head.ts';
import { ALL_HISTORY, type History, historyOperation, readHistory } from '../ledger/history.ts';
import { readStateRoot, readStateRootOrder } from '../ledger/transactions.ts';
import { nodeOrder, staleParts } from '../state/node-row.ts';
import { columnKey, columnKeyAt } from '../store/column.ts';
import type { Operation, Store } from '../store/store.ts';

const HASH_BYTES = 32;

/** How far pruning is: orders whose rows are gone, and how many are to go in all. */
export interface PruneProgress {
  readonly done: bigint;
  readonly total: bigint;
}

/** A piece of pruning. */
export interface PrunePiece {
  /** None where there is nothing left to do. */
  readonly operations: readonly Operation[];
  /** How far it is after it. */
  readonly progress: PruneProgress;
  took(): void;
}

export class Pruner {
  readonly #store: Store;
  #history: History = ALL_HISTORY;
  /** The head at which there was nothing to do. */
  #idleAt: bigint | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.reload();
  }

  /** Whether states are kept up to a bound. */
  get isBounded(): boolean {
    return this.#history.kept !== undefined;
  }

  /** Reads anew how far it is: the store went back. */
  reload(): void {
    this.#idleAt = undefined;
    this.#history = readHistory(this.#store) ?? ALL_HISTORY;
  }

  /**
   * Whether there is enough to prune for a piece beside the commits. Never on a fork of a durable chain, where taking a
   * row away costs memory.
   */
  isDue({ order }: Head): boolean {
    const { kept, next, oldest, staleDone } = this.#history;
    if (this.#store.kind === 'overlay' || order === this.#idleAt) return false;
    if (staleDone > 0n || next <= oldest) return true;
    return kept !== undefined && order - kept - next >= PRUNE_ORDERS_MIN;
  }

  /**
   * The next piece, which counts once its operations are written and `took` is called.
   * @throws {EngineError} `corrupt` for a row that cannot be read
   */
  nextPiece(head: Head): PrunePiece {
    const before = this.#history;
    const oldest = this.#oldestKept(head);
    let { next, staleDone } = before;
    const operations: Operation[] = [];
    let left = PRUNE_PIECE_OPERATIONS;
    while (next <= oldest && left > 0) {
      const part = this.#stale(next, staleDone, left, operations);
      left -= part.read;
      staleDone += BigInt(part.read);
      if (!part.isLast) break;
      operations.push(...part.rows, ...changeSetDeletions(this.#store, next), ...this.#rootBefore(next, oldest));
      left -= PRUNED_ROWS_OF_AN_ORDER;
      next++;
      staleDone = 0n;
    }
    const isNone = oldest === before.oldest && next === before.next && staleDone === before.staleDone;
    const after: History = { ...before, oldest, next, staleDone };
    return {
      operations: isNone ? [] : [...operations, historyOperation(after)],
      progress: { done: next - 1n, total: oldest },
      took: () => {
        this.#history = after;
        this.#idleAt = isNone ? head.order : undefined;
      },
    };
  }

  /** The last order that is far enough behind the head and whose root has a row; the states between stand in no store. */
  #oldestKept({ order }: Head): bigint {
    const { kept, oldest } = this.#history;
    if (kept === undefined) return oldest;
    for (let candidate = order - kept; candidate > oldest; candidate--) {
      const last = readStateRootOrder(this.#store, readStateRoot(this.#store, candidate));
      // A later order that led to the same root keeps the same state.
      if (last !== undefined && last >= candidate) return candidate;
    }
    return oldest;
  }

  /** Looks at up to `limit` of the nodes that `order` made stale, behind those that are done with. */
  #stale(order: bigint, done: bigint, limit: number, operations: Operation[]): StalePiece {
    const rows: Operation[] = [];
    let skip = Number(done);
    let read = 0;
    for (const { key, hashes } of staleParts(this.#store, order)) {
      rows.push({ type: 'delete', key });
      const count = hashes.length / HASH_BYTES;
      for (let index = Math.min(skip, count); index < count; index++) {
        if (read === limit) return { read, isLast: false, rows };
        read++;
        const nodeKey = columnKeyAt('node', hashes, index * HASH_BYTES);
        const row = this.#store.get(nodeKey);
        if (row !== undefined && nodeOrder(row) < order) operations.push({ type: 'delete', key: nodeKey });
      }
      skip = Math.max(skip - count, 0);
    }
    return { read, isLast: true, rows };
  }

  /** Takes away the row of the root before `order`, unless a state that is kept has the same. */
  #rootBefore(order: bigint, oldest: bigint): Operation[] {
    const root = readStateRoot(this.#store, order - 1n);
    const last = readStateRootOrder(this.#store, root);
    return last === undefined || last >= oldest ? [] : [{ type: 'delete', key: columnKey('stateRoot', root) }];
  }
}

/** Besides its nodes: the list of stale ones, the change set, the root. */
const PRUNED_ROWS_OF_AN_ORDER = 3;

interface StalePiece {
  /** Nodes that were looked at. */
  readonly read: number;
  /** Whether that was the rest. */
  readonly isLast: boolean;
  /** What takes the list itself away, once that was the rest. */
  readonly rows: readonly Operation[];
}
