/**
 * Ledger transactions: whatever has an order, with its sequence info: a Bitcoin block, a Bitcoin transaction, or a
 * transaction of the chain itself.
 * Source: crates/rooch-types/src/transaction/ledger_transaction.rs of the reference.
 * @module
 */
import { argumentError } from '../../base/argument.ts';
import { bytes, type Codec, encodeGiven, payload, struct, u64, variant } from '../../base/bcs.ts';
import { toHex } from '../../base/bytes/bytes.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { formatAddress } from '../../move/address.ts';
import { type Action, formatFunctionId } from './action.ts';
import { type SequenceInfo, sequenceInfo, writeUnsigned } from './sequence-info.ts';
import { type SignedTransaction, signedTransaction, transactionHash } from './signed.ts';

/** Chain id of Bitcoin among other chains (SLIP-44). */
export const BITCOIN_CHAIN_ID = 0n;

export interface L1Block {
  readonly chainId: bigint;
  readonly blockHeight: bigint;
  /** Internal byte order. */
  readonly blockHash: Uint8Array;
}

export interface L1Transaction {
  readonly chainId: bigint;
  /** Internal byte order. */
  readonly blockHash: Uint8Array;
  /** Internal byte order. */
  readonly txid: Uint8Array;
}

export type LedgerTransactionData =
  | ({ readonly kind: 'l1-block' } & L1Block)
  | ({ readonly kind: 'l1-transaction' } & L1Transaction)
  | ({ readonly kind: 'l2-transaction' } & SignedTransaction);

/** A transaction with its place in the order. */
export interface LedgerTransaction {
  readonly data: LedgerTransactionData;
  readonly sequenceInfo: SequenceInfo;
}

export const l1Block: Codec<L1Block> = struct<L1Block>({ chainId: u64, blockHeight: u64, blockHash: bytes });
export const l1Transaction: Codec<L1Transaction> = struct<L1Transaction>({
  chainId: u64,
  blockHash: bytes,
  txid: bytes,
});

export const ledgerTransactionData: Codec<LedgerTransactionData> = variant<LedgerTransactionData>('LedgerTxData', [
  payload<LedgerTransactionData, 'l1-block'>('l1-block', l1Block),
  payload<LedgerTransactionData, 'l1-transaction'>('l1-transaction', l1Transaction),
  payload<LedgerTransactionData, 'l2-transaction'>('l2-transaction', signedTransaction),
]);

/** A transaction with its place in the order, in BCS. */
export const ledgerTransaction: Codec<LedgerTransaction> = struct<LedgerTransaction>({
  data: ledgerTransactionData,
  sequenceInfo,
});

/** The index of signed transactions among the variants above. */
const SIGNED_VARIANT = 2;

/**
 * Writes a transaction in BCS.
 * @param signed BCS of the signed transaction in it, if available
 * @param isUnsigned whether the sequencer's signature is omitted
 */
export function writeLedgerTransaction(
  writer: ByteWriter,
  { data, sequenceInfo: info }: LedgerTransaction,
  signed: Uint8Array | undefined,
  isUnsigned: boolean,
): void {
  if (signed === undefined) ledgerTransactionData.write(writer, data);
  else {
    writer.u8(SIGNED_VARIANT);
    writer.bytes(signed);
  }
  if (isUnsigned) writeUnsigned(writer, info);
  else sequenceInfo.write(writer, info);
}

/** The hash by which the ledger and the accumulator know a transaction. */
export function ledgerTransactionHash(data: LedgerTransactionData): Uint8Array {
  switch (data?.kind) {
    case 'l1-block':
      return sha3(encodeGiven(l1Block, data, 'data'));
    case 'l1-transaction':
      return sha3(encodeGiven(l1Transaction, data, 'data'));
    case 'l2-transaction':
      return transactionHash(data.data);
    default:
      throw argumentError('data', "an object with a kind: 'l1-block', 'l1-transaction' or 'l2-transaction'", data);
  }
}

/** A description in a few words: `0x42::counter::add by 0x43`. */
export function transactionTitle(data: LedgerTransactionData): string {
  switch (data.kind) {
    case 'l1-block':
      return `Bitcoin block ${toHex(data.blockHash.toReversed())}`;
    case 'l1-transaction':
      return `Bitcoin transaction ${toHex(data.txid.toReversed())}`;
    case 'l2-transaction': {
      const { action, sender } = data.data;
      const what = action.kind === 'function' ? formatFunctionId(action.function) : titleOf(action);
      return `${what} by ${formatAddress(sender)}`;
    }
  }
}

function titleOf(action: Exclude<Action, { readonly kind: 'function' }>): string {
  if (action.kind === 'script') return 'a script';
  return `publishing ${action.modules.length === 1 ? 'a module' : `${action.modules.length} modules`}`;
}
