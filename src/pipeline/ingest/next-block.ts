/**
 * Mines the next block of a chain in tests: on its best block, or on another one.
 *
 * Time counts up from the parent, and the coinbase contains four bytes of the state root. So two blocks on the same
 * parent differ, while the same history gives the same blocks. Nothing is checked here: ingestion does that.
 * @module
 */
import { eachOf } from '../../base/argument.ts';
import { decode } from '../../base/bcs/codec.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { EngineError } from '../../base/error.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import {
  assertMineOptions,
  feesOf,
  type MinedBlock,
  type MineOptions,
  mineBlock,
  REGTEST_GENESIS_TIME,
  timeAfter,
} from '../../bitcoin/mine.ts';
import { pendingBlockKey } from '../../bitcoin/object-key.ts';
import type { OutPoint } from '../../bitcoin/outpoint.ts';
import { type PlannedOutput, toOutput } from '../../bitcoin/planned-transaction.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import { utxo } from '../../bitcoin/utxo.ts';
import type { State } from '../../chain/state/state.ts';
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

/**
 * Makes a block on top of a block the state knows. Its coinbase collects its transactions' fees, as far as the state
 * knows what they spend.
 * @throws {EngineError} `not-found` for an unknown parent, `invalid-argument` for a height that does not follow the
 * parent's.
 */
export function nextBlock(state: State, options: NextBlockOptions): MinedBlock {
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
  const [first = 0, second = 0, third = 0, fourth = 0] = state.root;
  return mineBlock({
    ...rest,
    transactions,
    previousHash: parent?.blockHash ?? new Uint8Array(32),
    height: parent === undefined ? (height ?? 0) : Number(parent.blockHeight) + 1,
    time: options.time ?? timeAfter(parent?.header.time ?? REGTEST_GENESIS_TIME),
    fees: feesOf(transactions, (outpoint) => outputValue(state, own, outpoint)),
    extraNonce: ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0,
  });
}

function parentOf(state: State, on: BlockReference | undefined): KnownBlock | undefined {
  if (on === undefined) return bestBlock(state);
  const parent = findBlock(state, on);
  if (parent !== undefined) return parent;
  const named = on instanceof Uint8Array ? formatBitcoinHash(on) : String(on);
  throw new EngineError('not-found', `expected a block that the chain knows to mine on, got ${named}`);
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
