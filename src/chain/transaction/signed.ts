/**
 * Transactions of the chain itself (L2): the data that is hashed and signed, and the authenticator, which names the
 * validator and holds what it checks.
 * Source: rooch.rs and authenticator.rs of the reference's crates/rooch-types/src/transaction.
 * @module
 */
import { bytes, type Codec, encodeGiven, struct, u64 } from '../../base/bcs.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type Address, address } from '../../move/address.ts';
import { type Action, action } from './action.ts';

export const VALIDATOR_SESSION = 0n;
export const VALIDATOR_BITCOIN = 1n;
export const VALIDATOR_BITCOIN_MULTISIGN = 2n;
export const VALIDATOR_WEBAUTHN = 3n;
export const VALIDATOR_DID = 4n;

/** The id of a validator on the chain, and what that validator checks. */
export interface Authenticator {
  /** A `VALIDATOR_*` number, or one that a contract registered. */
  readonly validatorId: bigint;
  readonly payload: Uint8Array;
}

/** An authenticator in BCS. */
export const authenticator: Codec<Authenticator> = struct<Authenticator>({ validatorId: u64, payload: bytes });

/** The authenticator of unsigned transactions: genesis, impersonated calls. */
export const EMPTY_AUTHENTICATOR: Authenticator = { validatorId: VALIDATOR_SESSION, payload: new Uint8Array(0) };

/** What the sender signs. */
export interface TransactionData {
  readonly sender: Address;
  readonly sequenceNumber: bigint;
  readonly chainId: bigint;
  readonly maxGasAmount: bigint;
  readonly action: Action;
}

/** A transaction with its authenticator. */
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
interface HashedSigned extends SignedTransaction {
  readonly hash: Uint8Array;
}

/** Reads a signed transaction and hashes the bytes of its data as given: BCS has one form for each value. */
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
