/**
 * Follows a Bitcoin node: fetches and ingests the blocks that the chain does not have yet, in rounds.
 *
 * The node's best chain counts. Each round finds the highest block that both have, going back over blocks that the node
 * has abandoned, and ingests from there up, which replaces the other branch. It waits between rounds, longer each time
 * while the node does not answer or a block is refused, up to a maximum.
 *
 * The engine knows its follower, so `engine.status().follower` shows its progress. Invariants: one round at a time;
 * after `stop` nothing is fetched or ingested. Progress is only in the engine's state, so a follower can be stopped at
 * any point and another one continues.
 * Source: crates/rooch-relayer of the reference.
 * @module
 */
import { A_FUNCTION, assertFits, assertMethods, assertOptions, type Expectation, wholeNumber } from '../argument.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import { BITCOIN_BACKOFF_MS_MAX, BITCOIN_BACKOFF_MS_MIN, BITCOIN_POLL_MS, BITCOIN_REPORT_MS } from '../config.ts';
import type { Engine } from '../engine.ts';
import { EngineError } from '../error.ts';
import { type Log, SILENT_LOG } from '../log.ts';
import type { FollowerStatus } from '../query/status.ts';
import type { BitcoinNode } from './bitcoin-node.ts';

/** Where to begin, and how often to ask the node. */
export interface FollowerOptions {
  /** Height of the first block, for a chain that has none. */
  readonly from: number;
  /** Milliseconds between two checks for a new block. Default: BITCOIN_POLL_MS. */
  readonly pollMilliseconds?: number | undefined;
  /** Milliseconds to wait after a failure; doubled with each. Default: BITCOIN_BACKOFF_MS_MIN. */
  readonly backoffMilliseconds?: number | undefined;
  /** Milliseconds within which the same cause of failure is reported only once. Default: BITCOIN_REPORT_MS. */
  readonly reportMilliseconds?: number | undefined;
  readonly log?: Log | undefined;
}

const OPTIONS: Readonly<Record<keyof FollowerOptions, Expectation>> = {
  from: wholeNumber(0),
  pollMilliseconds: wholeNumber(0),
  backoffMilliseconds: wholeNumber(0),
  reportMilliseconds: wholeNumber(0),
  log: A_FUNCTION,
};

/** What a follower needs from an engine. */
export type FollowedEngine = Pick<Engine, 'attachFollower' | 'bitcoin' | 'ingest'>;

/** Where the node's chain and ours part. */
interface Fork {
  /** The height of the first block to fetch. */
  readonly next: number;
  /** The hash of the block below it, in display order; undefined at the beginning of the chain. */
  readonly parent: string | undefined;
}

/** Follows one Bitcoin node for one engine; `stop` (or `await using`) ends it. */
export class Follower implements AsyncDisposable {
  readonly #engine: FollowedEngine;
  readonly #node: BitcoinNode;
  readonly #options: FollowerOptions;
  readonly #log: Log;
  readonly #stopping: AbortController = new AbortController();
  #running: Promise<void> | undefined;
  #state: FollowerStatus['state'] = 'stopped';
  /** The height of our newest block. */
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

  constructor(engine: FollowedEngine, node: BitcoinNode, options: FollowerOptions) {
    assertMethods(engine, 'engine', 'an engine', ['attachFollower', 'ingest']);
    assertMethods(node, 'node', 'a BitcoinNode', ['blockCount', 'blockHash', 'block']);
    assertOptions(options, OPTIONS);
    assertFits(options.from, 'from', OPTIONS.from);
    this.#engine = engine;
    this.#node = node;
    this.#options = options;
    this.#log = options.log ?? SILENT_LOG;
    this.#readHeight();
    engine.attachFollower(this);
  }

