/**
 * The chain's records of confirmed and pending Bitcoin blocks, and the rule by which a block becomes confirmed.
 *
 * A submitted block is pending until there are `reorgBlockCount` blocks on top of it; until then another block at its
 * height may replace it and its descendants. Heights of pending blocks are kept in a list whose order is part of the
 * state: the last entry takes the place of a removed one.
 * Source: bitcoin.move and pending_block.move of the reference.
 * @module
 */
import { bytes32, type Codec, option, struct, u64, vector } from '../base/bcs.ts';
import { EngineError } from '../base/error.ts';
import { type BlockHeader, blockHeader } from './header.ts';
import { objectParts, type SealedObject } from './outpoint.ts';

/** `0x4::types::BlockHeightHash`. */
export interface BlockHeightHash {
  readonly blockHeight: bigint;
  /** 32 bytes in internal order. */
  readonly blockHash: Uint8Array;
}

export const blockHeightHash: Codec<BlockHeightHash> = struct({
  blockHeight: u64,
  blockHash: bytes32,
});

/** `0x4::bitcoin::BitcoinBlockStore`. The last six are the object ids of tables, whose entries are stored as fields. */
export interface BitcoinBlockStore {
  readonly genesisBlock: BlockHeightHash;
  /** The last confirmed block. */
  readonly latestBlock: BlockHeightHash | undefined;
  /** Block hash (address) to `0x4::types::Header`. */
  readonly blocks: SealedObject;
  /** Height (u64) to block hash (address). */
  readonly heightToHash: SealedObject;
  /** Block hash (address) to height (u64). */
  readonly hashToHeight: SealedObject;
  /** Txid (address) to `0x4::types::Transaction`. */
  readonly transactions: SealedObject;
  /** Txid (address) to height (u64). */
  readonly transactionToHeight: SealedObject;
  /** Position (u64) to txid (address), in the order of processing. */
  readonly transactionIds: SealedObject;
}

export const bitcoinBlockStore: Codec<BitcoinBlockStore> = struct({
  genesisBlock: blockHeightHash,
  latestBlock: option(blockHeightHash),
  blocks: objectParts,
  heightToHash: objectParts,
  hashToHeight: objectParts,
  transactions: objectParts,
  transactionToHeight: objectParts,
  transactionIds: objectParts,
});

/** `0x4::pending_block::PendingStore`. */
export interface PendingStore {
  /** One block for each pending height, in the order of the list on chain. */
  readonly pendingBlocks: readonly BlockHeightHash[];
  /** The block that was submitted last. */
  readonly bestBlock: BlockHeightHash | undefined;
  /** The number of blocks on top of a block that confirm it. */
  readonly reorgBlockCount: bigint;
}

export const pendingStore: Codec<PendingStore> = struct({
  pendingBlocks: vector(blockHeightHash),
  bestBlock: option(blockHeightHash),
  reorgBlockCount: u64,
});

/** `0x4::pending_block::PendingBlock`. Its fields hold the transactions not processed yet. */
export interface PendingBlock {
  readonly blockHeight: bigint;
  readonly blockHash: Uint8Array;
  readonly header: BlockHeader;
  /** How many of its transactions have been processed. */
  readonly processedTransactions: bigint;
  /** The next block on top of it, if one was submitted. */
  readonly nextBlockHash: Uint8Array | undefined;
}

export const pendingBlock: Codec<PendingBlock> = struct({
  blockHeight: u64,
  blockHash: bytes32,
  header: blockHeader,
  processedTransactions: u64,
  nextBlockHash: option(bytes32),
});

/** The field of a pending block that lists all its txids, as a Move `vector<u8>` key. */
export const PENDING_TXIDS_KEY: Uint8Array = new TextEncoder().encode('tx_ids');

/** What that field holds: every txid of the block, the coinbase first. */
export const pendingTxids: Codec<readonly Uint8Array[]> = vector(bytes32);

/** The block that is pending at a height. */
export function pendingAt(store: PendingStore, blockHeight: bigint): BlockHeightHash | undefined {
  return store.pendingBlocks.find((block) => block.blockHeight === blockHeight);
}

/**
 * The store without the pending block at a height. The last entry takes its place in the list.
 * @throws {EngineError} `not-found` if none is pending there.
 */
export function removePending(store: PendingStore, blockHeight: bigint): PendingStore {
  const pendingBlocks = [...store.pendingBlocks];
  const place = pendingBlocks.findIndex((block) => block.blockHeight === blockHeight);
  const last = pendingBlocks.pop();
  if (place < 0 || last === undefined) {
    throw new EngineError('not-found', `no block is pending at height ${blockHeight}`);
  }
  if (place < pendingBlocks.length) pendingBlocks[place] = last;
  return { ...store, pendingBlocks };
}

/** The height up to which blocks have enough blocks on top of them, counted from the best block; undefined for none. */
export function readyHeightOf(store: PendingStore): bigint | undefined {
  const best = store.bestBlock?.blockHeight;
  return best === undefined || best < store.reorgBlockCount ? undefined : best - store.reorgBlockCount;
}

/**
 * The pending block to confirm next: from the one at the ready height, back over parents that are also pending.
 * Undefined if none is pending at the ready height.
 * @param find the pending block with a hash.
 */
export function nextReady(
  store: PendingStore,
  find: (blockHash: Uint8Array) => PendingBlock | undefined,
): PendingBlock | undefined {
  const height = readyHeightOf(store);
  const ready = height === undefined ? undefined : pendingAt(store, height);
  let oldest = ready === undefined ? undefined : find(ready.blockHash);
  for (let block = oldest; block !== undefined; block = find(block.header.previousHash)) oldest = block;
  return oldest;
}
