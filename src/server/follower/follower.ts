/**
 * Follows a Bitcoin node: fetches and ingests the blocks that the chain does not have yet, in rounds.
 *
 * The node's best chain is authoritative. Each round finds the highest block both have, going back over blocks the node
 * has abandoned, and ingests from there up, which replaces the other branch. The next blocks are read meanwhile
 * (readAhead). It waits between rounds, with a growing delay, up to a maximum, while the node does not answer or a
 * block is refused.
 *
 * The engine knows its follower, so `engine.status().follower` shows its progress. Invariants: one round at a time;
 * after `stop` or `pause` nothing is fetched or ingested. Progress is kept only in the engine's state, so a follower
 * can be stopped at any point and another one can continue.
 * Source: crates/rooch-relayer of the reference.
 * @module
 */

import {
  A_FUNCTION,
  assertFits,
  assertMethods,
  assertObject,
  assertOptions,
  type Expectation,
  wholeNumber,
} from '../../base/argument.ts';
import { reportAtCaller } from '../../base/caller.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { type Log, SILENT_LOG } from '../../base/log.ts';
import { BITCOIN_BLOCK_BYTES_MAX, decodeBlock, mayStandAt } from '../../bitcoin/block.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FollowerStatus } from '../../query/status.ts';
import type { BitcoinNode } from './bitcoin-node.ts';

/** The most recent blocks from which a follower computes its rate. */
export const BITCOIN_PACE_BLOCKS_MAX = 100;

/** How fast blocks were ingested recently. Times are milliseconds of a monotonic clock. */
export class Pace {
  /** When it began, and when each recent block was done. */
  #times: number[] = [];

  /** Forgets the past: work starts now. */
  begin(now: number): void {
    this.#times = [now];
  }

