import { BITCOIN_NETWORKS, type BitcoinNetwork } from './bitcoin/network.ts';
import { equalBytes } from './bytes/compare.ts';
import { toHexPrefixed } from './bytes/hex.ts';
import { REORGANISATION_DEPTH_MAX, SIGNATURE_THREADS_MAX, VIEW_MS_BOUND } from './config.ts';
import { EngineError } from './error.ts';
import type { Genesis } from './genesis/genesis.ts';
import type { IngestOptions } from './ingest/options.ts';
import type { Head } from './ledger/head.ts';
import type { Log } from './log.ts';
import type { Database } from './store/database.ts';
import type { Durability } from './store/level.ts';
import type { Store } from './store/store.ts';
import { NodeCache } from './tree/cache.ts';

export interface EngineOptions {
  /**
   * Where the chain lives: a directory, an `abstract-level` database, a store of your own, or (default) memory.
   * The engine closes it.
   */
  readonly store?: string | Database | Store | undefined;
  /** When a commit counts as written on a durable store. Default: 'fsync'. */
  readonly durability?: Durability | undefined;
  /** A released genesis file of the reference network. Default: the engine's own framework with funded accounts. */
  readonly genesis?: Uint8Array | undefined;
  /** Of the default genesis: 4 (local) unless given. A store that holds another chain is refused. */
  readonly chainId?: bigint | undefined;
  /** Of a new default genesis: what each of the ten known accounts gets, in the smallest unit of the gas coin. */
  readonly accountBalance?: bigint | undefined;
  /**
   * Of the default genesis: the Bitcoin network that the chain follows. Default: 'regtest'. A store whose chain follows
   * another one is refused.
   */
  readonly bitcoinNetwork?: BitcoinNetwork | undefined;
  /**
   * Of the default genesis: how many blocks deep Bitcoin may reorganise; a block is processed when as many stand on it.
   * Default: 0. A store whose chain has another depth is refused.
   */
  readonly reorganisationDepth?: number | undefined;
  /**
   * Whether signatures of transactions are checked; everything else that validators look at is checked in any case. Off
   * only in tests that send many. Default: true.
   */
  readonly verifySignatures?: boolean | undefined;
  /**
   * Threads that check the signatures of transactions that wait for their turn; 0 checks each in its turn, on the engine's
   * own thread. Pays where many wait: a check takes about as long as a transfer. Default: 0.
   */
  readonly signatureThreads?: number | undefined;
  /**
   * Milliseconds that a view or a dry run may take; one that takes longer throws `deadline-exceeded`. Time in which the
   * process did not get a processor is not counted. What is written is not bounded by time but by what it does. Default:
   * VIEW_MS_MAX.
   */
  readonly viewMsMax?: number | undefined;
  /** What is checked of Bitcoin blocks. */
  readonly ingest?: IngestOptions | undefined;
  /** 32-byte secp256k1 secret that signs transaction orders; never stored. Default: the documented key of dev chains. */
  readonly sequencerKey?: Uint8Array | undefined;
  /** The sequencer's clock, in milliseconds. Default: the chain's own time, so that runs repeat. */
  readonly clock?: (() => bigint) | undefined;
  /** Tree nodes held in memory at most. Default: TREE_CACHE_NODES_MAX. */
  readonly treeCacheNodesMax?: number | undefined;
  /** Bytes of tree nodes held in memory at most. Default: TREE_CACHE_BYTES_MAX. */
  readonly treeCacheBytesMax?: number | undefined;
  /** Receives what the engine has to say. Default: nothing is said. */
  readonly log?: Log | undefined;
}

/** What a fork may have of its own. What is left out is as in the engine that it came from. */
export type ForkOptions = Pick<EngineOptions, 'clock' | 'log' | 'ingest' | 'verifySignatures'>;

export const FORK_OPTIONS: readonly (keyof ForkOptions)[] = ['clock', 'log', 'ingest', 'verifySignatures'];

/** What is expected of an option, and whether a value is that. */
type Expectation = readonly [expected: string, fits: (value: unknown) => boolean];

const U64_END = 1n << 64n;
const FUNCTION: Expectation = ['a function', (value) => typeof value === 'function'];
const BOUND: Expectation = ['a number of at least 0', (value) => typeof value === 'number' && value >= 0];

