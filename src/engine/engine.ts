import { A_FUNCTION, assertObject, assertOptions } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import type { AddressInput } from '../bitcoin/address.ts';
import { readClockOffset, storedHead } from '../chain/ledger/head.ts';
import { signedRow } from '../chain/ledger/transactions.ts';
import type { Notice } from '../pipeline/feed.ts';
import type { PruneProgress } from '../pipeline/pruner.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { Account } from '../query/account.ts';
import { type CallOptions, ChainView, type RecordView } from '../query/chain-view.ts';
import type { EventFilter } from '../query/event.ts';
import type { ActionInput } from '../query/function-call.ts';
import type { HistoryStatus } from '../query/status.ts';
import type { TransactionFilter } from '../query/transaction.ts';
import { HeadValue, type IndexedEvent, type TransactionValue, VALUES } from '../query/values.ts';
import { dumpStore } from '../store/dump.ts';
import type { Store } from '../store/store.ts';
import type { Controls } from './controls.ts';
import type { EngineBitcoin } from './engine-bitcoin.ts';
import { EngineCore } from './engine-core.ts';
import type { EngineOptions, ForkOptions } from './engine-options.ts';
import { Fixtures } from './fixtures.ts';
import { type HeadChange, listen } from './listener.ts';
import { forkSettings, type OpenedChain, openChain } from './open.ts';
import type { Snapshot } from './snapshots.ts';
import type { ModulesInput, SignedInput } from './submission.ts';

/** Options of `Engine.prune`. */
export interface PruneOptions {
  /** Called after each piece of a few thousand rows. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** The inside of an engine, for the rest of the project: its state as records of bytes, and its parts. */
export interface EngineInside extends RecordView {
  readonly core: EngineCore;
  /** The chain that `prepare` makes of a fork of this one (`fixtures.ts`). */
  prepared(key: string, prepare: (engine: Engine) => unknown): Promise<Engine>;
}

/** A node as an object: open it, query it, give it transactions and Bitcoin blocks, close it. It is a view of its head. */
export class Engine extends ChainView implements AsyncDisposable {
  static {
    // biome-ignore lint/complexity/noThisInStatic: the compiler of the benches has no name for the class here yet
    reportAtCaller(this);
  }

  readonly #core: EngineCore;
  #inside: EngineInside | undefined;
  /** Shared with the forks that took over all options, which leave it open when they close. */
  #fixtures: { readonly of: Fixtures; readonly isOwn: boolean } | undefined;

  private constructor(opened: OpenedChain) {
    if (!opened?.settings)
      throw new EngineError('invalid-argument', 'new Engine: expected await Engine.open(options), which makes one');
    const core = new EngineCore(opened);
    super(core, core.viewTools, VALUES);
    this.#core = core;
  }

