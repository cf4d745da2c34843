/**
 * Bitcoin transactions: consensus bytes, ids, and the form in which the chain keeps them.
 *
 * Parsing walks the bytes once and copies nothing: ids, scripts and witness items are views of the input, which must
 * not be changed while a transaction parsed from it is in use. A txid is hashed directly from slices of the input
 * (version, body, lock time), so no transaction is re-encoded for it.
 *
 * Reading checks no consensus rules, as in the reference, except that values are at most the supply, so that sums fit 64
 * bits. `checkedTransaction` checks the rules that need no other transaction.
 * Source: BIP 141 and 144; CheckTransaction in consensus/tx_check.cpp of Bitcoin Core; frameworks/bitcoin-move/sources/
 * types.move of the reference.
 * @module
 */
import { argumentError, assertObject } from '../base/argument.ts';
import { bytes, bytes32, type Codec, struct, u32, u64, vector } from '../base/bcs.ts';
import { concatBytes } from '../base/bytes/bytes.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { ByteWriter } from '../base/bytes/writer.ts';
import { invalidArgument, malformedBytes } from '../base/error.ts';
import { sha256d } from '../base/hash/sha256.ts';
import { type BitcoinAddress, bitcoinAddress } from './address.ts';
import { addressOfScript } from './address-derivation.ts';
import { countLength, readCount, readSizedBytes, writeCount, writeSizedBytes } from './compact-size.ts';
import { formatOutPoint, isNullOutPoint, type OutPoint, outPoint } from './outpoint.ts';

/** `0x4::types::TxIn`. */
export interface BitcoinInput {
  readonly previousOutput: OutPoint;
  readonly scriptSig: Uint8Array;
  readonly sequence: number;
  /** The witness stack of BIP 141; empty if the input has none. */
  readonly witness: readonly Uint8Array[];
}

/** `0x4::types::TxOut`. */
export interface TransactionOutput {
  /** In satoshis. */
  readonly value: bigint;
  readonly scriptPubkey: Uint8Array;
  /** The address the script pays; empty if it has none. */
  readonly recipient: BitcoinAddress;
}

/** `0x4::types::Transaction`. */
export interface BitcoinTransaction {
  /** 32 bytes in internal order. */
  readonly txid: Uint8Array;
  /** The signed number of consensus, read as a u32. */
  readonly version: number;
  readonly lockTime: number;
  readonly inputs: readonly BitcoinInput[];
  readonly outputs: readonly TransactionOutput[];
}

/** The supply: 21 million bitcoin. No output and no sum of outputs is larger. */
export const VALUE_SAT_MAX = 2_100_000_000_000_000n;

const INPUT_BYTES_MIN = 41;
const OUTPUT_BYTES_MIN = 9;
const NO_WITNESS: readonly Uint8Array[] = [];
/** Shared: a block of four million empty witness items must not become as many arrays. */
const EMPTY_ITEM: Uint8Array = new Uint8Array(0);

/**
 * Parses one transaction.
 * @throws {EngineError} `malformed-bytes` naming the first fault, including trailing bytes.
 */
export function decodeTransaction(raw: Uint8Array): BitcoinTransaction {
  const reader = new ByteReader(raw);
  const transaction = readBitcoinTransaction(reader);
  reader.finish();
  return transaction;
}

/** Parses the transaction at the reader's position; see `decodeTransaction`. */
export function readBitcoinTransaction(reader: ByteReader): BitcoinTransaction {
  const start = reader.offset;
  const version = reader.u32();
  const hasWitness = readSegwitMarker(reader);
  const bodyStart = reader.offset;
  const inputs = readInputs(reader);
  const outputs = readOutputs(reader);
  const bodyEnd = reader.offset;
  if (hasWitness) readWitnesses(reader, inputs);
  const lockTime = reader.u32();
  const raw = reader.bytes;
  const end = reader.offset;
  const txid = sha256d(
    hasWitness
      ? concatBytes(raw.subarray(start, start + 4), raw.subarray(bodyStart, bodyEnd), raw.subarray(end - 4, end))
      : raw.subarray(start, end),
  );
  return { txid, version, lockTime, inputs, outputs };
}

