import { A_FUNCTION, argumentError, assertBytes, assertFits, assertObject, assertOptions } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import type { AddressInput } from '../bitcoin/address.ts';
import { readClockOffset, storedHead } from '../chain/ledger/head.ts';
import { signedRow } from '../chain/ledger/transactions.ts';
import type { Trace } from '../execution/trace/trace.ts';
import type { Recording, RecordOptions } from '../log/recording/recording.ts';
import type { Notice } from '../pipeline/feed.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { Account } from '../query/account.ts';
import { ChainView, type RecordView } from '../query/chain-view.ts';
import type { EventFilter } from '../query/event.ts';
import type { ActionInput } from '../query/function-call.ts';
import type { HistoryStatus } from '../query/history.ts';
import type { FollowerStatus } from '../query/status.ts';
import type { TransactionFilter } from '../query/transaction.ts';
import type { Usage } from '../query/usage.ts';
import { HeadValue, type IndexedEvent, Ingested, type TransactionValue, VALUES } from '../query/values.ts';
import { dumpStore } from '../store/dump.ts';
import type { Store } from '../store/store.ts';
import type { Controls } from './controls.ts';
import { BLOCK_HEIGHT, type EngineBitcoin } from './engine-bitcoin.ts';
import { EngineCore } from './engine-core.ts';
import type { EngineOptions, ForkOptions } from './engine-options.ts';
import { Fixtures } from './fixtures.ts';
import { type HeadChange, listen } from './listener.ts';
import type { LongWork } from './long-work.ts';
import { forkSettings, type OpenedChain, openChain } from './open.ts';
import { type PruneOptions, pruneChain } from './prune.ts';
import type { Snapshot } from './snapshots.ts';
import type { CallOptions, SignedInput, SimulationInput } from './submission.ts';
import type { TraceOptions, TransactionInput } from './tracing.ts';

/** What an engine is made of, for the rest of the project: its state as records of bytes, and its parts. */
export interface EngineInside extends RecordView {
  readonly core: EngineCore;
}

/** A node as an object: open it, query it, give it transactions and Bitcoin blocks, close it. It is a view of its head. */
export class Engine extends ChainView implements AsyncDisposable {
  static {
    reportAtCaller(Engine);
  }

  readonly #core: EngineCore;
  #inside: EngineInside | undefined;
  /** Shared with the forks that took over all options, which leave it open when they close. */
  #fixtures: { readonly of: Fixtures<Engine>; readonly isOwn: boolean } | undefined;

  private constructor(opened: OpenedChain) {
    const core = new EngineCore(opened);
    super(core, core.viewTools, VALUES);
    this.#core = core;
  }

  /** @internal */
  override get inside(): EngineInside {
    this.#inside ??= Object.assign(super.inside, { core: this.#core });
    return this.#inside;
  }

  /**
   * Opens an engine. An empty store gets its genesis; any other continues at its head.
   * @throws {EngineError} `genesis-mismatch` if the store holds a chain other than the options ask for,
   * `format-unknown`, `store-locked`, `corrupt`, `malformed-bytes` for an invalid genesis file, `invalid-argument`;
   * with a commit log `log-mismatch` and `log-failed`.
   */
  static async open(options: EngineOptions = {}): Promise<Engine> {
    return new Engine(await openChain(options));
  }

  /** What tests do to the chain from outside Move: coins, objects, fields, time. */
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

  /** The kind of store underneath: 'memory', 'overlay', 'level', 'mirror' or your own store's word. */
  get storeKind(): string {
    return this.#core.writer.store.kind;
  }

  /** UTXOs, inscriptions and blocks; blocks for tests. */
  override get bitcoin(): EngineBitcoin {
    return this.#core.bitcoin;
  }

  /**
   * The funded accounts that the chain began with, with their keys and transactions signed by them; none on a chain whose
   * genesis funded nobody.
   */
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
    await pruneChain(this.#core.writer, options);
    return this.status().history;
  }

  /** What the engine does and holds, in figures. */
  usage(): Usage {
    const { nodes } = this.#core.shared;
    const { nodesMax, bytes, bytesMax, hits, misses } = nodes;
    return {
      commits: this.#core.writer.commits,
      writerQueue: this.#core.writer.queueLength,
      treeNodes: { entries: nodes.nodes, entriesMax: nodesMax, bytes, bytesMax, hits, misses },
      modules: this.#core.execution.machines.modules.usage,
    };
  }

  /**
   * Tells `status()` who brings this chain its Bitcoin blocks. The `Follower` of `movelet/follower` calls it itself.
   */
  attachFollower(follower: { readonly status: FollowerStatus }): void {
    assertObject(follower, 'follower', 'an object with a status');
    if (!('status' in follower)) throw argumentError('follower', 'an object with a status', follower);
    this.#core.follower = follower;
  }

  /** @internal */
  get longWork(): LongWork {
    return this.#core.longWork;
  }

  /**
   * Executes a signed transaction, given as its BCS or decoded: `engine.execute(alice.signed({ function, arguments }))`.
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
   * Publishes compiled modules as one package in the name of an account, or upgrades it.
   * @throws {EngineError} as `call`; `malformed-module`.
   */
  async publish(sender: AddressInput, modules: readonly Uint8Array[], options?: CallOptions): Promise<Receipt> {
    return this.#core.submissions.publish(sender, modules, options);
  }

