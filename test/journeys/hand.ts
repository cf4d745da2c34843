/** An engine whose commits are written by hand. */

import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { Engine, type EngineOptions } from '../../src/index.ts';
import { addressOf } from '../../src/move/address.ts';
import type { Commit } from '../../src/pipeline/commit.ts';
import { forge } from '../forge.ts';
import { executionOf, type HandOutput } from './edits.ts';

export class HandEngine implements AsyncDisposable {
  readonly engine: Engine;
  #serial = 0n;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  static async open(options: EngineOptions = {}): Promise<HandEngine> {
    return new HandEngine(await Engine.open(options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
  }

  /** Commits an output under the next transaction of `0x42`. */
  commit(output: HandOutput = {}): Promise<Commit> {
    return forge(this.engine, this.next(), (state) => executionOf(state, output));
  }

  next(): LedgerTransactionData {
    return {
      kind: 'l2-transaction',
      data: {
        sender: addressOf(0x42),
        sequenceNumber: this.#serial++,
        chainId: 4n,
        maxGasAmount: 1n,
        action: { kind: 'script', code: new Uint8Array(0), typeArguments: [], arguments: [] },
      },
      authenticator: { validatorId: 1n, payload: new Uint8Array(0) },
    };
  }
}
