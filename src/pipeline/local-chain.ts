/**
 * The local chain at genesis, in memory: an engine without a store starts from it.
 *
 * It is built once per process for each set of options and copied for every engine, so a suite that opens an engine per
 * test pays for one genesis. With the default options it is not even computed, but read from the snapshot that the
 * build wrote (genesis/local-snapshot.ts), and the framework's bytecode is not loaded at all.
 * @module
 */

import { CHAIN_ID_LOCAL, DATA_FORMAT_VERSION } from '../base/config.ts';
import { keepRecent } from '../base/recent.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import type { Head } from '../chain/ledger/head.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { State } from '../chain/state/state.ts';
import { devGenesisAccounts, type Genesis } from '../execution/genesis/genesis.ts';
import { localSnapshot } from '../execution/genesis/local-snapshot.ts';
import { EMPTY_ACCUMULATOR } from '../store/accumulator/accumulator.ts';
import { MemoryStore } from '../store/memory.ts';
import { OrderedMap } from '../store/ordered-map.ts';
import { RowBatch } from '../store/row-batch.ts';
import type { Store } from '../store/store.ts';
import { NodeCache } from '../store/tree/cache.ts';
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

/** 2023-11-14T22:13:20Z in milliseconds: fixed, so that the default genesis is the same in every run. */
export const GENESIS_TIMESTAMP_DEFAULT = 1_700_000_000_000n;

/** A million gas coins of 8 decimals for each known account. */
const ACCOUNT_BALANCE_DEFAULT = 100_000_000_000_000n;

/** Local genesis chains that a process keeps for its next engines, by their options. */
const GENESIS_TEMPLATES_MAX = 4;

interface LocalChainOptions {
  /** Default: 4. */
  readonly chainId?: bigint | undefined;
  /** The balance of each of the known accounts, in the smallest unit of the gas coin. Default: a million coins. */
  readonly accountBalance?: bigint | undefined;
  /** Default: 'regtest'. */
  readonly bitcoinNetwork?: BitcoinNetwork | undefined;
  /** Default: 0. */
  readonly reorganisationDepth?: number | undefined;
}

/** A chain at genesis that is never written to, and what its copies share. */
interface LocalChain {
  readonly store: MemoryStore;
  readonly nodes: NodeCache;
  /** How many engines have a copy open: with the last one, the nodes in memory go. */
  users: number;
}

const chains = new Map<string, Promise<LocalChain>>();

/** The local chain with these options; copy its store before writing. */
export function localChain(options: LocalChainOptions): Promise<LocalChain> {
  const key = [options.chainId, options.accountBalance, options.bitcoinNetwork, options.reorganisationDepth].join();
  let chain = chains.get(key);
  if (chain === undefined) {
    chain = makeLocalChain(options, key === ',,,');
    keepRecent(chains, key, chain, GENESIS_TEMPLATES_MAX);
    chain.catch(() => chains.delete(key));
  }
  return chain;
}

async function makeLocalChain(options: LocalChainOptions, isDefault: boolean): Promise<LocalChain> {
  const nodes = new NodeCache();
  const snapshot = isDefault ? localSnapshot() : undefined;
  if (snapshot !== undefined) return { store: MemoryStore.of(OrderedMap.ofChunk(snapshot.rows)), nodes, users: 0 };
  const store = new MemoryStore();
  await commitGenesis(store, nodes, await localGenesis(options));
  return { store, nodes, users: 0 };
}

/** The genesis of our framework with these options. */
export async function localGenesis(options: LocalChainOptions): Promise<Genesis> {
  const { frameworkGenesis } = await import('../execution/genesis/framework-genesis.ts');
  return frameworkGenesis({
    chainId: options.chainId ?? CHAIN_ID_LOCAL,
    timestamp: GENESIS_TIMESTAMP_DEFAULT,
    bitcoinNetwork: options.bitcoinNetwork ?? 'regtest',
    reorganisationDepth: BigInt(options.reorganisationDepth ?? 0),
    accounts: devGenesisAccounts(options.accountBalance ?? ACCOUNT_BALANCE_DEFAULT),
  });
}
