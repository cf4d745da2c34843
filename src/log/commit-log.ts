/**
 * The interface of the commit log: one writer appends, any number of readers follow.
 *
 * A log holds one record for each commit after genesis, in commit order. It never loses a record it has acknowledged,
 * and a superseded writer can append nothing more. Everything above this file sees only `CommitLog`.
 *
 * Invariants of every log, which `compliance/` checks for these and for third-party logs:
 * - Orders begin at 1 and have no gaps. Each order has one record, which never changes.
 * - `append` adds all of its records or none, after the head named by its caller, and resolves when they are durable.
 * - `takeOver` begins an epoch. From then on, every append of an earlier epoch fails with `fenced`, or with `log-unknown`
 *   if its records were already on their way; `head` then says whether they are in.
 * - Safety depends only on comparing the head in `append`: no lock, no lease, no clock.
 * - Every call ends in bounded time, with `log-failed` or `log-unknown` if the log does not answer. Only then does an engine
 *   know of an outage; and closing it waits for the call.
 * - Pruning removes a run of orders from the beginning; everything after it stays, and always the newest record.
 *
 * Kinds: `DirectoryLog` (directory-log.ts, segment files on one machine), `PostgresLog` (postgres.ts).
 * @module
 */

import {
  A_U64,
  assertBytes,
  assertFits,
  assertObject,
  assertOptions,
  type Expectation,
  eachOf,
  wholeNumber,
} from '../base/argument.ts';
import { bytes32, type Codec, struct, u64 } from '../base/bcs.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { WRITER_GROUP_COMMITS_MAX } from '../base/config.ts';
import { EngineError, messageOf } from '../base/error.ts';

/** The newest record of a log: what an append names and returns. */
export interface LogHead {
  /** The newest epoch; 0 before the first take-over. */
  readonly epoch: bigint;
  /** Order of the newest record; 0 if there is none. */
  readonly order: bigint;
  /** Digest of the newest record; zeros if there is none. */
  readonly digest: Uint8Array;
  /** The state root after the newest record; zeros if there is none. */
  readonly stateRoot: Uint8Array;
}

export const logHead: Codec<LogHead> = struct<LogHead>({
  epoch: u64,
  order: u64,
  digest: bytes32,
  stateRoot: bytes32,
});

/** The head of a log that holds nothing. */
export function emptyLogHead(): LogHead {
  return { epoch: 0n, order: 0n, digest: new Uint8Array(32), stateRoot: new Uint8Array(32) };
}

/** Whether two heads have the same epoch and the same newest record. */
export function equalLogHeads(left: LogHead, right: LogHead): boolean {
  return left.epoch === right.epoch && isSameRecord(left, right);
}

/** Whether two heads have the same newest record; their epochs may differ. */
export function isSameRecord(left: LogHead, right: LogHead): boolean {
  return left.order === right.order && equalBytes(left.digest, right.digest);
}

/** Milliseconds after which a log is checked without a hint: how far a reader lags if no hint gets through. */
export const LOG_POLL_MS = 250;

/** Records that are read from a log at a time: one group of the writer. */
export const LOG_READ_RECORDS: number = WRITER_GROUP_COMMITS_MAX;

/** One record and its position. */
export interface LogRecord {
  readonly order: bigint;
  /** The epoch of the writer that appended it. */
  readonly epoch: bigint;
  /** The record itself: the BCS of a `CommitRecord`. */
  readonly bytes: Uint8Array;
}

/** How much of a log to read, and what ends the read. */
export interface ReadOptions {
  /** Maximum number of records to read. Default: all of them. */
  readonly max?: number | undefined;
  /** Ends the read. */
  readonly signal?: AbortSignal | undefined;
}

/** Keeps commits before any store has them. */
export interface CommitLog {
  /**
   * Begins a new epoch: from now on every older writer is fenced.
   * @returns the head after which this writer appends
   * @throws {EngineError} `log-failed`, `corrupt`, `closed`.
   */
  takeOver(): Promise<LogHead>;

  /**
   * The newest durable record; order 0 if there is none. After an append failed with `log-unknown`, the head says
   * whether the records are in; if they are not, the same ones, and no others, may be appended again.
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
   * @throws {EngineError} `pruned` for an order before the first the log holds, which is in the error's details as
   * `oldest`; `corrupt` for a record that is damaged or missing, `log-failed`, `closed`.
   */
  read(fromOrder: bigint, options?: ReadOptions): AsyncIterable<LogRecord>;

