/**
 * Makes blocks: coinbases, spends, and headers with the proof of work that a test network requires.
 *
 * `mineBlock` is a pure function of what precedes the block; `RegtestChain` keeps track of that for tests without an
 * engine, including branches. Nothing is signed or checked: a test may make a block that spends missing outputs. Equal
 * calls make equal bytes: time counts up from the parent, and the coinbase contains the height (BIP 34) and a number that
 * distinguishes branches.
 *
 * An inscription is written as a script that holds an envelope, and a witness that reveals it: the inverse of
 * envelope.ts, with the field order of the reference's own tools. Body and metadata are split into pushes of 520 bytes,
 * the consensus limit. Source: inscription.rs and tag.rs of the reference.
 * @module
 */

import {
  A_U64,
  argumentError,
  assertBytes,
  assertFits,
  assertMembers,
  assertObject,
  assertOptions,
  BYTES,
  type Expectation,
  eachOf,
  parseArgument,
  TEXT,
  wholeNumber,
} from '../base/argument.ts';
import { bigEndian } from '../base/bytes/bigint.ts';
import { concatBytes } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError, invalidArgument } from '../base/error.ts';
import { sha256d } from '../base/hash/sha256.ts';
import { type BitcoinAddress, parseBitcoinAddress } from './address.ts';
import { scriptOfAddress } from './address-derivation.ts';
import { type BitcoinBlock, encodeBlock, WITNESS_COMMITMENT_PREFIX } from './block.ts';
import { PROTOCOL } from './envelope.ts';
import { merkleRoot } from './hash.ts';
import { BITS_MAX, type BlockHeader, headerHash, meetsTarget } from './header.ts';
import { assertInscriptionId, encodeParent, type InscriptionId } from './inscription.ts';
import { subsidyOf } from './network.ts';
import { u32Bytes } from './object-key.ts';
import { formatOutPoint, NULL_OUTPOINT, type OutPoint, type OutPointInput, toOutPoint } from './outpoint.ts';
import { OP_0, OP_ENDIF, OP_IF, pushBytes, pushNumber } from './script.ts';
import {
  type BitcoinInput,
  type BitcoinTransaction,
  checkedTransaction,
  createTransaction,
  hasWitness,
  type TransactionOutput,
  VALUE_SAT_MAX,
  witnessTxid,
} from './transaction.ts';

/** The recipient of an output: an account, or a Bitcoin address as text of any network or in its internal form. */
export type Payee = { readonly bitcoin: string } | BitcoinAddress | string;

/** An output to an address or with any script; its value is in satoshis. */
export type PlannedOutput =
  | { readonly to: Payee; readonly value: bigint }
  | { readonly scriptPubkey: Uint8Array; readonly value: bigint };

/** An input: the output that it spends, and what unlocks that. */
export interface PlannedInput {
  readonly outpoint: OutPointInput;
  readonly witness?: readonly Uint8Array[];
  readonly scriptSig?: Uint8Array;
}

const SEQUENCE_REPLACEABLE = 0xffff_fffd;

const SATOSHIS: Expectation = [
  `satoshis, a bigint from 0 to ${VALUE_SAT_MAX}`,
  (value) => typeof value === 'bigint' && value >= 0n && value <= VALUE_SAT_MAX,
];

/** @throws {EngineError} `invalid-argument` */
function toInput(planned: PlannedInput, name: string): BitcoinInput {
  assertObject(planned, name, 'an input { outpoint, witness, scriptSig }');
  const { outpoint, witness = [], scriptSig = new Uint8Array(0) } = planned;
  assertBytes(scriptSig, `${name}.scriptSig`);
  eachOf(witness, `${name}.witness`, (item, itemName) => assertBytes(item, itemName));
  const previousOutput = toOutPoint(outpoint, `${name}.outpoint`);
  return { previousOutput, scriptSig, sequence: SEQUENCE_REPLACEABLE, witness: [...witness] };
}