  /** Records that a block is done. */
  add(now: number): void {
    this.#times.push(now);
    if (this.#times.length > BITCOIN_PACE_BLOCKS_MAX + 1) this.#times.shift();
  }

  /** Blocks per second; undefined before the first one. */
  get blocksPerSecond(): number | undefined {
    const [first] = this.#times;
    const last = this.#times.at(-1);
    if (first === undefined || last === undefined || last <= first) return undefined;
    return ((this.#times.length - 1) * 1_000) / (last - first);
  }

  /** Whole seconds until `blocks` more are done; undefined while there is no rate. */
  secondsFor(blocks: number): number | undefined {
    const rate = this.blocksPerSecond;
    return rate === undefined ? undefined : Math.ceil(blocks / rate);
  }
}

/** A follower reports the same cause of failure at most once in this many milliseconds. */
const BITCOIN_REPORT_MS = 60_000;
/** Milliseconds between two polls for a new Bitcoin block; one comes every ten minutes, or when a test wants it. */
const BITCOIN_POLL_MS = 1_000;
/** Milliseconds that a follower waits after the first failure; each further one doubles it. */
const BITCOIN_BACKOFF_MS_MIN = 500;
/** The longest wait of a follower, in milliseconds: a node that comes back is found within it. */
const BITCOIN_BACKOFF_MS_MAX = 60_000;

/** Where to start, and how often to poll the node. */
export interface FollowerOptions {
  /** Height of the first block, for a chain that has none. */
  readonly from: number;
  /** Milliseconds between two checks for a new block. Default: BITCOIN_POLL_MS. */
  readonly pollMilliseconds?: number | undefined;
  /** Milliseconds to wait after a failure; doubled with each. Default: BITCOIN_BACKOFF_MS_MIN. */
  readonly backoffMilliseconds?: number | undefined;
  /**
   * Milliseconds within which the same cause of failure is reported only once, and between progress reports while
   * catching up. Default: BITCOIN_REPORT_MS.
   */
  readonly reportMilliseconds?: number | undefined;
  readonly log?: Log | undefined;
}

const OPTIONS: Readonly<Record<keyof FollowerOptions, Expectation>> = {
  from: wholeNumber(0),
  // More is more than a timer can wait.
  pollMilliseconds: wholeNumber(0, 0x7fff_ffff),
  backoffMilliseconds: wholeNumber(0),
  reportMilliseconds: wholeNumber(0),
  log: A_FUNCTION,
};

/** Doublings of the wait, far beyond its maximum; the power of more might not fit a number. */
const DOUBLINGS_MAX = 32;

/** What a follower needs from an engine. */
export interface FollowedEngine {
  readonly bitcoin: Pick<Engine['bitcoin'], 'ingest' | 'block' | 'status' | 'network'>;
  /** @internal */
  readonly inside?: { readonly core: { follower: { readonly status: FollowerStatus } | undefined } };
}

/** Where the node's chain and ours part. */
interface Fork {
  /** The height of the first block to fetch. */
  readonly next: number;
  /** The hash of the block below it, in display order; undefined at the beginning of the chain. */
  readonly parent: string | undefined;
}

/** A block that the engine has. */
type KnownBlock = NonNullable<ReturnType<FollowedEngine['bitcoin']['block']>>;

/** Follows one Bitcoin node for one engine; `pause` interrupts it, and `stop` (or `await using`) ends it. */
export class Follower implements AsyncDisposable {
  static {
    reportAtCaller(Follower);
  }

  readonly #engine: FollowedEngine;
  readonly #node: BitcoinNode;
  readonly #options: FollowerOptions;
  readonly #log: Log;
  readonly #pace = new Pace();
  /** Ends the rounds in progress. */
  #halt: AbortController = new AbortController();
  #isEnded = false;
  #running: Promise<void> | undefined;
  #state: FollowerStatus['state'] = 'stopped';
  #height: number | undefined;
  #nodeHeight: number | undefined;
  #problem: string | undefined;
  #lastError: string | undefined;
  #failures = 0;
  /** Failures since the last success. */
  #failuresInRow = 0;
  /** When each cause was last reported, in milliseconds of the host's clock. */
  readonly #reported = new Map<string, number>();
  /** Whether the failures since the last success were reported. */
  #isReported = false;
  #progressReported = 0;

  constructor(engine: FollowedEngine, node: BitcoinNode, options: FollowerOptions) {
    assertObject(engine, 'engine', 'an engine');
    assertMethods(engine.bitcoin, 'engine', 'an engine', ['ingest', 'block', 'status']);
    assertMethods(node, 'node', 'a BitcoinNode', ['blockCount', 'blockHash', 'block']);
    assertOptions(options, OPTIONS);
    assertFits(options.from, 'from', OPTIONS.from);
    this.#engine = engine;
    this.#node = node;
    this.#options = options;
    this.#log = options.log ?? SILENT_LOG;
    this.#readHeight();
    if (engine.inside !== undefined) engine.inside.core.follower = this;
  }

  /** Its progress. */
  get status(): FollowerStatus {
    const height = this.#height;
    const nodeHeight = this.#nodeHeight;
    const lag = nodeHeight === undefined ? undefined : Math.max(0, nodeHeight - (height ?? this.#options.from - 1));
    const isCatchingUp = this.#state === 'following' && lag !== undefined && lag > 0;
    return {
      state: this.#state,
      node: this.#node.url,
      height,
      nodeHeight,
      lag,
      blocksPerSecond: isCatchingUp ? this.#pace.blocksPerSecond : undefined,
      secondsLeft: isCatchingUp ? this.#pace.secondsFor(lag) : undefined,
      failures: this.#failures,
      problem: this.#problem,
      lastError: this.#lastError,
    };
  }

  /** Follows until `stop`. Starting twice has no further effect. */
  start(): void {
    if (this.#state === 'stopped' && !this.#isEnded) this.#begin();
  }

  /**
   * Interrupts following until `resume`, and waits for the block being ingested. No effect on a follower that is not
   * started or has ended.
   */
  async pause(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'paused';
    this.#problem = undefined;
    this.#halt.abort();
    await this.#running;
  }

  /** Continues after `pause`, and polls the node at once. No effect on a follower that is not paused. */
  resume(): void {
    if (this.#state === 'paused') this.#begin();
  }

  /** Ends after the block being ingested. Stopping twice is harmless. */
  async stop(): Promise<void> {
    this.#isEnded = true;
    this.#state = 'stopped';
    this.#halt.abort();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Starts rounds; earlier ones are over, or about to be. */
  #begin(): void {
    const before = this.#running;
    this.#halt = new AbortController();
    const { signal } = this.#halt;
    this.#state = 'following';
    this.#failuresInRow = 0;
    this.#running = (async () => {
      await before;
      await this.#run(signal);
    })();
  }

  #readHeight(): number | undefined {
    const { pending, confirmed } = this.#engine.bitcoin.status();
    const best = pending ?? confirmed;
    this.#height = best && Number(best.blockHeight);
    return this.#height;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#round(signal);
        if (signal.aborted) return;
        this.#recovered();
        await wait(this.#options.pollMilliseconds ?? BITCOIN_POLL_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        await wait(this.#failed(error), signal);
      }
    }
  }

  /** Ingests everything the node has beyond the fork. */
  async #round(signal: AbortSignal): Promise<void> {
    const height = await this.#node.blockCount(signal);
    this.#nodeHeight = height;
    const { next, parent: first } = await this.#fork(height, signal);
    let parent = first;
    this.#pace.begin(performance.now());
    for await (const block of readAhead(this.#node, { from: next, to: height, signal })) {
      if (parent === undefined) this.#assertHeight(block);
      else if (!(await this.#standsOn(block, parent, signal))) return;
      if (signal.aborted) return;
      await this.#engine.bitcoin.ingest(block.bytes, block.height);
      this.#readHeight();
      this.#pace.add(performance.now());
      this.#reportProgress();
      parent = block.hash;
    }
  }

  /**
   * Whether a block builds on the previous one. If not, the node has switched to another branch since, and the next
   * round finds where.
   * @throws {EngineError} `transport-failed` if the node still has both blocks, which is impossible
   */
  async #standsOn({ height, hash, bytes }: NodeBlock, parent: string, signal: AbortSignal): Promise<boolean> {
    const named = formatBitcoinHash(bytes.slice(4, 36));
    if (named === parent) return true;
    const below = await this.#node.blockHash(height - 1, signal);
    if (below !== parent || (await this.#node.blockHash(height, signal)) !== hash) return false;
    throw this.#wrong(
      `its block ${hash} at height ${height} stands on ${named}, but its block at height ${height - 1} is ${parent}`,
    );
  }

  /** A chain's first block has no parent to tell its height. */
  #assertHeight({ height, hash, bytes }: NodeBlock): void {
    if (mayStandAt(decodeBlock(bytes), height, this.#engine.bitcoin.network())) return;
    throw this.#wrong(`its block ${hash} at height ${height} names another height in its coinbase (BIP 34)`);
  }

  #wrong(what: string): EngineError {
    return new EngineError('transport-failed', `the Bitcoin node at ${this.#node.url}: ${what}`);
  }

  /** The highest block that the node's best chain and ours share. */
  async #fork(height: number, signal: AbortSignal): Promise<Fork> {
    const top = this.#readHeight();
    if (top === undefined) return { next: this.#options.from, parent: undefined };
    const highest = Math.min(top, height);
    let above: KnownBlock | undefined;
    for (let at = highest; ; at--) {
      const own = at < 0 ? undefined : this.#engine.bitcoin.block(at);
      // The first block stands on one that the chain does not have, and so may its competitor.
      const stands = own?.blockHash ?? above?.header.previousHash;
      const hash = at < 0 ? undefined : stands;
      if (hash !== undefined && (await this.#node.blockHash(at, signal)) === hash) {
        if (at < highest) this.#report('info', `the Bitcoin node left our branch above height ${at}`);
        return { next: at + 1, parent: hash };
      }
      if (own === undefined || own.isConfirmed) throw this.#noFork(at, height, own);
      above = own;
    }
  }

  /** Why a round cannot begin: the chains differ where ours has nothing that may be replaced. */
  #noFork(at: number, height: number, own: KnownBlock | undefined): EngineError {
    if (own === undefined && at === height) {
      return this.#wrong(`its best block is at height ${height}, below our first block; it may be catching up itself`);
    }
    const where =
      own === undefined
        ? 'below our first block: only a chain that begins lower can follow'
        : "where our blocks are confirmed: reorganisations go only as deep as the chain's reorganisationDepth";
    const message = `the Bitcoin node is on another branch since height ${at} or before, ${where}`;
    return new EngineError('not-supported', message);
  }

  /** Catching up may take days, so report progress. */
  #reportProgress(): void {
    const { height, nodeHeight, lag, blocksPerSecond, secondsLeft } = this.status;
    const now = performance.now();
    if (this.#progressReported === 0) this.#progressReported = now;
    const { reportMilliseconds = BITCOIN_REPORT_MS } = this.#options;
    if (blocksPerSecond === undefined || now - this.#progressReported < reportMilliseconds) return;
    this.#progressReported = now;
    const rate = blocksPerSecond < 10 ? blocksPerSecond.toFixed(1) : Math.round(blocksPerSecond);
    this.#report('info', `at height ${height} of ${nodeHeight}: ${lag} blocks left, ${rate}/s, ${secondsLeft} s left`);
  }

  #recovered(): void {
    if (this.#isReported) this.#report('info', `following ${this.#node.url} again`);
    this.#failuresInRow = 0;
    this.#isReported = false;
    this.#state = 'following';
    this.#problem = undefined;
  }

  /** Handles a failure; returns the milliseconds after which to try again. */
  #failed(error: unknown): number {
    const problem = messageOf(error);
    const { backoffMilliseconds: first = BITCOIN_BACKOFF_MS_MIN } = this.#options;
    const milliseconds = Math.min(first * 2 ** Math.min(this.#failuresInRow, DOUBLINGS_MAX), BITCOIN_BACKOFF_MS_MAX);
    this.#failuresInRow++;
    this.#failures++;
    this.#state = 'waiting';
    this.#problem = problem;
    this.#lastError = problem;
    if (this.#isNews(error)) {
      this.#isReported = true;
      this.#report('warning', `${problem}; asking again in ${milliseconds} ms`);
    }
    return milliseconds;
  }

  /** Whether to report a failure. The same failure may be worded differently each time, so its text is not its cause. */
  #isNews(error: unknown): boolean {
    const cause = error instanceof EngineError ? error.code : 'unforeseen';
    const now = performance.now();
    const before = this.#reported.get(cause);
    if (before !== undefined && now - before < (this.#options.reportMilliseconds ?? BITCOIN_REPORT_MS)) return false;
    this.#reported.set(cause, now);
    return true;
  }

  #report(level: 'info' | 'warning', message: string): void {
    this.#log({ level, message });
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** Blocks that a follower asks a Bitcoin node for at once: one on the wire while the node reads others. */
export const BITCOIN_READS_MAX = 4;
/** Blocks that a follower holds, including the one being ingested: small ones could otherwise pile up by the thousand. */
export const BITCOIN_BLOCKS_AHEAD_MAX = 64;
/** Bytes of those blocks: eight of the largest, so that as many as are read at once always find room. */
export const BITCOIN_READ_AHEAD_BYTES_MAX: number = 8 * BITCOIN_BLOCK_BYTES_MAX;

/** A block as received from the node. */
export interface NodeBlock {
  readonly height: number;
  /** In display order. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}

interface ReadAheadRange {
  readonly from: number;
  /** The last height. */
  readonly to: number;
  readonly signal: AbortSignal;
}

interface Read {
  /** Bytes it holds, or may come to hold. */
  bytes: number;
  isUnderWay: boolean;
  readonly block: Promise<NodeBlock>;
}

/**
 * The blocks of a range, read ahead of their ingestion, in height order. When the reader stops, reads in progress
 * are aborted and awaited.
 *
 * Several blocks are requested at once. The blocks held, including the one in the reader's hands, are limited in number
 * and bytes: a requested block counts as the largest possible until it has arrived. Nothing is requested beyond a block
 * that the node failed to deliver.
 */
export async function* readAhead(
  node: Pick<BitcoinNode, 'block' | 'blockHash'>,
  { from, to, signal }: ReadAheadRange,
): AsyncGenerator<NodeBlock, void> {
  const leaving = new AbortController();
  const given = AbortSignal.any([signal, leaving.signal]);
  const reads: Read[] = [];
  let next = from;
  let hasFailed = false;

  function hasRoom(): boolean {
    const held = reads.reduce((sum, { bytes }) => sum + bytes, 0);
    const underWay = reads.filter(({ isUnderWay }) => isUnderWay).length;
    return (
      underWay < BITCOIN_READS_MAX &&
      reads.length < BITCOIN_BLOCKS_AHEAD_MAX &&
      held + BITCOIN_BLOCK_BYTES_MAX <= BITCOIN_READ_AHEAD_BYTES_MAX
    );
  }

  function begin(): void {
    while (next <= to && !hasFailed && !given.aborted && hasRoom()) {
      const read: Read = { bytes: BITCOIN_BLOCK_BYTES_MAX, isUnderWay: true, block: blockAt(node, next++, given) };
      reads.push(read);
      read.block.then(
        ({ bytes }) => {
          read.bytes = bytes.length;
          read.isUnderWay = false;
          begin();
        },
        () => {
          hasFailed = true;
        },
      );
    }
  }

  try {
    begin();
    for (let read = reads[0]; read !== undefined; read = reads[0]) {
      yield await read.block;
      reads.shift();
      begin();
    }
  } finally {
    leaving.abort();
    await Promise.allSettled(reads.map(({ block }) => block));
  }
}

async function blockAt(
  node: Pick<BitcoinNode, 'block' | 'blockHash'>,
  height: number,
  signal: AbortSignal,
): Promise<NodeBlock> {
  const hash = await node.blockHash(height, signal);
  return { height, hash, bytes: await node.block(hash, signal) };
}
