/**
 * Ingesting a Bitcoin block: one turn of the writer.
 *
 * The first input is the block itself, which becomes pending. Then come the transactions of every block with enough
 * blocks on top of it, the coinbase last. What is left to do is read from the state each time, so if the process ends
 * in between, the next block continues from there. With headers only, a block is a single input, which confirms an
 * older block if it can.
 *
 * Blocks are taken one at a time. A refused block leaves the head where it was.
 * Source: crates/rooch-relayer of the reference for the order.
 *
 * In tests, the next block of a chain is mined on its best block, or on another one. Its time counts up from the
 * parent's, or is that of the chain's clock, and its coinbase contains four bytes of the state root. So two blocks on
 * the same parent differ, while the same history gives the same blocks. Nothing is checked here: ingestion does that.
 * @module
 */

import { eachOf } from '../../base/argument.ts';
import { decode } from '../../base/bcs.ts';
import { toHex } from '../../base/bytes/bytes.ts';
import { INGESTED_EVENTS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { isUnknownHash } from '../../base/hash/unknown-hash.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import {
  assertMineOptions,
  feesOf,
  type MinedBlock,
  type MineOptions,
  mineBlock,
  type PlannedOutput,
  REGTEST_GENESIS_TIME,
  SECONDS_MAX,
  timeAfter,
  toOutput,
} from '../../bitcoin/mine.ts';
import { pendingBlockKey } from '../../bitcoin/object-key.ts';
import { formatOutPoint, type OutPoint, utxo } from '../../bitcoin/outpoint.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import type { State } from '../../chain/state/state.ts';
import { newBlock, type ReadyBlock, readyBlock } from '../../execution/bitcoin-move/block-check.ts';
import {
  type BlockReference,
  bestBlock,
  blockStoreOf,
  findBlock,
  type KnownBlock,
  pendingStoreOf,
  readField,
} from '../../execution/bitcoin-move/known-block.ts';
import { utxoObjectId } from '../../execution/bitcoin-move/object-id.ts';
import { TRANSACTION_BY_TXID } from '../../execution/bitcoin-move/object-type.ts';
import type { Commit } from '../commit.ts';
import type { Input } from '../input.ts';
import type { Present } from '../step.ts';
import type { Turn } from '../turn.ts';

/** What a block for a test contains, and where it is added. */
export interface NextBlockOptions extends MineOptions {
  /** The parent, by hash or height. Default: the best block. Any other makes a competing branch. */
  readonly on?: BlockReference;
  /** The height of the first block, on a chain that has none yet. Default: 0. */
  readonly height?: number;
}

/** The options as they are now, for a block that is made when its turn comes: programs reuse their arrays. */
export function keptOptions(options: NextBlockOptions): NextBlockOptions {
  const { to, transactions, coinbaseOutputs, on } = options;
  return {
    ...options,
    to: kept(to),
    ...(transactions && { transactions: [...transactions] }),
    ...(coinbaseOutputs && { coinbaseOutputs: eachOf(coinbaseOutputs, 'coinbaseOutputs', keptOutput) }),
    ...(on !== undefined && { on: kept(on) }),
  };
}

function kept<Value>(value: Value): Value {
  return (value instanceof Uint8Array ? value.slice() : value) as Value;
}

function keptOutput(planned: PlannedOutput, name: string): PlannedOutput {
  const { scriptPubkey, value } = toOutput(planned, name);
  return { scriptPubkey: scriptPubkey.slice(), value };
}

/** What a block for a test is made by. */
export interface NextBlockRules {
  /** Milliseconds of the chain's clock, if it has one. */
  readonly clock: bigint | undefined;
  /** Whether the state has all outputs, so that one it does not know does not exist. */
  readonly hasAllOutputs: boolean;
}

/**
 * Makes a block on top of a block the state knows. Its coinbase collects its transactions' fees, as far as the state
 * knows what they spend.
 * @throws {EngineError} `not-found` for an unknown parent or output, `invalid-argument` for a height that does not follow
 * the parent's.
 */
export function nextBlock(
  state: State,
  options: NextBlockOptions,
  { clock, hasAllOutputs }: NextBlockRules,
): MinedBlock {
  assertMineOptions(options, ['on', 'height']);
  const { on, height, transactions = [], ...rest } = options;
  const parent = parentOf(state, on);
  if (parent !== undefined && height !== undefined && BigInt(height) !== parent.blockHeight + 1n) {
    throw new EngineError(
      'invalid-argument',
      `expected height ${parent.blockHeight + 1n} on ${formatBitcoinHash(parent.blockHash)}, got ${height}; leave it out`,
    );
  }
  const own = new Map(transactions.map((transaction) => [toHex(transaction.txid), transaction]));
  const { root } = state;
  const [first = 0, second = 0, third = 0, fourth = 0] = isUnknownHash(root) ? root.subarray(-4) : root;
  return mineBlock({
    ...rest,
    transactions,
    previousHash: parent?.blockHash ?? new Uint8Array(32),
    height: parent === undefined ? (height ?? 0) : Number(parent.blockHeight) + 1,
    time: options.time ?? timeOn(state, parent, clock),
    fees: feesOf(transactions, (outpoint) => {
      const value = outputValue(state, own, outpoint);
      if (value === undefined && hasAllOutputs) throw outputUnknown(outpoint);
      return value;
    }),
    extraNonce: ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0,
  });
}

/** Blocks whose median time a block must be after. */
const MEDIAN_TIME_BLOCKS = 11;

