/**
 * How much history a chain keeps. It is a row, so that a directory keeps the setting and pruning resumes where it stopped.
 * A store without the row keeps everything.
 *
 * The row changes in the same batch as the rows that pruning deletes, so after a crash a state is either readable in full
 * or refused as pruned.
 * @module
 */

import { type Codec, decode, encodeShortLived, option, struct, u64 } from '../../base/bcs.ts';
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { columnKey } from '../../store/column.ts';
import type { Operation } from '../../store/store.ts';
import { type RowReader, readStateRootOrder, readTransaction } from './transactions.ts';

/** What a chain keeps, and the progress of pruning. */
export interface History {
  /** At least this many orders behind the head stay readable; undefined for all. */
  readonly kept: bigint | undefined;
  /** The oldest order whose state is readable; change sets exist from the next one on. 0 before anything was pruned. */
  readonly oldest: bigint;
  /** The order whose rows are pruned next; those of all orders from 1 to `oldest` will be. */
  readonly next: bigint;
  /** How many of the nodes that `next` made stale have been processed. */
  readonly staleDone: bigint;
}

/** The history of a chain that never had a bound. */
export const ALL_HISTORY: History = { kept: undefined, oldest: 0n, next: 1n, staleDone: 0n };

const history: Codec<History> = struct<History>({ kept: option(u64), oldest: u64, next: u64, staleDone: u64 });

const HISTORY_KEY: Uint8Array = columnKey('history');

/**
 * The history of a chain; undefined if it never had a bound.
 * @throws {EngineError} `corrupt`
 */
export function readHistory(rows: RowReader): History | undefined {
  const row = rows.get(HISTORY_KEY);
  if (row === undefined) return undefined;
  try {
    return decode(history, row);
  } catch (cause) {
    throw new EngineError('corrupt', 'the history row does not decode', { cause });
  }
}

export function historyOperation(value: History): Operation {
  return { type: 'put', key: HISTORY_KEY, value: encodeShortLived(history, value) };
}

/**
 * The order of the last transaction that led to `root`, whose state is kept.
 * @throws {EngineError} `not-found` for an unknown root on a chain that keeps everything; on any other chain, `pruned`
 * for a root that is not kept.
 */
export function keptRootOrder(rows: RowReader, root: Uint8Array): bigint {
  const order = readStateRootOrder(rows, root);
  const bounded = readHistory(rows);
  if (order !== undefined && (bounded === undefined || order >= bounded.oldest)) return order;
  if (bounded === undefined) {
    throw new EngineError('not-found', `expected a state root of this chain, got ${toHexPrefixed(root)}`);
  }
  throw prunedError(
    rows,
    bounded,
    `the state at root ${toHexPrefixed(root)} is not kept: it was pruned, it lies within a batch, or it is of another chain`,
  );
}

/**
 * Refuses an order whose change set is gone. The one of genesis, order 0, is always kept.
 * @throws {EngineError} `pruned`
 */
export function assertKeptChangeSet(rows: RowReader, order: bigint): void {
  if (order === 0n) return;
  const bounded = readHistory(rows);
  if (bounded === undefined || order > bounded.oldest) return;
  throw prunedError(rows, bounded, `the change set of order ${order} was pruned`);
}

function prunedError(rows: RowReader, { oldest }: History, what: string): EngineError {
  const root = toHexPrefixed(readTransaction(rows, oldest).executionInfo.stateRoot);
  return new EngineError('pruned', `${what}; the oldest root that is kept is ${root}, at order ${oldest}`, {
    details: {
      oldestRoot: root,
      oldestOrder: String(oldest),
      expected: `the root ${root} at order ${oldest}, or a later one`,
    },
  });
}
