/**
 * What a log stores alongside a record: its position, its digest, and what people search for. Only the front of a
 * record is decoded, and nothing is checked; readers do that (record.ts).
 * @module
 */
import { assertBytes } from '../base/argument.ts';
import { equalBytes } from '../base/bytes/compare.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { EngineError } from '../base/error.ts';
import { sha3 } from '../base/hash/sha3.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import type { ExecutionInfo } from '../chain/transaction/execution-info.ts';
import type { LedgerTransactionData } from '../chain/transaction/ledger.ts';
import { type Address, formatAddress } from '../move/address.ts';
import { displayType } from '../move/type-tag.ts';
import { equalLogHeads, type LogHead } from './log-head.ts';
import { decodeRecord, RECORD_BYTES_MAX, RECORD_VERSION, recordedCommit, recordLink } from './record.ts';

/** What is known about a record without reading all of it. */
export interface RecordSummary extends LogHead {
  /** Digest of the previous record. */
  readonly previous: Uint8Array;
  readonly txHash: Uint8Array;
  readonly sender: Address;
  /** The function that was called, as `address::module::name`; otherwise the kind of transaction. */
  readonly function: string;
  /** How the execution ended: 'executed', 'move-abort' or another kind of `KeptStatus`. */
  readonly status: ExecutionInfo['status']['kind'];
  readonly gasUsed: bigint;
  /** The transaction's timestamp in milliseconds. */
  readonly time: bigint;
}

/** The length-prefixed signature of a record. */
const SIGNATURE_BYTES = 98;

/**
 * The front of a record and its digest.
 * @throws {EngineError} `malformed-bytes`, `format-unknown`, `limit-exceeded`.
 */
export function summaryOf(record: Uint8Array): RecordSummary {
  assertBytes(record, 'record');
  const signatureAt = record.length - SIGNATURE_BYTES - 1;
  if (record.length > RECORD_BYTES_MAX) {
    throw new EngineError(
      'limit-exceeded',
      `a record: expected at most ${RECORD_BYTES_MAX} bytes (RECORD_BYTES_MAX), got ${record.length}`,
    );
  }
  if (signatureAt < 1 || record[signatureAt] !== SIGNATURE_BYTES) {
    throw new EngineError(
      'malformed-bytes',
      `expected a record that ends with a signature of ${SIGNATURE_BYTES} bytes`,
    );
  }
  const reader = new ByteReader(record, 0, signatureAt);
  const version = reader.u8();
  if (version !== RECORD_VERSION) {
    throw new EngineError('format-unknown', `expected a record of version ${RECORD_VERSION}, got version ${version}`);
  }
  const { order, epoch, previous } = recordLink.read(reader);
  const { transaction, executionInfo: info } = recordedCommit.read(reader);
  const { data, sequenceInfo } = transaction;
  const { txHash, stateRoot, status, gasUsed } = info;
  return {
    order,
    epoch,
    previous,
    digest: sha3(record.subarray(0, signatureAt)),
    stateRoot,
    txHash,
    sender: transactionSender(data),
    function: actionName(data),
    status: status.kind,
    gasUsed,
    time: sequenceInfo.txTimestamp,
  };
}

/**
 * The types of a record's events, in order, as JSON-RPC shows types. Decodes the whole record.
 * @throws {EngineError} as `decodeRecord`
 */
export function eventTypesOf(record: Uint8Array): string[] {
  return decodeRecord(record).events.map(({ eventType }) => displayType({ kind: 'struct', struct: eventType }));
}

function actionName(data: LedgerTransactionData): string {
  if (data.kind !== 'l2-transaction') return data.kind;
  const { action } = data.data;
  if (action.kind !== 'function') return action.kind;
  const { address, module, name } = action.function;
  return `${formatAddress(address)}::${module}::${name}`;
}

/**
 * The summaries of records that the writer of `after.epoch` is about to append after `after`.
 * @throws {EngineError} `invalid-argument` for records that do not follow `after` or each other; as `summaryOf`.
 */
export function summariesAfter(after: LogHead, records: readonly Uint8Array[]): readonly RecordSummary[] {
  if (records.length === 0) throw new EngineError('invalid-argument', 'records: expected at least one, got none');
  let { order, digest } = after;
  return records.map((record) => {
    const summary = summaryOf(record);
    order++;
    if (summary.order !== order) throw unfit('order', String(order), String(summary.order));
    if (summary.epoch !== after.epoch) throw unfit('epoch', String(after.epoch), String(summary.epoch));
    if (!equalBytes(summary.previous, digest))
      throw unfit(`digest before order ${order}`, 'that of `after`', 'another');
    ({ digest } = summary);
    return summary;
  });
}

function unfit(what: string, expected: string, received: string): EngineError {
  return new EngineError('invalid-argument', `records: expected the ${what} to be ${expected}, got ${received}`);
}

/** The head of a log that ends with this record. */
export function headAfter({ epoch, order, digest, stateRoot }: LogHead): LogHead {
  return { epoch, order, digest, stateRoot };
}

/**
 * Whether a log at `head` accepts records after `after`: it must be the same head. An empty log accepts any order, since a
 * log may begin with a chain that is older than the log.
 */
export function takesAfter(head: LogHead, after: LogHead): boolean {
  return head.order === 0n ? head.epoch === after.epoch : equalLogHeads(head, after);
}
