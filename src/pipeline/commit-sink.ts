/**
 * Where commits are kept before the store has them, such as a log that others follow, and what callers are told during
 * its outage.
 * @module
 */
import { EngineError } from '../base/error.ts';
import type { Commit } from './commit.ts';
import type { Turn } from './turn.ts';
import type { WaitingQueue } from './waiting-queue.ts';

/** Keeps commits before the store has them: a log that others follow. */
export interface CommitSink {
  /**
   * Resolves when all of the commits are safe, in order.
   * @param onOutage called if that takes too long for callers to wait
   * @throws {EngineError} why they are not; after that the writer stops writing, since it does not know whether the log
   * has them.
   */
  append(commits: readonly Commit[], onOutage: (error: EngineError) => void): Promise<void>;
}

/**
 * The writer's side of a sink. During its outage new turns are refused, turns that have not begun are ended, and
 * callers of the others are told that their outcome is unknown.
 */
export class SinkKeeper {
  readonly #sink: CommitSink | undefined;
  readonly #queue: WaitingQueue;
  #outage: EngineError | undefined;

  /** @param sink Default: nothing is kept, since only the store gets commits. */
  constructor(sink: CommitSink | undefined, queue: WaitingQueue) {
    this.#sink = sink;
    this.#queue = queue;
  }

  /** Whether commits must be kept before they are written. */
  get isNeeded(): boolean {
    return this.#sink !== undefined;
  }

  /** Why turns are refused for now. */
  get outage(): EngineError | undefined {
    return this.#outage;
  }

  /**
   * Passes commits to the sink.
   * @param turns those of the commits
   */
  async keep(commits: readonly Commit[], turns: () => Iterable<Turn>): Promise<void> {
    if (this.#sink === undefined) return;
    try {
      await this.#sink.append(commits, (error) => this.#suspend(turns(), error));
    } finally {
      this.#outage = undefined;
    }
  }

  #suspend(turns: Iterable<Turn>, cause: EngineError): void {
    this.#outage = new EngineError(
      'log-failed',
      `the commit log does not answer, so nothing was done; this node goes on trying: ${cause.message}`,
      { cause },
    );
    const doubt = new EngineError(
      'log-unknown',
      `the commit log does not answer: the transaction may or may not be in it; look it up by its hash later (${cause.message})`,
      { cause },
    );
    const begun = new Set([...turns, ...this.#queue.endUnbegun(this.#outage)]);
    for (const turn of begun) turn.doubted?.(doubt);
  }
}
