/**
 * A store in front of another one that is slow and fails. It keeps the contract of stores: a failed batch leaves
 * nothing behind, and after it no batch is taken.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { storedHead } from '../../chain/ledger/head.ts';
import type {
  BatchOptions,
  KeyRange,
  Operation,
  RevertibleStore,
  Row,
  Store,
  StoreSupports,
  StoreView,
} from '../../store/store.ts';
import { type Chance, type Draw, drawMs, type FaultPlan } from './fault-plan.ts';

/** What happens to a store. */
export interface StoreFaults {
  /** Commits delayed before they are written. */
  readonly slow?: Chance | undefined;
  /** The commit that fails, counted from 1, together with those written in the same batch. */
  readonly failAt?: number | undefined;
}

/** Choices of this kind of fault. */
const STORE = 1;

export class ChaosStore implements Store {
  readonly kind = 'chaos';
  /** Like a durable store, it does not go back, so its batches are promises. */
  readonly supports: StoreSupports = { checkpoints: false, largeBatches: false, permanence: false };
  readonly #inner: Store;
  readonly #faults: StoreFaults;
  readonly #plan: FaultPlan;
  readonly #draw: Draw;
  readonly #onList: () => Promise<void>;
  readonly #begin: bigint;
  /** Order of the last commit decided on. */
  #order: bigint;
  #failure: EngineError | undefined;

  /** @param onList awaited after each read of a range of rows, before the reader gets them */
  constructor(inner: Store, faults: StoreFaults, plan: FaultPlan, onList: () => Promise<void>) {
    this.#inner = inner;
    this.#faults = faults;
    this.#plan = plan;
    this.#draw = plan.draws(STORE);
    this.#onList = onList;
    this.#begin = storedHead(inner).order;
    this.#order = this.#begin;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#inner.get(key);
  }

  range(range: KeyRange): Promise<readonly Row[]> {
    return this.#inner.range(range);
  }

  scan(range: KeyRange): AsyncIterable<Row> {
    return this.#inner.scan(range);
  }

  async batch(operations: readonly Operation[], options: BatchOptions = {}): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    // Decide by order, since how many commits share a batch depends on the machine's speed.
    const { order: last = this.#order } = options;
    let waits = 0;
    while (this.#order < last) waits += this.#decide(++this.#order);
    if (waits > 0) await new Promise((resolve) => setTimeout(resolve, waits));
    if (this.#failure !== undefined) throw this.#failure;
    await this.#inner.batch(operations, options);
  }

  /** Decides what happens to the commit of an order; returns the milliseconds to wait. */
  #decide(order: bigint): number {
    const { slow, failAt } = this.#faults;
    const ms = slow && drawMs(this.#draw, slow);
    if (ms !== undefined) this.#plan.note({ kind: 'store-slow', order, ms });
    if (failAt !== undefined && order === this.#begin + BigInt(failAt)) {
      this.#failure = new EngineError('store-failed', `the commit of order ${order} failed, as chaos was told to do`);
      this.#plan.note({ kind: 'store-failed', order });
    }
    return ms ?? 0;
  }

  view(): StoreView {
    const view = this.#inner.view();
    return {
      get: (key) => view.get(key),
      range: async (range) => {
        const rows = await view.range(range);
        await this.#onList();
        return rows;
      },
      scan: (range) => view.scan(range),
      release: () => view.release(),
    };
  }

  fork(): RevertibleStore {
    return this.#inner.fork();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
