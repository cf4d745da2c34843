/**
 * The parts of an engine and how they are connected: the writer and the feed of its commits, the chain as the last
 * commit left it, and everything that reads or writes through them. `Engine` is the public face, and checks arguments.
 *
 * Parts that only some programs use are created on first use: tests open engines by the thousand.
 * @module
 */

import { closeEach } from '../base/closing.ts';
import { messageOf } from '../base/error.ts';
import { type Head, readClockOffset } from '../chain/ledger/head.ts';
import { readable } from '../chain/value/readable.ts';
import type { BlockRules } from '../execution/bitcoin-move/block-check.ts';
import { followedNetwork } from '../execution/bitcoin-move/object-id.ts';
import type { LogMembership } from '../log/membership.ts';
import type { Commit } from '../pipeline/commit.ts';
import { Feed } from '../pipeline/feed.ts';
import type { WriterTools } from '../pipeline/group-filler.ts';
import type { SimulatedInput } from '../pipeline/rerun.ts';
import type { Step } from '../pipeline/step.ts';
import { Writer } from '../pipeline/writer.ts';
import type { Account } from '../query/account.ts';
import { CoinPlaces } from '../query/balance.ts';
import type { BitcoinQueries } from '../query/bitcoin.ts';
import { RecordView, type ViewTools } from '../query/chain-view.ts';
import type { HeldReader, Reader, ReaderSource } from '../query/reader.ts';
import type { FollowerStatus, ServiceStatus, Status, Usage } from '../query/status.ts';
import { historyStatus } from '../query/status.ts';
import { HeadValue, type Records, type Values } from '../query/values.ts';
import { MovedClock } from './chain-time.ts';
import { Controls } from './controls.ts';
import { type EngineBitcoin, engineBitcoin } from './engine-bitcoin.ts';
import { LongWork } from './long-work.ts';
import type { EngineSettings, ExecutionUnit, OpenedChain, Shared } from './open.ts';
import { OrderWaits } from './order-waits.ts';
import { PresentChain, treeOver } from './present.ts';
import { READ_AHEAD_MS_MAX, readsOf } from './reads.ts';
import { Recordings } from './recordings.ts';
import { expectedTransaction } from './remote/expected-transaction.ts';
import { Snapshots } from './snapshots.ts';
import { Submissions } from './submission.ts';

export class EngineCore implements ReaderSource {
  readonly writer: Writer;
  readonly feed: Feed;
  readonly shared: Shared;
  readonly settings: EngineSettings;
  readonly clock: MovedClock | undefined;
  readonly snapshots: Snapshots;
  readonly recordings: Recordings;
  readonly longWork: LongWork;
  readonly places: CoinPlaces = new CoinPlaces();
  /** The source of this chain's Bitcoin blocks. */
  follower: { readonly status: FollowerStatus } | undefined;
  readonly #present: PresentChain;
  readonly #membership: LogMembership | undefined;
  readonly #lostCommits: bigint;
  readonly #release: OpenedChain['release'];
  #bitcoin: EngineBitcoin | undefined;
  #accounts: readonly Account[] | undefined;
  #rules: BlockRules | undefined;
  #dev: Controls | undefined;
  #submissions: Submissions | undefined;
  #orders: OrderWaits | undefined;
  #closed: Promise<void> | undefined;

