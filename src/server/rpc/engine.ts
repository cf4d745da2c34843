/**
 * What the RPC needs from an engine. `Engine` provides it; a test may use something else.
 * @module
 */

import type { ChainTime } from '../../engine/chain-time.ts';
import type { Controls } from '../../engine/controls.ts';
import type { LongWork } from '../../engine/long-work.ts';
import type { Snapshot } from '../../engine/snapshots.ts';
import type { Trace } from '../../execution/trace/trace.ts';
import type { Receipt } from '../../pipeline/receipt.ts';
import type { Account } from '../../query/account.ts';
import type { RecordView } from '../../query/chain-view.ts';
import type { CallInput } from '../../query/function-call.ts';
import type { Usage } from '../../query/status.ts';

/** The chain at one state, from which one request is answered. */
export type RpcChain = RecordView;

/** A view of an engine, which is read from inside. */
export interface RpcView extends Disposable {
  /** @internal */
  readonly inside: RpcChain;
}

/** A call on behalf of an account that did not sign it. */
export interface RpcCall {
  readonly sender: Uint8Array;
  readonly action: CallInput;
  readonly maxGasAmount: bigint | undefined;
}

/** A funded account, with its key. */
export type RpcAccount = Pick<Account, 'address' | 'bitcoin' | 'publicKey' | 'privateKey' | 'path'>;

/** What JSON-RPC needs from an engine. */
export interface RpcEngine {
  /** The chain as it is now, whatever is committed until the view is disposed of. */
  at(): RpcView;
  /** @internal */
  readonly inside?: {
    readonly core: {
      /** What gives up long calls and transactions, so that worker threads run them. */
      readonly longWork: LongWork;
      usage(): Usage;
    };
  };
  /** Executes a signed transaction, given as BCS. */
  execute(signed: Uint8Array): Promise<Receipt>;
  /** What a transaction would do; `data` is the BCS of its data. */
  simulate(data: Uint8Array): Receipt;
  /** Waits until the chain has reached an order. */
  waitFor(order: bigint): Promise<void>;
  /** Calls `listener` whenever the head changes, until the returned function is called. */
  on(
    kind: 'head',
    listener: (change: { readonly isReverted: boolean; readonly sharedOrder: bigint }) => void,
  ): () => void;
  /** Calls `listener` once the engine is closed, until the returned function is called. */
  on(kind: 'closed', listener: () => void): () => void;
}

/** What the controls of a test node also need. */
export interface DevEngine extends RpcEngine {
  simulate(transaction: Uint8Array | RpcCall, options?: { readonly trace?: boolean }): Receipt;
  /** What a transaction on the chain did, by its hash or order. */
  trace(transaction: Uint8Array | bigint): Trace;
  /** Calls a function on behalf of an account. */
  executeAs(sender: Uint8Array, action: CallInput, options: Pick<RpcCall, 'maxGasAmount'>): Promise<Receipt>;
  /** Publishes modules on behalf of an account. */
  publish(sender: Uint8Array, modules: readonly Uint8Array[], options: Pick<RpcCall, 'maxGasAmount'>): Promise<Receipt>;
  readonly dev: Pick<Controls, 'mint' | 'setObject' | 'setField' | 'mine'> & {
    readonly time: Pick<ChainTime, 'now' | 'set' | 'advance'>;
  };
  /** The funded accounts at genesis; their keys are public. */
  readonly accounts: readonly RpcAccount[];
  snapshot(): Snapshot;
  revert(snapshot: Snapshot): Promise<void>;
  reset(): Promise<void>;
  /** A separate chain that starts from here. */
  fork(): DevEngine;
  close(): Promise<void>;
}

/** Runs `read` on the chain as it is now. */
export function readNow<T>(engine: Pick<RpcEngine, 'at'>, read: (chain: RpcChain) => T): T {
  const chain = engine.at();
  try {
    return read(chain.inside);
  } finally {
    chain[Symbol.dispose]();
  }
}

/** Runs `read` on the chain as it is now, whatever is committed until its promise settles. */
export async function readPinned<T>(
  engine: Pick<RpcEngine, 'at'>,
  read: (chain: RpcChain) => T | Promise<T>,
): Promise<T> {
  const chain = engine.at();
  try {
    return await read(chain.inside);
  } finally {
    chain[Symbol.dispose]();
  }
}
