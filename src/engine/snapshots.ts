/**
 * Snapshots of an engine in memory: where it can go back to.
 *
 * Reverting is a job of the writer, in its turn; the store's rows, the head and the moved clock go back together. A
 * durable store never goes back.
 * @module
 */

import { argumentError, assertObject } from '../base/argument.ts';
import { assert, EngineError } from '../base/error.ts';
import { type Head, readClockOffset, storedHead } from '../chain/ledger/head.ts';
import { rootMember } from '../chain/value/root-member.ts';
import type { Writer } from '../pipeline/writer.ts';
import { type Checkpoint, isRevertible, type RevertibleStore } from '../store/store.ts';
import type { MovedClock } from './chain-time.ts';

/** A moment of an engine in memory, for `revert`. Never consumed. */
export interface Snapshot {
  /** Order of the last transaction at that moment. */
  readonly order: bigint;
  readonly stateRoot: string;
  readonly checkpoint: Checkpoint;
  /** Milliseconds by which the clock was moved at that moment. */
  readonly clockOffset: bigint;
}

export class Snapshots {
  readonly #writer: Writer;
  readonly #clock: MovedClock | undefined;
  /** The chain that the engine began with; set at its first write. */
  #beginning: Snapshot | undefined;
  /** The branch that the next transaction is made on. */
  #branch: Branch = { from: undefined };
  readonly #places = new WeakMap<Checkpoint, Place>();

  constructor(writer: Writer, clock: MovedClock | undefined) {
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Called before each group of writes. `head` is what the engine began with. */
  remember(head: Head): void {
    if (this.#beginning !== undefined) return;
    const { store } = this.#writer;
    if (isRevertible(store)) this.#beginning = this.#at(store, head);
  }

  /** @throws {EngineError} `not-supported` */
  take(): Snapshot {
    const store = this.#store('snapshot');
    this.#writer.pending?.make();
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
    if (!this.#places.has(snapshot.checkpoint)) {
      throw new EngineError(
        'invalid-argument',
        'snapshot: expected a snapshot of this engine, got one of another; a fork has its own',
      );
    }
    await this.#goTo(store, () => snapshot);
  }

  /** @throws {EngineError} `not-supported` */
  async reset(): Promise<void> {
    await this.#goTo(this.#store('reset'), () => this.#beginning);
  }

  /** Without a snapshot, the chain is still where it would go back to. */
  #goTo(store: RevertibleStore, find: () => Snapshot | undefined): Promise<void> {
    return this.#writer.exclusive(() => {
      const snapshot = find();
      const { head: before, pending } = this.#writer;
      if (snapshot === undefined) return { head: before, sharedOrder: before.order };
      pending?.forsake();
      store.restore(snapshot.checkpoint);
      this.#clock?.moveTo(snapshot.clockOffset, readClockOffset(store));
      const place = this.#places.get(snapshot.checkpoint);
      assert(place !== undefined, 'a checkpoint of this store was taken here');
      const sharedOrder = lastShared(placeOf(this.#branch, before.order), place);
      this.#branch = { from: place };
      return { head: storedHead(store), sharedOrder };
    });
  }

  #at(store: RevertibleStore, { order, stateRoot }: Head): Snapshot {
    const clockOffset = this.#clock?.offsetAt(readClockOffset(store)) ?? 0n;
    const checkpoint = store.checkpoint();
    this.#places.set(checkpoint, placeOf(this.#branch, order));
    const snapshot: Snapshot = { checkpoint, order, stateRoot: '', clockOffset };
    rootMember(snapshot, 'stateRoot', stateRoot);
    return snapshot;
  }

  #store(what: string): RevertibleStore {
    if (this.#writer.isShared) {
      throw new EngineError(
        'not-supported',
        `${what}: a chain with a commit log never goes back; take engine.fork() and work on that`,
      );
    }
    const { storeSoFar: store } = this.#writer;
    if (isRevertible(store)) return store;
    const message = `${what}: a durable chain never goes back; take engine.fork() (dev_fork) and work on that, or dump it`;
    throw new EngineError('not-supported', message);
  }
}

/**
 * The transactions that were made one after the other without going back. One that begins at a snapshot shares the
 * transactions up to there with the branch on which the snapshot was taken.
 */
interface Branch {
  readonly from: Place | undefined;
}

/** An order on a branch. */
interface Place {
  readonly branch: Branch;
  readonly order: bigint;
}

/** The place of an order, on the branch that made its transaction. */
function placeOf(newest: Branch, order: bigint): Place {
  let branch = newest;
  while (branch.from !== undefined && order <= branch.from.order) branch = branch.from.branch;
  return { branch, order };
}

/** The last order whose transaction two places of one engine share. */
function lastShared(one: Place, other: Place): bigint {
  const orders = new Map<Branch, bigint>();
  for (let place: Place | undefined = one; place !== undefined; place = place.branch.from) {
    orders.set(place.branch, place.order);
  }
  for (let place = other; ; ) {
    const order = orders.get(place.branch);
    if (order !== undefined) return order < place.order ? order : place.order;
    assert(place.branch.from !== undefined, 'all branches of an engine come from its first one');
    place = place.branch.from;
  }
}