  /** Its progress. */
  get status(): FollowerStatus {
    const height = this.#height;
    const nodeHeight = this.#nodeHeight;
    return {
      state: this.#state,
      node: this.#node.url,
      height,
      nodeHeight,
      lag: nodeHeight === undefined ? undefined : Math.max(0, nodeHeight - (height ?? this.#options.from - 1)),
      failures: this.#failures,
      problem: this.#problem,
      lastError: this.#lastError,
    };
  }

  /** Follows until `stop`. Starting twice has no further effect. */
  start(): void {
    if (this.#running !== undefined || this.#isStopping) return;
    this.#state = 'following';
    this.#running = this.#run();
  }

  /** Ends after the block that is being ingested. Stopping twice is harmless. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#state = 'stopped';
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #readHeight(): number | undefined {
    const { pending, confirmed } = this.#engine.bitcoin.status();
    const best = pending ?? confirmed;
    this.#height = best && Number(best.blockHeight);
    return this.#height;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#round();
        this.#recovered();
        await this.#wait(this.#options.pollMilliseconds ?? BITCOIN_POLL_MS);
      } catch (error) {
        if (this.#isStopping) return;
        await this.#failed(error);
      }
    }
  }

  /** Ingests everything that the node has beyond the fork. */
  async #round(): Promise<void> {
    const signal = this.#stopping.signal;
    const height = await this.#node.blockCount(signal);
    this.#nodeHeight = height;
    let { next, parent } = await this.#fork(height);
    for (; next <= height && !this.#isStopping; next++) {
      const hash = await this.#node.blockHash(next, signal);
      const block = await this.#node.block(hash, signal);
      // The node has switched to another branch since: the next round finds where.
      if (parent !== undefined && formatBitcoinHash(block.slice(4, 36)) !== parent) return;
      await this.#engine.ingest(block, next);
      this.#readHeight();
      parent = hash;
    }
  }

  /** The highest block that the node's best chain and ours share. */
  async #fork(height: number): Promise<Fork> {
    const top = this.#readHeight();
    if (top === undefined) return { next: this.#options.from, parent: undefined };
    for (let at = Math.min(top, height); ; at--) {
      const own = at < 0 ? undefined : this.#engine.bitcoin.block(at);
      const hash = own === undefined ? undefined : formatBitcoinHash(own.blockHash);
      if (hash !== undefined && (await this.#node.blockHash(at, this.#stopping.signal)) === hash) {
        if (at < Math.min(top, height)) this.#report('info', `the Bitcoin node left our branch above height ${at}`);
        return { next: at + 1, parent: hash };
      }
      if (own === undefined || own.isConfirmed) {
        throw new EngineError(
          'not-supported',
          `the Bitcoin node is on another branch since height ${at} or before, where our blocks are confirmed: reorganisations go only as deep as the chain's reorganisationDepth`,
        );
      }
    }
  }

  #recovered(): void {
    if (this.#isReported) this.#report('info', `following ${this.#node.url} again`);
    this.#failuresInRow = 0;
    this.#isReported = false;
    this.#state = 'following';
    this.#problem = undefined;
  }

  async #failed(error: unknown): Promise<void> {
    const problem = error instanceof Error ? error.message : String(error);
    const { backoffMilliseconds: first = BITCOIN_BACKOFF_MS_MIN } = this.#options;
    const wait = Math.min(first * 2 ** this.#failuresInRow, BITCOIN_BACKOFF_MS_MAX);
    this.#failuresInRow++;
    this.#failures++;
    this.#state = 'waiting';
    this.#problem = problem;
    this.#lastError = problem;
    if (this.#isNews(error)) {
      this.#isReported = true;
      this.#report('warning', `${problem}; asking again in ${wait} ms`);
    }
    await this.#wait(wait);
  }

  /**
   * Whether to report a failure. A node may word the same failure differently each time, so its text does not identify
   * the cause.
   */
  #isNews(error: unknown): boolean {
    const cause = error instanceof EngineError ? error.code : 'unforeseen';
    const now = performance.now();
    const before = this.#reported.get(cause);
    if (before !== undefined && now - before < (this.#options.reportMilliseconds ?? BITCOIN_REPORT_MS)) return false;
    this.#reported.set(cause, now);
    return true;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #report(level: 'info' | 'warning', message: string): void {
    this.#log({ level, message });
  }

  #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping;
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
}
