import {
  A_BOOLEAN,
  A_FUNCTION,
  A_U64,
  assertMembers,
  assertObject,
  assertOptions,
  BYTES,
  CLOCK_TIME,
  type Expectation,
  eachOf,
  hasMethods,
  oneOf,
  TEXT,
  wholeNumber,
} from '../base/argument.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { REORGANISATION_DEPTH_MAX, VIEW_MS_BOUND } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { toAddress } from '../bitcoin/address.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/network.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { Genesis } from '../execution/genesis/genesis.ts';
import type { CommitLog } from '../log/commit-log.ts';
import type { LogRole } from '../log/membership.ts';
import type { IngestOptions } from '../pipeline/ingest/options.ts';
import type { Database } from '../store/database.ts';
import type { Durability } from '../store/level.ts';
import type { Store } from '../store/store.ts';
import { NodeCache } from '../store/tree/cache.ts';
import type { RemoteForkOptions } from './remote/open-remote.ts';

/** The most that each of the ten known accounts may have: the supply of a coin is a u256. */
const ACCOUNT_BALANCE_MAX: bigint = ((1n << 256n) - 1n) / 10n;

/**
 * The source of the chain's time: none, so that it stands still until a control or a Bitcoin block moves it; this
 * machine's clock; or a function that returns milliseconds since 1970-01-01 UTC.
 */
export type Clock = 'fixed' | 'system' | (() => bigint);

/** How an engine is opened. Nothing is required: the default is a local chain in memory. */
export interface EngineOptions {
  /**
   * Where the chain lives: a directory, an `abstract-level` database, a store of your own, or memory (the default).
   * The engine closes it; until then no other engine may have it.
   */
  readonly store?: string | Database | Store | undefined;
  /**
   * Another node's chain to continue here, in memory: what is read of it comes from that node, which is never written to
   * (docs/fork-a-chain.md). Default: none.
   */
  readonly fork?: RemoteForkOptions | undefined;
  /** When a commit counts as written on a durable store. Default: 'fsync'. */
  readonly durability?: Durability | undefined;
  /** A released genesis file of the reference network. Default: the engine's own framework with funded accounts. */
  readonly genesis?: Uint8Array | undefined;
  /** For the default genesis. Default: 4 (local). A store that holds another chain is refused. */
  readonly chainId?: bigint | undefined;
  /** For a new default genesis: what each of the ten known accounts gets, in the smallest unit of the gas coin. */
  readonly accountBalance?: bigint | undefined;
  /**
   * For the default genesis: the Bitcoin network that the chain follows. Default: 'regtest'. A store whose chain
   * follows another one is refused.
   */
  readonly bitcoinNetwork?: BitcoinNetwork | undefined;
  /**
   * For the default genesis: how many blocks deep Bitcoin may reorganise; a block is processed once it has as many on
   * top of it. Default: 0. A store whose chain has another depth is refused.
   */
  readonly reorganisationDepth?: number | undefined;
  /**
   * How many orders behind the head keep their states and change sets, at least, or 'all'. With a bound, older ones are
   * pruned in the background, and transactions that are written together keep only the last one's state; transactions,
   * events and indexes are kept forever. The store remembers the setting. Default: the last setting; 'all' for a new
   * store.
   */
  readonly history?: 'all' | number | undefined;
  /**
   * Whether signatures of transactions are checked; everything else that validators look at is checked in any case.
   * Turn it off only in tests that send many. Default: true.
   */
  readonly verifySignatures?: boolean | undefined;
  /**
   * Whether a sender without gas coins is given 10^12 of them before its transaction, as the reference's local network
   * does. Default: false; a transaction that its sender cannot pay for is refused.
   */
  readonly gasGift?: boolean | undefined;
  /**
   * Milliseconds that a view or a dry run may take; one that takes longer throws `deadline-exceeded`. Time in which the
   * process did not get a processor is not counted. Writes are bounded by what they do, not by time. Default:
   * VIEW_MS_MAX.
   */
  readonly viewMsMax?: number | undefined;
  /** What is checked of Bitcoin blocks. */
  readonly ingest?: IngestOptions | undefined;
  /** 32-byte secp256k1 secret that signs transaction orders; never stored. Default: the documented key of dev chains. */
  readonly sequencerKey?: Uint8Array | undefined;
  /** The source of the chain's time. Default: 'fixed', so that runs repeat. */
  readonly clock?: Clock | undefined;
  /** Tree nodes held in memory at most. Default: TREE_CACHE_NODES_MAX. */
  readonly treeCacheNodesMax?: number | undefined;
  /** Bytes of tree nodes held in memory at most. Default: TREE_CACHE_BYTES_MAX. */
  readonly treeCacheBytesMax?: number | undefined;
  /** Receives the engine's log entries. Default: they are dropped. */
  readonly log?: Log | undefined;
  /**
   * A log of commits that others follow, from `movelet/log`: a writer appends before it acknowledges. The engine closes
   * it. Default: none; the store is all there is.
   */
  readonly commitLog?: CommitLog | undefined;
  /**
   * With `commitLog`: whether this engine writes the chain, superseding the previous writer, or follows it and answers
   * reads. Default: 'writer'.
   */
  readonly role?: LogRole | undefined;
  /** For a reader: where the writer takes transactions; refused clients are told. */
  readonly writerUrl?: string | undefined;
  /**
   * With `commitLog`: what an empty store begins with: a dump, by its path or `http(s)://` URL, or an archive
   * (`movelet archive`), by its path; the rest comes from the log. From an archive, a store that is behind also gets
   * what the log no longer holds. Default: none; an empty store begins at genesis.
   */
  readonly bootstrap?: string | undefined;
  /**
   * The public key that signs the log's records, or several of them: 33 bytes each, compressed. A record signed by
   * another key stops a reader, and keeps a writer from opening. Default: the key of the newest transaction in the
   * store; for an empty store, that of the first record.
   */
  readonly writerKey?: Uint8Array | readonly Uint8Array[] | undefined;
  /**
   * For a reader: which commits it also executes, to compare the outcome with the writer's: 'all', or one in this many.
   * Needs the writer's `ingest` options. Default: none.
   */
  readonly reexecute?: 'all' | number | undefined;
  /**
   * For a writer: milliseconds after which writes no longer wait for a log that does not answer; 0 if they wait until it
   * fails once. The writer keeps trying until it answers. Default: LOG_OUTAGE_MS_MAX.
   */
  readonly logOutageMsMax?: number | undefined;
}

