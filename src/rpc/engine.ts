/**
 * What the RPC needs of an engine. `Engine` is one; a test may bring another.
 * @module
 */
import type { Head } from '../ledger/head.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { Moment } from '../query/moment.ts';

/** The chain at one moment: what one request is answered from. */
export type RpcChain = Pick<Moment, keyof Moment>;

export interface RpcEngine {
  /** Runs `query` on the chain as one commit left it, whatever is committed meanwhile. */
  moment<T>(query: (chain: RpcChain) => T | Promise<T>): Promise<T>;
  /** Executes a signed transaction, given as BCS. */
  execute(signed: Uint8Array): Promise<Receipt>;
  /** What a transaction would do, given as the BCS of its data. */
  simulate(data: Uint8Array): Receipt;
  /** Calls `listener` when the head is another one, until the function that comes back is called. */
  on(kind: 'head', listener: (change: { readonly head: Head; readonly isReverted: boolean }) => void): () => void;
}