/** Whether a marker of zero inputs announces witnesses; the bytes of the marker are then consumed. */
function readSegwitMarker(reader: ByteReader): boolean {
  const start = reader.offset;
  if (reader.remaining < 2 || reader.bytes[start] !== 0) return false;
  const flag = reader.bytes[start + 1];
  if (flag !== 1) throw malformedBytes(`expected the segwit flag 1 after no inputs at byte ${start}, got ${flag}`);
  reader.skip(2);
  return true;
}

interface MutableInput extends BitcoinInput {
  witness: readonly Uint8Array[];
}

function readInputs(reader: ByteReader): MutableInput[] {
  const count = readCount(reader, 'inputs', INPUT_BYTES_MIN);
  if (count === 0) throw malformedBytes('expected at least one input, got none');
  const inputs: MutableInput[] = [];
  for (let index = 0; index < count; index++) {
    const previousOutput = { txid: reader.view(32), vout: reader.u32() };
    inputs.push({ previousOutput, scriptSig: readSizedBytes(reader), sequence: reader.u32(), witness: NO_WITNESS });
  }
  return inputs;
}

function readOutputs(reader: ByteReader): TransactionOutput[] {
  const count = readCount(reader, 'outputs', OUTPUT_BYTES_MIN);
  const outputs: TransactionOutput[] = [];
  for (let index = 0; index < count; index++) {
    const value = reader.u64();
    const scriptPubkey = readSizedBytes(reader);
    outputs.push({ value, scriptPubkey, recipient: addressOfScript(scriptPubkey) });
  }
  const fault = faultOfValues(outputs);
  if (fault !== undefined) throw malformedBytes(fault);
  return outputs;
}

function faultOfValues(outputs: readonly Pick<TransactionOutput, 'value'>[]): string | undefined {
  let total = 0n;
  for (const [index, { value }] of outputs.entries()) {
    total += value;
    if (total <= VALUE_SAT_MAX) continue;
    return `expected outputs of at most ${VALUE_SAT_MAX} sat together, got ${total} sat with output ${index}`;
  }
  return undefined;
}

function readWitnesses(reader: ByteReader, inputs: readonly MutableInput[]): void {
  let items = 0;
  for (const input of inputs) {
    const count = readCount(reader, 'witness items', 1);
    const witness: Uint8Array[] = [];
    for (let index = 0; index < count; index++) witness.push(witnessItem(readSizedBytes(reader)));
    input.witness = witness;
    items += count;
  }
  // BIP 144: a transaction without witnesses has only one encoding, without the marker.
  if (items === 0) throw malformedBytes(`expected a witness before byte ${reader.offset}, got only empty ones`);
}

function witnessItem(item: Uint8Array): Uint8Array {
  return item.length === 0 ? EMPTY_ITEM : item;
}

export function hasWitness(transaction: BitcoinTransaction): boolean {
  return transaction.inputs.some((input) => input.witness.length > 0);
}

/** Bytes of witness data among the consensus bytes, with marker and flag (BIP 141); 0 without witnesses. */
export function witnessLength(transaction: BitcoinTransaction): number {
  if (!hasWitness(transaction)) return 0;
  let length = 2;
  for (const { witness } of transaction.inputs) {
    length += countLength(witness.length);
    for (const item of witness) length += countLength(item.length) + item.length;
  }
  return length;
}

/** Whether this is the transaction that pays the miner: one input, which spends the null outpoint. */
export function isCoinbase(transaction: BitcoinTransaction): boolean {
  const [first, ...others] = transaction.inputs;
  return first !== undefined && others.length === 0 && isNullOutPoint(first.previousOutput);
}

/** Consensus bytes, with the witnesses if there are any. */
export function encodeBitcoinTransaction(transaction: BitcoinTransaction): Uint8Array {
  return serialize(transaction, hasWitness(transaction));
}

/** The hash over all bytes, witnesses included; equal to the txid if there are none. 32 bytes in internal order. */
export function witnessTxid(transaction: BitcoinTransaction): Uint8Array {
  return hasWitness(transaction) ? sha256d(encodeBitcoinTransaction(transaction)) : transaction.txid;
}

/**
 * Refuses anything without the members of a transaction; their content is not checked.
 * @throws {EngineError} `invalid-argument`
 */
export function assertTransaction(given: BitcoinTransaction, name: string): void {
  const expected = 'a Bitcoin transaction, as spend, reveal and decodeBlock give it';
  assertObject(given, name, expected);
  const { txid, inputs, outputs } = given;
  if (txid instanceof Uint8Array && Array.isArray(inputs) && Array.isArray(outputs)) return;
  throw argumentError(name, expected, given);
}