  constructor(opened: OpenedChain) {
    const { store, isOwnStore, head, shared, settings, lostCommits, clockOffset, membership, release } = opened;
    this.#membership = membership;
    this.#release = release;
    this.shared = shared;
    this.settings = settings;
    this.#lostCommits = lostCommits;
    this.feed = new Feed(settings.log);
    this.#present = new PresentChain(() => this.writer, shared);
    const clock = settings.clock && new MovedClock(settings.clock, clockOffset, readClockOffset(store));
    this.clock = clock;
    this.longWork = new LongWork(this);
    this.writer = new Writer({
      aside: this.longWork,
      store,
      isOwnStore,
      nodes: shared.nodes,
      tree: (source) => treeOver(source, shared),
      head,
      feed: this.feed,
      clock,
      sink: membership?.sink,
      refusal: membership?.refusal,
      tools: () => this.#writerTools(),
      onGroup: () => {
        this.snapshots.remember(head);
        this.#present.letGoUnheld();
      },
      onHead: () => this.#present.letGo(),
      onUnpruned: (error) => {
        const message = `pruning has stopped: ${messageOf(error)}; run movelet verify; the chain goes on`;
        settings.log({ level: 'error', message });
      },
    });
    this.snapshots = new Snapshots(this.writer, clock);
    this.recordings = new Recordings(this);
    membership?.start(
      (write) => this.writer.replicate(() => this.#withClock(write)),
      () => this.#writerTools(),
    );
  }

  /** Figures of the engine's work and memory. */
  usage(): Usage {
    const { nodes } = this.shared;
    const { nodesMax, bytes, bytesMax, hits, misses } = nodes;
    return {
      commits: this.writer.commits,
      writerQueue: this.writer.queueLength,
      treeNodes: { entries: nodes.nodes, entriesMax: nodesMax, bytes, bytesMax, hits, misses },
      modules: this.execution.machines.modules.usage,
    };
  }

  get execution(): ExecutionUnit {
    return this.shared.execution();
  }

  get submissions(): Submissions {
    const { viewMsMax } = this.settings;
    this.#submissions ??= new Submissions({
      source: this,
      execution: this.shared.execution,
      tree: (source) => treeOver(source, this.shared),
      writer: this.writer,
      clock: this.clock,
      settings: () => this.#writerTools().settings,
      viewMsMax,
      deadlineClock: this.longWork.clock,
      executing: (input, run) => this.#execute(input, run),
    });
    return this.#submissions;
  }

  /**
   * Starts the clock at the chain's time, once the chain is open or was replayed. On a reader, the writer's clock
   * counts.
   */
  startClock(): void {
    if (this.#membership?.status.role === 'reader') return;
    const { timestamp } = this.writer.head;
    this.clock?.moveTo(readClockOffset(this.writer.store));
    if (this.clock?.catchUp(timestamp) !== true) return;
    const time = new Date(Number(timestamp)).toISOString();
    this.settings.log({ level: 'info', message: `the chain's time is ahead of the clock, and goes on from ${time}` });
  }

  get dev(): Controls {
    this.#dev ??= new Controls(this);
    return this.#dev;
  }

  get bitcoin(): EngineBitcoin {
    this.#bitcoin ??= engineBitcoin(this);
    return this.#bitcoin;
  }

  get accounts(): readonly Account[] {
    const { shared } = this;
    shared.funded ??= this.execution.fundedAccounts(this.current());
    this.#accounts ??= this.execution.accountsOf(shared.funded, this);
    return this.#accounts;
  }

  get orders(): OrderWaits {
    this.#orders ??= new OrderWaits(this.feed, () => this.writer.head.order);
    return this.#orders;
  }

  /** @throws {EngineError} `closed` once the engine is. */
  assertOpen(): void {
    this.#present.assertOpen();
  }

  current(): Reader {
    return this.#present.reader;
  }

  present(): Reader {
    return this.current();
  }

  hold(): HeldReader {
    return this.#present.hold();
  }

  /** What views of this engine need from it. */
  get viewTools(): ViewTools {
    const { settings, shared, longWork } = this;
    const { execution } = shared;
    return {
      places: this.places,
      bitcoin: (source, make) => new (execution().BitcoinQueries)(source, make),
      view: (source, call, options) =>
        execution().callView(source, call, options, { msMax: settings.viewMsMax, clock: longWork.clock }),
      history: (source) => new (execution().HistoryQueries)(source),
      encode: (reader, type, value, name) =>
        execution().encodeValue(type, value, name, reader.state, reader.machines()),
      diff: (before, after, options) => execution().diffStates(before, after, options),
      status: (reader, bitcoin) => this.#statusOf(reader, bitcoin),
      basis: () => this.submissions.basis(),
      simulate: (source, transaction, options) => this.submissions.simulate(source, transaction, options),
      trace: (source, transaction) => this.submissions.tracing.trace(source, transaction),
      reads: (source, data) =>
        readsOf(source, shared, (noted) => (data === undefined ? this.#noted(noted) : this.#dryRun(noted, data))),
    };
  }

  /** Reads the rows of a status. */
  #noted(source: ReaderSource): undefined {
    new RecordView(source, this.viewTools).status();
    return undefined;
  }

  /** The dry run of a transaction for a fork on another machine; undefined if it took too long. */
  #dryRun(source: ReaderSource, data: Uint8Array): Commit | undefined {
    return this.longWork.briefly(READ_AHEAD_MS_MAX, () => this.submissions.simulate(source, data).inside)?.value;
  }

  #statusOf({ head, rows }: Reader, bitcoin: BitcoinQueries<Values | Records>): Status {
    return readable({
      service: this.#service(head),
      head: HeadValue.of(head),
      bitcoin: bitcoin.status(),
      follower: this.follower?.status,
      log: this.#membership?.status,
      lostCommits: this.#lostCommits,
      history: historyStatus(rows),
      code: this.execution.canTranslate() ? 'translated' : 'interpreted',
      fork: this.shared.remote?.status,
    });
  }

  #service(head: Head): ServiceStatus {
    const { failure, isSuspended } = this.writer;
    if (failure !== undefined || isSuspended || this.#membership?.status.state === 'stopped') return 'maintenance';
    const isRead = head.unloadedRoots.length > 0 || this.#membership?.status.role === 'reader';
    return isRead ? 'read-only-mode' : 'active';
  }

  blockRules(): BlockRules {
    this.#rules ??= this.execution.blockRules(this.settings.ingest, followedNetwork(this.current().state));
    return this.#rules;
  }

  /** Runs the execution of an input; on a fork of another node, that node is told of it if rows are needed. */
  #execute<T>(input: SimulatedInput, run: () => T): T {
    const { remote } = this.shared;
    return remote === undefined ? run() : remote.execute(expectedTransaction(input, remote.point.head.chainId), run);
  }

  #writerTools(): WriterTools {
    const { machines, step: run } = this.execution;
    const { signer, verifySignatures, gasGift } = this.settings;
    const step: Step =
      this.shared.remote === undefined ? run : (input, context) => this.#execute(input, () => run(input, context));
    return { signer, step, machines, settings: { blocks: this.blockRules(), verifySignatures, gasGift } };
  }

  /** Writes another writer's commits, and adopts the clock offset that comes with them. */
  async #withClock(write: () => Promise<readonly Commit[]>): Promise<readonly Commit[]> {
    const commits = await write();
    const row = readClockOffset(this.writer.store);
    this.clock?.moveTo(this.clock.offsetAt(row), row);
    return commits;
  }

  /**
   * Waits for submitted writes, then frees everything; a failure does not stop the rest, and the first one is thrown.
   * `beforeStore` is called once nothing is being written. Later calls return the same promise.
   */
  close(beforeStore: () => Promise<void>): Promise<void> {
    // Without a log nothing is awaited before the writer closes, so no further writes are accepted from this call on.
    this.#closed ??= closeEach(
      () => this.orders.close(),
      () => this.#membership?.leave(),
      () => this.writer.close(),
      () => this.recordings.close(),
      beforeStore,
      () => this.writer.pending?.forsake(),
      () => this.#present.close(),
      () => this.feed.close(),
      () => this.#membership?.close(),
      () => this.writer.store.close(),
      () => this.#release?.(),
    );
    return this.#closed;
  }
}
