/**
 * Large batches for a store that does not support them: collected in memory and written as one ordinary batch, within
 * its bound. This is for stores of your own; every store in this folder makes its own large batches.
 * @module
 */

import { EngineError } from '../base/error.ts';
import { checkEachOperation, checkReadKey } from './key-range.ts';
import { STORE_BATCH_OPERATIONS_MAX } from './limits.ts';
import { PendingRows } from './pending-rows.ts';
import { assertStore, type BatchOptions, type LargeBatch, type Operation, type Store } from './store.ts';

/**
 * Begins a batch: of any size on a store that supports it, otherwise of at most STORE_BATCH_OPERATIONS_MAX operations,
 * beyond which `add` and `commit` reject with `limit-exceeded`.
 * @throws {EngineError} as `Store.begin`.
 */
export function beginBatch(store: Store): LargeBatch {
  assertStore(store);
  if (store.supports.largeBatches && store.begin !== undefined) return store.begin();
  return new GatheredBatch(store);
}

class GatheredBatch implements LargeBatch {
  readonly #store: Store;
  #rows: PendingRows | undefined = new PendingRows();

  constructor(store: Store) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    const found = this.#open().find(key);
    return found === undefined ? this.#store.get(key) : found.value;
  }

  async add(operations: readonly Operation[]): Promise<void> {
    this.#add(operations);
  }

  #add(operations: readonly Operation[]): void {
    const rows = this.#open();
    checkEachOperation(operations);
    const count = rows.operations.length + operations.length;
    if (count > STORE_BATCH_OPERATIONS_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `expected at most ${STORE_BATCH_OPERATIONS_MAX} operations in a batch (STORE_BATCH_OPERATIONS_MAX), got ${count}; the store '${this.#store.kind}' does not support large batches`,
      );
    }
    rows.add(operations);
  }

  async commit(last: readonly Operation[], options?: BatchOptions): Promise<void> {
    const rows = this.#open();
    try {
      this.#add(last);
    } finally {
      this.#rows = undefined;
    }
    await this.#store.batch(rows.operations, options);
  }

  async abandon(): Promise<void> {
    this.#rows = undefined;
  }

  #open(): PendingRows {
    if (this.#rows === undefined) throw new EngineError('closed', 'the large batch has ended');
    return this.#rows;
  }
}
