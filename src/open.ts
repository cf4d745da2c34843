/**
 * What `Engine.open` does before there is an engine: it finds the store, the genesis and the signer that the options
 * ask for, writes the genesis into an empty store, and refuses a store that holds another chain.
 *
 * Without a store and a genesis file, nothing is computed: the engine gets a copy of the local chain of the process.
 * @module
 */
import type { BitcoinNetwork } from './bitcoin/network.ts';
import { followedNetwork } from './bitcoin-move/network.ts';
import { fromHex } from './bytes/hex.ts';
import {
  assertOptions,
  assertSameChain,
  assertSameChainId,
  assertTogether,
  type EngineOptions,
  hasOwnCache,
  mismatch,
  nodeCache,
} from './engine-options.ts';
import { DEV_SEQUENCER } from './framework/accounts.ts';
import type { Genesis } from './genesis/genesis.ts';
import type { IngestOptions } from './ingest/options.ts';
import { LateModule } from './late-module.ts';
import { type Head, readHead, storedHead } from './ledger/head.ts';
import { type Log, SILENT_LOG } from './log.ts';
import { type LateLayouts, lateLayouts } from './pipeline/late-layouts.ts';
import { localChain, localGenesis } from './pipeline/local-chain.ts';
import type { OrderSigner } from './pipeline/order-signatures.ts';
import { nodeSource } from './state/node-row.ts';
import { State } from './state/state.ts';
import type { Store } from './store/store.ts';
import type { NodeCache } from './tree/cache.ts';
import { Tree } from './tree/tree.ts';

/** What an engine and its forks share: tree nodes and layouts are named by their content, so they are true in both. */
export interface Shared {
  readonly nodes: NodeCache;
  readonly layouts: LateLayouts;
}

/** What is an engine's own. */
export interface EngineSettings {
  /** Made on first use: reads need no signature, and the curve's code takes longer to load than an engine to open. */
  readonly signer: () => Promise<OrderSigner>;
  readonly clock: (() => bigint) | undefined;
  readonly log: Log;
  readonly ingest: IngestOptions;
}

/** A store that holds a chain, and what an engine needs beside it. */
export interface OpenedChain {
  readonly store: Store;
  readonly head: Head;
  readonly shared: Shared;
  readonly settings: EngineSettings;
  /** Acknowledged commits that the store has lost. */
  readonly lostCommits: bigint;
}

const ORDER_SIGNER = new LateModule('pipeline/order-signer', () => import('./pipeline/order-signer.ts'));
const OPEN_STORE = new LateModule('store/open', () => import('./store/open.ts'));
const GENESIS = new LateModule('pipeline/genesis', () => import('./pipeline/genesis.ts'));
const RELEASED_GENESIS = new LateModule('genesis/released-genesis', () => import('./genesis/released-genesis.ts'));

/** `Engine.open`, which documents it. */
export async function openChain(options: EngineOptions): Promise<OpenedChain> {
  assertOptions(options);
  assertTogether(options);
  const settings: EngineSettings = {
    signer: lazySigner(options.sequencerKey),
    clock: options.clock,
    log: options.log ?? SILENT_LOG,
    ingest: options.ingest ?? {},
  };
  if (options.sequencerKey !== undefined) await settings.signer();
  if (options.store === undefined && options.genesis === undefined) {
    const { store, nodes, layouts } = await localChain(options);
    const copy = store.fork();
    const shared: Shared = { nodes: hasOwnCache(options) ? nodeCache(options) : nodes, layouts };
    return { store: copy, head: storedHead(copy), shared, settings, lostCommits: 0n };
  }
  const genesis = await genesisOf(options);
  if (genesis !== undefined) assertSameChainId(genesis.chainId, options);
  const shared: Shared = { nodes: nodeCache(options), layouts: lateLayouts() };
  const { openStore } = await OPEN_STORE.load();
  const store = await openStore(options.store, { durability: options.durability });
  try {
    const stored = readHead(store);
    if (stored !== undefined) assertSameChain(stored, genesis, options);
    const head = stored ?? (await commitFirst(store, shared.nodes, genesis ?? (await localGenesis(options))));
    assertBitcoinNetwork(store, head, shared.nodes, options.bitcoinNetwork);
    return { store, head, shared, settings, lostCommits: reportLostCommits(store, head, settings.log) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Makes the signer once, from a key or the documented one. */
function lazySigner(sequencerKey: Uint8Array | undefined): () => Promise<OrderSigner> {
  let made: Promise<OrderSigner> | undefined;
  return () => {
    made ??= ORDER_SIGNER.load().then(({ orderSigner }) =>
      orderSigner(sequencerKey ?? fromHex(DEV_SEQUENCER.privateKey)),
    );
    return made;
  };
}

/** The genesis of the file that was given. */
async function genesisOf({ genesis }: EngineOptions): Promise<Genesis | undefined> {
  if (genesis === undefined) return undefined;
  const { releasedGenesis } = await RELEASED_GENESIS.load();
  return releasedGenesis(genesis);
}

async function commitFirst(store: Store, nodes: NodeCache, genesis: Genesis): Promise<Head> {
  const { commitGenesis } = await GENESIS.load();
  return commitGenesis(store, nodes, genesis);
}

function assertBitcoinNetwork(store: Store, head: Head, nodes: NodeCache, asked: BitcoinNetwork | undefined): void {
  if (asked === undefined) return;
  const tree = new Tree(nodeSource(store), nodes);
  const followed = followedNetwork(new State(tree, head.stateRoot, head.size, head.unloadedRoots));
  if (asked !== followed) throw mismatch(`a store of a chain that follows Bitcoin's ${asked}`, followed, 'network');
}

/** A store that remembers its last acknowledged commit outside of the database tells when the database lost some. */
function reportLostCommits(store: Store, head: Head, log: Log): bigint {
  const written = store.lastWrittenOrder;
  if (written === undefined || written <= head.order) return 0n;
  const lost = written - head.order;
  log({
    level: 'warning',
    message: `the store lost its last ${lost} commits (orders ${head.order + 1n} to ${written}): its log was cut; the chain goes on after order ${head.order}`,
    details: { lost: lost.toString(), order: head.order.toString() },
  });
  return lost;
}
