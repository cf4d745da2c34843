/**
 * Commits a genesis: the only transaction without a predecessor.
 * @module
 */

import { DATA_FORMAT_VERSION } from '../base/config.ts';
import type { Head } from '../chain/ledger/head.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { State } from '../chain/state/state.ts';
import type { Genesis } from '../execution/genesis/genesis.ts';
import { EMPTY_ACCUMULATOR } from '../store/accumulator/accumulator.ts';
import { RowBatch } from '../store/row-batch.ts';
import type { Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../store/tree/tree.ts';
import { CommitGroup, prepareCommit, writeCommit } from './commit.ts';
import { sequenceGenesis } from './sequence.ts';

/** Writes `genesis` to an empty store, in one batch, and returns the head. */
export async function commitGenesis(store: Store, nodes: NodeCache, genesis: Genesis): Promise<Head> {
  const before: Head = {
    formatVersion: DATA_FORMAT_VERSION,
    genesisHash: genesis.hash,
    chainId: genesis.chainId,
    order: 0n,
    stateRoot: EMPTY_ROOT,
    size: 0n,
    accumulator: EMPTY_ACCUMULATOR,
    timestamp: genesis.timestamp,
    unloadedRoots: genesis.unloadedRoots,
  };
  const transaction = { kind: 'l2-transaction', ...genesis.transaction } as const;
  const sequenced = sequenceGenesis(transaction, genesis.timestamp, EMPTY_ACCUMULATOR);
  const empty = new State(new Tree(nodeSource(store), nodes), EMPTY_ROOT, 0n);
  const group = new CommitGroup(store);
  const prepared = prepareCommit(group, empty, before, sequenced, genesis.output);
  const { commit } = prepared;
  group.add(prepared);
  const batch = new RowBatch();
  batch.writeAll(writeCommit(batch, prepared));
  batch.writeAll(group.write(batch, commit.head));
  await store.batch(batch.operations(), { order: 0n });
  return commit.head;
}
