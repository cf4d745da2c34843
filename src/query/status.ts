/**
 * The identity and progress of a chain.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/status.rs of the reference.
 *
 * The figures of `Usage` are for monitoring and not part of the chain: two engines on one chain have different figures.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { ALL_HISTORY, readHistory } from '../chain/ledger/history.ts';
import { type RowReader, readStateRoot } from '../chain/ledger/transactions.ts';
import { readable } from '../chain/value/readable.ts';
import type { BitcoinStatus } from './bitcoin.ts';
import type { HeadValue } from './values.ts';

/** Whether the node takes transactions. The words are the reference's, including its spelling. */
export type ServiceStatus = 'active' | 'maintenance' | 'read-only-mode' | 'date-import-mode' | 'sync-mode';

/** The progress of the follower that feeds Bitcoin blocks to a chain, and what holds it up. */
export interface FollowerStatus {
  /** 'waiting' after a failure; 'paused' until it is resumed; 'stopped' before it starts and after it ends. */
  readonly state: 'following' | 'waiting' | 'paused' | 'stopped';
  /** The node's address, without user and password, path and query. */
  readonly node: string;
  /** Height of our newest block; undefined if there is none. */
  readonly height: number | undefined;
  /** Height of the node's best block; undefined before its first answer. */
  readonly nodeHeight: number | undefined;
  /** Number of blocks we are behind the node; undefined before its first answer. */
  readonly lag: number | undefined;
  /** Its rate while it catches up, over the last hundred blocks; undefined while it does not. */
  readonly blocksPerSecond: number | undefined;
  /** Seconds that catching up will take at that rate. */
  readonly secondsLeft: number | undefined;
  /** Failures since it was created. */
  readonly failures: number;
  /** Why it waits; undefined while it does not. */
  readonly problem: string | undefined;
  /** The last failure, even if it is over; undefined if there was none. */
  readonly lastError: string | undefined;
}

/** What a writer has appended since its log was opened. */
export interface LogAppends {
  /** Successful appends, each a round trip to the log. */
  readonly count: number;
  /** Commits in them. */
  readonly commits: number;
  /** Milliseconds they took, including failed attempts. */
  readonly ms: number;
  /** Attempts that failed or whose outcome was unknown. */
  readonly failed: number;
}

/** How an engine takes part in a commit log, and its progress. */
export interface LogStatus {
  readonly role: 'writer' | 'reader';
  /**
   * Of a writer: 'writing'; 'waiting' while its log has not answered for so long that writes are refused; 'fenced' once
   * another writer took over; 'failed' if its log or store could not be written to. Of a reader: 'following'; 'waiting'
   * while the log cannot be reached; 'stopped' at something invalid.
   */
  readonly state: 'writing' | 'fenced' | 'failed' | 'following' | 'waiting' | 'stopped';
  /** The newest epoch seen; epochs count the writers the log has had. */
  readonly epoch: bigint;
  /** Order of the last commit that this engine has. */
  readonly applied: bigint;
  /** Order of the last commit the log is known to have. */
  readonly head: bigint;
  /** Commits the log has and this engine does not. */
  readonly behind: bigint;
  /**
   * Of a reader: milliseconds since it last had everything in the log, or since it was opened if it never had. Of a
   * writer: how long the log has not answered.
   */
  readonly ageMs: number;
  /** Why it is not writing or following; undefined while it is. */
  readonly problem: string | undefined;
  /** Of a writer. */
  readonly appends?: LogAppends | undefined;
}

/** What a fork of another node's chain is based on. */
export interface ForkStatus {
  /** The node's address, without user and password, path and query. */
  readonly remote: string;
  /**
   * The kind of that node. A fork of a movelet has its verified tree. A fork of a Rooch node has objects only: after its
   * own transactions its roots are unknown (`stateRoot` is null in JSON and throws when read), and it has no proofs.
   */
  readonly kind: 'movelet' | 'rooch';
  /** Where the fork begins: the last order that it has from the node, and the roots after it. */
  readonly order: bigint;
  readonly stateRoot: string;
  readonly accumulatorRoot: string;
  /**
   * Whose word the state root is: that of the caller of `Engine.open`, or of the node. In the latter case, everything
   * verified depends on trust in whatever answers at the node's address.
   */
  readonly trust: 'pinned' | 'remote';
  /**
   * What is verified, and against what; nothing for a Rooch node. Anything that fails verification is refused.
   */
  readonly verified: {
    readonly state?: 'state root';
    /** What a transaction does, and its order. */
    readonly transactions?: 'accumulator root';
    /** Their data. The event root is part of a transaction's result. */
    readonly events?: "event root, on the node's word";
  };
  /** What rests on the node's word, since no root covers it. */
  readonly unverified: readonly string[];
  /** Whether there are lists of objects and fields: only at the head of the node, of which it keeps them for a while. */
  readonly hasLists: boolean;
  /** Whether no requests are sent to the node. */
  readonly isOffline: boolean;
  /** Requests that were sent to the node. */
  readonly requests: number;
  /** Rows that came with them, and rows that were read from disk. */
  readonly rowsFetched: number;
  readonly rowsStored: number;
}

/** What an engine reports about itself: its service, head and Bitcoin chain. */
export interface Status {
  readonly service: ServiceStatus;
  readonly head: HeadValue;
  readonly bitcoin: BitcoinStatus;
  /** The follower that feeds in Bitcoin blocks (`Follower` of `movelet/bitcoin`); undefined if none is attached. */
  readonly follower: FollowerStatus | undefined;
  /** The commit log it writes or follows; undefined without one. */
  readonly log: LogStatus | undefined;
  /** Commits of an earlier process that the store had lost, through a truncated log, when it was opened. Normally 0. */
  readonly lostCommits: bigint;
  /** How much of its past the chain keeps. */
  readonly history: HistoryStatus;
  /** How Move code runs: interpreted where the host forbids making code from text, as a page without `unsafe-eval` does. */
  readonly code: 'translated' | 'interpreted';
  /** Of a fork of another node's chain; undefined for any other chain. */
  readonly fork: ForkStatus | undefined;
}

/** A cache of things that can be read or computed again. */
export interface CacheUsage {
  /** Entries held now, and at most. */
  readonly entries: number;
  readonly entriesMax: number;
  /** Lookups that found an entry, and lookups that did not. */
  readonly hits: number;
  readonly misses: number;
}

/** What an engine holds and has done, for metrics. */
export interface Usage {
  /** Transactions this engine has written since it was opened. */
  readonly commits: number;
  /** Transactions, blocks and controls waiting for the writer, including the current one. */
  readonly writerQueue: number;
  /** Nodes of the state tree; an engine shares them with its forks. Bytes are an estimate. */
  readonly treeNodes: CacheUsage & { readonly bytes: number; readonly bytesMax: number };
  /** Move modules in memory; all engines of a process share them. */
  readonly modules: CacheUsage;
}

/** How much of its past a chain keeps. Transactions and events go back to genesis; states and change sets may not. */
export interface HistoryStatus {
  /** Minimum number of orders behind the head whose states stay readable. */
  readonly kept: 'all' | number;
  /** The oldest order whose state is readable. */
  readonly oldestOrder: bigint;
  /** The state root after that order. */
  readonly oldestRoot: string;
}

/** @throws {EngineError} `corrupt` */
export function historyStatus(rows: RowReader): HistoryStatus {
  const { kept, oldest } = readHistory(rows) ?? ALL_HISTORY;
  return readable({
    kept: kept === undefined ? 'all' : Number(kept),
    oldestOrder: oldest,
    oldestRoot: toHexPrefixed(readStateRoot(rows, oldest)),
  });
}
