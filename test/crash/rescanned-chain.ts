/** Blocks that pay two people: the directory that is scanned again watched only the first of them. */
import { RegtestChain, reveal } from '../../src/bitcoin/mine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';

const PAIRS = 20;
const OUTPUTS = 8;

export const alice: string = DEV_ACCOUNTS[0]!.regtestAddress;
export const bob: string = DEV_ACCOUNTS[1]!.regtestAddress;

/** The same chain each time: a coinbase of the second person, and the block in which he inscribes and divides it. */
export function rescannedChain(): RegtestChain {
  const chain = new RegtestChain();
  for (let pair = 0; pair < PAIRS; pair++) {
    const coinbase = chain.mine({ to: bob }).transactions[0]!;
    const outputs = Array.from({ length: OUTPUTS }, (_, at) => ({ to: bob, value: BigInt(1_000 + at) }));
    const inscribed = reveal({ txid: coinbase.txid, vout: 0 }, { body: `${pair}` }, outputs);
    chain.mine({ to: alice, transactions: [inscribed] });
  }
  return chain;
}