  /** @internal */
  override get inside(): EngineInside {
    this.#inside ??= Object.assign(super.inside, {
      core: this.#core,
      prepared: (key: string, prepare: (engine: Engine) => unknown) =>
        this.#fixturesOf().take(this, key, prepare, () => this.fork()),
    });
    return this.#inside;
  }

  /**
   * Opens an engine. An empty store gets its genesis; any other continues at its head.
   * @throws {EngineError} `genesis-mismatch` if the store holds a chain other than the options ask for,
   * `format-unknown`, `store-locked`, `corrupt`, `malformed-bytes` for an invalid genesis file, `invalid-argument`;
   * with a commit log `log-mismatch` and `log-failed`.
   */
  static async open(options: EngineOptions = {}): Promise<Engine> {
    const engine = new Engine(await openChain(options));
    try {
      engine.#core.startClock();
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** Controls for tests, from outside Move: coins, objects, fields, time. */
  get dev(): Controls {
    return this.#core.dev;
  }

  /** The head of the chain, as the last commit left it; also once the engine is closed. */
  override get head(): HeadValue {
    return HeadValue.of(this.#core.writer.head);
  }

  override get chainId(): bigint {
    return this.#core.writer.head.chainId;
  }

  /** UTXOs, inscriptions and blocks, and what brings new ones. */
  override get bitcoin(): EngineBitcoin {
    return this.#core.bitcoin;
  }

  /** The accounts that genesis funded, if any, with their keys and transactions signed by them. */
  get accounts(): readonly Account[] {
    return this.#core.accounts;
  }

  /**
   * Deletes now, instead of in the background, what the history no longer has to keep (`history` of `Engine.open`), and
   * frees the disk space.
   * @returns what is kept now
   * @throws {EngineError} `read-only`, `corrupt`, `store-failed`, `closed`, `invalid-argument`; what `onProgress` throws,
   * after which the same call goes on.
   */
  async prune(options: PruneOptions = {}): Promise<HistoryStatus> {
    assertObject(options, 'options', '{ onProgress }');
    assertOptions(options, { onProgress: A_FUNCTION });
    const { writer } = this.#core;
    await writer.prune(options.onProgress);
    await writer.store.compact?.();
    return this.status().history;
  }

  /**
   * Executes a signed transaction, given as its BCS or decoded: `engine.execute(alice.signTransaction({ function, arguments }))`.
   * @returns what it did, once it is written and readable. One that aborts or runs out of gas is written too, with its
   * status: a value, not an error.
   * @throws {EngineError} `transaction-rejected` for one that was refused before it was given an order, with the status
   * and what to do; `malformed-bytes`, `limit-exceeded`, `read-only`, `store-failed`, `closed`.
   */
  async execute(signed: SignedInput): Promise<Receipt> {
    return this.#core.submissions.execute(signed);
  }

  /**
   * Calls an entry function in the name of any account, without its signature; for tests and tools. The ledger keeps it
   * as a transaction with a validator id of its own (IMPERSONATION_VALIDATOR_ID).
   *
   * ```ts
   * await engine.executeAs(alice.address, { function: '0x42::counter::increase', arguments: [7n] });
   * ```
   * @throws {EngineError} as `execute`; `not-found` for an unknown function, `invalid-argument` naming what does not fit.
   */
  async executeAs(sender: AddressInput, action: ActionInput, options?: CallOptions): Promise<Receipt> {
    return this.#core.submissions.executeAs(sender, action, options);
  }

  /**
   * Publishes compiled modules as one package in the name of an account, or upgrades it:
   * `await engine.publish(alice, await compile('./counter'))`.
   * @throws {EngineError} as `call`; `malformed-module`.
   */
  async publish(sender: AddressInput, modules: ModulesInput, options?: CallOptions): Promise<Receipt> {
    return this.#core.submissions.publish(sender, modules, options);
  }

  /**
   * Calls `listener` with every transaction, event or change of the head from now on, until the returned function is
   * called. Listeners are called once a commit is readable, before its submitter learns of it; they cannot hold up
   * writes or fail them. What one throws, or rejects its promise with, goes to `log`; without `log` it is an uncaught
   * exception.
   *
   * ```ts
   * const stop = engine.on('event', ({ decoded }) => console.log(decoded), { kind: 'type', type: '0x3::coin_store::DepositEvent' });
   * ```
   * @throws {EngineError} `invalid-argument` for an invalid filter, `closed`.
   */
  on(kind: 'transaction', listener: (transaction: TransactionValue) => void, filter?: TransactionFilter): () => void;
  on(kind: 'event', listener: (event: IndexedEvent) => void, filter?: EventFilter): () => void;
  on(kind: 'head', listener: (change: HeadChange) => void): () => void;
  /** Something that a transaction left undone because a bound of the engine was reached; also in the log. */
  on(kind: 'notice', listener: (notice: Notice) => void): () => void;
  /** The engine was closed: all commits have been reported, and it can no longer be read. */
  on(kind: 'closed', listener: () => void): () => void;
  on(
    kind: 'transaction' | 'event' | 'head' | 'notice' | 'closed',
    listener: (value: never) => void,
    filter?: TransactionFilter | EventFilter,
  ): () => void {
    this.#core.assertOpen();
    return listen(this.#core.feed, this.#core, kind, listener, filter);
  }

  /**
   * Remembers this moment. Constant time at any size.
   * @throws {EngineError} `not-supported` on a durable store, which never goes back: fork it.
   */
  snapshot(): Snapshot {
    return this.#core.snapshots.take();
  }

  /**
   * Goes back (or forth) to a snapshot of this engine, in its turn: after the writes submitted before it, and before
   * those submitted later. Snapshots nest, in any order, any number of times.
   * @throws {EngineError} `not-supported` on a durable store, `invalid-argument` for another engine's snapshot.
   */
  async revert(snapshot: Snapshot): Promise<void> {
    await this.#core.snapshots.revert(snapshot);
  }

  /**
   * Goes back to what the engine began with: the genesis of a new chain, what a store or a dump held, the moment of a fork.
   * @throws {EngineError} `not-supported` on a durable store
   */
  async reset(): Promise<void> {
    await this.#core.snapshots.reset();
  }

  /**
   * Another engine that starts from this one's state and then goes its own way, in memory; this one may be durable and
   * may go on. Costs microseconds, and memory for what changes. Close it when done, before this engine.
   * @param own what the fork does not take over from this engine
   * @throws {EngineError} `invalid-argument` naming an unknown option
   */
  fork(own: ForkOptions = {}): Engine {
    return this.#forkOn(this.#core.writer.store.fork(), own);
  }

  #forkOn(store: Store, own: ForkOptions): Engine {
    const { shared, recordings } = this.#core;
    const settings = forkSettings(this.#core.settings, own);
    const { clock } = this.#core;
    // A clock of its own has not been moved.
    const clockOffset = own.clock === undefined ? (clock?.offsetAt(readClockOffset(store)) ?? 0n) : 0n;
    const head = storedHead(store);
    const isOwnStore = shared.remote === undefined;
    const fork = new Engine({ store, isOwnStore, head, shared, settings, lostCommits: 0n, clockOffset });
    if (Object.values(own).every((value) => value === undefined)) {
      const fixtures = this.#fixturesOf();
      fork.#fixtures = { of: fixtures, isOwn: false };
      fixtures.passOn(this, fork);
    }
    if (own.ingest === undefined && own.verifySignatures === undefined) fork.#core.recordings.takeOver(recordings);
    return fork;
  }

  #fixturesOf(): Fixtures {
    this.#fixtures ??= { of: new Fixtures(), isOwn: true };
    return this.#fixtures.of;
  }

  /**
   * The whole chain at one moment as bytes, while writes go on: the durable form of a snapshot. `loadDump` of
   * `movelet/store` reads it into an empty store.
   */
  async *dump(): AsyncIterable<Uint8Array> {
    const view = this.#core.writer.store.view();
    try {
      yield* dumpStore(view, { written: (row) => signedRow(view, row) });
    } finally {
      view.release();
    }
  }

  /**
   * Waits until the chain reaches `order`, for callers that have its receipt from another node of the same log.
   * @throws {EngineError} `behind` after `waitMs` (default: ORDER_WAIT_MS_MAX); `limit-exceeded`, `closed`.
   */
  async waitFor(order: bigint, waitMs?: number): Promise<void> {
    this.#core.assertOpen();
    await this.#core.orders.reached(order, waitMs);
  }

  /** Waits for submitted writes, then frees everything. Closing twice is harmless. */
  async close(): Promise<void> {
    await this.#core.close(async () => {
      // Fixtures may be requested until here, and none afterwards.
      const fixtures = this.#fixturesOf();
      if (this.#fixtures?.isOwn === true) await fixtures.close();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