/** @throws {EngineError} `invalid-argument` */
export function toOutput(planned: PlannedOutput, name: string): Pick<TransactionOutput, 'value' | 'scriptPubkey'> {
  assertObject(planned, name, 'an output { to, value } or { scriptPubkey, value }');
  if ('to' in planned) {
    const scriptPubkey = scriptOfAddress(toPayee(planned.to, `${name}.to`));
    return { value: toValue(planned, name), scriptPubkey };
  }
  if (!('scriptPubkey' in planned))
    throw argumentError(name, 'an output { to, value } or { scriptPubkey, value }', planned);
  assertBytes(planned.scriptPubkey, `${name}.scriptPubkey`);
  return { value: toValue(planned, name), scriptPubkey: planned.scriptPubkey };
}

function toValue({ value }: PlannedOutput, name: string): bigint {
  assertFits(value, `${name}.value`, SATOSHIS);
  return value;
}

/** @throws {EngineError} `invalid-argument` */
function toPayee(payee: Payee, name: string): BitcoinAddress {
  const expected = 'an account, a Bitcoin address as text, or its internal bytes';
  const text = typeof payee === 'object' && payee !== null && 'bitcoin' in payee ? payee.bitcoin : payee;
  if (typeof text === 'string') return parseArgument(name, expected, text, parseBitcoinAddress);
  if (!(payee instanceof Uint8Array)) throw argumentError(name, expected, payee);
  try {
    scriptOfAddress(payee);
  } catch (cause) {
    throw argumentError(name, expected, payee, cause);
  }
  return payee;
}

/** The content of an envelope. */
export interface InscriptionContent {
  readonly contentType?: string;
  /** Text is written as UTF-8. */
  readonly body?: Uint8Array | string;
  readonly contentEncoding?: string;
  readonly metaprotocol?: string;
  readonly parents?: readonly InscriptionId[];
  /** The offset in the row of output satoshis, instead of the start of the input. */
  readonly pointer?: bigint;
  readonly metadata?: Uint8Array;
  /** Any other fields, written after the rest: tag and value. */
  readonly fields?: readonly (readonly [tag: number, value: Uint8Array])[];
}

const CONTENT: Readonly<Record<keyof InscriptionContent, Expectation>> = {
  contentType: TEXT,
  body: ['bytes (a Uint8Array) or text', (value) => value instanceof Uint8Array || typeof value === 'string'],
  contentEncoding: TEXT,
  metaprotocol: TEXT,
  parents: ['an array of inscription ids', Array.isArray],
  pointer: A_U64,
  metadata: BYTES,
  fields: ['an array of [tag, value]', Array.isArray],
};

/**
 * Refuses anything but valid content of an envelope.
 * @throws {EngineError} `invalid-argument` naming the member
 */
function checkedContent(content: InscriptionContent, name: string): InscriptionContent {
  assertObject(content, name, 'the content of an inscription, such as { contentType, body }');
  assertMembers(content, Object.keys(CONTENT), `${name}.`);
  for (const [member, value] of Object.entries(content)) {
    if (value !== undefined) assertFits(value, `${name}.${member}`, CONTENT[member as keyof InscriptionContent]);
  }
  for (const [index, parent] of (content.parents ?? []).entries()) {
    assertInscriptionId(parent, `${name}.parents[${index}]`);
  }
  for (const [index, field] of (content.fields ?? []).entries()) assertFits(field, `${name}.fields[${index}]`, FIELD);
  return content;
}

const FIELD: Expectation = [
  '[tag, value]: a number from 0 to 255 and bytes',
  (field) => Array.isArray(field) && wholeNumber(0, 255)[1](field[0]) && field[1] instanceof Uint8Array,
];

const PUSH_BYTES_MAX = 520;
const CONTROL_BLOCK = Uint8Array.of(0xc0, ...new Uint8Array(32).fill(2));
const SIGNATURE: Uint8Array = new Uint8Array(64).fill(1);
const utf8 = new TextEncoder();

