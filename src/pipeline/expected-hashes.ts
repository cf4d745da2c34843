/**
 * The hashes that waiting transactions are expected to have, so that the orders of many can be signed at once.
 *
 * The hash of a signed transaction is known. That of a call depends on its place among the calls of its account: each
 * waiting call is expected to take the sequence number after the previous one. An expectation only affects how long the
 * sequencer's signature takes (order-signatures.ts).
 * @module
 */

import { textOfBytes } from '../base/bytes/byte-text.ts';
import { EngineError } from '../base/error.ts';
import { readSigned, transactionHash } from '../chain/transaction/signed.ts';
import { gasScheduleOf } from '../execution/framework/gas-schedule.ts';
import type { CallInput, Input } from './input.ts';
import type { Present } from './step.ts';
import { sequenceNumberOf } from './validate.ts';

/** The chain as the calls that wait are expected to find it. */
export type ExpectedChain = Pick<Present, 'head' | 'state'>;

/** The calls of an account that wait. */
interface WaitingCalls {
  readonly chainId: bigint;
  readonly maxGasAmount: bigint;
  /** Sequence number of the next one to be submitted. */
  next: bigint;
  /** How many were submitted and are not done yet. */
  count: number;
}

export interface ExpectedHash {
  /** Undefined for a transaction that cannot be read. */
  readonly hash: () => Uint8Array | undefined;
  /** To be called once, when the input is committed or refused. */
  readonly done: () => void;
}

export class ExpectedHashes {
  readonly #chain: () => ExpectedChain;
  /** By the sender's bytes, as text. */
  readonly #calls = new Map<string, WaitingCalls>();

  /** @param chain as the last commit left it */
  constructor(chain: () => ExpectedChain) {
    this.#chain = chain;
  }

  /** The expected hash of an input that is submitted now; undefined if it cannot be known. */
  of(input: Input): ExpectedHash | undefined {
    if (input.kind === 'signed') return { hash: () => readSigned(input.bytes)?.hash, done: () => {} };
    return input.kind === 'call' ? this.#ofCall(input) : undefined;
  }

  #ofCall({ sender, action, maxGasAmount }: CallInput): ExpectedHash | undefined {
    const name = textOfBytes(sender);
    const calls = this.#calls.get(name) ?? this.#first(name, sender);
    if (calls === undefined) return undefined;
    const sequenceNumber = calls.next++;
    calls.count++;
    const { chainId } = calls;
    const gas = maxGasAmount ?? calls.maxGasAmount;
    return {
      hash: () => transactionHash({ sender, sequenceNumber, chainId, maxGasAmount: gas, action }),
      done: () => {
        calls.count--;
        if (calls.count === 0) this.#calls.delete(name);
      },
    };
  }

  #first(name: string, sender: Uint8Array): WaitingCalls | undefined {
    try {
      const { head, state } = this.#chain();
      const { maxGasAmount } = gasScheduleOf(state);
      const calls = { chainId: head.chainId, maxGasAmount, next: sequenceNumberOf(state, sender), count: 0 };
      this.#calls.set(name, calls);
      return calls;
    } catch (error) {
      // A problem with the state is reported in the call's turn.
      if (error instanceof EngineError) return undefined;
      throw error;
    }
  }
}
