/**
 * The rows of a group of commits on their way to the store. Reads see the rows added so far.
 * @module
 */
import { assert } from '../base/error.ts';
import type { RowReader } from '../chain/ledger/transactions.ts';
import { PendingRows } from '../store/gathered-batch.ts';
import { MapStore } from '../store/memory.ts';
import { operationsOf, RowBatch, type Rows } from '../store/row-batch.ts';
import { isRevertible, type RevertibleStore, type Store, type Way } from '../store/store.ts';

export interface GroupRows extends RowReader {
  /** Whether every node that is added stays readable as long as the change set of its commit. */
  readonly keepsNodes: boolean;
  /** Adds the rows of one commit. A batch may be reused once the call returns. */
  add(rows: Rows): void;
  /** Writes everything that was added, and `last`, as one batch; `last` may be reused, too. */
  write(last: Rows, order: bigint): Promise<void>;
}

export function groupRows(store: Store): GroupRows {
  return isRevertible(store) ? new DirectRows(store) : gatheredRows(store);
}

/** Rows of which the store gets none before `write`, whatever kind it is. */
export function gatheredRows(store: Store): GroupRows {
  return new GatheredRows(store);
}

/**
 * Rows for a store that applies what it is given at once, row by row: nothing is held until the end of the group, which
 * halves what a garbage collection finds alive. No one reads in between, since a group runs in one turn of the event
 * loop.
 */
class DirectRows implements GroupRows {
  // A chain that keeps all history never loses a row; any other has BoundedRows in front of these.
  readonly keepsNodes = true;
  readonly #store: RevertibleStore;

  constructor(store: RevertibleStore) {
    this.#store = store;
  }

  get(key: Uint8Array, way?: Way): Uint8Array | undefined {
    return this.#store.get(key, way);
  }

  add(rows: Rows): void {
    if (rows instanceof RowBatch && takesBatches(this.#store)) this.#store.applyRows(rows);
    else this.#store.apply(operationsOf(rows));
  }

  async write(last: Rows): Promise<void> {
    this.add(last);
  }
}

/** Whether the rows of a batch can be copied into a store: not if its way of taking operations was overridden. */
function takesBatches(store: RevertibleStore): store is MapStore {
  return store instanceof MapStore && store.apply === MapStore.prototype.apply;
}

/** Rows for any other store: gathered beside it, and written as one batch. */
class GatheredRows implements GroupRows {
  readonly keepsNodes = false;
  readonly #store: Store;
  #rows = new PendingRows();
  /** The batch that the store does not have yet. */
  #writing: PendingRows | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const found = this.#rows.find(key) ?? this.#writing?.find(key);
    return found === undefined ? this.#store.get(key) : found.value;
  }

  add(rows: Rows): void {
    this.#rows.add(operationsOf(rows));
  }

  async write(last: Rows, order: bigint): Promise<void> {
    assert(this.#writing === undefined, 'one batch of the writer is written at a time');
    this.add(last);
    const writing = this.#rows;
    this.#writing = writing;
    this.#rows = new PendingRows();
    await this.#store.batch(writing.operations, { order });
    this.#writing = undefined;
  }
}
