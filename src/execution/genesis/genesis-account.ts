/**
 * Accounts that exist from genesis on, with coins.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { bytes, u256 } from '../../base/bcs/primitive.ts';
import { parseBitcoinAddress } from '../../bitcoin/address.ts';
import { type Address, address, parseAddressHex } from '../../move/address.ts';
import { DEV_ACCOUNTS } from '../framework/accounts.ts';

export interface GenesisAccount {
  readonly address: Address;
  /** In internal form; recorded in the address mapping. */
  readonly bitcoinAddress: Uint8Array;
  /** Gas coins in the smallest unit; 8 decimals. */
  readonly balance: bigint;
}

export const genesisAccount: Codec<GenesisAccount> = struct<GenesisAccount>({
  address,
  bitcoinAddress: bytes,
  balance: u256,
});

/** The ten accounts of the documented mnemonic, each with `balance`. */
export function devGenesisAccounts(balance: bigint): GenesisAccount[] {
  return DEV_ACCOUNTS.map((known) => ({
    address: parseAddressHex(known.address),
    bitcoinAddress: parseBitcoinAddress(known.regtestAddress),
    balance,
  }));
}
