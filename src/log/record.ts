/**
 * Records: the form in which commits are sent to other nodes. One per commit, in BCS, linked to the previous one and
 * signed by the writer.
 *
 * A record holds the transaction with its sequence info, its execution info, the change set with the roots after it,
 * the events, the clock's reading, and the rows that cannot be derived from these. Tree nodes, indexes and look-up rows
 * can be derived and are left out: a node with the preceding state can make the commit from the record without
 * executing it, or execute its input again and compare. The input can be derived from the transaction, except for the
 * bytes of a Bitcoin block.
 *
 * The digest of a record is the SHA3-256 of everything in it except the signature, including the previous record's
 * digest. So the digests of a group are known before anything is signed, and the signatures are made together. The
 * signature covers the order, the epoch, the previous digest, the three roots and the digest itself, and can be checked
 * with these alone.
 *
 * Bytes: the version (one byte), the body in BCS, the length-prefixed signature. A different form needs a new version.
 *
 * Cost: about the bytes of the change set's row and the transaction's row; a hash of them; a signature.
 *
 * For its summary, which a log stores alongside, only the front of a record is decoded, and nothing is checked: readers
 * do that.
 * @module
 */

import { assertBytes } from '../base/argument.ts';
import { bytes, bytes32, type Codec, encode, option, payload, struct, u64, variant, vector } from '../base/bcs.ts';
import { concatBytes, encodeUtf8, equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { CONTROL_VALIDATOR_ID, IMPERSONATION_VALIDATOR_ID } from '../base/config.ts';
import { assert, EngineError } from '../base/error.ts';
import { sha3 } from '../base/hash/sha3.ts';
import { sha256d } from '../base/hash/sha256.ts';
import { HEADER_BYTES } from '../bitcoin/header.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import type { Head } from '../chain/ledger/head.ts';
import { type StateChangeSet, stateChangeSet } from '../chain/object/change-set.ts';
import { recordedControl } from '../chain/transaction/control.ts';
import { type TransactionEvent, transactionEvent } from '../chain/transaction/event.ts';
import { type ExecutionInfo, executionInfo } from '../chain/transaction/execution-info.ts';
import {
  type LedgerTransaction,
  type LedgerTransactionData,
  ledgerTransaction,
  ledgerTransactionHash,
} from '../chain/transaction/ledger.ts';
import { isOrderSignature, type OrderSigner } from '../chain/transaction/order-signature.ts';
import { signedTransaction } from '../chain/transaction/signed.ts';
import { type Address, formatAddress } from '../move/address.ts';
import { displayType } from '../move/type-tag.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { Input, TimedInput } from '../pipeline/input.ts';
import { eventRoot } from '../store/accumulator/accumulator.ts';
import { COLUMN } from '../store/column.ts';
import type { Operation } from '../store/store.ts';
import { type CommitLog, equalLogHeads, type LogHead } from './commit-log.ts';

/** The longest record of a commit, in bytes: below PostgreSQL's one gigabyte per value, above every transaction. */
export const RECORD_BYTES_MAX: number = 512 * 2 ** 20;

/** The record version written and read here. */
export const RECORD_VERSION = 1;

/** A position in a log: a record, and the epoch of the writer that wrote it. */
export interface LogPlace {
  readonly order: bigint;
  /** The number of writers the log has had. */
  readonly epoch: bigint;
  /** Digest of the record at `order`; for a log that begins after it, the `originDigest` of the chain there. */
  readonly digest: Uint8Array;
}

/** A row written by a commit that cannot be derived from the rest of its record. */
type RecordedRow =
  | { readonly kind: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'delete'; readonly key: Uint8Array };

/**
 * An input and its outcome: what it takes to execute the input again, and to see whether the outcome is the same. A
 * recorded run (recording/run-file.ts) consists of these.
 */
export interface RecordedCommit {
  /** The sequencer's clock, in milliseconds, when the input's turn came. */
  readonly now: bigint;
  /** The part of `now`, in milliseconds, by which controls moved the clock; undefined for a chain without a clock. */
  readonly clockOffset: bigint | undefined;
  /** The bytes of a Bitcoin block; the ledger keeps only its hash. */
  readonly block: Uint8Array | undefined;
  readonly transaction: LedgerTransaction;
  readonly executionInfo: ExecutionInfo;
}

/** The position of a record in its log. */
interface RecordLink {
  readonly order: bigint;
  readonly epoch: bigint;
  readonly previous: Uint8Array;
}

/** What a commit changed, for nodes that do not execute it. */
interface RecordedChange {
  /** With the roots after the change. */
  readonly changeSet: StateChangeSet;
  readonly events: readonly TransactionEvent[];
  readonly rows: readonly RecordedRow[];
}

/** The signed part of a record. */
export interface RecordBody extends RecordLink, RecordedCommit, RecordedChange {}

export interface SignedRecord extends RecordBody {
  readonly digest: Uint8Array;
  /** Scheme flag, signature and public key, in the form of order signatures. */
  readonly signature: Uint8Array;
}

/** A record ready to be appended. */
export interface EncodedRecord extends LogPlace {
  readonly bytes: Uint8Array;
}

const recordedRow: Codec<RecordedRow> = variant<RecordedRow>('RecordedRow', [
  payload<RecordedRow, 'put'>('put', struct<{ key: Uint8Array; value: Uint8Array }>({ key: bytes, value: bytes })),
  payload<RecordedRow, 'delete'>('delete', struct<{ key: Uint8Array }>({ key: bytes })),
]);

const recordLink: Codec<RecordLink> = struct<RecordLink>({ order: u64, epoch: u64, previous: bytes32 });

export const recordedCommit: Codec<RecordedCommit> = struct<RecordedCommit>({
  now: u64,
  clockOffset: option(u64),
  block: option(bytes),
  transaction: ledgerTransaction,
  executionInfo,
});

const recordedChange: Codec<RecordedChange> = struct<RecordedChange>({
  changeSet: stateChangeSet,
  events: vector(transactionEvent),
  rows: vector(recordedRow),
});

/** A record without its version and signature. */
export const recordBody: Codec<RecordBody> = {
  write: (writer, body) => {
    recordLink.write(writer, body);
    recordedCommit.write(writer, body);
    recordedChange.write(writer, body);
  },
  read: (reader) => ({ ...recordLink.read(reader), ...recordedCommit.read(reader), ...recordedChange.read(reader) }),
};

/** The columns whose rows a record may hold. */
const RECORDED_COLUMNS: readonly number[] = [COLUMN.inscriptionBytes, COLUMN.clockOffset];

// ---- writing ----

/**
 * The records of commits that follow each other, to be appended after `after` by the writer of `epoch`.
 * @throws {EngineError} `limit-exceeded` for a commit whose record is longer than RECORD_BYTES_MAX; `invariant-violation`
 * for commits that do not follow `after` or were not made from an input.
 */
export function recordsOf(
  commits: readonly Commit[],
  after: LogPlace,
  epoch: bigint,
  sign: OrderSigner,
): readonly EncodedRecord[] {
  const records: EncodedRecord[] = [];
  let { order, digest: previous } = after;
  for (const commit of commits) {
    const body = bodyOf(commit, epoch, previous);
    order++;
    assert(body.order === order, `expected the commit of order ${order} for the log, got ${body.order}`);
    const unsigned = encode(versioned, body);
    if (unsigned.length + SIGNATURE_ROOM > RECORD_BYTES_MAX) throw tooLong(order, unsigned.length);
    const digest = sha3(unsigned);
    const signature = encode(bytes, sign(recordWitness(body, digest)));
    records.push({ order, epoch, digest, bytes: concatBytes(unsigned, signature) });
    previous = digest;
  }
  return records;
}

/** The signature of a record, which comes after its length in one byte. */
const SIGNATURE_BYTES = 98;
const SIGNATURE_ROOM: number = 1 + SIGNATURE_BYTES;

const versioned: Pick<Codec<RecordBody>, 'write'> = {
  write: (writer, body) => {
    writer.u8(RECORD_VERSION);
    recordBody.write(writer, body);
  },
};

function bodyOf(commit: Commit, epoch: bigint, previous: Uint8Array): RecordBody {
  const { record, changeSet, events, rows } = commit;
  return {
    order: record.order,
    epoch,
    previous,
    ...recordedCommitOf(commit),
    changeSet,
    events: events.map(({ event }) => event),
    rows: rows.map(recordedRowOf),
  };
}

/** @throws {EngineError} `invariant-violation` for a commit that was not made from an input */
export function recordedCommitOf({ record, given }: Commit): RecordedCommit {
  const { order, transaction, executionInfo: info } = record;
  assert(given !== undefined, `the commit of order ${order} was made of no input`);
  const { input, now, clockOffset } = given;
  return {
    now,
    clockOffset,
    block: input.kind === 'l1-block' ? input.bytes : undefined,
    transaction,
    executionInfo: info,
  };
}

export function recordedRowOf(operation: Operation): RecordedRow {
  const { key } = operation;
  assert(RECORDED_COLUMNS.includes(key[0]!), `a commit writes a row of its own in column ${key[0]}`);
  return operation.type === 'put' ? { kind: 'put', key, value: operation.value } : { kind: 'delete', key };
}

/**
 * The 32 bytes that the writer signs. What is hashed differs in length from what the sequencer signs for an order, so
 * neither signature can pass for the other.
 */
function recordWitness(
  { order, epoch, previous, transaction, executionInfo: { stateRoot, eventRoot: events } }: RecordBody,
  digest: Uint8Array,
): Uint8Array {
  const hashes = [previous, stateRoot, events, transaction.sequenceInfo.txAccumulatorRoot, digest];
  return sha3(concatBytes(WITNESS_TAG, encode(u64, order), encode(u64, epoch), ...hashes.map(hash32)));
}

/** @throws {EngineError} `invalid-argument` for another length */
function hash32(hash: Uint8Array): Uint8Array {
  return encode(bytes32, hash);
}

const WITNESS_TAG = encodeUtf8('movelet record');

/** The previous digest in the first record of a log that begins after `head`: it names the chain and its head. */
export function originDigest({ genesisHash, chainId, order, stateRoot, accumulator }: Head): Uint8Array {
  const place = [encode(u64, chainId), encode(u64, order)];
  return sha3(concatBytes(hash32(genesisHash), ...place, hash32(stateRoot), hash32(accumulator.root)));
}

// ---- reading ----

/**
 * Decodes a record. Its contents are not checked: `checkRecord` does that.
 * @throws {EngineError} `format-unknown` for a record of another version; `limit-exceeded` for one longer than
 * RECORD_BYTES_MAX; `malformed-bytes`.
 */
export function decodeRecord(record: Uint8Array): SignedRecord {
  const reader = readerOf(record, record.length);
  const body = recordBody.read(reader);
  const digest = sha3(reader.bytes.subarray(0, reader.offset));
  const signature = bytes.read(reader);
  reader.finish();
  for (const { key } of body.rows) {
    if (RECORDED_COLUMNS.includes(key[0]!)) continue;
    throw new EngineError('malformed-bytes', `a record holds no rows of column ${key[0] ?? 'none'}`);
  }
  return { ...body, digest, signature };
}

/** Reads the part of a record that ends at `end`, after its version. */
function readerOf(record: Uint8Array, end: number): ByteReader {
  if (record.length > RECORD_BYTES_MAX) throw tooLong(undefined, record.length);
  const reader = new ByteReader(record, 0, end);
  const version = reader.u8();
  if (version === RECORD_VERSION) return reader;
  throw new EngineError(
    'format-unknown',
    `expected a record of version ${RECORD_VERSION}, got version ${version}: read it with the movelet that wrote it, or a later one`,
    { details: { expected: RECORD_VERSION, received: version } },
  );
}

/**
 * Checks a record by itself and against its place in the log: that it follows, that its parts belong together, and that
 * it is signed. The reader checks what needs the chain: that appending the transaction's hash to the accumulator gives
 * the root in the record, and that the change set leads from the previous state to its roots.
 * @param after the place in the log before it
 * @throws {EngineError} `corrupt`, naming the order and the mismatch, with both values in its details
 */
export function checkRecord(record: SignedRecord, after: LogPlace): void {
  const { order, epoch, previous, transaction, executionInfo: info, changeSet, events, digest, signature } = record;
  if (order !== after.order + 1n) throw unfit(order, 'order', after.order + 1n, order);
  if (epoch < after.epoch) throw unfit(order, 'epoch', `${after.epoch} or a later one`, epoch);
  same(order, 'digest of the record before', after.digest, previous);
  const { txOrder } = transaction.sequenceInfo;
  if (txOrder !== order) throw unfit(order, 'order in the sequence info', order, txOrder);
  same(order, 'transaction hash', ledgerTransactionHash(transaction.data), info.txHash);
  same(order, 'state root of the change set', info.stateRoot, changeSet.stateRoot);
  if (changeSet.globalSize !== info.size) throw unfit(order, 'size', info.size, changeSet.globalSize);
  const misplaced = events.findIndex(({ eventIndex }, index) => eventIndex !== BigInt(index));
  if (misplaced !== -1) throw unfit(order, 'index of an event', misplaced, events[misplaced]!.eventIndex);
  same(order, 'event root', eventRoot(events), info.eventRoot);
  checkBlock(record);
  if (isOrderSignature(signature, recordWitness(record, digest))) return;
  throw new EngineError('corrupt', `the record of order ${order} is not signed with the key that it names`, {
    details: { order: String(order) },
  });
}

/** The public key (33 bytes, compressed) that signed a record. */
export function writerKeyOf({ signature }: Pick<SignedRecord, 'signature'>): Uint8Array {
  return signature.slice(PUBLIC_KEY_AT);
}

/** After the scheme flag and the 64 bytes of the signature. */
const PUBLIC_KEY_AT = 65;

/** A record has a Bitcoin block if and only if its transaction is one, and it is the block the ledger names. */
function checkBlock({ order, block, transaction: { data } }: SignedRecord): void {
  if ((data.kind === 'l1-block') !== (block !== undefined)) {
    throw unfit(
      order,
      'Bitcoin block',
      data.kind === 'l1-block' ? 'one' : 'none',
      block === undefined ? 'none' : 'one',
    );
  }
  if (data.kind !== 'l1-block' || block === undefined) return;
  same(order, 'block hash', data.blockHash, sha256d(block.subarray(0, HEADER_BYTES)));
}

/**
 * The input of a commit, with the clock's reading: from these, `step` makes the same commit.
 * @throws {EngineError} `malformed-bytes` for the record of a control that does not decode
 */
export function inputOf({ transaction, block, now, clockOffset }: RecordedCommit): TimedInput {
  return { input: inputOfTransaction(transaction.data, block), now, clockOffset };
}

function inputOfTransaction(data: LedgerTransactionData, block: Uint8Array | undefined): Input {
  if (data.kind === 'l1-block') {
    if (block === undefined) throw new EngineError('malformed-bytes', 'the record of a Bitcoin block lacks its bytes');
    return { kind: 'l1-block', height: data.blockHeight, bytes: block };
  }
  if (data.kind === 'l1-transaction') {
    return { kind: 'l1-transaction', blockHash: data.blockHash, txid: data.txid };
  }
  const { validatorId } = data.authenticator;
  if (validatorId === CONTROL_VALIDATOR_ID) return { kind: 'control', control: recordedControl(data)!.control };
  if (validatorId === IMPERSONATION_VALIDATOR_ID) {
    const { sender, action, maxGasAmount } = data.data;
    return { kind: 'call', sender, action, maxGasAmount };
  }
  return { kind: 'signed', bytes: encode(signedTransaction, data) };
}

function same(order: bigint, what: string, expected: Uint8Array, received: Uint8Array): void {
  if (!equalBytes(expected, received)) throw unfit(order, what, toHexPrefixed(expected), toHexPrefixed(received));
}

function unfit(order: bigint, what: string, expected: unknown, received: unknown): EngineError {
  const details = { order: String(order), what, expected: String(expected), received: String(received) };
  return new EngineError('corrupt', `the record of order ${order}: ${what}: expected ${expected}, got ${received}`, {
    details,
  });
}

function tooLong(order: bigint | undefined, length: number): EngineError {
  const what = order === undefined ? 'a record' : `the record of order ${order}`;
  return new EngineError(
    'limit-exceeded',
    `${what}: expected at most ${RECORD_BYTES_MAX} bytes (RECORD_BYTES_MAX), got ${length}`,
  );
}

/** What a log stores alongside a record: its position, its digest, and what people search for. */
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

/**
 * The front of a record and its digest.
 * @throws {EngineError} `malformed-bytes`, `format-unknown`, `limit-exceeded`.
 */
export function summaryOf(record: Uint8Array): RecordSummary {
  assertBytes(record, 'record');
  const signatureAt = record.length - SIGNATURE_ROOM;
  if (signatureAt < 1 || record[signatureAt] !== SIGNATURE_BYTES) {
    throw new EngineError(
      'malformed-bytes',
      `expected a record that ends with a signature of ${SIGNATURE_BYTES} bytes`,
    );
  }
  const reader = readerOf(record, signatureAt);
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

/** The summary of the record of an order; undefined beyond the end of the log. Throws what the log throws. */
export async function summaryAt(log: Pick<CommitLog, 'read'>, order: bigint): Promise<RecordSummary | undefined> {
  for await (const { bytes } of log.read(order, { max: 1 })) return summaryOf(bytes);
  return undefined;
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
    if (summary.order !== order) throw invalidRecords('order', String(order), String(summary.order));
    if (summary.epoch !== after.epoch) throw invalidRecords('epoch', String(after.epoch), String(summary.epoch));
    if (!equalBytes(summary.previous, digest))
      throw invalidRecords(`digest before order ${order}`, 'that of `after`', 'another');
    ({ digest } = summary);
    return summary;
  });
}

function invalidRecords(what: string, expected: string, received: string): EngineError {
  return new EngineError('invalid-argument', `records: expected the ${what} to be ${expected}, got ${received}`);
}

export function headAfter({ epoch, order, digest, stateRoot }: LogHead): LogHead {
  return { epoch, order, digest, stateRoot };
}

/**
 * Whether a log at `head` accepts records after `after`: it must be the same head. An empty log accepts any order,
 * since a log may begin with a chain that is older than the log.
 */
export function takesAfter(head: LogHead, after: LogHead): boolean {
  return head.order === 0n ? head.epoch === after.epoch : equalLogHeads(head, after);
}
