/**
 * The height that a block's coinbase names: since BIP 34, its script begins with it.
 * Source: BIP 34; `BIP34Height` in kernel/chainparams.cpp of Bitcoin Core.
 * @module
 */
import { equalBytes } from '../base/bytes/compare.ts';
import type { BitcoinBlock } from './block.ts';
import type { BitcoinNetwork } from './network.ts';
import { pushNumber } from './script.ts';

/** The height from which the rule applies. Testnet 4, which shares testnet 3's name here, has it from height 1. */
const FIRST_HEIGHT: Readonly<Record<BitcoinNetwork, number>> = {
  bitcoin: 227_931,
  testnet: 21_111,
  signet: 1,
  regtest: 1,
};

/** Whether a block may be at `height`, judging by the height it names. */
export function mayStandAt({ header, transactions }: BitcoinBlock, height: number, network: BitcoinNetwork): boolean {
  if (height < FIRST_HEIGHT[network] || header.version < 2) return true;
  const script = transactions[0]?.inputs[0]?.scriptSig;
  const named = pushNumber(height);
  return script !== undefined && equalBytes(script.subarray(0, named.length), named);
}