/** Options that a fork may set for itself; those left out are as in the engine that it came from. */
export type ForkOptions = Pick<EngineOptions, 'clock' | 'log' | 'ingest' | 'verifySignatures'>;

export const FORK_OPTIONS: readonly (keyof ForkOptions)[] = ['clock', 'log', 'ingest', 'verifySignatures'];

const A_BOUND: Expectation = ['a number of at least 0', (value) => typeof value === 'number' && value >= 0];

/** A clock is read once here: one that returned numbers would otherwise fail at the first transaction. */
const [TIME, isTime] = CLOCK_TIME;
const A_CLOCK: Expectation = [
  `'fixed', 'system', or a function that gives ${TIME}`,
  (value) => value === 'fixed' || value === 'system' || (typeof value === 'function' && isTime(value())),
];

const ALL_OR_SOME: Expectation = [
  "'all' or a whole number of at least 1",
  (value) => value === 'all' || (Number.isSafeInteger(value) && (value as number) >= 1),
];

const FLAGS: readonly (keyof IngestOptions)[] = ['checkParent', 'checkWork', 'headersOnly'];

const LOG_METHODS: readonly (keyof CommitLog)[] = ['takeOver', 'head', 'append', 'read', 'changed', 'prune', 'close'];

const EXPECTED: { readonly [name in keyof EngineOptions]-?: Expectation } = {
  // Checked in detail when it is opened.
  store: ['a store', (value) => value !== null],
  fork: [
    'an object of url or file, at, cache, offline and timeoutMs',
    (value) => typeof value === 'object' && value !== null,
  ],
  durability: oneOf(['fsync', 'os']),
  genesis: BYTES,
  chainId: A_U64,
  accountBalance: [
    'a bigint from 0 to (2^256 - 1) / 10 (ACCOUNT_BALANCE_MAX)',
    (value) => typeof value === 'bigint' && value >= 0n && value <= ACCOUNT_BALANCE_MAX,
  ],
  bitcoinNetwork: oneOf(Object.keys(BITCOIN_NETWORKS)),
  reorganisationDepth: wholeNumber(0, REORGANISATION_DEPTH_MAX),
  history: ALL_OR_SOME,
  verifySignatures: A_BOOLEAN,
  gasGift: A_BOOLEAN,
  viewMsMax: wholeNumber(1, VIEW_MS_BOUND),
  ingest: [`an object of booleans named ${FLAGS.join(', ')}, and owners`, areIngestOptions],
  sequencerKey: ['a secp256k1 secret key of 32 bytes', (value) => value instanceof Uint8Array && value.length === 32],
  clock: A_CLOCK,
  treeCacheNodesMax: A_BOUND,
  treeCacheBytesMax: A_BOUND,
  log: A_FUNCTION,
  commitLog: [`a commit log with ${LOG_METHODS.join(', ')}`, (value) => hasMethods(value, LOG_METHODS)],
  role: oneOf(['writer', 'reader']),
  writerUrl: TEXT,
  writerKey: ['a compressed public key of 33 bytes, or a list of some', arePublicKeys],
  reexecute: ALL_OR_SOME,
  bootstrap: TEXT,
  logOutageMsMax: wholeNumber(0),
};

