/**
 * Decides whether a Bitcoin block may be added at a height, and which transactions are processed next.
 * Source: crates/rooch-relayer of the reference for the order.
 * @module
 */

import { equalBytes, toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import {
  assertBlock,
  assertTransactions,
  assertVouchedWitnesses,
  assertWeight,
  type DecodedBlock,
  decodeBlock,
} from '../../bitcoin/block.ts';
import {
  nextReady,
  PENDING_TXIDS_KEY,
  type PendingBlock,
  type PendingStore,
  pendingAt,
} from '../../bitcoin/block-store.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import { assertProofOfWork } from '../../bitcoin/header.ts';
import type { BitcoinNetwork } from '../../bitcoin/network.ts';
import type { State } from '../../chain/state/state.ts';
import { ObjectRuntime } from '../runtime/object-runtime.ts';
import { HASH_BY_NUMBER, HEIGHT_BY_HASH } from './known-block.ts';
import { pendingBlockId, requirePendingStore } from './l1-block.ts';
import { BLOCK_STORE_ID } from './object-id.ts';
import { BLOCK_STORE, PENDING_BLOCK, PENDING_TXIDS, TRANSACTION_BY_TXID } from './object-type.ts';
import type { WatchedOwners } from './watch.ts';

/** Options for checking and keeping blocks. */
export interface BlockRules {
  readonly network: BitcoinNetwork;
  /** Whether a block's parent must be on the chain. */
  readonly checkParent: boolean;
  /** Whether a header must have the proof of work it claims. */
  readonly checkWork: boolean;
  /** Whether to keep only headers. */
  readonly headersOnly: boolean;
  /** Owners whose outputs are kept. Default: all. */
  readonly owners?: WatchedOwners | undefined;
}

/**
 * Decodes and checks a block: its form, its Merkle root and witness commitment and, on request, its work. The bytes
 * must not change afterwards. A chain whose blocks have no work may have witnesses without a commitment, blocks above
 * Bitcoin's weight and transactions without outputs, since tests mine such blocks.
 * @throws {EngineError} `malformed-bytes`, `limit-exceeded` or `invalid-argument` for the first fault found.
 */
export function soundBlock(bytes: Uint8Array, { network, checkWork }: BlockRules): DecodedBlock {
  const block = decodeBlock(bytes);
  assertBlock(block);
  if (checkWork) {
    assertProofOfWork(block.header, network);
    assertTransactions(block);
    assertWeight(block, bytes.length);
    assertVouchedWitnesses(block);
  }
  return block;
}

/**
 * The block with these bytes, if it is sound and can be added at `height`; undefined if it is already pending or
 * confirmed.
 * @throws {EngineError} as `soundBlock`; `invalid-argument` if the parent is missing or at another height, or if an earlier block has one
 * of its transactions; `not-supported` for a block that would replace one deeper than reorganisations go, or for a mode
 * other than that of the pending blocks.
 */
export function newBlock(state: State, bytes: Uint8Array, height: bigint, rules: BlockRules): DecodedBlock | undefined {
  const block = soundBlock(bytes, rules);
  return isNew(state, block, height, rules) ? block : undefined;
}

function isNew(state: State, block: DecodedBlock, height: bigint, rules: BlockRules): boolean {
  const { hash, header } = block;
  const runtime = new ObjectRuntime(state);
  const pending = requirePendingStore(runtime);
  assertMode(runtime, pending, rules.headersOnly);
  const confirmed = confirmedAt(runtime, height);
  if (confirmed !== undefined) {
    if (equalBytes(confirmed, hash)) return false;
    throw new EngineError(
      'not-supported',
      `block ${formatBitcoinHash(hash)} competes with ${formatBitcoinHash(confirmed)} at height ${height}, which is confirmed: reorganisations go ${pending.reorgBlockCount} blocks deep (the option reorganisationDepth of a new chain)`,
      { details: { height: height.toString(), reorganisationDepth: pending.reorgBlockCount.toString() } },
    );
  }
  const known = pendingAt(pending, height);
  if (known !== undefined && equalBytes(known.blockHash, hash)) return false;
  if (rules.checkParent) assertParent(runtime, hash, header.previousHash, height);
  if (!rules.headersOnly) assertNewTransactions(state, pending, block, height);
  return true;
}

/** A pending block with enough blocks on top of it, and its remaining transactions. */
export interface ReadyBlock {
  readonly blockHash: Uint8Array;
  /** In the block's order, the coinbase last. */
  readonly txids: readonly Uint8Array[];
}

/** The block whose transactions are to be processed next, if any. */
export function readyBlock(state: State): ReadyBlock | undefined {
  const runtime = new ObjectRuntime(state);
  const store = requirePendingStore(runtime);
  const ready = nextReady(store, (hash) => runtime.get(pendingBlockId(hash), PENDING_BLOCK));
  return ready === undefined ? undefined : { blockHash: ready.blockHash, txids: unprocessed(runtime, ready) };
}

/** The txids of a pending block that have not been processed yet. */
function unprocessed(runtime: ObjectRuntime, { blockHash, processedTransactions }: PendingBlock): Uint8Array[] {
  const id = pendingBlockId(blockHash);
  const [coinbase, ...others] = runtime.getField(id, PENDING_TXIDS, PENDING_TXIDS_KEY) ?? [];
  if (coinbase === undefined) return [];
  const ordered = [...others, coinbase];
  if (processedTransactions === 0n) return ordered;
  // The field of a processed transaction may hold the inscriptions it sent to fees until the coinbase is processed:
  // hence the type check.
  return ordered.filter((txid) => runtime.hasFieldOfType(id, TRANSACTION_BY_TXID, txid));
}

/** All pending blocks were accepted in the same mode: either all of them have transactions, or none has. */
function assertMode(runtime: ObjectRuntime, { pendingBlocks }: PendingStore, headersOnly: boolean): void {
  const [first] = pendingBlocks;
  if (first === undefined) return;
  const txids = runtime.getField(pendingBlockId(first.blockHash), PENDING_TXIDS, PENDING_TXIDS_KEY) ?? [];
  if ((txids.length === 0) === headersOnly) return;
  throw new EngineError(
    'not-supported',
    `expected headersOnly to be ${!headersOnly}, as for the ${pendingBlocks.length} pending blocks: a chain keeps the mode it was started in`,
  );
}

function confirmedAt(runtime: ObjectRuntime, height: bigint): Uint8Array | undefined {
  const store = runtime.get(BLOCK_STORE_ID, BLOCK_STORE);
  return store === undefined ? undefined : runtime.getField(store.heightToHash, HASH_BY_NUMBER, height);
}

/**
 * The parent of a block must be pending or confirmed, one below its height; a chain's first block has none, and a
 * replacement of it must have the same parent.
 */
function assertParent(runtime: ObjectRuntime, hash: Uint8Array, parent: Uint8Array, height: bigint): void {
  const store = runtime.get(BLOCK_STORE_ID, BLOCK_STORE);
  if (store?.latestBlock === undefined && requirePendingStore(runtime).bestBlock === undefined) return;
  const pending = runtime.get(pendingBlockId(parent), PENDING_BLOCK)?.blockHeight;
  const known =
    pending ?? (store === undefined ? undefined : runtime.getField(store.hashToHeight, HEIGHT_BY_HASH, parent));
  if (known === height - 1n) return;
  const first = store?.latestBlock === undefined && store?.genesisBlock.blockHeight === height;
  const replaced = first ? pendingAt(requirePendingStore(runtime), height) : undefined;
  if (replaced !== undefined) {
    const header = runtime.get(pendingBlockId(replaced.blockHash), PENDING_BLOCK)?.header;
    if (header !== undefined && equalBytes(header.previousHash, parent)) return;
  }
  const found = known === undefined ? 'is not known' : `is at height ${known}`;
  throw new EngineError(
    'invalid-argument',
    `block ${formatBitcoinHash(hash)} at height ${height}: expected its parent ${formatBitcoinHash(parent)} at height ${height - 1n}, which ${found}; ingest blocks in order`,
    { details: { height: height.toString() } },
  );
}

/**
 * Transactions are kept under their txids, so processing a repeated one would fail, and with it everything after it.
 * Only a coinbase may repeat an earlier one. Reads the state directly: a session would keep thousands of absent rows.
 */
function assertNewTransactions(
  state: State,
  { pendingBlocks }: PendingStore,
  { hash, transactions }: DecodedBlock,
  height: bigint,
): void {
  const runtime = new ObjectRuntime(state);
  const processed = runtime.get(BLOCK_STORE_ID, BLOCK_STORE)?.transactions;
  const below = pendingBlocks.filter(({ blockHeight }) => blockHeight < height);
  const pending = new Set<string>();
  for (const { blockHash } of below) {
    const txids = runtime.getField(pendingBlockId(blockHash), PENDING_TXIDS, PENDING_TXIDS_KEY) ?? [];
    for (const txid of txids) pending.add(toHex(txid));
  }
  for (const [place, { txid }] of transactions.entries()) {
    if (place === 0) continue;
    const isKnown =
      (processed !== undefined && state.field(processed, TRANSACTION_BY_TXID.key(txid)) !== undefined) ||
      pending.has(toHex(txid));
    if (!isKnown) continue;
    throw new EngineError(
      'invalid-argument',
      `block ${formatBitcoinHash(hash)} at height ${height}: expected new transactions, got ${formatBitcoinHash(txid)} at position ${place}, which is in an earlier block`,
    );
  }
}
