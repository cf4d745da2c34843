/**
 * Listeners of an engine, on its feed.
 * @module
 */

import { argumentError } from '../base/argument.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { Feed, FeedListener, FeedMessage } from '../pipeline/feed.ts';
import { type EventFilter, eventMatcher } from '../query/event.ts';
import { Decoder, type ReaderSource } from '../query/reader.ts';
import { type TransactionFilter, transactionMatcher } from '../query/transaction.ts';
import { type FoundEvent, HeadValue, IndexedEvent, TransactionValue } from '../query/values.ts';

/** What `on('head')` reports. */
export interface HeadChange {
  /** The head after the commits that were written, or after the revert. */
  readonly head: HeadValue;
  /** Whether the chain went to a snapshot, after which orders are reused. */
  readonly isReverted: boolean;
  /** The last order whose transaction is the same as before: later ones are new, different or gone. */
  readonly sharedOrder: bigint;
}

/** What a listener may listen to. */
export type ListenerKind = 'transaction' | 'event' | 'head' | 'notice' | 'closed';

const WITHOUT_FILTER: readonly ListenerKind[] = ['head', 'notice', 'closed'];

/**
 * Adds a listener of `Engine.on`, where listeners are documented. A message may have many values: each is a call of its
 * own, so that a listener that throws misses no other value, and one that stops gets no further one.
 * @returns a function that stops it
 * @throws {EngineError} `invalid-argument`
 */
export function listen(
  feed: Feed,
  source: ReaderSource,
  kind: ListenerKind,
  listener: (value: never) => void,
  filter: TransactionFilter | EventFilter | undefined,
): () => void {
  if (typeof listener !== 'function') throw argumentError('listener', 'a function', listener);
  if (filter !== undefined && WITHOUT_FILTER.includes(kind)) {
    throw argumentError('filter', `none for '${kind}', which is told whole`, filter);
  }
  const own = listener as (value: unknown) => unknown;
  let isStopped = false;
  const tell = (value: unknown): void => {
    if (!isStopped) feed.call(own, value);
  };
  const stop = feed.listen(feedListener(source, kind, tell, filter));
  return () => {
    isStopped = true;
    stop();
  };
}

function feedListener(
  source: ReaderSource,
  kind: ListenerKind,
  tell: (value: unknown) => void,
  filter: TransactionFilter | EventFilter | undefined,
): FeedListener {
  switch (kind) {
    case 'transaction': {
      const matches = transactionMatcher(filter as TransactionFilter | undefined);
      return forCommits(({ record }) => {
        if (matches(record)) tell(new TransactionValue(record));
      });
    }
    case 'event': {
      const matches = eventMatcher(filter as EventFilter | undefined);
      return forCommits((commit) => {
        for (const event of foundEvents(commit, matches, source)) tell(event);
      });
    }
    case 'head':
      return (message) => {
        const change = headChange(message);
        if (change !== undefined) tell(change);
      };
    case 'notice':
      return forCommits(({ notices }) => {
        for (const notice of notices) tell(notice);
      });
    case 'closed':
      return (message) => {
        if (message.kind === 'closed') tell(undefined);
      };
    default:
      throw argumentError('kind', "'transaction', 'event', 'head', 'notice' or 'closed'", kind);
  }
}

function headChange(message: FeedMessage): HeadChange | undefined {
  if (message.kind === 'reverted') {
    return { head: HeadValue.of(message.head), isReverted: true, sharedOrder: message.sharedOrder };
  }
  if (message.kind === 'closed') return undefined;
  const [first, last] = [message.commits[0], message.commits.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { head: HeadValue.of(last.head), isReverted: false, sharedOrder: first.head.order - 1n };
}

function forCommits(tell: (commit: Commit) => void): FeedListener {
  return (message) => {
    if (message.kind === 'commits') for (const commit of message.commits) tell(commit);
  };
}

/** The events of a commit that pass a filter, decoded by the modules of the state after it. */
function* foundEvents(
  { record, events }: Commit,
  matches: (event: FoundEvent) => boolean,
  source: ReaderSource,
): Iterable<IndexedEvent> {
  const { transaction, executionInfo } = record;
  const { txHash, stateRoot } = executionInfo;
  const origin = {
    txHash,
    sender: transactionSender(transaction.data),
    createdAt: transaction.sequenceInfo.txTimestamp,
  };
  const decoder = new Decoder(source, { root: stateRoot });
  for (const event of events) {
    const found: FoundEvent = { ...event, ...origin };
    if (matches(found)) yield new IndexedEvent(found, decoder);
  }
}
