/**
 * Snapshots of an engine in memory: where it can go back to.
 *
 * Reverting is a job of the writer, in its turn; the store's rows, the head and the moved clock go back together. A
 * durable store never goes back.
 * @module
 */
import { argumentError, assertObject } from './argument.ts';
import { equalBytes } from './bytes/compare.ts';
import type { MovedClock } from './chain-time.ts';
import { EngineError } from './error.ts';
import { type Head, storedHead } from './ledger/head.ts';
import type { RowReader } from './ledger/transactions.ts';
import type { Writer } from './pipeline/writer.ts';
import { columnKey, orderBytes } from './store/column.ts';
import { type Checkpoint, isRevertible, type RevertibleStore } from './store/store.ts';

/** A moment of an engine in memory, for `revert`. Never consumed. */
export interface Snapshot {
  /** Order of the last transaction at that moment. */
  readonly order: bigint;
  readonly stateRoot: Uint8Array;
  readonly checkpoint: Checkpoint;
  /** Milliseconds by which the clock was moved at that moment. */
  readonly clockOffset: bigint;
}

export class Snapshots {
  readonly #writer: Writer;
  readonly #clock: MovedClock | undefined;
  /** What the engine began with; set from its first write on. */
  #beginning: Snapshot | undefined;

  constructor(writer: Writer, clock: MovedClock | undefined) {
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Called before each group of writes. `head` is what the engine began with. */
  remember(head: Head): void {
    const { store } = this.#writer;
    if (this.#beginning === undefined && isRevertible(store)) this.#beginning = this.#at(store, head);
  }

  /** @throws {EngineError} `not-supported` */
  take(): Snapshot {
    const store = this.#store('snapshot');
    // The store may be a moment ahead of the installed head: a batch is applied before its job resolves.
    return this.#at(store, storedHead(store));
  }

  /** @throws {EngineError} `not-supported`, `invalid-argument` */
  async revert(snapshot: Snapshot): Promise<void> {
    const store = this.#store('revert');
    assertObject(snapshot, 'snapshot', 'a snapshot, as engine.snapshot() gives it');
    if (snapshot.checkpoint?.type !== 'checkpoint' || typeof snapshot.clockOffset !== 'bigint') {
      throw argumentError('snapshot', 'a snapshot, as engine.snapshot() gives it', snapshot);
    }
    await this.#goTo(store, () => snapshot);
  }

  /** @throws {EngineError} `not-supported` */
  async reset(): Promise<void> {
    await this.#goTo(this.#store('reset'), () => this.#beginning);
  }

  /** If there is no snapshot, the chain is still what it would go back to. */
  #goTo(store: RevertibleStore, find: () => Snapshot | undefined): Promise<void> {
    return this.#writer.exclusive(() => {
      const snapshot = find();
      const before = store.view();
      try {
        if (snapshot !== undefined) {
          store.restore(snapshot.checkpoint);
          this.#clock?.moveTo(snapshot.clockOffset);
        }
        return { head: storedHead(store), sharedOrder: lastShared(before, store) };
      } finally {
        before.release();
      }
    });
  }

  #at(store: RevertibleStore, { order, stateRoot }: Head): Snapshot {
    return { checkpoint: store.checkpoint(), order, stateRoot, clockOffset: this.#clock?.offset ?? 0n };
  }

  #store(what: string): RevertibleStore {
    const { store, isShared } = this.#writer;
    if (isShared) {
      throw new EngineError(
        'not-supported',
        `${what}: a chain with a commit log never goes back; take engine.fork() and work on that`,
      );
    }
    if (isRevertible(store)) return store;
    const message = `${what}: a durable chain never goes back; take engine.fork() (dev_fork) and work on that, or dump it`;
    throw new EngineError('not-supported', message);
  }
}

/**
 * The last order up to which two moments have the same transactions. A moment that is gone to may belong to another
 * branch, which has a transaction of its own at an order that both have. What a record says of the accumulator and of the
 * state depends on all before it, so where one is the same, those before it are.
 */
function lastShared(one: RowReader, other: RowReader): bigint {
  const orders = [storedHead(one).order, storedHead(other).order] as const;
  let low = 0n;
  let high = orders[0] < orders[1] ? orders[0] : orders[1];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (isSameAt(one, other, middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}

function isSameAt(one: RowReader, other: RowReader, order: bigint): boolean {
  return RECORD_COLUMNS.every((column) => {
    const key = columnKey(column, orderBytes(order));
    const [row, same] = [one.get(key), other.get(key)];
    return row === undefined || same === undefined ? row === same : equalBytes(row, same);
  });
}

/** The rows of a transaction's record. */
const RECORD_COLUMNS = ['transaction', 'executionInfo'] as const;
