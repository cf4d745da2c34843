/**
 * Genesis: the transaction at order 0 and its results, ready to be committed to an empty store.
 *
 * There are two kinds: the framework that this engine brings (framework-genesis.ts), and a released genesis file of the
 * reference network (released-genesis.ts). Both yield a transaction with its output; the pipeline commits it.
 * @module
 */

import { bytes, type Codec, struct, u256 } from '../../base/bcs.ts';
import { parseBitcoinAddress } from '../../bitcoin/address.ts';
import type { StateChangeSet } from '../../chain/object/change-set.ts';
import type { TransactionEvent } from '../../chain/transaction/event.ts';
import type { KeptStatus } from '../../chain/transaction/execution-info.ts';
import type { SignedTransaction } from '../../chain/transaction/signed.ts';
import { type Address, address, parseAddressHex } from '../../move/address.ts';
import { DEV_ACCOUNTS } from '../framework/accounts.ts';

export interface Genesis {
  /** A SHA3 hash that identifies the genesis; part of every head. */
  readonly hash: Uint8Array;
  readonly chainId: bigint;
  /** Milliseconds. */
  readonly timestamp: bigint;
  readonly transaction: SignedTransaction;
  readonly output: {
    readonly status: KeptStatus;
    readonly gasUsed: bigint;
    readonly changeSet: StateChangeSet;
    readonly events: readonly TransactionEvent[];
  };
  /** Roots of trees that the change set names but whose nodes are missing: the chain is partial and read-only. */
  readonly unloadedRoots: readonly Uint8Array[];
}

export interface GenesisAccount {
  readonly address: Address;
  /** In internal form; recorded in the address mapping. */
  readonly bitcoinAddress: Uint8Array;
  /** Gas coins in the smallest unit; 8 decimals. */
  readonly balance: bigint;
}

export const genesisAccount: Codec<GenesisAccount> = struct({
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
