/**
 * The work of `Engine.open` before the engine exists: finds the store, the genesis and the signer that the options
 * name, writes the genesis into an empty store, and refuses a store with another chain.
 *
 * Without a store or a genesis file nothing is computed: the engine gets a copy of the process's local chain.
 * @module
 */

import { DATA_FORMAT_VERSION, LOG_OUTAGE_MS_MAX, VIEW_MS_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { canLoadNoble } from '../base/hash/noble.ts';
import { harmlessLog, type Log, SILENT_LOG } from '../base/log.ts';
import { type Head, readClockOffset, readHead, storedHead } from '../chain/ledger/head.ts';
import { ALL_HISTORY, historyOperation, readHistory } from '../chain/ledger/history.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { State } from '../chain/state/state.ts';
import { type OrderSigner, orderSigner, signAsDev } from '../chain/transaction/order-signature.ts';
import { followedNetwork, reorganisationDepthOf } from '../execution/bitcoin-move/object-id.ts';
import type { DevAccount } from '../execution/framework/accounts.ts';
import { loadBuiltGenesis } from '../execution/genesis/built-genesis.ts';
import type { CommitLog } from '../log/commit-log.ts';
import type { LogMembership } from '../log/membership.ts';
import type { IngestOptions } from '../pipeline/ingest/options.ts';
import { commitGenesis, localChain, localGenesis } from '../pipeline/local-chain.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import { Tree } from '../store/tree/tree.ts';
import {
  assertEngineOptions,
  assertSameChain,
  assertSameChainId,
  assertTogether,
  type Clock,
  type EngineOptions,
  FORK_OPTIONS,
  type ForkOptions,
  hasOwnCache,
  mismatch,
  nodeCache,
} from './engine-options.ts';
import type { RemoteForkOptions } from './remote/open-remote.ts';
import type { RemoteStore } from './remote/remote-store.ts';

/** The code that is loaded late (execution.ts). */
export type ExecutionUnit = typeof import('./execution.ts');

/** What an engine and its forks share. Tree nodes are named by their content, so they are valid in all of them. */
export interface Shared {
  /** The code that runs Move; reading a chain does not need it. */
  readonly execution: () => ExecutionUnit;
  readonly nodes: NodeCache;
  /** The chain of another node, of which they are forks. */
  readonly remote?: RemoteStore | undefined;
  /** The accounts that genesis funded; read on first use. */
  funded?: readonly DevAccount[];
}

/** What each engine has for itself. */
export interface EngineSettings {
  readonly signer: OrderSigner;
  readonly clock: (() => bigint) | undefined;
  readonly log: Log;
  readonly verifySignatures: boolean;
  readonly gasGift: boolean;
  readonly viewMsMax: number;
  readonly ingest: IngestOptions;
}

/** A store with a chain, and what an engine needs besides. */
export interface OpenedChain {
  readonly store: Store;
  /** Whether the engine is the only reader of the store, and all of its rows are here. */
  readonly isOwnStore: boolean;
  readonly head: Head;
  readonly shared: Shared;
  readonly settings: EngineSettings;
  /** Acknowledged commits that the store has lost. */
  readonly lostCommits: bigint;
  /** Milliseconds by which controls moved the clock. */
  readonly clockOffset: bigint;
  /** The log that it takes part in, if any. */
  readonly membership?: LogMembership | undefined;
  /**
   * Called once, after the engine has closed the store: another engine may then open it, and the nodes in memory are no
   * longer needed.
   */
  readonly release?: (() => void) | undefined;
}

/** `Engine.open`, which documents it. */
export async function openChain(options: EngineOptions): Promise<OpenedChain> {
  assertEngineOptions(options);
  assertTogether(options);
  // Not in parallel: Vitest's vm pools fail if two imports that share modules are in flight at once.
  const execution = await loadExecution();
  if (options.fork !== undefined) return openFork(options, options.fork, execution);
  const opened = (): Promise<OpenedChain> =>
    options.store === undefined && options.genesis === undefined && options.bootstrap === undefined
      ? openLocal(options, execution)
      : openHeld(options, execution);
  const log = options.commitLog;
  if (log === undefined) return opened();
  try {
    return await openJoined(await opened(), log, options);
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Stores and databases of engines that are not closed yet. */
const held = new WeakSet<object>();

/** Opens a store unless another engine has it: two would overwrite each other. Directories have locks of their own. */
async function openHeld(options: EngineOptions, execution: () => ExecutionUnit): Promise<OpenedChain> {
  const { store } = options;
  if (typeof store !== 'object') return openStored(options, execution);
  if (held.has(store)) {
    throw new EngineError(
      'store-locked',
      'store: another engine has it; close that one first, or open a fork of it: engine.fork()',
    );
  }
  held.add(store);
  try {
    const opened = await openStored(options, execution);
    const release = (): void => {
      held.delete(store);
      opened.release?.();
    };
    return { ...opened, release };
  } catch (error) {
    held.delete(store);
    throw error;
  }
}

/** A chain that takes part in a commit log. Only such chains load the code of logs. */
async function openJoined(opened: OpenedChain, log: CommitLog, options: EngineOptions): Promise<OpenedChain> {
  const { store, head, shared, settings } = opened;
  const { role = 'writer', writerUrl, reexecute, logOutageMsMax: outageMsMax = LOG_OUTAGE_MS_MAX } = options;
  try {
    const { joinLog } = await import('../log/membership.ts');
    const { signer: sign, log: say } = settings;
    const writerKeys = writerKeysOf(options);
    const own = { store, nodes: shared.nodes, head, sign, say };
    const candidate = { ...own, log, role, writerUrl, reexecute, writerKeys, outageMsMax };
    const joined = await joinLog(candidate);
    return { ...opened, ...joined, clockOffset: readClockOffset(store) };
  } catch (error) {
    await store.close();
    opened.release?.();
    throw error;
  }
}

function writerKeysOf({ writerKey }: EngineOptions): readonly Uint8Array[] | undefined {
  return writerKey instanceof Uint8Array ? [writerKey] : writerKey;
}

let loading: Promise<() => ExecutionUnit> | undefined;

/** Loads the late unit, once per process. The returned function loads nothing, so it cannot fail. */
export function loadExecution(): Promise<() => ExecutionUnit> {
  loading ??= load();
  return loading;
}

async function load(): Promise<() => ExecutionUnit> {
  const execution = await import('./execution.ts');
  if (!canLoadNoble()) await import('../base/hash/all-noble.ts');
  await loadBuiltGenesis();
  return () => execution;
}

/** A copy of the process's local chain. */
async function openLocal(options: EngineOptions, execution: () => ExecutionUnit): Promise<OpenedChain> {
  const local = await localChain(options);
  const store = local.store.fork();
  const isOwn = hasOwnCache(options);
  const shared: Shared = { execution, nodes: isOwn ? nodeCache(options) : local.nodes };
  const settings = settingsOf(options);
  await keepHistory(store, options.history);
  if (!isOwn) local.users++;
  const release = (): void => {
    if (isOwn || --local.users === 0) shared.nodes.clear();
  };
  const head = storedHead(store);
  return { store, isOwnStore: true, head, shared, settings, lostCommits: 0n, clockOffset: 0n, release };
}

/** The chain of another node, continued in memory. Only forks load the code of forks. */
async function openFork(
  options: EngineOptions,
  fork: RemoteForkOptions,
  execution: () => ExecutionUnit,
): Promise<OpenedChain> {
  const { openRemote } = await import('./remote/open-remote.ts');
  const local = await localChain({});
  const settings = settingsOf(options);
  const remote = await openRemote(fork, local.store, settings.log);
  const store = remote.fork();
  try {
    const head = storedHead(store);
    assertSameChainId(head.chainId, options);
    const shared: Shared = { execution, nodes: nodeCache(options), remote };
    const release = (): void => shared.nodes.clear();
    const isOwnStore = false;
    return { store, isOwnStore, head, shared, settings, lostCommits: 0n, clockOffset: readClockOffset(store), release };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The chain of a store; an empty store gets its genesis. */
async function openStored(options: EngineOptions, execution: () => ExecutionUnit): Promise<OpenedChain> {
  const shared: Shared = { execution, nodes: nodeCache(options) };
  const settings = settingsOf(options);
  const genesis = options.genesis === undefined ? undefined : execution().releasedGenesis(options.genesis);
  if (genesis !== undefined) assertSameChainId(genesis.chainId, options);
  const store = await openStore(options.store, { durability: options.durability });
  try {
    if (options.bootstrap !== undefined) await bootstrap(store, options, settings.log);
    const stored = readHead(store);
    if (stored !== undefined) assertSameChain(stored, genesis, options);
    else await assertEmpty(store);
    const head = stored ?? (await commitGenesis(store, shared.nodes, genesis ?? (await localGenesis(options))));
    if (stored !== undefined) assertSameBitcoin(store, head, shared.nodes, options);
    await keepHistory(store, options.history);
    reportOlderFormat(head, settings.log);
    const lostCommits = reportLostCommits(store, head, settings.log);
    const release = (): void => shared.nodes.clear();
    const isOwnStore = options.store === undefined;
    return { store, isOwnStore, head, shared, settings, lostCommits, clockOffset: readClockOffset(store), release };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A chain never begins on existing rows: those of a partly loaded dump would end up in its indexes. */
async function assertEmpty(store: Store): Promise<void> {
  const [first] = await store.range({ limit: 1 });
  if (first === undefined) return;
  throw new EngineError(
    'corrupt',
    'the store holds rows without a head: a dump was not loaded to its end; remove the store and load it again',
  );
}

/** Fills an empty store from a dump or an archive. Loads the code for it on demand. */
async function bootstrap(store: Store, options: EngineOptions, say: Log): Promise<void> {
  const { bootstrapStore } = await import('../log/archive/bootstrap.ts');
  await bootstrapStore(store, options.bootstrap!, { say, writers: writerKeysOf(options) });
}

function settingsOf(options: EngineOptions): EngineSettings {
  const { sequencerKey } = options;
  return {
    signer: sequencerKey === undefined ? signAsDev : orderSigner(sequencerKey),
    clock: clockOf(options.clock),
    log: options.log === undefined ? SILENT_LOG : harmlessLog(options.log),
    verifySignatures: options.verifySignatures ?? true,
    gasGift: options.gasGift ?? false,
    viewMsMax: options.viewMsMax ?? VIEW_MS_MAX,
    ingest: options.ingest ?? {},
  };
}

/** Execution reads no clock: the reading goes into each input, and is recorded with it. */
function clockOf(clock: Clock = 'fixed'): (() => bigint) | undefined {
  if (clock === 'fixed') return undefined;
  return clock === 'system' ? () => BigInt(Date.now()) : clock;
}

/** The settings of an engine, except for what its fork sets for itself. */
export function forkSettings(settings: EngineSettings, own: ForkOptions): EngineSettings {
  assertEngineOptions(own, FORK_OPTIONS);
  const { verifySignatures = settings.verifySignatures } = own;
  const clock = own.clock === undefined ? settings.clock : clockOf(own.clock);
  const log = own.log === undefined ? settings.log : harmlessLog(own.log);
  return { ...settings, clock, log, verifySignatures, ingest: { ...settings.ingest, ...own.ingest } };
}

/** Asserts that the options about Bitcoin are true of an existing chain. */
function assertSameBitcoin(store: Store, head: Head, nodes: NodeCache, options: EngineOptions): void {
  const { bitcoinNetwork, reorganisationDepth } = options;
  if (bitcoinNetwork === undefined && reorganisationDepth === undefined) return;
  const state = new State(new Tree(nodeSource(store), nodes), head.stateRoot, head.size, head.unloadedRoots);
  const followed = followedNetwork(state);
  if (bitcoinNetwork !== undefined && bitcoinNetwork !== followed) {
    throw mismatch(`a store of a chain that follows Bitcoin's ${bitcoinNetwork}`, followed, 'bitcoinNetwork');
  }
  const depth = reorganisationDepthOf(state);
  if (reorganisationDepth !== undefined && depth !== BigInt(reorganisationDepth)) {
    const expected = `a store of a chain on which Bitcoin reorganises at most ${reorganisationDepth} blocks deep`;
    throw mismatch(expected, `${depth ?? 'none'}`, 'reorganisationDepth');
  }
}

/** Stores how much history the chain keeps, if the bound has changed. */
async function keepHistory(store: Store, history: EngineOptions['history']): Promise<void> {
  if (history === undefined) return;
  const kept = history === 'all' ? undefined : BigInt(history);
  const before = readHistory(store) ?? ALL_HISTORY;
  if (kept !== before.kept) await store.batch([historyOperation({ ...before, kept })]);
}

/** Rows keep the form in which they were written, so nothing is converted. */
function reportOlderFormat({ formatVersion }: Head, log: Log): void {
  if (formatVersion === DATA_FORMAT_VERSION) return;
  log({
    level: 'info',
    message: `the store has data format ${formatVersion}; the next commit makes it ${DATA_FORMAT_VERSION}, which the movelet that wrote it does not open: to go back to that, keep a copy`,
    details: { formatVersion, next: DATA_FORMAT_VERSION },
  });
}

/** Reports commits that the database lost, which a store knows from a record outside of it. */
function reportLostCommits(store: Store, head: Head, log: Log): bigint {
  for (const message of store.cutOff ?? []) log({ level: 'warning', message });
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
