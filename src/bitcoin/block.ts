/**
 * Blocks: a header and its transactions, parsed once from consensus bytes, and the checks that need only the block.
 *
 * `decodeBlock` only reads; `assertBlock` then checks that the header commits to these transactions. Both name the
 * first fault. Views of the input are kept (see transaction.ts), so the bytes must not be changed.
 * @module
 */
import { assertBytes } from '../base/argument.ts';
import { type Codec, decode, encodeGiven, struct, vector } from '../base/bcs.ts';
import { concatBytes, equalBytes, toHex } from '../base/bytes/bytes.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { EngineError, invalidArgument } from '../base/error.ts';
import { sha256d } from '../base/hash/sha256.ts';
import { readCount, writeCount } from './compact-size.ts';
import { formatBitcoinHash, merkleRoot } from './hash.ts';
import { type BlockHeader, blockHeader, HEADER_BYTES } from './header.ts';
import type { BitcoinNetwork } from './network.ts';
import { isNullOutPoint } from './outpoint.ts';
import { pushNumber } from './script.ts';
import {
  type BitcoinTransaction,
  bitcoinTransaction,
  checkedTransaction,
  encodeBitcoinTransaction,
  hasWitness,
  isCoinbase,
  readBitcoinTransaction,
  witnessLength,
} from './transaction.ts';

/** Bytes of one Bitcoin block. Consensus: 4,000,000 weight units, and a witness byte counts as one. */
export const BITCOIN_BLOCK_BYTES_MAX = 4_000_000;
/** Weight units of one Bitcoin block: a witness byte counts as one, any other as four (BIP 141). */
const BITCOIN_BLOCK_WEIGHT_MAX = 4_000_000;

/** `0x4::types::Block`. */
export interface BitcoinBlock {
  readonly header: BlockHeader;
  /** The coinbase first. */
  readonly transactions: readonly BitcoinTransaction[];
}

/** A Bitcoin block read from its bytes. */
export interface DecodedBlock extends BitcoinBlock {
  /** The double SHA-256 of the header: 32 bytes in internal order. */
  readonly hash: Uint8Array;
  /** The consensus bytes of each transaction: views of the input. */
  readonly rawTransactions: readonly Uint8Array[];
}

/** `0x4::types::Block` in BCS: the body that an L1 block transaction carries. */
export const bitcoinBlock: Codec<BitcoinBlock> = struct({
  header: blockHeader,
  transactions: vector(bitcoinTransaction),
});

const TRANSACTION_BYTES_MIN = 51;
/** Start of the coinbase output that commits to the witnesses; 32 bytes follow. */
export const WITNESS_COMMITMENT_PREFIX: Uint8Array = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);
const WITNESS_COMMITMENT_BYTES = 38;

/**
 * Parses a block.
 * @throws {EngineError} `malformed-bytes` naming the transaction and its first fault, or for trailing bytes;
 * `limit-exceeded` for more bytes than a block may have.
 */
export function decodeBlock(block: Uint8Array): DecodedBlock {
  assertBytes(block, 'block');
  if (block.length > BITCOIN_BLOCK_BYTES_MAX) {
    throw new EngineError(
      'limit-exceeded',
      `expected a block of at most ${BITCOIN_BLOCK_BYTES_MAX} bytes, got ${block.length}`,
    );
  }
  const reader = new ByteReader(block);
  const headerBytes = reader.view(HEADER_BYTES);
  const count = readCount(reader, 'transactions', TRANSACTION_BYTES_MIN);
  const transactions: BitcoinTransaction[] = [];
  const rawTransactions: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const start = reader.offset;
    transactions.push(readNumbered(reader, index, count));
    rawTransactions.push(reader.bytes.subarray(start, reader.offset));
  }
  reader.finish();
  return { header: decode(blockHeader, headerBytes), hash: sha256d(headerBytes), transactions, rawTransactions };
}

function readNumbered(reader: ByteReader, index: number, count: number): BitcoinTransaction {
  try {
    return readBitcoinTransaction(reader);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    throw new EngineError(cause.code, `transaction ${index} of ${count}: ${cause.message}`, { cause });
  }
}

/**
 * Checks what can be checked on the block alone: the first transaction is a coinbase and no other spends the null
 * outpoint, no transaction occurs twice, the transactions have the header's Merkle root, and the witnesses match the
 * coinbase's commitment, if it has one. `assertTransactions` checks its transactions, `assertWeight` its weight, and
 * `assertProofOfWork` the work.
 * @throws {EngineError} `invalid-argument` naming the first fault.
 */
export function assertBlock(block: DecodedBlock): void {
  const [coinbase, ...others] = block.transactions;
  if (coinbase === undefined || !isCoinbase(coinbase)) {
    throw invalidArgument('expected a coinbase as the first transaction of the block');
  }
  for (const [index, transaction] of others.entries()) {
    if (transaction.inputs.some((input) => isNullOutPoint(input.previousOutput))) {
      throw invalidArgument(`transaction ${index + 1}: expected no input that spends the null outpoint`);
    }
  }
  assertDistinct(block);
  const root = merkleRoot(block.transactions.map((transaction) => transaction.txid));
  if (!equalBytes(root, block.header.merkleRoot)) {
    throw invalidArgument(
      `expected transactions with the header's Merkle root ${formatBitcoinHash(block.header.merkleRoot)}, got ${formatBitcoinHash(root)}`,
    );
  }
  assertWitnessCommitment(block, coinbase);
}