  /**
   * Yields when there may be new records, and every LOG_POLL_MS anyway, until `signal` aborts. This is only a hint: if
   * one is missed, the records are found at the next.
   */
  changed(signal: AbortSignal): AsyncIterable<void>;

  /**
   * Deletes records of orders before `beforeOrder`, oldest first, and never the newest record. A log may keep some of
   * them: one made of segments deletes whole segments. Archive before you prune: nodes that are behind need what is
   * deleted here.
   * @throws {EngineError} `log-failed`, `invalid-argument`, `closed`. Interrupted pruning can be repeated.
   */
  prune(beforeOrder: bigint): Promise<void>;

  /** Frees everything. Closing twice is harmless. */
  close(): Promise<void>;
}

/** The error for a pruned order; `oldest` is the first order left. */
export function prunedRecord(order: bigint, oldest: bigint): EngineError {
  return new EngineError(
    'pruned',
    `the commit log begins at order ${oldest} and does not hold order ${order}: begin with an archive or a newer dump`,
    { details: { order: String(order), oldest: String(oldest) } },
  );
}

/** The error for an append after another writer took over from that of `head`. */
export function fenced({ epoch }: LogHead): EngineError {
  const message = `another writer took over the log from that of epoch ${epoch}: nothing was appended`;
  return new EngineError('fenced', message, { details: { epoch: String(epoch) } });
}

/** The error for a record that a log should hold. */
export function missingRecord(order: bigint): EngineError {
  return new EngineError('corrupt', `the log should hold a record of order ${order}, and it is missing or damaged`, {
    details: { order: String(order) },
  });
}

/** Turns an error into one of the log; errors of the engine stay as they are. */
export function failed(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  return new EngineError('log-failed', `the log could not do what was asked: ${messageOf(error)}`, { cause: error });
}

const A_SIGNAL: Expectation = ['an AbortSignal', (value) => value instanceof AbortSignal];
const READ_OPTIONS = { max: wholeNumber(0), signal: A_SIGNAL };

/** @throws {EngineError} `invalid-argument` */
export function assertAppend(after: LogHead, records: readonly Uint8Array[]): void {
  assertObject(after, 'after', 'the head of a log');
  assertFits(after.epoch, 'after.epoch', A_U64);
  assertFits(after.order, 'after.order', A_U64);
  assertBytes(after.digest, 'after.digest', 32);
  assertBytes(after.stateRoot, 'after.stateRoot', 32);
  for (const [index, record] of eachOf(records, 'records', (item) => item).entries()) {
    assertBytes(record, `records[${index}]`);
  }
}

/** @throws {EngineError} `invalid-argument` */
export function assertRead(fromOrder: bigint, options: ReadOptions): void {
  assertFits(fromOrder, 'fromOrder', A_U64);
  assertOptions(options, READ_OPTIONS);
}

/** @throws {EngineError} `invalid-argument` */
export function assertPrune(beforeOrder: bigint): void {
  assertFits(beforeOrder, 'beforeOrder', A_U64);
}

/** @throws {EngineError} `invalid-argument` */
export function assertSignal(signal: AbortSignal): void {
  assertFits(signal, 'signal', A_SIGNAL);
}

/** Waits for a hint or for some time, whichever comes first. Hints that arrive between two waits count as one. */
export class Hints {
  #wake: (() => void) | undefined;
  #isHinted = true;

  /** Ends the current wait, or the next one. */
  readonly hint = (): void => {
    this.#isHinted = true;
    this.#wake?.();
  };

  /** Yields at once, then after each call of `hint`, and every `milliseconds` anyway, until `signal` aborts. */
  async *until(signal: AbortSignal, milliseconds: number): AsyncGenerator<void, void, undefined> {
    signal.addEventListener('abort', this.hint);
    try {
      while (!signal.aborted) {
        if (!this.#isHinted) await this.#wait(milliseconds);
        this.#isHinted = false;
        if (!signal.aborted) yield;
      }
    } finally {
      signal.removeEventListener('abort', this.hint);
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
