/**
 * The rows that a transaction reads, for a fork on another machine that is about to execute it: a dry run on rows that
 * are noted.
 *
 * The answer is a hint: the fork may have moved on and read something else, and it checks what it gets.
 * @module
 */
import { textOfBytes } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { ObjectIndexUpdate } from '../chain/index/objects.ts';
import { readTransactionOrder } from '../chain/ledger/transactions.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { Reader, ReaderSource } from '../query/reader.ts';
import type { ReadableStore } from '../store/store.ts';
import { NodeCache } from '../store/tree/cache.ts';
import type { Shared } from './open.ts';
import { StoreReader } from './present.ts';

/** Milliseconds that a dry run for a fork may hold the thread of its node: new code takes longest. */
export const READ_AHEAD_MS_MAX = 250;

/**
 * The keys of the rows that `run` reads, and those that its commit would read.
 * @param run a dry run on the source that it is given; undefined if it was given up
 */
export function readsOf(
  source: ReaderSource,
  shared: Shared,
  run: (source: ReaderSource) => Commit | undefined,
): Iterable<Uint8Array> {
  const { head, rows } = source.current();
  const keys = new Map<string, Uint8Array>();
  const noted: ReadableStore = {
    get: (key, way) => {
      keys.set(textOfBytes(key), key.slice());
      return rows.get(key, way);
    },
    range: (range) => rows.range(range),
    scan: (range) => rows.scan(range),
  };
  // Nodes in memory are not read from rows.
  const reader = new StoreReader(head, () => noted, { ...shared, nodes: new NodeCache() });
  const current = (): Reader => reader;
  try {
    const commit = run({ current, present: current, hold: () => ({ reader, release: () => {} }) });
    if (commit !== undefined) {
      readTransactionOrder(noted, commit.record.executionInfo.txHash);
      new ObjectIndexUpdate(noted).add(commit.record.order, commit.changeSet);
    }
  } catch (error) {
    // The fork reads the same rows up to the refusal.
    if (!(error instanceof EngineError)) throw error;
  }
  return keys.values();
}
