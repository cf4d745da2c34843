/**
 * What the RPC needs of an engine. `Engine` is one; a test may bring another.
 * @module
 */
import type { ChainTime } from '../chain-time.ts';
import type { Controls } from '../controls.ts';
import type { EngineBitcoin } from '../engine.ts';
import type { Head } from '../ledger/head.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { Account } from '../query/account.ts';
import type { CallInput } from '../query/function-call.ts';
import type { Moment } from '../query/moment.ts';
import type { Usage } from '../query/usage.ts';
import type { Snapshot } from '../snapshots.ts';

/** The chain at one moment: what one request is answered from. */
export type RpcChain = Pick<Moment, keyof Moment>;

/** A call in the name of an account that did not sign it. */
export interface RpcCall {
  readonly sender: Uint8Array;
  readonly action: CallInput;
  readonly maxGasAmount: bigint | undefined;
}

/** A funded account, with its key. */
export type RpcAccount = Pick<Account, 'address' | 'bitcoin' | 'publicKey' | 'privateKey' | 'path'>;

/** What JSON-RPC needs of an engine. */
export interface RpcEngine {
  /** Runs `query` on the chain as one commit left it, whatever is committed meanwhile. */
  moment<T>(query: (chain: RpcChain) => T | Promise<T>): Promise<T>;
  /** The same at once, for a query that waits for nothing. */
  peek<T>(query: (chain: RpcChain) => T): T;
  /** Executes a signed transaction, given as BCS. */
  execute(signed: Uint8Array): Promise<Receipt>;
  /** What a transaction would do, given as the BCS of its data. */
  simulate(data: Uint8Array): Receipt;
  /** What the engine does and holds. */
  usage(): Usage;
  /** Calls `listener` when the head is another one, until the function that comes back is called. */
  on(kind: 'head', listener: (change: { readonly head: Head; readonly isReverted: boolean }) => void): () => void;
}

/** What the controls of a test node need beside. */
export interface DevEngine extends RpcEngine {
  simulate(transaction: Uint8Array | RpcCall): Receipt;
  /** Calls a function in the name of an account. */
  call(sender: Uint8Array, action: CallInput, options: Pick<RpcCall, 'maxGasAmount'>): Promise<Receipt>;
  /** Publishes modules in the name of an account. */
  publish(sender: Uint8Array, modules: readonly Uint8Array[], options: Pick<RpcCall, 'maxGasAmount'>): Promise<Receipt>;
  readonly dev: Pick<Controls, 'fund' | 'setObject' | 'setField'>;
  readonly time: Pick<ChainTime, 'now' | 'set' | 'advance'>;
  readonly bitcoin: Pick<EngineBitcoin, 'mine'>;
  /** The accounts that the chain began with, whose keys everybody knows. */
  readonly accounts: readonly RpcAccount[];
  snapshot(): Snapshot;
  revert(snapshot: Snapshot): Promise<void>;
  reset(): Promise<void>;
  /** Another chain from here on. */
  fork(): DevEngine;
  close(): Promise<void>;
}
