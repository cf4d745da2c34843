/**
 * The height that a block's coinbase names: from the activation of BIP 34 on, its script begins with it.
 * Source: BIP 34; `BIP34Height` in kernel/chainparams.cpp of Bitcoin Core.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import type { BitcoinBlock } from './block.ts';
import type { BitcoinNetwork } from './network.ts';
import { pushNumber } from './script.ts';

/** From which height on the rule holds. Testnet 4, which has the name of testnet 3, has it from height 1 on. */
const FIRST_HEIGHT: Readonly<Record<BitcoinNetwork, number>> = {
  bitcoin: 227_931,
  testnet: 21_111,
  signet: 1,
  regtest: 1,
};

/** Whether a block may stand at `height`, as far as it names its height. */
export function mayStandAt({ header, transactions }: BitcoinBlock, height: number, network: BitcoinNetwork): boolean {
  if (height < FIRST_HEIGHT[network] || header.version < 2) return true;
  const script = transactions[0]?.inputs[0]?.scriptSig;
  const named = pushNumber(height);
  return script !== undefined && equalBytes(script.subarray(0, named.length), named);
}