/** The script of one envelope. */
export function envelopeScript(content: InscriptionContent): Uint8Array {
  const { contentType, body, contentEncoding, metaprotocol, parents, pointer, metadata, fields } = content;
  const parts: Uint8Array[] = [Uint8Array.of(OP_0, OP_IF), pushBytes(PROTOCOL)];
  const field = (tag: number, value: Uint8Array) => parts.push(pushBytes(Uint8Array.of(tag)), pushBytes(value));
  if (contentType !== undefined) field(1, utf8.encode(contentType));
  if (contentEncoding !== undefined) field(9, utf8.encode(contentEncoding));
  if (metaprotocol !== undefined) field(7, utf8.encode(metaprotocol));
  for (const parent of parents ?? []) field(3, encodeParent(parent));
  if (pointer !== undefined) field(2, bigEndian(BigInt.asUintN(64, pointer)).reverse());
  for (const chunk of chunksOf(metadata ?? new Uint8Array(0))) field(5, chunk);
  for (const [tag, value] of fields ?? []) field(tag, value);
  if (body !== undefined) {
    parts.push(Uint8Array.of(OP_0));
    for (const chunk of chunksOf(typeof body === 'string' ? utf8.encode(body) : body)) parts.push(pushBytes(chunk));
  }
  return concatBytes(...parts, Uint8Array.of(OP_ENDIF));
}

/** A witness that spends a taproot output by a script of these envelopes; signature and control block are fillers. */
export function revealWitness(...contents: readonly InscriptionContent[]): readonly Uint8Array[] {
  return [SIGNATURE, concatBytes(...contents.map(envelopeScript)), CONTROL_BLOCK];
}

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PUSH_BYTES_MAX) chunks.push(bytes.subarray(at, at + PUSH_BYTES_MAX));
  return chunks;
}

export interface PlannedBlock {
  /** The hash of the parent, 32 bytes in internal order. */
  readonly previousHash: Uint8Array;
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  /** The recipient of the coinbase, unless `coinbaseOutputs` is given. */
  readonly to: Payee;
  /** All but the coinbase. */
  readonly transactions?: readonly BitcoinTransaction[];
  /** The fees of the transactions, in satoshis. Default: 0. */
  readonly fees?: bigint;
  /** Instead of one output of subsidy and fees to `to`. */
  readonly coinbaseOutputs?: readonly PlannedOutput[];
  /** Distinguishes blocks of the same parent. Default: 0. */
  readonly extraNonce?: number;
}

/** A block mined for a test, in the form that `ingest` takes, with its height and hash. */
export interface MinedBlock extends BitcoinBlock {
  readonly height: number;
  /** 32 bytes in internal order. */
  readonly hash: Uint8Array;
  /** Consensus bytes. */
  readonly bytes: Uint8Array;
}

const SEQUENCE_FINAL = 0xffff_ffff;
const HEADER_VERSION = 0x2000_0000;
const NONCE_MAX = 0xffff_ffff;
const RESERVED_VALUE: Uint8Array = new Uint8Array(32);

/**
 * A transaction of these inputs and outputs.
 * @throws {EngineError} `invalid-argument` naming the part that is wrong
 */
export function spend(inputs: readonly PlannedInput[], outputs: readonly PlannedOutput[]): BitcoinTransaction {
  const parts = { inputs: eachOf(inputs, 'inputs', toInput), outputs: eachOf(outputs, 'outputs', toOutput) };
  return checkedTransaction(createTransaction(parts), 'transaction');
}

/**
 * A transaction that spends one output and reveals inscriptions in its only input.
 * @throws {EngineError} `invalid-argument` naming the part that is wrong
 */
export function reveal(
  outpoint: OutPointInput,
  contents: InscriptionContent | readonly InscriptionContent[],
  outputs: readonly PlannedOutput[],
): BitcoinTransaction {
  const list: readonly InscriptionContent[] = isList(contents)
    ? eachOf(contents, 'contents', checkedContent)
    : [checkedContent(contents as InscriptionContent, 'contents')];
  const previousOutput = toOutPoint(outpoint, 'outpoint');
  return spend([{ outpoint: previousOutput, witness: revealWitness(...list) }], outputs);
}

function isList<T>(given: T | readonly T[]): given is readonly T[] {
  return Array.isArray(given);
}

/**
 * A block with regtest's proof of work, about two tries. Its coinbase commits to the witnesses as BIP 141 requires.
 * @throws {EngineError} `invalid-argument` for a coinbase that no block may have
 */