const NAMES = Object.keys(EXPECTED) as (keyof EngineOptions)[];

function arePublicKeys(value: unknown): boolean {
  const keys: readonly unknown[] = Array.isArray(value) ? value : [value];
  return (
    keys.length > 0 &&
    keys.every((key) => key instanceof Uint8Array && key.length === 33 && (key[0] === 2 || key[0] === 3))
  );
}

function areIngestOptions(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(
      ([name, given]) =>
        // Owners are parsed one by one, so that the error can name the wrong one.
        name === 'owners' ||
        ((FLAGS as readonly string[]).includes(name) && (given === undefined || typeof given === 'boolean')),
    )
  );
}

/**
 * Rejects unknown options: with a misspelt `store` the chain would silently be in memory.
 * @throws {EngineError} `invalid-argument` naming the option.
 */
export function assertEngineOptions(options: EngineOptions, names: readonly (keyof EngineOptions)[] = NAMES): void {
  assertObject(options, 'options', 'an object of options');
  const { sequencerKey, ...others } = options;
  assertMembers(options, names);
  assertOptions(others, EXPECTED);
  assertOwners(others.ingest);
  if (sequencerKey === undefined || EXPECTED.sequencerKey[1](sequencerKey)) return;
  // A key in the wrong form is still a secret: the message does not repeat it.
  throw new EngineError('invalid-argument', `sequencerKey: expected ${EXPECTED.sequencerKey[0]}`);
}

function assertOwners({ owners, headersOnly }: IngestOptions = {}): void {
  if (owners === undefined) return;
  eachOf(owners, 'ingest.owners', toAddress);
  if (headersOnly !== true) return;
  const message = 'ingest.owners: expected none beside headersOnly, which keeps no outputs: leave out one of the two';
  throw new EngineError('invalid-argument', message);
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

/** Options that need a log, and the roles that may have them. */
const LOG_NEEDED: { readonly [Name in keyof EngineOptions]?: readonly LogRole[] } = {
  role: ['writer', 'reader'],
  writerUrl: ['writer', 'reader'],
  writerKey: ['writer', 'reader'],
  reexecute: ['reader'],
  bootstrap: ['writer', 'reader'],
  logOutageMsMax: ['writer', 'reader'],
};

/** Options about the beginning or the place of a chain: a fork begins with another chain, in memory. */
const NOT_OF_FORKS: readonly (keyof EngineOptions)[] = [
  'store',
  'durability',
  'genesis',
  'accountBalance',
  'bitcoinNetwork',
  'reorganisationDepth',
  'history',
  'commitLog',
];

/** Asserts that the options agree: a genesis file excludes options of the default genesis, and a role needs a log. */
export function assertTogether(options: EngineOptions): void {
  const { genesis, accountBalance, bitcoinNetwork, reorganisationDepth, commitLog, role = 'writer' } = options;
  for (const name of Object.keys(options) as (keyof EngineOptions)[]) {
    const roles = LOG_NEEDED[name];
    if (roles === undefined || options[name] === undefined) continue;
    if (commitLog === undefined)
      throw new EngineError('invalid-argument', `${name} needs a commitLog: give one, or leave it out`);
    if (!roles.includes(role))
      throw new EngineError('invalid-argument', `${name}: expected role ${roles.join(' or ')}, got ${role}`);
  }
  const unfit = options.fork && NOT_OF_FORKS.find((name) => options[name] !== undefined);
  if (unfit !== undefined) {
    throw new EngineError(
      'invalid-argument',
      `${unfit}: expected none beside fork, which continues another node's chain in memory: leave out one of the two`,
    );
  }
  if (genesis === undefined || (accountBalance ?? bitcoinNetwork ?? reorganisationDepth) === undefined) return;
  throw new EngineError(
    'invalid-argument',
    'accountBalance, bitcoinNetwork and reorganisationDepth belong to the default genesis: leave them out beside a genesis file',
  );
}

/** Asserts that the options are true of the chain in a store. */
export function assertSameChain(head: Head, genesis: Genesis | undefined, options: EngineOptions): void {
  if (genesis !== undefined && !equalBytes(genesis.hash, head.genesisHash)) {
    const expected = `a store with the genesis ${toHexPrefixed(genesis.hash)}`;
    throw mismatch(expected, `one with ${toHexPrefixed(head.genesisHash)}`, 'genesis');
  }
  assertSameChainId(head.chainId, options);
}

export function assertSameChainId(chainId: bigint, options: EngineOptions): void {
  if (options.chainId === undefined || options.chainId === chainId) return;
  throw mismatch(`chain ${options.chainId}`, `chain ${chainId}`, 'chainId');
}

export function mismatch(expected: string, received: string, option: string): EngineError {
  return new EngineError(
    'genesis-mismatch',
    `expected ${expected}, got ${received}: choose another directory or leave the option ${option} out`,
    { details: { expected, received, option } },
  );
}
