/**
 * Finds the place of a store's chain in a log when the store is opened. The log wins: a store that is behind catches
 * up, and one with commits that the log lacks is refused, so a chain never forks silently.
 * @module
 */
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import type { Head } from '../chain/ledger/head.ts';
import { type RowReader, readTransaction } from '../chain/ledger/transactions.ts';
import { type CommitLog, isSameRecord, type LogHead } from './commit-log.ts';
import { type LogPlace, originDigest, type RecordSummary, summaryAt, writerKeyOf } from './record.ts';
import type { Replica } from './replica.ts';

/**
 * The place in `log` of the chain that has this head.
 * @throws {EngineError} `log-mismatch` for a store whose head is not in the log's history, `pruned` if it may have been; what
 * the log throws.
 */
export async function placeInLog(log: CommitLog, logHead: LogHead, head: Head): Promise<LogPlace> {
  const origin = { order: head.order, epoch: 0n, digest: originDigest(head) };
  if (logHead.order === 0n) return origin;
  if (logHead.order < head.order) {
    throw mismatch(
      `the store is at order ${head.order} and the commit log ends at order ${logHead.order}`,
      'after a power failure, a log in a directory knows its end again once a writer has taken over: start the writer first. Otherwise the log lost its end, or the store was written without it: restore the log from a copy, or open an empty store, which gets what the log has',
      head,
    );
  }
  const own = await firstFrom(log, head.order);
  if (own === undefined || own instanceof EngineError) {
    // The log may begin right after this head: then its first record names this head's digest as the previous one's.
    if (logHead.order === head.order) throw notThere(head);
    const next = await firstFrom(log, head.order + 1n);
    if (next instanceof EngineError) throw next;
    if (next !== undefined && equalBytes(next.previous, origin.digest)) return origin;
    if (own !== undefined) throw own;
    throw next === undefined ? notThere(head) : anotherChain(head, 'it continues another chain than the store holds');
  }
  if (!equalBytes(own.stateRoot, head.stateRoot)) {
    const roots = `${toHexPrefixed(own.stateRoot)} in the log, ${toHexPrefixed(head.stateRoot)} in the store`;
    throw anotherChain(head, `order ${head.order} leads to the state root ${roots}`);
  }
  return own;
}

/** The record of an order; undefined if the log does not have it, the error if it was pruned. */
async function firstFrom(log: CommitLog, order: bigint): Promise<RecordSummary | EngineError | undefined> {
  if (order === 0n) return undefined;
  try {
    return await summaryAt(log, order);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.code === 'pruned') return error;
    if (error.code === 'corrupt') return undefined;
    throw error;
  }
}

/**
 * Applies the records of `log` up to `to`.
 * @throws {EngineError} `corrupt` for an invalid record; `log-mismatch` if the log ends with a record other than `to`;
 * what the log and the store throw.
 */
export async function catchUp(replica: Replica, log: CommitLog, to: LogHead): Promise<void> {
  const failure = await replica.follow(log, to.order);
  if (failure !== undefined) throw failure;
  if (to.order === 0n || isSameRecord({ ...to, ...replica.place }, to)) return;
  throw anotherChain(replica.head, `it ends with another record of order ${to.order} than the one that was read`);
}

/** The public key that signed the order of the newest transaction; none at genesis. */
export function sequencerKeysOf(rows: RowReader, { order }: Head): readonly Uint8Array[] {
  if (order === 0n) return [];
  return [writerKeyOf({ signature: readTransaction(rows, order).transaction.sequenceInfo.txOrderSignature })];
}

function notThere(head: Head): EngineError {
  return mismatch(
    `the store is at order ${head.order}, and the commit log does not hold what comes next`,
    'the log begins later or was pruned: open a store from a newer dump',
    head,
  );
}

function anotherChain(head: Head, reason: string): EngineError {
  return mismatch(
    `the commit log is not of the chain in the store: ${reason}`,
    'open the store that belongs to it, or an empty one',
    head,
  );
}

function mismatch(reason: string, remedy: string, { order }: Head): EngineError {
  return new EngineError('log-mismatch', `${reason}; ${remedy}`, { details: { order: String(order) } });
}
