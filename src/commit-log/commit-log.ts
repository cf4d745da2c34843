/**
 * The seam of the commit log: one writer appends, any number of readers follow.
 *
 * A log holds one record for each commit after genesis, in the order of the commits. What it has acknowledged it never
 * loses, and a writer that was superseded appends nothing more. Everything above this file sees only `CommitLog`.
 *
 * Invariants that every log keeps, and that `compliance/` runs against each of them and against those of others:
 * - Orders begin at 1 and have no gap. Of each order there is one record, and it never changes.
 * - `append` takes all of its records or none, on the head that its caller names, and resolves when they are durable.
 * - `takeOver` begins an epoch. From then on every append of an earlier epoch fails with `fenced`, or with `log-unknown`
 *   where its records had left before; `head` then says which.
 * - Safety rests on the comparison of the head in `append` and on nothing else: no lock, no lease, no clock.
 *
 * Kinds: `DirectoryLog` (directory-log.ts, segment files on one machine), `PostgresLog` (postgres-log.ts).
 * @module
 */
import type { LogHead } from './log-head.ts';

/** One record with its place. */
export interface LogRecord {
  readonly order: bigint;
  /** The epoch of the writer that appended it. */
  readonly epoch: bigint;
  /** The record itself: the BCS of a `CommitRecord`. */
  readonly bytes: Uint8Array;
}

/** How much of a log is read, and until when. */
export interface ReadOptions {
  /** Records at most. Default: all that there are. */
  readonly max?: number | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

/** Where commits are kept before any store has them. */
export interface CommitLog {
  /**
   * Begins a new epoch: every older writer is fenced from now on.
   * @returns the head that this writer appends after
   * @throws {EngineError} `log-failed`, `corrupt`, `closed`.
   */
  takeOver(): Promise<LogHead>;

  /**
   * The newest durable record; order 0, before any. After an append of this log failed with `log-unknown`, it says
   * whether the records are in; where they are not, the same ones may be appended once more, and no others.
   * @throws {EngineError} `log-failed`, `corrupt`, `closed`.
   */
  head(): Promise<LogHead>;

  /**
   * Appends records behind `after`, which is the head that `takeOver` or the last append gave.
   * @returns the new head, once the records are durable
   * @throws {EngineError} `fenced` where the log has another head or epoch than `after`: none of the records is in;
   * `log-failed`: none is in; `log-unknown`: all or none are in, and nothing else may happen before `head` was asked;
   * `invalid-argument` for records that do not follow `after`, or before `takeOver`; `limit-exceeded`; `closed`.
   */
  append(after: LogHead, records: readonly Uint8Array[]): Promise<LogHead>;

  /**
   * The durable records from `fromOrder` on, in order, as far as they go now.
   * @throws {EngineError} `corrupt` for a record that is damaged or missing, `log-failed`, `closed`.
   */
  read(fromOrder: bigint, options?: ReadOptions): AsyncIterable<LogRecord>;

  /**
   * Yields when there may be new records, and every LOG_POLL_MS anyway, until `signal` aborts. A hint: whoever misses
   * one finds the records after the next.
   */
  changed(signal: AbortSignal): AsyncIterable<void>;

  /** Frees everything. Closing twice is harmless. */
  close(): Promise<void>;
}

const METHODS = ['takeOver', 'head', 'append', 'read', 'changed', 'close'] as const;

/** Whether a value has the members of a commit log. */
export function isCommitLog(given: unknown): given is CommitLog {
  return METHODS.every((name) => typeof (given as Record<string, unknown> | null | undefined)?.[name] === 'function');
}
