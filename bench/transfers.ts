/** Coin transfers among the funded accounts of an engine, as benches send them: called, or signed beforehand. */

import { encode } from '../src/base/bcs.ts';
import { type SessionSigner, type Signer, sessionSigner } from '../src/chain/signature/signer.ts';
import { signedTransaction } from '../src/chain/transaction/signed.ts';
import { Engine } from '../src/engine/engine.ts';
import type { EngineOptions } from '../src/engine/engine-options.ts';
import type { Receipt } from '../src/pipeline/receipt.ts';
import type { Account } from '../src/query/account.ts';
import type { CallInput } from '../src/query/function-call.ts';

/** What signs: nothing, the accounts' own keys, or session keys that they have authorized. */
export type SignedBy = 'nobody' | 'secp256k1' | 'ed25519';

export const MAX_GAS_AMOUNT = 100_000_000n;
/** Transactions that wait for their receipts at the same time: twice as many as a group has commits. */
export const IN_FLIGHT = 64;
const SECONDS_OF_A_YEAR = 31_536_000n;

export function transfer(to: string, amount = 1n): CallInput {
  return {
    function: '0x3::transfer::transfer_coin',
    typeArguments: ['0x3::gas_coin::RGas'],
    arguments: [to, amount],
  };
}

/**
 * V8 keeps optimising during this many transfers of a process: the first thousand take six times as long as the last, the
 * third thousand 1.5 times.
 */
const OPTIMISED_AFTER = 8_000;

/** Makes transfers on a chain of their own until they are as fast as they get. */
export async function warmUp(): Promise<void> {
  const transfers = await Transfers.open('nobody');
  await transfers.prepare(OPTIMISED_AFTER)();
  await transfers.engine.close();
}

/** Throws unless the transaction was executed: a bench of failures would be a fast one. */
export function executed(receipt: Receipt): Receipt {
  if (receipt.status.kind !== 'executed') throw new Error(`a transaction ended as ${JSON.stringify(receipt.failure)}`);
  return receipt;
}

/** Sends `inFlight` transactions, and another one whenever one was executed. */
export async function sendAll(sends: readonly (() => Promise<Receipt>)[], inFlight: number = IN_FLIGHT): Promise<void> {
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let send = sends[next++]; send !== undefined; send = sends[next++]) executed(await send());
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
}

export class Transfers {
  readonly engine: Engine;
  readonly #accounts: readonly Account[];
  readonly #signers: readonly Signer[] | undefined;
  readonly #sequenceNumbers: bigint[];
  #made = 0;

  private constructor(engine: Engine, signers: readonly Signer[] | undefined) {
    this.engine = engine;
    this.#accounts = engine.accounts;
    this.#signers = signers;
    this.#sequenceNumbers = engine.accounts.map(
      (account) => account.transaction(transfer(`${account}`)).sequenceNumber,
    );
  }

  static async open(signedBy: SignedBy, options: EngineOptions = {}): Promise<Transfers> {
    const engine = await Engine.open(options);
    switch (signedBy) {
      case 'nobody':
        return new Transfers(engine, undefined);
      case 'secp256k1':
        return new Transfers(engine, engine.accounts);
      case 'ed25519':
        return new Transfers(engine, await Promise.all(engine.accounts.map((account) => lendKey(engine, account))));
    }
  }

  /** The next transfers, each from a different account than the previous one, encoded, and signed if there are keys. */
  prepare(count: number, inFlight: number = IN_FLIGHT): () => Promise<void> {
    const sends = Array.from({ length: count }, () => this.#next());
    return () => sendAll(sends, inFlight);
  }

  /** BCS of the next transfers, signed. */
  signed(count: number): Uint8Array[] {
    return Array.from({ length: count }, () => this.#signed(...this.#pair()));
  }

  #next(): () => Promise<Receipt> {
    const { engine } = this;
    const [from, to] = this.#pair();
    if (this.#signers === undefined) {
      const sender = this.#accounts[from]!.address;
      const call = transfer(String(this.#accounts[to]));
      return () => engine.executeAs(sender, call, { maxGasAmount: MAX_GAS_AMOUNT });
    }
    const bytes = this.#signed(from, to);
    return () => engine.execute(bytes);
  }

  #pair(): readonly [from: number, to: number] {
    const index = this.#made++;
    return [index % this.#accounts.length, (index * 7 + 1) % this.#accounts.length];
  }

  #signed(from: number, to: number): Uint8Array {
    const sequenceNumber = this.#sequenceNumbers[from]!++;
    const options = { sequenceNumber, maxGasAmount: MAX_GAS_AMOUNT };
    const data = this.#accounts[from]!.transaction(transfer(String(this.#accounts[to])), options);
    return encode(signedTransaction, this.#signers![from]!.sign(data));
  }
}

/** A key that may call everything in 0x3 on the account's behalf. */
async function lendKey(engine: Engine, account: Account): Promise<SessionSigner> {
  const signer = sessionSigner(account, account.privateKey, 'ed25519');
  const { authenticationKey } = signer;
  const action: CallInput = {
    function: '0x3::session_key::create_session_key_entry',
    arguments: ['bench', 'https://bench.test', authenticationKey, '0x3', '*', '*', SECONDS_OF_A_YEAR],
  };
  executed(await engine.executeAs(account.address, action));
  return signer;
}
