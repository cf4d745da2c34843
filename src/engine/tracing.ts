/**
 * Traces of executed transactions: each can be run again on the state before it, since states are kept.
 * @module
 */

import { argumentError, TEXT } from '../base/argument.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { CALL_STACK_MS_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { toHash } from '../base/hash/hash-input.ts';
import { readTransaction, readTransactionOrder, type TransactionRecord } from '../chain/ledger/transactions.ts';
import type { FindCallStack } from '../execution/trace/explain-failure.ts';
import type { Trace } from '../execution/trace/trace.ts';
import type { TransactionInput } from '../query/chain-view.ts';
import { type Reader, type ReaderSource, stateOf } from '../query/reader.ts';
import type { DeadlineClock } from '../vm/deadline.ts';
import type { ExecutionUnit } from './open.ts';

/** What traces need from their engine. */
export interface TracingHost {
  readonly source: ReaderSource;
  readonly execution: () => ExecutionUnit;
  /** Milliseconds that a dry run, or a repeated one, may take. */
  readonly viewMsMax: number;
  /** The clock that measures them. Default: the host's. */
  readonly deadlineClock?: DeadlineClock;
}

export class Tracing {
  readonly #host: TracingHost;

  constructor(host: TracingHost) {
    this.#host = host;
  }

  /** As `ChainView.trace`. */
  trace(source: ReaderSource, transaction: TransactionInput): Trace {
    const chain = source.current();
    const record = readTransaction(chain.rows, orderOf(chain, transaction));
    return this.#rerun(record, chain, rootBefore(record, chain), this.#host.viewMsMax);
  }

  /**
   * A function that finds the call stack of a failed transaction later.
   * @param before the root before it if the ledger does not know it: for a simulated transaction
   */
  callStack(record: TransactionRecord, before?: Uint8Array): FindCallStack {
    return () =>
      this.#host.execution().callStackBy(() => {
        const chain = this.#host.source.present();
        return this.#rerun(record, chain, before ?? rootBefore(record, chain), CALL_STACK_MS_MAX);
      });
  }

  #rerun(record: TransactionRecord, chain: Reader, before: Uint8Array | undefined, msMax: number): Trace {
    const { Deadline, rerun } = this.#host.execution();
    const deadline = new Deadline(msMax, this.#host.deadlineClock);
    const state = stateOf(chain, before);
    return rerun(record, { head: chain.head, state, machines: chain.machines(), deadline });
  }
}

/** The root of the state on which a transaction was executed; undefined for genesis. */
function rootBefore({ order }: TransactionRecord, { rows }: Reader): Uint8Array | undefined {
  return order === 0n ? undefined : readTransaction(rows, order - 1n).executionInfo.stateRoot;
}

function orderOf({ head, rows }: Reader, given: TransactionInput): bigint {
  if (typeof given === 'bigint') {
    if (given >= 0n && given <= head.order) return given;
    throw new EngineError('not-found', `expected an order from 0 to ${head.order}, the head's, got ${given}`);
  }
  if (!TEXT[1](given) && !(given instanceof Uint8Array)) {
    throw argumentError('transaction', 'the hash of a transaction, or its order as a bigint', given);
  }
  const hash = toHash(given, 'transaction', 'a transaction hash');
  const order = readTransactionOrder(rows, hash);
  if (order === undefined) {
    throw new EngineError('not-found', `no transaction of this chain has the hash ${toHexPrefixed(hash)}`);
  }
  return order;
}
