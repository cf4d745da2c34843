/**
 * Transactions of the chain itself (L2): the data that is hashed and signed, and the signed whole.
 * Source: crates/rooch-types/src/transaction/rooch.rs of the reference.
 * @module
 */
import { type Codec, encodeGiven } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { u64 } from '../../base/bcs/primitive.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type Address, address } from '../../move/address.ts';
import { type Action, action } from './action.ts';
import { type Authenticator, authenticator } from './authenticator.ts';

/** What a transaction says and its sender signs. */
export interface TransactionData {
  readonly sender: Address;
  readonly sequenceNumber: bigint;
  readonly chainId: bigint;
  readonly maxGasAmount: bigint;
  readonly action: Action;
}

/** A transaction with what vouches for it. */
export interface SignedTransaction {
  readonly data: TransactionData;
  readonly authenticator: Authenticator;
}

/** A transaction's data in BCS: what is hashed and signed. */
export const transactionData: Codec<TransactionData> = struct<TransactionData>({
  sender: address,
  sequenceNumber: u64,
  chainId: u64,
  maxGasAmount: u64,
  action,
});

/** A signed transaction in BCS: what is submitted. */
export const signedTransaction: Codec<SignedTransaction> = struct<SignedTransaction>({
  data: transactionData,
  authenticator,
});

/** A signed transaction with its hash. */
export interface HashedSigned extends SignedTransaction {
  readonly hash: Uint8Array;
}

/** Reads a signed transaction and hashes the bytes of its data as they stand: BCS has one form for each value. */
export const hashedSigned: Pick<Codec<HashedSigned>, 'read'> = {
  read: (reader) => {
    const start = reader.offset;
    const data = transactionData.read(reader);
    const hash = transactionDataHash(reader.bytes.subarray(start, reader.offset));
    return { data, authenticator: authenticator.read(reader), hash };
  },
};

/** @throws {EngineError} `invalid-argument` for anything but the data of a transaction */
export function assertTransactionData(data: TransactionData): void {
  encodeGiven(transactionData, data, 'data');
}

/** sha3 of the BCS of the data: the authenticator is not part of the hash. */
export function transactionHash(data: TransactionData): Uint8Array {
  return transactionDataHash(encodeGiven(transactionData, data, 'data'));
}

/** The hash of a transaction whose data has this BCS. */
export function transactionDataHash(encoded: Uint8Array): Uint8Array {
  return sha3(encoded);
}
