/**
 * The feed reports commits, reverts and the closing of the engine to everyone but the submitter.
 *
 * The writer calls it after the new head is installed and readable, and before the submitters' promises resolve: when a
 * receipt arrives, listeners have already been told. It costs one comparison without listeners. Subscriptions,
 * inspectors and the commit log use nothing else.
 *
 * A notice reports something that a transaction left undone because a bound of the engine was reached, where stopping
 * the chain would be worse. It goes into the log and, with its commit, to the feed; it is not stored.
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

/** Reported by `engine.on('notice')`: something that the operator should know and that no answer contains. */
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

/** Observer of the commits of all chains of this thread, for the gas of tests. */
let observer: ((commits: readonly Commit[]) => void) | undefined;

/** Calls `observe` with all commits of this thread from now on, before the listeners of their chains. */
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

  tell(message: FeedMessage): void {
    if (message.kind === 'commits') {
      this.#logNotices(message.commits);
      observer?.(message.commits);
    }
    if (this.#listeners.size === 0) return;
    // One listener may have stopped another.
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) this.call(listener, message);
  }

  /** Tells all listeners that no further message comes, and removes them. */
  close(): void {
    this.tell({ kind: 'closed' });
    this.#listeners.clear();
  }

  /**
   * Calls a listener. If it throws, or its promise rejects, the error goes to the log; without a log it becomes an
   * uncaught exception, as with an `EventTarget`. The other listeners are called.
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
