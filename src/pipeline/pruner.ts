/**
 * Pruning: deleting the states that a chain with a bounded history no longer has to keep, one bounded piece at a time.
 *
 * First an order K is chosen: a readable state at least as far behind the head as the bound says, and from then on the
 * oldest one. For each order up to K, three things are deleted: the nodes that it made stale, its change set, and the row
 * of the root before it. Transactions, events and indexes are kept forever. Each piece is one batch, which also records K
 * and how far pruning has come (ledger/history.ts), so whenever the process dies, a state is either readable in full or
 * refused.
 *
 * A node is named by its content, so a node that became stale may exist again: when a value returns to what it was, so
 * do its leaf and the branches above it. The list of nodes that order S made stale therefore only says that they were
 * absent after S. Creating a node always writes its row with the order that created it, even if an old row is still
 * there. So a node whose row has an order below S has not been created since and is in no state from S on: it is
 * deleted. A node whose row has a higher order has come back: it is kept until a later list names it. No state from K
 * on loses anything, because S is at most K.
 *
 * An object that was removed as a whole may have millions of fields, so another list has only the root of their tree.
 * No other tree shares a node with it, since each of its leaves has the id of the object. It is deleted children first,
 * so that what is left of it can be found from its root after any interruption.
 *
 * Readers of an older moment are not affected: views, dumps and forks read from a snapshot of the database or from a
 * copy-on-write map.
 *
 * It runs in the background as it becomes due, and at once on request. Cost: one read for each stale node, and a batch
 * without a sync. Pruning lost in a power failure is done again.
 * @module
 */
import { PRUNE_ORDERS_MIN, PRUNE_PIECE_OPERATIONS } from '../base/config.ts';
import { changeSetDeletions } from '../chain/ledger/change-sets.ts';
import type { Head } from '../chain/ledger/head.ts';
import { ALL_HISTORY, type History, historyOperation, readHistory } from '../chain/ledger/history.ts';
import { readStateRoot, readStateRootOrder } from '../chain/ledger/transactions.ts';
import { detachedNodes, hashParts, type ListColumn, rowBefore } from '../chain/state/node-row.ts';
import { columnKey, columnKeyAt } from '../store/column.ts';
import type { Operation, Store } from '../store/store.ts';

const HASH_BYTES = 32;

/** Progress of pruning: the number of orders pruned, and in all. */
export interface PruneProgress {
  readonly done: bigint;
  readonly total: bigint;
}

interface PrunePiece {
  /** Empty if there is nothing left to do. */
  readonly operations: readonly Operation[];
  /** How far pruning has come after this piece. */
  readonly progress: PruneProgress;
  /** The history after this piece. */
  readonly history: History;
  /** Whether there was nothing to do. */
  readonly isLast: boolean;
}

/** A caller that waits until everything is pruned. */
interface Request {
  readonly onProgress: ((progress: PruneProgress) => void) | undefined;
  readonly resolve: (progress: PruneProgress) => void;
  readonly reject: (error: unknown) => void;
}

export class Pruner {
  readonly #store: Store;
  readonly #onUnpruned: (error: unknown) => void;
  #history: History = ALL_HISTORY;
  /** The head at which there was nothing to do. */
  #idleAt: bigint | undefined;
  #requests: Request[] = [];
  /** Whether a row could not be read: from then on, pruning only runs on request. */
  #isStopped = false;

  /** @param onUnpruned called with the error that stops pruning; commits continue without it. */
  constructor(store: Store, onUnpruned: (error: unknown) => void) {
    this.#store = store;
    this.#onUnpruned = onUnpruned;
    this.reload();
  }

  /** Rereads how far pruning has come, after the store was reverted. */
  reload(): void {
    this.#idleAt = undefined;
    this.#history = readHistory(this.#store) ?? ALL_HISTORY;
  }

