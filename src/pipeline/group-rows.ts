/**
 * The rows of a group of commits on their way to the store. Reads see those that were added.
 * @module
 */
import type { RowReader } from '../ledger/transactions.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { isRevertible, type Operation, type RevertibleStore, type Store } from '../store/store.ts';

export interface GroupRows extends RowReader {
  /** Adds what one commit writes. */
  add(operations: readonly Operation[]): void;
  /** Writes all that was added, and `last`, as one batch. */
  write(last: readonly Operation[], order: bigint): Promise<void>;
}

export function groupRows(store: Store): GroupRows {
  return isRevertible(store) ? new DirectRows(store) : new PendingRows(store);
}

/**
 * Into a store that applies what it is given at once, row by row: nothing is kept until the end of the group, which
 * halves what a collection finds alive. Nobody looks in between, since a group runs in one turn of the event loop.
 */
class DirectRows implements GroupRows {
  readonly #store: RevertibleStore;

  constructor(store: RevertibleStore) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key);
  }

  add(operations: readonly Operation[]): void {
    this.#store.apply(operations);
  }

  async write(last: readonly Operation[]): Promise<void> {
    this.#store.apply(last);
  }
}

/** Into any other store: gathered beside it, and written as one batch. */
class PendingRows implements GroupRows {
  readonly #store: Store;
  readonly #rows = new Map<string, Uint8Array | undefined>();
  #operations: Operation[] = [];
  /** Operations that are in the map: a commit that no other follows in its group is not read, and not indexed. */
  #indexed = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (this.#operations.length > 0) {
      this.#index();
      const text = textOfBytes(key);
      if (this.#rows.has(text)) return this.#rows.get(text);
    }
    return this.#store.get(key);
  }

  add(operations: readonly Operation[]): void {
    for (const operation of operations) this.#operations.push(operation);
  }

  async write(last: readonly Operation[], order: bigint): Promise<void> {
    for (const operation of last) this.#operations.push(operation);
    const operations = this.#operations;
    this.#operations = [];
    this.#indexed = 0;
    try {
      await this.#store.batch(operations, { order });
    } finally {
      this.#rows.clear();
    }
  }

  #index(): void {
    for (; this.#indexed < this.#operations.length; this.#indexed++) {
      const operation = this.#operations[this.#indexed]!;
      this.#rows.set(textOfBytes(operation.key), operation.type === 'put' ? operation.value : undefined);
    }
  }
}
