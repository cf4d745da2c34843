/**
 * What the chain is and how far it is.
 * Source: spec/rpc.md 8.1 and 8.15.
 * @module
 */
import type { Head } from '../ledger/head.ts';
import type { BitcoinStatus } from './bitcoin.ts';

/** Whether the node takes transactions. The words are the reference's, its spelling included. */
export type ServiceStatus = 'active' | 'maintenance' | 'read-only-mode' | 'date-import-mode' | 'sync-mode';

export interface Status {
  readonly service: ServiceStatus;
  readonly head: Head;
  readonly bitcoin: BitcoinStatus;
  /** Commits that an earlier process wrote and the store had lost when it was opened: a cut log. 0 in health. */
  readonly lostCommits: bigint;
}