  /**
   * Whether a piece is due now: a caller waits for it, or there is enough for one in the background, and the writer goes
   * on. Never the latter on a fork of a durable chain, where deleting a row costs memory.
   */
  isDue({ order }: Head, isClosing: boolean): boolean {
    if (this.#requests.length > 0) return true;
    const { kept, next, oldest, staleDone } = this.#history;
    if (isClosing || this.#isStopped || this.#store.kind === 'overlay' || order === this.#idleAt) return false;
    if (staleDone > 0n || next <= oldest) return true;
    return kept !== undefined && order - kept - next >= PRUNE_ORDERS_MIN;
  }

  /** Resolves when everything that the history need not keep is pruned. */
  request(onProgress: Request['onProgress']): Promise<PruneProgress> {
    return new Promise((resolve, reject) => this.#requests.push({ onProgress, resolve, reject }));
  }

  /** The next piece, which counts once it is written and `written` is called; undefined if a row cannot be read. */
  nextPiece(head: Head): PrunePiece | undefined {
    try {
      return this.#pieceAt(head);
    } catch (error) {
      if (!this.#isStopped) this.#onUnpruned(error);
      this.#isStopped = true;
      this.end(error);
      return undefined;
    }
  }

  /** Records that a piece has been written. */
  written({ operations, progress, history, isLast }: PrunePiece, { order }: Head): void {
    this.#history = history;
    this.#idleAt = isLast ? order : undefined;
    this.#requests = this.#requests.filter((request) => isTold(request, progress));
    if (operations.length > 0) return;
    const requests = this.#requests;
    this.#requests = [];
    for (const { resolve } of requests) resolve(progress);
  }

  /** Rejects the callers that wait. */
  end(error: unknown): void {
    const requests = this.#requests;
    this.#requests = [];
    for (const { reject } of requests) reject(error);
  }

  /** @throws {EngineError} `corrupt` for a row that cannot be read */
  #pieceAt(head: Head): PrunePiece {
    const before = this.#history;
    const oldest = this.#oldestKept(head);
    let { next, staleDone } = before;
    const operations: Operation[] = [];
    let left = PRUNE_PIECE_OPERATIONS;
    while (next <= oldest && left > 0) {
      const part = this.#stale(next, staleDone, left, operations);
      ({ left } = part);
      staleDone += BigInt(part.read);
      if (!part.isLast) break;
      operations.push(...part.rows, ...changeSetDeletions(this.#store, next), ...this.#rootBefore(next, oldest));
      left -= PRUNED_ROWS_OF_AN_ORDER;
      next++;
      staleDone = 0n;
    }
    // A piece of a detached tree has nothing but operations.
    const isRead = oldest !== before.oldest || next !== before.next || staleDone !== before.staleDone;
    const isLast = !isRead && operations.length === 0;
    const history: History = { ...before, oldest, next, staleDone };
    return {
      operations: isLast ? [] : [...operations, historyOperation(history)],
      progress: { done: next - 1n, total: oldest },
      history,
      isLast,
    };
  }

  /** The last order that is far enough behind the head and whose root has a row; states within a batch have none. */
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

  /**
   * Deletes up to `limit` of the nodes that `order` made stale or detached. `done` is the number of entries of both lists
   * that are finished. An unfinished tree is started again from its root, with the rest of its nodes.
   */
  #stale(order: bigint, done: bigint, limit: number, operations: Operation[]): StalePiece {
    const rows: Operation[] = [];
    let skip = Number(done);
    let read = 0;
    let left = limit;
    for (const column of LISTS) {
      for (const { key, value: hashes } of hashParts(this.#store, column, order)) {
        rows.push({ type: 'delete', key });
        const count = hashes.length / HASH_BYTES;
        for (let index = Math.min(skip, count); index < count; index++) {
          const before = left;
          for (const nodeKey of this.#gone(column, order, hashes, index * HASH_BYTES)) {
            if (left === 0) return { read, left, isLast: false, rows };
            left--;
            operations.push({ type: 'delete', key: nodeKey });
          }
          if (left === 0 && before === 0) return { read, left, isLast: false, rows };
          if (left === before) left--;
          read++;
        }
        skip = Math.max(skip - count, 0);
      }
    }
    return { read, left, isLast: true, rows };
  }

  /** The keys of the nodes that go with one that `order` replaced, or with a tree that it detached. */
  #gone(column: ListColumn, order: bigint, hashes: Uint8Array, at: number): Iterable<Uint8Array> {
    if (column === 'detachedTrees') return detachedNodes(this.#store, hashes.subarray(at, at + HASH_BYTES), order);
    const key = columnKeyAt('node', hashes, at);
    return rowBefore(this.#store, key, order) === undefined ? [] : [key];
  }

  /** Deletes the row of the root before `order`, unless a state that is kept has the same root. */
  #rootBefore(order: bigint, oldest: bigint): Operation[] {
    const root = readStateRoot(this.#store, order - 1n);
    const last = readStateRootOrder(this.#store, root);
    return last === undefined || last >= oldest ? [] : [{ type: 'delete', key: columnKey('stateRoot', root) }];
  }
}

/** The lists whose nodes pruning deletes, in this order. */
const LISTS: readonly ListColumn[] = ['staleNodes', 'detachedTrees'];

/** Besides its nodes: the list of stale ones, the change set, the root. */
const PRUNED_ROWS_OF_AN_ORDER = 3;

interface StalePiece {
  /** Entries of the lists that are finished. */
  readonly read: number;
  /** What is left of the limit. */
  readonly left: number;
  /** Whether no entries are left. */
  readonly isLast: boolean;
  /** Deletes the lists themselves, once no entries are left. */
  readonly rows: readonly Operation[];
}

/** Reports progress. A caller whose callback throws is rejected with that error and no longer waits. */
function isTold({ onProgress, reject }: Request, progress: PruneProgress): boolean {
  try {
    onProgress?.(progress);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
