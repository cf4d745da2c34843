/**
 * Listeners of an engine, on its feed.
 * @module
 */

import { argumentError } from './argument.ts';
import type { Head } from './ledger/head.ts';
import type { Commit } from './pipeline/commit.ts';
import type { FeedListener } from './pipeline/feed.ts';
import type { EventFilter } from './query/event.ts';
import { eventListener, transactionListener } from './query/live.ts';
import type { ReaderSource } from './query/reader.ts';
import { headValue } from './query/status.ts';
import type { TransactionFilter } from './query/transaction.ts';

/** What `on('head')` reports. */
export interface HeadChange {
  /** The head after the commits that were written, or after the revert. */
  readonly head: Head;
  /** Whether the chain went to a snapshot, after which orders are reused. */
  readonly isReverted: boolean;
  /** Where it went to a snapshot: the last order whose transaction is the same as before. */
  readonly sharedOrder?: bigint | undefined;
}

/** What a listener may listen to. */
export type ListenerKind = 'transaction' | 'event' | 'head' | 'notice';

/**
 * What the feed calls for a listener of `Engine.on`, where listeners are documented.
 * @throws {EngineError} `invalid-argument`
 */
export function feedListener(
  source: ReaderSource,
  kind: ListenerKind,
  listener: (value: never) => void,
  filter: TransactionFilter | EventFilter | undefined,
): FeedListener {
  if (typeof listener !== 'function') throw argumentError('listener', 'a function', listener);
  const tell = listener as (value: unknown) => void;
  switch (kind) {
    case 'transaction':
      return forCommits(transactionListener(tell, filter as TransactionFilter | undefined));
    case 'event':
      return forCommits(eventListener(source, tell, filter as EventFilter | undefined));
    case 'head':
      return (message) => {
        const isReverted = message.kind === 'reverted';
        const head = isReverted ? message.head : message.commits.at(-1)?.head;
        const shared = isReverted ? { sharedOrder: message.sharedOrder } : {};
        if (head !== undefined) tell({ head: headValue(head), isReverted, ...shared } satisfies HeadChange);
      };
    case 'notice':
      return forCommits(({ notices }) => {
        for (const notice of notices) tell(notice);
      });
    default:
      throw argumentError('kind', "'transaction', 'event', 'head' or 'notice'", kind);
  }
}

function forCommits(tell: (commit: Commit) => void): FeedListener {
  return (message) => {
    if (message.kind === 'commits') for (const commit of message.commits) tell(commit);
  };
}