/** With a clock as Bitcoin Core's miner has it: the present time, but after the median of the blocks before. */
function timeOn(state: State, parent: KnownBlock | undefined, clock: bigint | undefined): number {
  if (clock === undefined) return timeAfter(parent?.header.time ?? REGTEST_GENESIS_TIME);
  const times: number[] = [];
  for (let block = parent; block !== undefined && times.length < MEDIAN_TIME_BLOCKS; ) {
    times.push(block.header.time);
    block = findBlock(state, block.header.previousHash);
  }
  const median = times.sort((one, other) => one - other)[times.length >> 1] ?? 0;
  return Math.max(Math.min(Number(clock / 1_000n), SECONDS_MAX), median + 1);
}

function parentOf(state: State, on: BlockReference | undefined): KnownBlock | undefined {
  if (on === undefined) return bestBlock(state);
  const parent = findBlock(state, on);
  if (parent !== undefined) return parent;
  const named = on instanceof Uint8Array ? formatBitcoinHash(on) : String(on);
  throw new EngineError('not-found', `expected a block that the chain knows to mine on, got ${named}`);
}

/** A slip in a test, since a miner would refuse it too: the block would be taken, and nothing in it move. */
function outputUnknown(outpoint: OutPoint): EngineError {
  return new EngineError(
    'not-found',
    `expected inputs that spend outputs of this chain's transactions, got ${formatOutPoint(outpoint)}, which none has; ` +
      'engine.bitcoin.ingest takes any block',
  );
}

/**
 * The value of an output in the state, or created by a pending block, a confirmed block or the new block itself.
 */
function outputValue(
  state: State,
  own: ReadonlyMap<string, BitcoinTransaction>,
  { txid, vout }: OutPoint,
): bigint | undefined {
  const made = own.get(toHex(txid));
  if (made !== undefined) return made.outputs[vout]?.value;
  const unspent = state.object(utxoObjectId({ txid, vout }));
  if (unspent !== undefined) return decode(utxo, unspent.value).value;
  return knownTransaction(state, txid)?.outputs[vout]?.value;
}

function knownTransaction(state: State, txid: Uint8Array): BitcoinTransaction | undefined {
  for (const { blockHash } of pendingStoreOf(state)?.pendingBlocks ?? []) {
    const found = readField(state, [pendingBlockKey(blockHash)], TRANSACTION_BY_TXID, txid);
    if (found !== undefined) return found;
  }
  const store = blockStoreOf(state);
  return store === undefined ? undefined : readField(state, store.transactions, TRANSACTION_BY_TXID, txid);
}

/**
 * What is reported about a commit once it is written. Rows and change set are dropped at once, since a block has
 * thousands of transactions: keeping them took 8 % more time and 300 MB for block 818677. The change set can be read by
 * its order.
 */
interface CommittedTransaction {
  readonly record: Commit['record'];
  /** Undefined beyond INGESTED_EVENTS_MAX, since a transaction may have a hundred thousand events. */
  readonly events: Commit['events'] | undefined;
}

/** A block and the height at which to add it. */
interface PlacedBlock {
  readonly bytes: Uint8Array;
  readonly height: number;
}

class BlockTurn<Block extends PlacedBlock> implements Turn {
  readonly lane = 'bitcoin';
  readonly #find: (state: State) => Block;
  readonly #done: (error: unknown, block: Block | undefined, made: CommittedTransaction[]) => void;
  readonly #made: CommittedTransaction[] = [];
  /** Events of all transactions so far. */
  #events = 0;
  #block: Block | undefined;
  #ready: ReadyBlock | undefined;
  #place = 0;

  /**
   * @param find returns the block when its turn comes. Its bytes must not change from then on.
   * @param done called at the end, with the error that ended the turn early, if any.
   */
  constructor(
    find: (state: State) => Block,
    done: (error: unknown, block: Block | undefined, made: CommittedTransaction[]) => void,
  ) {
    this.#find = find;
    this.#done = done;
  }

  next({ state, settings: { blocks } }: Present): Input | undefined {
    if (this.#block === undefined) {
      this.#block = this.#find(state);
      const { bytes } = this.#block;
      const height = BigInt(this.#block.height);
      const block = newBlock(state, bytes, height, blocks);
      if (block !== undefined) return { kind: 'l1-block', height, bytes, block };
    }
    return blocks.headersOnly ? undefined : this.#nextTransaction(state);
  }

  committed({ record, events }: Commit): void {
    this.#events += events.length;
    this.#made.push({ record, events: this.#events <= INGESTED_EVENTS_MAX ? events : undefined });
  }

  end(error?: unknown): void {
    this.#done(error, this.#block, this.#made);
  }

  #nextTransaction(state: State): Input | undefined {
    if (this.#ready === undefined || this.#place === this.#ready.txids.length) {
      this.#ready = readyBlock(state);
      this.#place = 0;
    }
    const txid = this.#ready?.txids[this.#place];
    if (this.#ready === undefined || txid === undefined) return undefined;
    this.#place++;
    return { kind: 'l1-transaction', blockHash: this.#ready.blockHash, txid };
  }
}

/** A turn that ingests a block, and a promise of the block and its ledger transactions in order. */
export function ingestion<Block extends PlacedBlock>(
  find: (state: State) => Block,
): { readonly turn: Turn; readonly done: Promise<{ readonly block: Block; readonly made: CommittedTransaction[] }> } {
  let turn: Turn | undefined;
  const done = new Promise<{ readonly block: Block; readonly made: CommittedTransaction[] }>((resolve, reject) => {
    turn = new BlockTurn(find, (error, block, made) => {
      if (error !== undefined || block === undefined) reject(error);
      else resolve({ block, made });
    });
  });
  return { turn: turn!, done };
}