export function mineBlock(plan: PlannedBlock): MinedBlock {
  const { height, transactions = [] } = plan;
  const committing = transactions.some(hasWitness);
  const coinbase = makeCoinbase(plan, committing ? commitmentOutput(transactions) : undefined);
  const block = [coinbase, ...transactions];
  const unworked: BlockHeader = {
    version: HEADER_VERSION,
    previousHash: plan.previousHash,
    merkleRoot: merkleRoot(block.map((transaction) => transaction.txid)),
    time: plan.time,
    bits: BITS_MAX.regtest,
    nonce: 0,
  };
  const header = work(unworked);
  const bytes = encodeBlock({ header, transactions: block });
  return { header, transactions: block, height, hash: headerHash(header), bytes };
}

function makeCoinbase(plan: PlannedBlock, commitment: PlannedOutput | undefined): BitcoinTransaction {
  const { height, to, fees = 0n, extraNonce = 0 } = plan;
  const outputs = plan.coinbaseOutputs ?? [{ to, value: subsidyOf(height) + fees }];
  const input = {
    previousOutput: NULL_OUTPOINT,
    scriptSig: concatBytes(pushNumber(height), pushBytes(u32Bytes(extraNonce))),
    sequence: SEQUENCE_FINAL,
    witness: commitment === undefined ? [] : [RESERVED_VALUE],
  };
  const paid = commitment === undefined ? outputs : [...outputs, commitment];
  const coinbase = createTransaction({ inputs: [input], outputs: paid.map((output) => toOutput(output, 'output')) });
  return checkedTransaction(coinbase, 'coinbase');
}

function commitmentOutput(transactions: readonly BitcoinTransaction[]): PlannedOutput {
  const root = merkleRoot([new Uint8Array(32), ...transactions.map(witnessTxid)]);
  const scriptPubkey = concatBytes(WITNESS_COMMITMENT_PREFIX, sha256d(concatBytes(root, RESERVED_VALUE)));
  return { scriptPubkey, value: 0n };
}

function work(header: BlockHeader): BlockHeader {
  for (let nonce = 0; nonce <= NONCE_MAX; nonce++) {
    const tried = { ...header, nonce };
    if (meetsTarget(tried)) return tried;
  }
  throw new EngineError('invariant-violation', 'no nonce meets the target of regtest');
}

/** Time of regtest's genesis block (2011-02-02), in seconds. */
export const REGTEST_GENESIS_TIME = 1_296_688_602;
/** Seconds between consecutive blocks. */
const BLOCK_SECONDS = 600;

/**
 * The time of a block for which none is given.
 * @param before the time of its parent
 * @throws {EngineError} `invalid-argument` if a header cannot hold it
 */
export function timeAfter(before: number): number {
  const time = before + BLOCK_SECONDS;
  if (time <= SECONDS_MAX) return time;
  throw invalidArgument(
    `time: expected a time, since the default, ten minutes after the parent's ${before}, is beyond ${SECONDS_MAX}, the last that a header holds`,
  );
}

/** The options of a mined block. */
export interface MineOptions {
  /** The recipient of subsidy and fees. */
  readonly to: Payee;
  /** All but the coinbase. Default: none. */
  readonly transactions?: readonly BitcoinTransaction[];
  /** Instead of one output of subsidy and fees to `to`. */
  readonly coinbaseOutputs?: readonly PlannedOutput[];
  /** Seconds since 1970. Default: ten minutes after the parent. */
  readonly time?: number;
}

/**
 * The fees of transactions, in satoshis. A transaction whose outputs exceed its known inputs pays none; it does not reduce
 * the fees of the others.
 * @param outputValue the value of an output; an unknown one counts as 0.
 */
export function feesOf(
  transactions: readonly BitcoinTransaction[],
  outputValue: (outpoint: OutPoint) => bigint | undefined,
): bigint {
  let fees = 0n;
  for (const { inputs, outputs } of transactions) {
    let fee = 0n;
    for (const { previousOutput } of inputs) fee += outputValue(previousOutput) ?? 0n;
    for (const { value } of outputs) fee -= value;
    if (fee > 0n) fees += fee;
  }
  return fees;
}

export const SECONDS_MAX = 0xffff_ffff;
const SECONDS: Expectation = wholeNumber(0, SECONDS_MAX);
const MINE_OPTIONS: readonly (keyof MineOptions)[] = ['to', 'transactions', 'coinbaseOutputs', 'time'];

