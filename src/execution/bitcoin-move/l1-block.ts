/**
 * The effects of a submitted Bitcoin block on the state: it becomes pending, and the blocks it replaces are removed.
 *
 * A block's transactions are processed once enough blocks are on top of it (l1-transaction.ts), so a reorganisation
 * within that depth only undoes pending blocks. The pending blocks are listed in the order that results without
 * reorganisations, when a new block takes the place of the one just confirmed. After a reorganisation, the reference's
 * list depends on the replaced blocks; ours does not.
 *
 * A chain may also keep only headers: no transaction is kept or processed, and a header is confirmed when enough blocks
 * have arrived on top of it.
 * Source: pending_block.move of the reference.
 * @module
 */

import { equalBytes } from '../../base/bytes/bytes.ts';
import { CHAIN_ID_TEST } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import type { DecodedBlock } from '../../bitcoin/block.ts';
import {
  type BitcoinBlockStore,
  type BlockHeightHash,
  nextReady,
  PENDING_TXIDS_KEY,
  type PendingBlock,
  type PendingStore,
  pendingAt,
  removePending,
} from '../../bitcoin/block-store.ts';
import { reorgEvent } from '../../bitcoin/event.ts';
import { pendingBlockKey } from '../../bitcoin/object-key.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import { BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { BitcoinEventLog, bitcoinEvent } from './event-queue.ts';
import { HASH_BY_NUMBER, HEADER_BY_HASH, HEIGHT_BY_HASH } from './known-block.ts';
import { BLOCK_STORE_ID, PENDING_STORE_ID } from './object-id.ts';
import {
  BLOCK_STORE,
  PENDING_BLOCK,
  PENDING_STORE,
  PENDING_TXIDS,
  TIMESTAMP,
  TIMESTAMP_ID,
  TRANSACTION_BY_TXID,
} from './object-type.ts';

const REORG_EVENT = bitcoinEvent('pending_block', 'ReorgEvent', reorgEvent);
const MILLISECONDS = 1_000n;

export function pendingBlockId(blockHash: Uint8Array): ObjectId {
  return [pendingBlockKey(blockHash)];
}

/**
 * Makes `block` pending at `height`, with the transactions to keep.
 * @throws {EngineError} `not-supported` when it would replace a block whose transactions are being processed.
 */
export function executeL1Block(
  runtime: ObjectRuntime,
  block: DecodedBlock,
  height: bigint,
  chainId: bigint,
  transactions: readonly BitcoinTransaction[] = block.transactions,
): BitcoinEventLog {
  const events = addBlock(runtime, block, height, transactions);
  advanceTime(runtime, block.header.time, chainId);
  return events;
}

/**
 * Makes the header of `block` pending at `height`, and confirms the oldest pending one if it has enough headers on top
 * of it.
 * Source: bitcoin.move of the reference.
 * @throws {EngineError} `not-supported` as `executeL1Block`.
 */
export function executeL1Header(
  runtime: ObjectRuntime,
  block: DecodedBlock,
  height: bigint,
  chainId: bigint,
): BitcoinEventLog {
  const events = addBlock(runtime, block, height, []);
  const ready = nextReady(requirePendingStore(runtime), (hash) => runtime.get(pendingBlockId(hash), PENDING_BLOCK));
  if (ready === undefined) return events;
  confirmBlock(runtime, requireBlockStore(runtime), ready);
  advanceTime(runtime, ready.header.time, chainId);
  return events;
}

/** Confirms a pending block, all of whose transactions, if any, have been processed. */
export function confirmBlock(runtime: ObjectRuntime, store: BitcoinBlockStore, block: PendingBlock): void {
  const { blockHeight, blockHash, header } = block;
  const id = pendingBlockId(blockHash);
  runtime.removeField(id, PENDING_TXIDS, PENDING_TXIDS_KEY);
  runtime.remove(id, PENDING_BLOCK);
  runtime.set(PENDING_STORE_ID, PENDING_STORE, removePending(requirePendingStore(runtime), blockHeight));
  runtime.addField(store.heightToHash, HASH_BY_NUMBER, blockHeight, blockHash);
  runtime.addField(store.hashToHeight, HEIGHT_BY_HASH, blockHash, blockHeight);
  runtime.addField(store.blocks, HEADER_BY_HASH, blockHash, header);
  runtime.set(BLOCK_STORE_ID, BLOCK_STORE, { ...store, latestBlock: { blockHeight, blockHash } });
}

function addBlock(
  runtime: ObjectRuntime,
  { hash, header }: DecodedBlock,
  height: bigint,
  transactions: readonly BitcoinTransaction[],
): BitcoinEventLog {
  const events = new BitcoinEventLog();
  let store = requirePendingStore(runtime);
  const replaced = pendingAt(store, height);
  if (replaced !== undefined) store = removeBranch(runtime, events, store, replaced.blockHash);
  const added = { blockHeight: height, blockHash: hash };
  addPendingBlock(runtime, { ...added, header }, transactions);
  const parent = runtime.get(pendingBlockId(header.previousHash), PENDING_BLOCK);
  if (parent !== undefined) {
    runtime.set(pendingBlockId(header.previousHash), PENDING_BLOCK, { ...parent, nextBlockHash: hash });
  }
  const start = startHeight(runtime, added, replaced);
  runtime.set(PENDING_STORE_ID, PENDING_STORE, {
    ...store,
    pendingBlocks: orderPending([...store.pendingBlocks, added], start, store.reorgBlockCount),
    bestBlock: added,
  });
  return events;
}

