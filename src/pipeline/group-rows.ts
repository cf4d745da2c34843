/**
 * The rows of a group of commits on their way to the store. Reads see those that were added.
 * @module
 */
import { assert } from '../error.ts';
import type { RowReader } from '../ledger/transactions.ts';
import { MemoryStore } from '../store/memory.ts';
import { OverlayStore } from '../store/overlay.ts';
import { PendingRows } from '../store/pending-rows.ts';
import { operationsOf, RowBatch, type Rows } from '../store/row-batch.ts';
import { isRevertible, type RevertibleStore, type Store } from '../store/store.ts';

export interface GroupRows extends RowReader {
  /** Whether every node that is added stays readable as long as the change set of its commit. */
  readonly keepsNodes: boolean;
  /** Adds what one commit writes. A batch is not needed any more when the call returns. */
  add(rows: Rows): void;
  /** Writes all that was added, and `last`, as one batch; `last` likewise. */
  write(last: Rows, order: bigint): Promise<void>;
}

export function groupRows(store: Store): GroupRows {
  return isRevertible(store) ? new DirectRows(store) : gatheredRows(store);
}

/** Rows that the store gets none of before `write`, whatever it could do. */
export function gatheredRows(store: Store): GroupRows {
  return new GatheredRows(store);
}

/**
 * Into a store that applies what it is given at once, row by row: nothing is kept until the end of the group, which
 * halves what a collection finds alive. Nobody looks in between, since a group runs in one turn of the event loop.
 */
class DirectRows implements GroupRows {
  // Nothing takes away a row of a chain that keeps all history; any other has BoundedRows before these.
  readonly keepsNodes = true;
  readonly #store: RevertibleStore;

  constructor(store: RevertibleStore) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key);
  }

  add(rows: Rows): void {
    if (rows instanceof RowBatch && takesBatches(this.#store)) this.#store.applyRows(rows);
    else this.#store.apply(operationsOf(rows));
  }

  async write(last: Rows): Promise<void> {
    this.add(last);
  }
}

/** Whether the rows of a batch can be copied into a store: not if somebody has replaced how it takes operations. */
function takesBatches(store: RevertibleStore): store is MemoryStore | OverlayStore {
  if (store instanceof MemoryStore) return store.apply === MemoryStore.prototype.apply;
  return store instanceof OverlayStore && store.apply === OverlayStore.prototype.apply;
}

/** Into any other store: gathered beside it, and written as one batch. */
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