const EXPECTED: { readonly [name in keyof EngineOptions]-?: Expectation } = {
  // Whoever opens it looks at it.
  store: ['a store', () => true],
  durability: ["'fsync' or 'os'", (value) => value === 'fsync' || value === 'os'],
  genesis: ['bytes', (value) => value instanceof Uint8Array],
  chainId: ['a bigint from 0 to 2^64 - 1', (value) => typeof value === 'bigint' && value >= 0n && value < U64_END],
  accountBalance: ['a bigint of at least 0', (value) => typeof value === 'bigint' && value >= 0n],
  bitcoinNetwork: [
    'bitcoin, testnet, signet or regtest',
    (value) => typeof value === 'string' && Object.hasOwn(BITCOIN_NETWORKS, value),
  ],
  reorganisationDepth: [
    `a whole number from 0 to ${REORGANISATION_DEPTH_MAX}`,
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= REORGANISATION_DEPTH_MAX,
  ],
  verifySignatures: ['a boolean', (value) => typeof value === 'boolean'],
  signatureThreads: [
    `a whole number from 0 to ${SIGNATURE_THREADS_MAX}`,
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= SIGNATURE_THREADS_MAX,
  ],
  viewMsMax: [
    `a whole number from 1 to ${VIEW_MS_BOUND}`,
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= VIEW_MS_BOUND,
  ],
  ingest: ['an object of booleans', areFlags],
  sequencerKey: ['a secp256k1 secret key of 32 bytes', (value) => value instanceof Uint8Array],
  clock: FUNCTION,
  treeCacheNodesMax: BOUND,
  treeCacheBytesMax: BOUND,
  log: FUNCTION,
};

function areFlags(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((flag) => flag === undefined || typeof flag === 'boolean')
  );
}

/**
 * Refuses what is no option, for callers that no compiler tells: a misspelt `store` would be a chain in memory.
 * @throws {EngineError} `invalid-argument` naming the option.
 */
export function assertOptions(
  options: EngineOptions,
  names: readonly (keyof EngineOptions)[] = Object.keys(EXPECTED) as (keyof EngineOptions)[],
): void {
  if (typeof options !== 'object' || options === null) {
    throw new EngineError('invalid-argument', `expected an object of options, got ${String(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!(names as readonly string[]).includes(name)) {
      const known = names.join(', ');
      throw new EngineError('invalid-argument', `${name}: there is no such option; expected one of ${known}`);
    }
    const [expected, fits] = EXPECTED[name as keyof EngineOptions];
    if (value === undefined || fits(value)) continue;
    // A key that is given in another form is a secret all the same.
    const received = name === 'sequencerKey' ? '' : `, got ${String(value).slice(0, 80)}`;
    throw new EngineError('invalid-argument', `${name}: expected ${expected}${received}`);
  }
}

export function hasOwnCache({ treeCacheNodesMax, treeCacheBytesMax }: EngineOptions): boolean {
  return treeCacheNodesMax !== undefined || treeCacheBytesMax !== undefined;
}

export function nodeCache({ treeCacheNodesMax, treeCacheBytesMax }: EngineOptions): NodeCache {
  return new NodeCache({
    ...(treeCacheNodesMax !== undefined && { nodesMax: treeCacheNodesMax }),
    ...(treeCacheBytesMax !== undefined && { bytesMax: treeCacheBytesMax }),
  });
}

/** A genesis file says itself what the other options would say of the default genesis. */
export function assertTogether({ genesis, accountBalance, bitcoinNetwork, reorganisationDepth }: EngineOptions): void {
  if (genesis === undefined || (accountBalance ?? bitcoinNetwork ?? reorganisationDepth) === undefined) return;
  throw new EngineError(
    'invalid-argument',
    'accountBalance, bitcoinNetwork and reorganisationDepth belong to the default genesis: leave them out beside a genesis file',
  );
}

/** What the options say of the chain must be true of a store that is not empty. */
export function assertSameChain(head: Head, genesis: Genesis | undefined, options: EngineOptions): void {
  if (genesis !== undefined && !equalBytes(genesis.hash, head.genesisHash)) {
    const expected = `a store with the genesis ${toHexPrefixed(genesis.hash)}`;
    throw mismatch(expected, `one with ${toHexPrefixed(head.genesisHash)}`, 'genesis');
  }
  assertSameChainId(head.chainId, options);
}

export function assertSameChainId(chainId: bigint, options: EngineOptions): void {
  if (options.chainId === undefined || options.chainId === chainId) return;
  throw mismatch(`chain ${options.chainId}`, `chain ${chainId}`, 'chain id');
}

export function mismatch(expected: string, received: string, option: string): EngineError {
  return new EngineError(
    'genesis-mismatch',
    `expected ${expected}, got ${received}: choose another directory or leave the ${option} option out`,
    { details: { expected, received } },
  );
}