/**
 * Checks the options of a block.
 * @param others names of further options
 * @throws {EngineError} `invalid-argument` naming the option
 */
export function assertMineOptions(options: MineOptions, others: readonly string[] = []): void {
  assertObject(options, 'options', 'an object of options with the payee as `to`');
  assertMembers(options, [...MINE_OPTIONS, ...others]);
  const { to, transactions = [], coinbaseOutputs = [], time } = options;
  toPayee(to, 'to');
  eachOf(transactions, 'transactions', checkedTransaction);
  eachOf(coinbaseOutputs, 'coinbaseOutputs', toOutput);
  if (time !== undefined) assertFits(time, 'time', SECONDS);
}

/** The start of a chain: the block before its first one. */
interface ChainStart {
  /** 32 bytes in internal order. Default: zeros. */
  readonly hash?: Uint8Array;
  /** Height of the block before the first one. Default: -1, so the first block has height 0. */
  readonly height?: number;
  readonly time?: number;
}

const CHAIN_START: Readonly<Record<keyof ChainStart, Expectation>> = {
  hash: ['32 bytes', (value) => value instanceof Uint8Array && value.length === 32],
  height: wholeNumber(-1, 0x7fff_ffff),
  time: SECONDS,
};

/** A chain of blocks, built one call at a time. It knows the values of its outputs, and hence the fees. */
export class RegtestChain {
  static {
    reportAtCaller(RegtestChain);
  }

  readonly #start: Required<ChainStart>;
  readonly #blocks: MinedBlock[] = [];
  /** The values of all outputs in this chain, spent or not. */
  readonly #values: Map<string, bigint> = new Map();
  /** Counts branches, shared by all of them. */
  #family: { branches: number } = { branches: 0 };
  #branch = 0;

  constructor(start: ChainStart = {}) {
    assertOptions(start, CHAIN_START, 'start');
    const { hash = new Uint8Array(32), height = -1, time = REGTEST_GENESIS_TIME } = start;
    this.#start = { hash, height, time };
  }

  /** The blocks of this branch, oldest first. */
  get blocks(): readonly MinedBlock[] {
    return this.#blocks;
  }

  /** The height of the last block, or of the start if there is none. */
  get height(): number {
    return this.#start.height + this.#blocks.length;
  }

  /** Adds a block. Its coinbase collects its transactions' fees, counting only inputs from this chain. */
  mine(options: MineOptions): MinedBlock {
    assertMineOptions(options);
    const parent = this.#blocks.at(-1);
    const transactions = options.transactions ?? [];
    const block = mineBlock({
      previousHash: parent?.hash ?? this.#start.hash,
      height: this.height + 1,
      time: options.time ?? timeAfter(parent?.header.time ?? this.#start.time),
      to: options.to,
      transactions,
      fees: this.#feesOf(transactions),
      extraNonce: this.#branch,
      ...(options.coinbaseOutputs === undefined ? {} : { coinbaseOutputs: options.coinbaseOutputs }),
    });
    this.#blocks.push(block);
    this.#note(block.transactions);
    return block;
  }

  /**
   * Another chain with the same blocks up to `height`. Blocks mined on it differ from those mined on this one.
   * @throws {EngineError} `invalid-argument` for a height above the last block or below the start.
   */
  branch(height: number): RegtestChain {
    assertFits(height, 'height', wholeNumber(this.#start.height, this.height));
    const count = height - this.#start.height;
    const chain = new RegtestChain(this.#start);
    for (const block of this.#blocks.slice(0, count)) {
      chain.#blocks.push(block);
      chain.#note(block.transactions);
    }
    chain.#family = this.#family;
    chain.#branch = ++this.#family.branches;
    return chain;
  }

  #note(transactions: readonly BitcoinTransaction[]): void {
    for (const { txid, outputs } of transactions) {
      for (const [vout, { value }] of outputs.entries()) this.#values.set(formatOutPoint({ txid, vout }), value);
    }
  }

  #feesOf(transactions: readonly BitcoinTransaction[]): bigint {
    this.#note(transactions);
    return feesOf(transactions, (outpoint) => this.#values.get(formatOutPoint(outpoint)));
  }
}
