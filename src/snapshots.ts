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
import { readClockOffset } from './ledger/clock-offset.ts';
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
      const before = storedHead(store);
      if (snapshot === undefined) return { head: before, sharedOrder: before.order };
      const view = store.view();
      try {
        store.restore(snapshot.checkpoint);
        this.#clock?.moveTo(snapshot.clockOffset, readClockOffset(store));
        return { head: storedHead(store), sharedOrder: lastShared(view, store) };
      } finally {
        view.release();
      }
    });
  }

  #at(store: RevertibleStore, { order, stateRoot }: Head): Snapshot {
    const clockOffset = this.#clock?.offsetAt(readClockOffset(store)) ?? 0n;
    return { checkpoint: store.checkpoint(), order, stateRoot, clockOffset };
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
 * The last order up to which two chains with one genesis have the same transactions. A record has roots of everything
 * before it, so if two chains have the same record, they have the same ones before it.
 */
function lastShared(one: RowReader, other: RowReader): bigint {
  const orders = [storedHead(one).order, storedHead(other).order] as const;
  let [low, high] = [0n, orders[0] < orders[1] ? orders[0] : orders[1]];
  // They have one genesis, whose record is large; and most go back or forward on their own branch.
  if (high === 0n || isSameAt(one, other, high)) return high;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (isSameAt(one, other, middle)) low = middle;
    else high = middle;
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
const RECORD_COLUMNS = ['executionInfo', 'transaction'] as const;
