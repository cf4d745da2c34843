/**
 * The seam of the commit log: one writer appends, any number of readers follow.
 *
 * A log holds one record for each commit after genesis, in the order of the commits. It never loses a record that it has
 * acknowledged, and a writer that was superseded can append nothing more. Everything above this file sees only `CommitLog`.
 *
 * Invariants of every log; `compliance/` tests them on the logs here and on those of other authors:
 * - Orders begin at 1 and have no gaps. Each order has one record, which never changes.
 * - `append` adds all of its records or none, after the head that its caller names, and resolves when they are durable.
 * - `takeOver` begins an epoch. From then on, every append of an earlier epoch fails with `fenced`, or with `log-unknown`
 *   if its records were already on their way; `head` then says whether they are in.
 * - Safety depends only on the comparison of the head in `append`: no lock, no lease, no clock.
 * - What was pruned is a run of orders from the beginning; everything after it stays, the newest record always.
 *
 * Kinds: `DirectoryLog` (directory-log.ts, segment files on one machine), `PostgresLog` (postgres-log.ts).
 * @module
 */
import { EngineError } from '../error.ts';
import type { LogHead } from './log-head.ts';

/** One record and its position. */
export interface LogRecord {
  readonly order: bigint;
  /** The epoch of the writer that appended it. */
  readonly epoch: bigint;
  /** The record itself: the BCS of a `CommitRecord`. */
  readonly bytes: Uint8Array;
}

/** How much of a log is read, and what ends the reading. */
export interface ReadOptions {
  /** The most records to read. Default: all of them. */
  readonly max?: number | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

/** Keeps commits before any store has them. */
export interface CommitLog {
  /**
   * Begins a new epoch: every older writer is fenced from now on.
   * @returns the head after which this writer appends
   * @throws {EngineError} `log-failed`, `corrupt`, `closed`.
   */
  takeOver(): Promise<LogHead>;

  /**
   * The newest durable record; order 0 if there is none. After an append failed with `log-unknown`, the head says whether
   * the records are in; if they are not, the same ones may be appended again, and no others.
   * @throws {EngineError} `log-failed`, `corrupt`, `closed`.
   */
  head(): Promise<LogHead>;

  /**
   * Appends records after `after`, the head that `takeOver` or the last append returned.
   * @returns the new head, once the records are durable
   * @throws {EngineError} `fenced` if the log has a different head or epoch than `after`: none of the records is in;
   * `log-failed`: none is in; `log-unknown`: all or none are in, and `head` must be called before anything else;
   * `invalid-argument` for records that do not follow `after`, or before `takeOver`; `limit-exceeded`; `closed`.
   */
  append(after: LogHead, records: readonly Uint8Array[]): Promise<LogHead>;

  /**
   * The durable records from `fromOrder` on, in order, up to the present end of the log.
   * @throws {EngineError} `pruned` for an order before the first that the log holds, which is in its details as `oldest`;
   * `corrupt` for a record that is damaged or missing, `log-failed`, `closed`.
   */
  read(fromOrder: bigint, options?: ReadOptions): AsyncIterable<LogRecord>;

  /**
   * Yields when there may be new records, and every LOG_POLL_MS anyway, until `signal` aborts. This is only a hint: after a
   * missed one, the records are found at the next.
   */
  changed(signal: AbortSignal): AsyncIterable<void>;

  /**
   * Deletes records of orders before `beforeOrder`, oldest first, and never the newest record. A log may keep some of them:
   * one in segments deletes whole segments. Before you prune, archive: nodes that are behind need what is deleted here.
   * @throws {EngineError} `log-failed`, `invalid-argument`, `closed`. Pruning that was interrupted can be repeated.
   */
  prune(beforeOrder: bigint): Promise<void>;

  /** Frees everything. Closing twice is harmless. */
  close(): Promise<void>;
}

/** The error of reading an order that was pruned; `oldest` is the first order that is left. */
export function prunedRecord(order: bigint, oldest: bigint): EngineError {
  return new EngineError(
    'pruned',
    `the commit log begins at order ${oldest} and does not hold order ${order}: begin with an archive or a newer dump`,
    { details: { order: String(order), oldest: String(oldest) } },
  );
}
