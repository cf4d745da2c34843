/** What changes a chain: Bitcoin blocks, modules that are published, signed transactions. Each input has a fork of its own. */

import { encode } from '../../src/base/bcs.ts';
import { RegtestChain, spend } from '../../src/bitcoin/index.ts';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { signedTransaction } from '../../src/query/transaction-builder.ts';
import { payment } from '../payment.ts';
import { type Area, refusedOrDone } from './area.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];

/** Tries an input on a fork: if it is refused the head stays, and the fork goes on in any case. */
async function onFork(engine: Engine, attempt: (fork: Engine) => unknown): Promise<void> {
  await using fork = engine.fork();
  await refusedOrDone(async () => {
    try {
      await attempt(fork);
    } catch (error) {
      if (fork.head.stateRoot !== engine.head.stateRoot)
        throw new Error('what was refused left something', { cause: error });
      throw error;
    }
  });
  await fork.dev.mine({ to: bob });
}

export async function blocks(): Promise<Area> {
  const engine = await Engine.open();
  const chain = new RegtestChain();
  const { transactions } = chain.mine({ to: alice });
  const outpoint = { txid: transactions[0]!.txid, vout: 0 };
  const envelope = Buffer.from('0063036f7264010109746578742f706c61696e00026869' + '68', 'hex');
  const reveal = spend(
    [{ outpoint, witness: [new Uint8Array(64), envelope, new Uint8Array(33).fill(0xc0)] }],
    [{ to: bob, value: 1_000n }],
  );
  const seeds = [chain.mine({ to: bob }).bytes, chain.mine({ to: alice, transactions: [reveal] }).bytes];
  await engine.bitcoin.ingest(chain.blocks[0]!.bytes, 0);
  return {
    seeds,
    msMax: 5_000,
    run: (input) => onFork(engine, (fork) => fork.bitcoin.ingest(input, 1)),
    close: () => engine.close(),
  };
}

export async function modules(): Promise<Area> {
  const engine = await Engine.open();
  const small = FRAMEWORK_PACKAGES.flatMap(({ modules: own }) => own.map(({ bytes }) => bytes)).filter(
    ({ length }) => length < 3_000,
  );
  return {
    seeds: small,
    msMax: 5_000,
    // For the account that the module names, so that it comes as far as the verifier.
    run: (input) => onFork(engine, (fork) => fork.publish('0x2', [input])),
    close: () => engine.close(),
  };
}

export async function transactions(): Promise<Area> {
  const engine = await Engine.open();
  const [first, second] = engine.accounts;
  const transfer = first!.sign(first!.transaction(payment(`${second}`)));
  return {
    seeds: [encode(signedTransaction, transfer)],
    msMax: 5_000,
    run: (input) => onFork(engine, (fork) => fork.execute(input)),
    close: () => engine.close(),
  };
}
