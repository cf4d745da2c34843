/**
 * Operations that are not written yet, and what they leave under each key.
 * @module
 */
import { textOfBytes } from './byte-text.ts';
import type { Operation } from './store.ts';

/** Looked up in a map that is made only where somebody looks: most rows of a batch are never read before they are written. */
export class PendingRows {
  readonly operations: Operation[] = [];
  /** Bytes of keys and values. */
  bytes = 0;
  readonly #byKey = new Map<string, Operation>();
  #mapped = 0;

  add(operations: readonly Operation[]): void {
    for (const operation of operations) {
      this.operations.push(operation);
      this.bytes += operationBytes(operation);
    }
  }

  /** What the last operation on a key leaves: `value` is undefined where it deleted it. Undefined where there is none. */
  find(key: Uint8Array): { readonly value: Uint8Array | undefined } | undefined {
    const { operations } = this;
    if (operations.length === 0) return undefined;
    for (; this.#mapped < operations.length; this.#mapped++) {
      const operation = operations[this.#mapped]!;
      this.#byKey.set(textOfBytes(operation.key), operation);
    }
    const last = this.#byKey.get(textOfBytes(key));
    return last === undefined ? undefined : { value: last.type === 'put' ? last.value : undefined };
  }
}

export function operationBytes(operation: Operation): number {
  return operation.key.length + (operation.type === 'put' ? operation.value.length : 0);
}
