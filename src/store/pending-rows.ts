/**
 * Operations that are not written yet, and the resulting value of each key.
 * @module
 */
import { textOfBytes } from '../base/bytes/byte-text.ts';
import type { Operation } from './store.ts';

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