export function requirePendingStore(runtime: ObjectRuntime): PendingStore {
  const store = runtime.get(PENDING_STORE_ID, PENDING_STORE);
  if (store === undefined) throw new EngineError('not-supported', 'this chain has no store of Bitcoin blocks');
  return store;
}

export function requireBlockStore(runtime: ObjectRuntime): BitcoinBlockStore {
  const store = runtime.get(BLOCK_STORE_ID, BLOCK_STORE);
  if (store === undefined) throw new EngineError('not-supported', 'this chain has no store of Bitcoin blocks');
  return store;
}

/** The first block of a chain, or a replacement of it, determines where the chain starts. */
function startHeight(runtime: ObjectRuntime, added: BlockHeightHash, replaced: BlockHeightHash | undefined): bigint {
  const store = requireBlockStore(runtime);
  const { blockHeight, blockHash } = store.genesisBlock;
  const isFirst = store.latestBlock === undefined && requirePendingStore(runtime).bestBlock === undefined;
  const isInItsPlace = replaced !== undefined && equalBytes(replaced.blockHash, blockHash);
  if (!isInItsPlace && (!isFirst || blockHeight === added.blockHeight)) return blockHeight;
  runtime.set(BLOCK_STORE_ID, BLOCK_STORE, { ...store, genesisBlock: added });
  return added.blockHeight;
}

/** Sorts blocks as in a chain without reorganisations; if there is one more than the depth, the newest is last. */
function orderPending(
  blocks: PendingStore['pendingBlocks'],
  start: bigint,
  depth: bigint,
): PendingStore['pendingBlocks'] {
  if (depth === 0n) return blocks;
  const isFull = BigInt(blocks.length) > depth;
  const newest = blocks.reduce((best, { blockHeight }) => (blockHeight > best ? blockHeight : best), 0n);
  const place = (height: bigint): bigint =>
    isFull && height === newest ? depth : (((height - start) % depth) + depth) % depth;
  return [...blocks].sort((left, right) => Number(place(left.blockHeight) - place(right.blockHeight)));
}

function addPendingBlock(
  runtime: ObjectRuntime,
  block: Pick<PendingBlock, 'blockHeight' | 'blockHash' | 'header'>,
  transactions: readonly BitcoinTransaction[],
): void {
  const id = pendingBlockId(block.blockHash);
  runtime.add(id, PENDING_BLOCK, { ...block, processedTransactions: 0n, nextBlockHash: undefined });
  for (const transaction of transactions) {
    runtime.addField(id, TRANSACTION_BY_TXID, transaction.txid, transaction);
  }
  const txids = transactions.map(({ txid }) => txid);
  runtime.addField(id, PENDING_TXIDS, PENDING_TXIDS_KEY, txids);
  runtime.transfer(id, BITCOIN_MOVE_ADDRESS);
}

/** Removes a pending block and all blocks on top of it. */
function removeBranch(
  runtime: ObjectRuntime,
  events: BitcoinEventLog,
  store: PendingStore,
  first: Uint8Array,
): PendingStore {
  let left = store.pendingBlocks;
  for (let hash: Uint8Array | undefined = first; hash !== undefined; ) {
    const id = pendingBlockId(hash);
    const block = runtime.get(id, PENDING_BLOCK);
    if (block === undefined) break;
    if (block.processedTransactions > 0n) {
      throw new EngineError('not-supported', `block ${block.blockHeight} is being processed and cannot be replaced`);
    }
    for (const txid of runtime.getField(id, PENDING_TXIDS, PENDING_TXIDS_KEY) ?? []) {
      runtime.removeField(id, TRANSACTION_BY_TXID, txid);
    }
    runtime.removeField(id, PENDING_TXIDS, PENDING_TXIDS_KEY);
    runtime.remove(id, PENDING_BLOCK);
    events.emit(REORG_EVENT, { blockHeight: block.blockHeight, blockHash: hash, success: true });
    const gone = hash;
    left = left.filter(({ blockHash }) => !equalBytes(blockHash, gone));
    hash = block.nextBlockHash;
  }
  return { ...store, pendingBlocks: left };
}

/** The chain's time follows the headers and never goes back. The test network keeps its own time. */
function advanceTime(runtime: ObjectRuntime, seconds: number, chainId: bigint): void {
  if (chainId === CHAIN_ID_TEST) return;
  const now = runtime.get(TIMESTAMP_ID, TIMESTAMP) ?? 0n;
  const time = BigInt(seconds) * MILLISECONDS;
  if (now <= time) runtime.set(TIMESTAMP_ID, TIMESTAMP, time);
}
