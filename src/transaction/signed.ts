/**
 * Transactions of the chain itself (L2): the data that is hashed and signed, and the signed whole.
 * Source: crates/rooch-types/src/transaction/rooch.rs of the reference; spec/state.md 6.1 and 6.2.
 * @module
 */
import { type Codec, encode } from '../bcs/codec.ts';
import { struct } from '../bcs/composite.ts';
import { u64 } from '../bcs/primitive.ts';
import { sha3 } from '../hash/sha3.ts';
import { type Address, address } from '../move/address.ts';
import { type Action, action } from './action.ts';
import { type Authenticator, authenticator } from './authenticator.ts';

export interface TransactionData {
  readonly sender: Address;
  readonly sequenceNumber: bigint;
  readonly chainId: bigint;
  readonly maxGasAmount: bigint;
  readonly action: Action;
}

export interface SignedTransaction {
  readonly data: TransactionData;
  readonly authenticator: Authenticator;
}

export const transactionData: Codec<TransactionData> = struct<TransactionData>({
  sender: address,
  sequenceNumber: u64,
  chainId: u64,
  maxGasAmount: u64,
  action,
});

export const signedTransaction: Codec<SignedTransaction> = struct<SignedTransaction>({
  data: transactionData,
  authenticator,
});

/** sha3 of the BCS of the data: the authenticator is not part of the hash. */
export function transactionHash(data: TransactionData): Uint8Array {
  return sha3(encode(transactionData, data));
}