/** A repeated transaction would spend the same outputs, and the chain stores transactions by txid. */
function assertDistinct({ transactions }: BitcoinBlock): void {
  const places = new Map<string, number>();
  for (const [index, { txid }] of transactions.entries()) {
    const key = toHex(txid);
    const before = places.get(key);
    if (before !== undefined) {
      throw invalidArgument(`transaction ${index}: expected no transaction twice, got transaction ${before} again`);
    }
    places.set(key, index);
  }
}

function assertWitnessCommitment(block: DecodedBlock, coinbase: BitcoinTransaction): void {
  const commitment = witnessCommitmentOf(coinbase);
  // Bitcoin then allows no witnesses; test chains may have them (`assertVouchedWitnesses`).
  if (commitment === undefined) return;
  const reserved = coinbase.inputs[0]?.witness ?? [];
  if (reserved.length !== 1 || reserved[0]?.length !== 32) {
    throw invalidArgument('expected one witness item of 32 bytes in the coinbase beside its witness commitment');
  }
  const root = merkleRoot(witnessTxids(block));
  const computed = sha256d(concatBytes(root, reserved[0]));
  if (!equalBytes(computed, commitment)) {
    throw invalidArgument(
      `expected witnesses with the coinbase's commitment ${formatBitcoinHash(commitment)}, got ${formatBitcoinHash(computed)}`,
    );
  }
}

/**
 * Checks that a block without a witness commitment has no witnesses, as Bitcoin requires: anyone could have added them,
 * with inscriptions.
 * @throws {EngineError} `invalid-argument` naming the first transaction with one.
 */
export function assertVouchedWitnesses({ transactions }: BitcoinBlock): void {
  const [coinbase] = transactions;
  if (coinbase === undefined || witnessCommitmentOf(coinbase) !== undefined) return;
  const index = transactions.findIndex(hasWitness);
  if (index < 0) return;
  throw invalidArgument(
    `transaction ${index}: expected no witness in a block whose coinbase has no witness commitment`,
  );
}

/**
 * Checks each transaction by itself.
 * @throws {EngineError} `invalid-argument` naming the first one that consensus forbids.
 */
export function assertTransactions({ transactions }: BitcoinBlock): void {
  for (const [index, transaction] of transactions.entries()) checkedTransaction(transaction, `transaction ${index}`);
}

/**
 * Checks that a block is no heavier than Bitcoin allows (BIP 141).
 * @param length its consensus bytes
 * @throws {EngineError} `limit-exceeded` naming its weight
 */
export function assertWeight({ transactions }: BitcoinBlock, length: number): void {
  const weight = 4 * length - 3 * transactions.reduce((sum, transaction) => sum + witnessLength(transaction), 0);
  if (weight <= BITCOIN_BLOCK_WEIGHT_MAX) return;
  throw new EngineError(
    'limit-exceeded',
    `expected a block of at most ${BITCOIN_BLOCK_WEIGHT_MAX} weight units, got ${weight}`,
  );
}

/** The 32 bytes that commit to all witnesses (BIP 141), from the last coinbase output of that form. */
export function witnessCommitmentOf(coinbase: BitcoinTransaction): Uint8Array | undefined {
  const output = coinbase.outputs.findLast(
    ({ scriptPubkey }) =>
      scriptPubkey.length >= WITNESS_COMMITMENT_BYTES &&
      equalBytes(scriptPubkey.subarray(0, WITNESS_COMMITMENT_PREFIX.length), WITNESS_COMMITMENT_PREFIX),
  );
  return output?.scriptPubkey.subarray(WITNESS_COMMITMENT_PREFIX.length, WITNESS_COMMITMENT_BYTES);
}

/** The hash of each transaction with its witnesses; zeros for the coinbase, which cannot commit to itself. */
function witnessTxids(block: DecodedBlock): Uint8Array[] {
  return block.transactions.map((transaction, index) => {
    if (index === 0) return new Uint8Array(32);
    return hasWitness(transaction) ? sha256d(block.rawTransactions[index]!) : transaction.txid;
  });
}

/**
 * Consensus bytes.
 * @throws {EngineError} `invalid-argument` for anything but a block
 */
export function encodeBlock(block: BitcoinBlock): Uint8Array {
  return encodeGiven(CONSENSUS_BLOCK, block, 'block');
}

const CONSENSUS_BLOCK: Pick<Codec<BitcoinBlock>, 'write'> = {
  write: (writer, { header, transactions }) => {
    blockHeader.write(writer, header);
    writeCount(writer, transactions.length);
    for (const transaction of transactions) writer.bytes(encodeBitcoinTransaction(transaction));
  },
};

/** The height from which the rule applies. Testnet 4, which shares testnet 3's name here, has it from height 1. */
const FIRST_HEIGHT: Readonly<Record<BitcoinNetwork, number>> = {
  bitcoin: 227_931,
  testnet: 21_111,
  signet: 1,
  regtest: 1,
};

/**
 * Whether a block may have `height`, judging by the height at the start of its coinbase's script (BIP 34).
 * Source: BIP 34; `BIP34Height` in kernel/chainparams.cpp of Bitcoin Core.
 */
export function mayStandAt({ header, transactions }: BitcoinBlock, height: number, network: BitcoinNetwork): boolean {
  if (height < FIRST_HEIGHT[network] || header.version < 2) return true;
  const script = transactions[0]?.inputs[0]?.scriptSig;
  const named = pushNumber(height);
  return script !== undefined && equalBytes(script.subarray(0, named.length), named);
}
