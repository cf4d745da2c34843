/**
 * Operations that are not written yet, with the resulting value of each key, and the large batch made of them: held in
 * memory and written as one. It serves the mirror, whose content is in memory anyway, and stores that have no large
 * batches of their own.
 * @module
 */
import { textOfBytes } from '../base/bytes/bytes.ts';
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
 * Operations with look-ups by key. The maps for that are made at the first look-up, a column at a time: most rows of a
 * batch, tree nodes above all, are never read before they are written.
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

/** Where the rows of a batch come from and go to. */
interface Target {
  get(key: Uint8Array): Uint8Array | undefined;
  write(operations: readonly Operation[], options: BatchOptions | undefined): Promise<void>;
  /** @throws {EngineError} `limit-exceeded` for more operations than one batch takes */
  assertFits(operations: number): void;
  /** Called when the batch was committed or abandoned, before `write`. */
  ended(): void;
}

/**
 * Begins a batch: of any size on a store that supports it, otherwise of at most STORE_BATCH_OPERATIONS_MAX operations,
 * beyond which `add` and `commit` reject with `limit-exceeded`.
 * @throws {EngineError} as `Store.begin`.
 */
export function beginBatch(store: Store): LargeBatch {
  assertStore(store);
  if (store.supports.largeBatches && store.begin !== undefined) return store.begin();
  return new GatheredBatch({
    get: (key) => store.get(key),
    write: (operations, options) => store.batch(operations, options),
    assertFits: (count) => {
      if (count <= STORE_BATCH_OPERATIONS_MAX) return;
      throw new EngineError(
        'limit-exceeded',
        `expected at most ${STORE_BATCH_OPERATIONS_MAX} operations in a batch (STORE_BATCH_OPERATIONS_MAX), got ${count}; the store '${store.kind}' does not support large batches`,
      );
    },
    ended: () => undefined,
  });
}

/** A batch in memory, written as one when it is committed. */
export class GatheredBatch implements LargeBatch {
  readonly #target: Target;
  #rows: PendingRows | undefined = new PendingRows();

  constructor(target: Target) {
    this.#target = target;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    const found = this.#open().find(key);
    return found === undefined ? this.#target.get(key) : found.value;
  }

  async add(operations: readonly Operation[]): Promise<void> {
    this.#add(operations);
  }

  #add(operations: readonly Operation[]): void {
    const rows = this.#open();
    checkEachOperation(operations);
    this.#target.assertFits(rows.operations.length + operations.length);
    rows.add(operations);
  }

  async commit(last: readonly Operation[], options?: BatchOptions): Promise<void> {
    const rows = this.#open();
    try {
      this.#add(last);
    } finally {
      this.#end();
    }
    await this.#target.write(rows.operations, options);
  }

  async abandon(): Promise<void> {
    if (this.#rows !== undefined) this.#end();
  }

  #end(): void {
    this.#rows = undefined;
    this.#target.ended();
  }

  #open(): PendingRows {
    if (this.#rows === undefined) throw new EngineError('closed', 'the large batch has ended');
    return this.#rows;
  }
}