  /**
   * What a transaction or a call would do if it came next. Nothing is written.
   * @param options `{ trace: true }` for `trace` in the receipt: what it would do, call by call
   * @throws {EngineError} as `execute` and `call`; `deadline-exceeded` for one that takes longer than `viewMsMax`.
   */
  simulate(transaction: SimulationInput, options?: TraceOptions): Receipt {
    return this.#core.submissions.simulate(transaction, options);
  }

  /**
   * What a transaction of this chain did, call by call: it is run again on the state before it, and must end the same.
   *
   * ```ts
   * console.log(engine.trace(receipt.hash));                  // an indented text, with the gas of each call
   * writeFileSync('gas.json', JSON.stringify(engine.trace(receipt.order).profile()));    // for https://www.speedscope.app
   * ```
   * @throws {EngineError} `not-found`, `not-supported` for one that ran no Move code (genesis, Bitcoin blocks and
   * transactions, controls other than funding), `corrupt` if it ends differently, `pruned`, `state-not-loaded`,
   * `deadline-exceeded`.
   */
  trace(transaction: TransactionInput): Trace {
    return this.#core.tracing.trace(transaction);
  }

  /**
   * Takes a Bitcoin block, given as its consensus bytes, which are copied, and processes what it confirms: one ledger
   * transaction for the block and one for each transaction of the blocks that now have enough others on top, each with
   * its own root.
   * @returns the ledger transactions in order; none for a block that is already known.
   * @throws {EngineError} `malformed-bytes` or `invalid-argument` naming the first thing wrong with the block,
   * `not-supported` for one that competes with a confirmed block, `read-only` on a partial chain.
   */
  async ingest(block: Uint8Array, height: number): Promise<Ingested[]> {
    assertBytes(block, 'block');
    assertFits(height, 'height', BLOCK_HEIGHT);
    // Its turn comes later, and the caller may reuse the array until then.
    const bytes = block.slice();
    const { turn, done } = this.#core.execution.ingestion(() => ({ bytes, height }));
    this.#core.writer.submit(turn);
    return (await done).made.map((committed) => new Ingested(committed, this.#core));
  }

  /**
   * Calls `listener` with every transaction, event or change of the head from now on, until the returned function is
   * called. Listeners are called once a commit is readable, before its submitter learns of it; they cannot hold up
   * writes, and one that throws, or whose promise is rejected, is reported to `log` and affects no one else.
   *
   * ```ts
   * const stop = engine.on('event', ({ decoded }) => console.log(decoded), { kind: 'type', type: '0x3::coin_store::DepositEvent' });
   * ```
   * @throws {EngineError} `invalid-argument` for an invalid filter, `closed`.
   */
  on(kind: 'transaction', listener: (transaction: TransactionValue) => void, filter?: TransactionFilter): () => void;
  on(kind: 'event', listener: (event: IndexedEvent) => void, filter?: EventFilter): () => void;
  on(kind: 'head', listener: (change: HeadChange) => void): () => void;
  /** What a transaction left undone because a bound of the engine was reached; the log has it too. */
  on(kind: 'notice', listener: (notice: Notice) => void): () => void;
  /** That the engine was closed: its last commit has been told, and it can no longer be read. */
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
    const fork = new Engine({ store, head: storedHead(store), shared, settings, lostCommits: 0n, clockOffset });
    if (Object.values(own).every((value) => value === undefined)) {
      const fixtures = this.#fixturesOf();
      fork.#fixtures = { of: fixtures, isOwn: false };
      fixtures.passOn(this, fork);
    }
    if (own.ingest === undefined && own.verifySignatures === undefined) fork.#core.recordings.takeOver(recordings);
    return fork;
  }

  /**
   * A fork on which `prepare` has run. It runs once per key, on a fork of this chain as it is, and the outcome is kept
   * until this engine closes; each call gets a fork of that, in microseconds. Whatever `prepare` depends on belongs in
   * the key. Fixtures nest: those of a fixture are found again on each of its forks that has not changed. `prepare` works
   * on the fork that it is given; asking this engine for the same fixture would wait for itself. If this engine is closed
   * meanwhile, so is that fork.
   *
   * ```ts
   * const chain = await engine.fixture('counter', (fork) => fork.publish(alice, modules));
   * ```
   * @throws {EngineError} `invalid-argument`, `limit-exceeded`, `closed`; and what `prepare` throws
   */
  async fixture(key: string, prepare: (engine: Engine) => unknown): Promise<Engine> {
    const prepared = await this.#fixturesOf().take(this, key, prepare, () => this.fork());
    return prepared.fork();
  }

  #fixturesOf(): Fixtures<Engine> {
    this.#fixtures ??= { of: new Fixtures(), isOwn: true };
    return this.#fixtures.of;
  }

  /**
   * Records what is done to this chain from now on: a file that `replay` and `movelet replay` replay to the same roots.
   * A chain at its genesis is recorded from there; for any other, the file begins with a dump of it. A fork of a
   * recorded chain is recorded too: its own `record()` begins where the chain's recording began.
   *
   * ```ts
   * const recording = engine.record();
   * await engine.executeAs(alice, { function: '0x42::counter::increase', arguments: [7n] });
   * await writeFile('counter.run', await recording.bytes());
   * ```
   * @throws {EngineError} `not-supported` on an engine that was opened with `ingest: { owners }`; `invalid-argument`, `closed`
   */
  record(options: RecordOptions = {}): Recording {
    this.#core.assertOpen();
    assertOptions(options, { write: A_FUNCTION });
    return this.#core.recordings.begin(options);
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
      // One may be asked for until then, and none from then on.
      const fixtures = this.#fixturesOf();
      if (this.#fixtures?.isOwn === true) await fixtures.close();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
