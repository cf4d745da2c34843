/**
 * Recording a run: writes what the feed announces as frames in a file (run-file.ts).
 *
 * A recording begins where the chain is: with the framework's genesis, which four settings reproduce, or with a dump of
 * the present chain, taken while the chain continues. A fork of a chain being recorded can be recorded too, from where
 * the first recording began.
 *
 * In memory, a recording holds the frames of its file, and the moments the chain went through: its history. One can
 * continue another one: a fork's history has the original chain's frames up to the fork, followed by its own. So
 * starting to record a fork costs nothing, however long the run was.
 * @module
 */

import { decode } from '../../base/bcs.ts';
import { equalBytes, joinBytes, toHex } from '../../base/bytes/bytes.ts';
import { PACKAGE_VERSION, RECORDING_BYTES_MAX } from '../../base/config.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { type Head, storedHead } from '../../chain/ledger/head.ts';
import { signedRow } from '../../chain/ledger/transactions.ts';
import type { State } from '../../chain/state/state.ts';
import { followedNetwork, reorganisationDepthOf } from '../../execution/bitcoin-move/object-id.ts';
import { DEV_ACCOUNTS } from '../../execution/framework/accounts.ts';
import { accountCoinStoreId, coinStore, GAS_COIN_TYPE } from '../../execution/framework/coin.ts';
import { parseAddressHex } from '../../move/address.ts';
import type { Commit } from '../../pipeline/commit.ts';
import type { Feed, FeedMessage } from '../../pipeline/feed.ts';
import { dumpStore } from '../../store/dump.ts';
import { isRevertible, type Store } from '../../store/store.ts';
import { recordedCommitOf } from '../record.ts';
import { encodeRunEntry, encodeRunHeader, type RunEntry, type RunSettings, type RunStart } from './run-file.ts';

/** The part of a head that distinguishes one moment of a chain from another. */
export type ChainPoint = Pick<Head, 'order' | 'stateRoot' | 'accumulator' | 'timestamp'>;

export class RunHistory {
  readonly #before: Part | undefined;
  readonly #frames: Uint8Array[] = [];
  /** This history's own moments by place; empty for a chain that never goes back. */
  readonly #moments = new Map<string, number>();
  #moment = 0;
  #bytes = 0;

  constructor(before?: RunHistory) {
    if (before === undefined) return;
    this.#before = { of: before, frames: before.#frames.length, moment: before.#moment };
    this.#moment = before.#moment;
    this.#bytes = before.#bytes;
  }

  get inputs(): number {
    return this.#moment;
  }

  /** Length of all frames. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Remembers the current moment under the chain's place. */
  mark(place: ChainPoint): void {
    this.#moments.set(keyOf(place), this.#moment);
  }

  /** Moves to the next moment, after an input was given an order. */
  advance(): void {
    this.#moment++;
  }

  add(frame: Uint8Array): void {
    this.#bytes += frame.length;
    this.#frames.push(frame);
  }

  /** The latest moment at which the chain was at this place; undefined if it never was. */
  find(place: ChainPoint): number | undefined {
    const key = keyOf(place);
    let momentMax = this.#moment;
    for (const history of this.#back()) {
      momentMax = Math.min(momentMax, history.moment);
      const moment = history.of.#moments.get(key);
      if (moment !== undefined && moment <= momentMax) return moment;
    }
    return undefined;
  }

