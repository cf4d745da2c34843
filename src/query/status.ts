/**
 * The identity and progress of a chain.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/status.rs of the reference.
 * @module
 */

import type { BitcoinStatus } from './bitcoin.ts';
import type { HistoryStatus } from './history.ts';
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
}