/**
 * Returns the transaction if consensus allows it, judged by itself. Its size is bounded with its block.
 * @throws {EngineError} `invalid-argument` naming the first fault
 */
export function checkedTransaction(given: BitcoinTransaction, name: string): BitcoinTransaction {
  assertTransaction(given, name);
  const fault = faultOf(given);
  if (fault !== undefined) throw invalidArgument(`${name}: ${fault}`);
  return given;
}

function faultOf({ inputs, outputs }: BitcoinTransaction): string | undefined {
  if (inputs.length === 0) return 'expected at least one input, got none';
  if (outputs.length === 0) return 'expected at least one output, got none';
  return faultOfValues(outputs) ?? (inputs.length === 1 ? faultOfOnly(inputs[0]!) : faultOfOutpoints(inputs));
}

function faultOfOnly({ previousOutput, scriptSig }: BitcoinInput): string | undefined {
  if (!isNullOutPoint(previousOutput) || (scriptSig.length >= 2 && scriptSig.length <= 100)) return undefined;
  return `expected a coinbase script of 2 to 100 bytes, got ${scriptSig.length}`;
}

function faultOfOutpoints(inputs: readonly BitcoinInput[]): string | undefined {
  const spent = new Map<string, number>();
  for (const [index, { previousOutput }] of inputs.entries()) {
    if (isNullOutPoint(previousOutput)) return `expected no null outpoint beside others, got one as input ${index}`;
    const outpoint = formatOutPoint(previousOutput);
    const before = spent.get(outpoint);
    if (before !== undefined)
      return `expected no output to be spent twice, got ${outpoint} as inputs ${before} and ${index}`;
    spent.set(outpoint, index);
  }
  return undefined;
}

/** The parts of a transaction from which `createTransaction` derives the rest. */
interface TransactionParts {
  readonly version?: number;
  readonly lockTime?: number;
  readonly inputs: readonly BitcoinInput[];
  readonly outputs: readonly Pick<TransactionOutput, 'value' | 'scriptPubkey'>[];
}

/** A transaction of these parts, with its txid and the recipients of its outputs. Default: version 2. */
export function createTransaction(parts: TransactionParts): BitcoinTransaction {
  const unnamed: BitcoinTransaction = {
    txid: new Uint8Array(0),
    version: parts.version ?? 2,
    lockTime: parts.lockTime ?? 0,
    inputs: parts.inputs,
    outputs: parts.outputs.map(({ value, scriptPubkey }) => ({
      value,
      scriptPubkey,
      recipient: addressOfScript(scriptPubkey),
    })),
  };
  return { ...unnamed, txid: sha256d(serialize(unnamed, false)) };
}

function serialize(transaction: BitcoinTransaction, withWitness: boolean): Uint8Array {
  const writer = new ByteWriter(256);
  writer.u32(transaction.version);
  if (withWitness) writer.bytes(Uint8Array.of(0, 1));
  writeCount(writer, transaction.inputs.length);
  for (const input of transaction.inputs) {
    outPoint.write(writer, input.previousOutput);
    writeSizedBytes(writer, input.scriptSig);
    writer.u32(input.sequence);
  }
  writeCount(writer, transaction.outputs.length);
  for (const output of transaction.outputs) {
    writer.u64(output.value);
    writeSizedBytes(writer, output.scriptPubkey);
  }
  if (withWitness) {
    for (const input of transaction.inputs) {
      writeCount(writer, input.witness.length);
      for (const item of input.witness) writeSizedBytes(writer, item);
    }
  }
  writer.u32(transaction.lockTime);
  return writer.finish();
}

const witnessItemCodec: Codec<Uint8Array> = {
  write: bytes.write,
  read: (reader) => witnessItem(bytes.read(reader)),
};

const transactionInput: Codec<BitcoinInput> = struct({
  previousOutput: outPoint,
  scriptSig: bytes,
  sequence: u32,
  witness: vector(witnessItemCodec),
});

const transactionOutput: Codec<TransactionOutput> = struct({
  value: u64,
  scriptPubkey: bytes,
  recipient: bitcoinAddress,
});

/** `0x4::types::Transaction` in BCS. */
export const bitcoinTransaction: Codec<BitcoinTransaction> = struct({
  txid: bytes32,
  version: u32,
  lockTime: u32,
  inputs: vector(transactionInput),
  outputs: vector(transactionOutput),
});