  /** All frames, from where the first history began. */
  frames(): Uint8Array[] {
    return Array.from(this.#back(), ({ of, frames }) => of.#frames.slice(0, frames))
      .reverse()
      .flat();
  }

  /** This history and those that it continues, each up to where the next one begins. A loop: forks of forks may be many. */
  *#back(): Iterable<Part> {
    const own: Part = { of: this, frames: this.#frames.length, moment: this.#moment };
    for (let part: Part | undefined = own; part !== undefined; part = part.of.#before) yield part;
  }
}

/** A history up to some moment. */
interface Part {
  readonly of: RunHistory;
  readonly frames: number;
  readonly moment: number;
}

function keyOf({ order, stateRoot, accumulator, timestamp }: ChainPoint): string {
  return `${order} ${timestamp} ${toHex(stateRoot)} ${toHex(accumulator.root)}`;
}

/** How to record a run. */
export interface RecordOptions {
  /**
   * Receives the file piece by piece as it grows; nothing is then kept in memory, and `bytes()` is refused. It is
   * called before the sender of a transaction gets an answer, so it should be quick. Default: the file is kept in
   * memory, up to RECORDING_BYTES_MAX.
   */
  readonly write?: ((piece: Uint8Array) => void) | undefined;
}

/** Where a fork of another node's chain begins. */
interface RecordedFork {
  readonly remote: string;
  readonly head: Pick<Head, 'order' | 'stateRoot'>;
  /** Whether its transactions have state roots, by which a replay is compared. */
  readonly hasRoots: boolean;
}

/** What a recording needs from its engine. */
export interface RecordedChain {
  readonly feed: Feed;
  readonly store: Store;
  /** The current head, and its state. */
  readonly head: Head;
  readonly state: State;
  readonly settings: RunSettings;
  readonly log: Log;
  /** Of a fork of another node's chain. */
  readonly fork?: RecordedFork | undefined;
}

/** A run being recorded, or recorded until `stop`. */
export class Recording {
  readonly #history: RunHistory;
  readonly #header: Promise<Uint8Array>;
  readonly #log: Log;
  /** Whether the chain can go back, so that its moments are remembered. */
  readonly #isRevertible: boolean;
  readonly #write: ((piece: Uint8Array) => void) | undefined;
  readonly #stop: () => void;
  /** Frames waiting for the header; undefined once it is written. */
  #waiting: Uint8Array[] | undefined = [];
  #tip: Head;
  #isOver = false;
  #failure: EngineError | undefined;

  /**
   * Use `Engine.record`.
   * @param before the recording to continue: of the same chain, or of the chain it was forked from
   * @internal
   */
  constructor(chain: RecordedChain, { write }: RecordOptions, before?: Recording) {
    const { feed, store, log } = chain;
    this.#log = log;
    this.#write = write;
    this.#isRevertible = isRevertible(store);
    this.#history = new RunHistory(before === undefined ? undefined : before.#history);
    const { header, head } = before === undefined ? headerOf(chain) : { header: before.#header, head: before.#tip };
    this.#header = header;
    this.#tip = head;
    if (this.#isRevertible) this.#history.mark(head);
    this.#stop = feed.listen((message) => this.#hear(message));
    header.then(
      (frame) => this.#begin(frame),
      (error) => this.#fail(error),
    );
  }

  /** The number of inputs recorded: everything that was given an order, on all branches. */
  get inputs(): number {
    return this.#history.inputs;
  }

  /** The error that ended it, if one did; `bytes()` throws it. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  /** Whether it has ended: it was stopped, it failed, or the engine was closed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the recording. Everything recorded so far is kept; stopping twice is harmless. */
  stop(): void {
    this.#isOver = true;
    this.#stop();
  }

  /**
   * The run so far as a file, for `replay` and `movelet replay`.
   * @throws {EngineError} `not-supported` if the chain went back to before the recording, or the pieces went to
   * `write`; `limit-exceeded` if the recording, or the dump it begins with, became longer than RECORDING_BYTES_MAX;
   * `store-failed`
   */
  async bytes(): Promise<Uint8Array> {
    if (this.#write !== undefined) {
      throw new EngineError('not-supported', 'the recording is not kept: its pieces went to the option write');
    }
    const header = await this.#header;
    if (this.#failure !== undefined) throw this.#failure;
    return joinBytes([header, ...this.#history.frames()]);
  }

  /**
   * Whether another recording can continue this one, on a chain with this head.
   * @internal
   */
  reaches({ order, stateRoot, accumulator }: Head): boolean {
    if (this.#isOver || this.#write !== undefined || this.#failure !== undefined) return false;
    const tip = this.#tip;
    const isSame = equalBytes(tip.stateRoot, stateRoot) && equalBytes(tip.accumulator.root, accumulator.root);
    return tip.order === order && isSame;
  }

  /**
   * Stops, and waits until it no longer reads the store.
   * @internal
   */
  async close(): Promise<void> {
    this.stop();
    await this.#header.catch(() => undefined);
  }

  #begin(header: Uint8Array): void {
    if (this.#write === undefined) return;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const piece of [header, ...waiting]) this.#put(piece);
  }

  #put(piece: Uint8Array): void {
    if (this.#failure !== undefined) return;
    if (this.#waiting !== undefined) {
      this.#waiting.push(piece);
      return;
    }
    try {
      this.#write!(piece);
    } catch (cause) {
      const reason = messageOf(cause);
      this.#fail(new EngineError('store-failed', `the recording could not be written: ${reason}`, { cause }));
    }
  }

  #hear(message: FeedMessage): void {
    if (message.kind === 'commits') for (const commit of message.commits) this.#add(commit);
    else if (message.kind === 'reverted') this.#return(message.head);
  }

  #add(commit: Commit): void {
    const { head } = commit;
    // After the recording began, the feed may still announce a commit written before that.
    if (head.order <= this.#tip.order && this.#history.inputs === 0) return;
    this.#tip = head;
    this.#keep({ kind: 'commit', ...recordedCommitOf(commit) });
    if (this.#isRevertible) this.#history.mark(head);
  }

  #return(head: Head): void {
    this.#tip = head;
    const moment = this.#history.find(head);
    if (moment !== undefined) {
      this.#keep({ kind: 'return', moment });
      return;
    }
    this.#fail(
      new EngineError(
        'not-supported',
        `the recording ends: the chain went to order ${head.order} as it was before the recording began; begin it before the snapshot is taken`,
      ),
    );
  }

  #keep(entry: RunEntry): void {
    const frame = encodeRunEntry(entry);
    if (entry.kind === 'commit') this.#history.advance();
    if (this.#write !== undefined) {
      this.#put(frame);
    } else if (this.#history.bytes + frame.length <= RECORDING_BYTES_MAX) {
      this.#history.add(frame);
    } else {
      const message = `the recording ends: it is longer than ${RECORDING_BYTES_MAX} bytes (RECORDING_BYTES_MAX); write it to a file, with the option write or --record`;
      this.#fail(new EngineError('limit-exceeded', message));
    }
  }

  #fail(error: EngineError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.stop();
    this.#log({ level: 'error', message: error.message });
  }
}

/** The header of the file, and the head of the chain at that point. */
function headerOf(chain: RecordedChain): { readonly header: Promise<Uint8Array>; readonly head: Head } {
  const genesis = genesisStart(chain);
  if (genesis !== undefined)
    return { header: Promise.resolve(encodeHeader(chain, chain.head, genesis)), head: chain.head };
  if (chain.fork !== undefined) return { header: forkHeader(chain, chain.fork), head: chain.head };
  // A view of one moment, since the chain continues.
  const view = chain.store.view();
  const head = storedHead(view);
  const dumped = async (): Promise<Uint8Array> => {
    try {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of dumpStore(view, { written: (row) => signedRow(view, row) })) {
        length += chunk.length;
        if (length > RECORDING_BYTES_MAX) throw tooLarge(head.order);
        chunks.push(chunk);
      }
      return encodeHeader(chain, head, { kind: 'dump', dump: joinBytes(chunks) });
    } finally {
      view.release();
    }
  };
  return { header: dumped(), head };
}

/** The header of a run on a fork of another node's chain, of which there is no dump. */
async function forkHeader(chain: RecordedChain, { remote, head: from, hasRoots }: RecordedFork): Promise<Uint8Array> {
  const { head } = chain;
  if (!hasRoots) {
    throw new EngineError(
      'not-supported',
      `the recording ends: a fork of a Rooch node (${remote}) has no state roots, by which a replay would be compared`,
    );
  }
  if (head.order === from.order && equalBytes(head.stateRoot, from.stateRoot))
    return encodeHeader(chain, head, { kind: 'fork', remote });
  throw new EngineError(
    'not-supported',
    `the recording ends: this is a fork of ${remote} at order ${from.order}, of which there is no dump, and the chain is at order ${head.order}: begin it when the fork is opened`,
  );
}

function tooLarge(order: bigint): EngineError {
  return new EngineError(
    'limit-exceeded',
    `the recording ends: the chain at order ${order}, with a dump of which it would begin, takes more than ${RECORDING_BYTES_MAX} bytes (RECORDING_BYTES_MAX); begin at its genesis`,
  );
}

function encodeHeader({ settings }: RecordedChain, head: Head, start: RunStart): Uint8Array {
  const { genesisHash, chainId, order, stateRoot, accumulator } = head;
  return encodeRunHeader({
    version: PACKAGE_VERSION,
    genesisHash,
    chainId,
    order,
    stateRoot,
    accumulatorRoot: accumulator.root,
    settings,
    start,
  });
}

/** The settings of a chain that is at the framework's genesis; undefined for any other. */
function genesisStart({ head, state }: RecordedChain): RunStart | undefined {
  if (head.order !== 0n || head.unloadedRoots.length > 0) return undefined;
  const reorganisationDepth = reorganisationDepthOf(state);
  const coins = state.object(accountCoinStoreId(parseAddressHex(DEV_ACCOUNTS[0]!.address), GAS_COIN_TYPE));
  if (reorganisationDepth === undefined || coins === undefined) return undefined;
  const accountBalance = decode(coinStore, coins.value).balance;
  return { kind: 'genesis', bitcoinNetwork: followedNetwork(state), reorganisationDepth, accountBalance };
}
