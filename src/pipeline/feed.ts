/**
 * The feed tells everyone but the submitter which commits were installed, that the chain was reverted, and that the
 * engine was closed.
 *
 * The writer calls it after the new head is installed and readable, and before the submitters' promises resolve: when a
 * receipt arrives, listeners have already been told. It costs one comparison while nobody listens. Subscriptions,
 * inspectors and the commit log use nothing else.
 *
 * A notice says what a transaction did not do because a bound of the engine was reached, when stopping the chain would
 * be worse. It goes into the log and comes with the commit in the feed; it is not stored.
 * @module
 */

import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { messageOf } from '../base/error.ts';
import { type Log, type LogEntry, SILENT_LOG } from '../base/log.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { TransactionRecord } from '../chain/ledger/transactions.ts';
import type { TraceValue } from '../execution/trace/kept-value.ts';
import type { Commit } from './commit.ts';

/** Inscriptions of a Bitcoin transaction that were not created or not moved (bitcoin/inscription-updater.ts). */
export interface InscriptionsLeftOut {
  readonly kind: 'inscriptions-left-out';
  readonly blockHash: string;
  readonly txid: string;
  readonly count: number;
}

/** What `engine.on('notice')` reports: something that the operator should know and that is in no answer. */
export type Notice = InscriptionsLeftOut;

/** The notice that inscriptions were left out; the hashes are in internal order. */
export function leftOutNotice(of: {
  readonly blockHash: Uint8Array;
  readonly txid: Uint8Array;
  readonly count: number;
}): Notice {
  const [blockHash, txid] = [formatBitcoinHash(of.blockHash), formatBitcoinHash(of.txid)];
  return { kind: 'inscriptions-left-out', blockHash, txid, count: of.count };
}

/** The log entry for a notice. */
function noticeEntry({ kind, blockHash, txid, count }: Notice): LogEntry {
  return {
    level: 'warning',
    message: `${count} inscriptions of the Bitcoin transaction ${txid} exceed what one transaction or block may make and move (TRANSACTION_INSCRIPTION_BYTES_MAX, BLOCK_INSCRIPTION_BYTES_MAX): new ones were not made, others stay at their last place; the chain goes on`,
    details: { kind, blockHash, txid, count },
  };
}

/** The chain has another head. */
export type HeadMessage = { readonly kind: 'commits'; readonly commits: readonly Commit[] } | Reverted;

export type FeedMessage = HeadMessage | Closed;

/** The chain went back, or forward, to a snapshot. */
export interface Reverted {
  readonly kind: 'reverted';
  readonly head: Head;
  /** The last order whose transaction is the same as before: a snapshot may be of another branch, as long or longer. */
  readonly sharedOrder: bigint;
}

/** There will be no further message. */
interface Closed {
  readonly kind: 'closed';
}

export type FeedListener = (message: FeedMessage) => void;

/** Told of the commits of every chain of this thread: the gas of tests. */
let observer: ((commits: readonly Commit[]) => void) | undefined;

/** From now on, `observe` is called with all commits of this thread, before the listeners of their chains. */
export function observeCommits(observe: (commits: readonly Commit[]) => void): void {
  observer = observe;
}

export class Feed {
  readonly #listeners = new Set<FeedListener>();
  readonly #log: Log;
  /** How many calls of listeners have thrown. */
  #failures = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Calls `listener` with every message from now on, until the returned function is called. */
  listen(listener: FeedListener): () => void {
    // A new function each time, so the same listener can be added twice.
    const own: FeedListener = (message) => listener(message);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Tells all listeners. */
  tell(message: FeedMessage): void {
    if (message.kind === 'commits') {
      this.#logNotices(message.commits);
      observer?.(message.commits);
    }
    if (this.#listeners.size === 0) return;
    // One that another one has stopped is not told any more.
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) this.call(listener, message);
  }

  /** Tells all listeners, once, that nothing further comes, and forgets them. */
  close(): void {
    this.tell({ kind: 'closed' });
    this.#listeners.clear();
  }

  /**
   * Calls a listener. One that throws, or whose promise is rejected, is reported, and the others are called: to the log,
   * or, where the program has none, as an uncaught exception, as a listener of an `EventTarget` is.
   */
  call<T>(listener: (value: T) => unknown, value: T): void {
    try {
      const given = listener(value);
      if (given instanceof Promise) given.catch((error) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#failures++;
    if (this.#log === SILENT_LOG) {
      queueMicrotask(() => {
        throw error;
      });
      return;
    }
    this.#log({
      level: 'error',
      message: `a listener of the feed threw: ${messageOf(error)}; the chain goes on`,
      details: { failures: this.#failures },
    });
  }

  #logNotices(commits: readonly Commit[]): void {
    for (const { notices, record, prints = [] } of commits) {
      for (const notice of notices) this.#log(noticeEntry(notice));
      for (const printed of prints) this.#log(printEntry(record, printed));
    }
  }
}

/** An entry for each value that Move code printed, once the transaction is committed, even if it failed. */
function printEntry({ order, executionInfo }: TransactionRecord, printed: TraceValue): LogEntry {
  const details = { order, txHash: toHexPrefixed(executionInfo.txHash) };
  return { level: 'info', message: `the transaction at order ${order} printed ${printed}`, details };
}
