/**
 * Large batches for a store that does not support them: collected in memory and written as one ordinary batch, within
 * its bound. This is for stores of your own; every store in this folder makes its own large batches.
 *
 * Operations that are not written yet, and the resulting value of each key.
 * @module
 */
import { textOfBytes } from '../base/bytes/byte-text.ts';
import { EngineError } from '../base/error.ts';
import { checkEachOperation, checkReadKey } from './key-range.ts';
import { STORE_BATCH_OPERATIONS_MAX } from './limits.ts';
import { assertStore, type BatchOptions, type LargeBatch, type Operation, type Store } from './store.ts';

/** The rows of a column, by the bytes of their keys as text; those from `mapped` on are not in the map yet. */
interface PendingColumn {
  readonly operations: Operation[];
  readonly byKey: Map<string, Operation>;
  mapped: number;
}

/**
 * Looked up in maps that are made at the first look-up, a column at a time: most rows of a batch, tree nodes above
 * all, are never read before they are written.
 */
export class PendingRows {
  readonly operations: Operation[] = [];
  /** Bytes of keys and values. */
  bytes = 0;
  /** By the first byte of the key. */
  readonly #columns = new Map<number | undefined, PendingColumn>();
  #sorted = 0;

  add(operations: readonly Operation[]): void {
    for (const operation of operations) {
      this.operations.push(operation);
      this.bytes += operationBytes(operation);
    }
  }

  /**
   * The result of the last operation on a key, whose `value` is undefined if it deleted the key. Undefined if there is
   * no operation.
   */
  find(key: Uint8Array): { readonly value: Uint8Array | undefined } | undefined {
    for (; this.#sorted < this.operations.length; this.#sorted++) {
      const operation = this.operations[this.#sorted]!;
      this.#column(operation.key[0]).operations.push(operation);
    }
    const column = this.#columns.get(key[0]);
    if (column === undefined) return undefined;
    for (; column.mapped < column.operations.length; column.mapped++) {
      const operation = column.operations[column.mapped]!;
      column.byKey.set(textOfBytes(operation.key), operation);
    }
    const last = column.byKey.get(textOfBytes(key));
    return last === undefined ? undefined : { value: last.type === 'put' ? last.value : undefined };
  }

  #column(name: number | undefined): PendingColumn {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = { operations: [], byKey: new Map(), mapped: 0 };
      this.#columns.set(name, column);
    }
    return column;
  }
}

export function operationBytes(operation: Operation): number {
  return operation.key.length + (operation.type === 'put' ? operation.value.length : 0);
}

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
