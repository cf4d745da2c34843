/**
 * The blocks known to a state, confirmed or pending, by hash or height. Separate from the other Bitcoin object types,
 * so that looking up blocks does not load transactions and their elliptic-curve code. Source: pending_block.move and
 * bitcoin.move of the reference.
 * @module
 */
import { decode } from '../../base/bcs.ts';
import {
  type BitcoinBlockStore,
  type BlockHeightHash,
  bitcoinBlockStore,
  type PendingStore,
  pendingAt,
  pendingBlock,
  pendingStore,
} from '../../bitcoin/block-store.ts';
import { parseBitcoinHash } from '../../bitcoin/hash.ts';
import { type BlockHeader, blockHeader } from '../../bitcoin/header.ts';
import { BITCOIN_BLOCK_STORE_KEY, PENDING_STORE_KEY, pendingBlockKey } from '../../bitcoin/object-key.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import { equalStructs, structTag, structType } from '../../move/type-tag.ts';
import { FieldType, MOVE_ADDRESS, MOVE_U64 } from '../runtime/field-type.ts';

export const HEADER_BY_HASH: FieldType<Uint8Array, BlockHeader> = new FieldType(MOVE_ADDRESS, {
  tag: structType(structTag(BITCOIN_MOVE_ADDRESS, 'types', 'Header')),
  codec: blockHeader,
});
/** A block's or transaction's height under its hash. */
export const HEIGHT_BY_HASH: FieldType<Uint8Array, bigint> = new FieldType(MOVE_ADDRESS, MOVE_U64);
/** A block's hash under its height, or a txid under its position in processing order. */
export const HASH_BY_NUMBER: FieldType<bigint, Uint8Array> = new FieldType(MOVE_U64, MOVE_ADDRESS);

/** A block's height, or its hash: text in display order, or 32 bytes in internal order. */
export type BlockReference = number | bigint | string | Uint8Array;

/** A Bitcoin block known to the chain, confirmed or pending. */
export interface KnownBlock extends BlockHeightHash {
  readonly header: BlockHeader;
  /** False while another block may still replace it. */
  readonly isConfirmed: boolean;
}

/**
 * The block with this hash, or at this height.
 * @param reference checked by the caller, which names the argument
 */
export function findBlock(state: State, reference: BlockReference): KnownBlock | undefined {
  if (typeof reference === 'string') return blockOfHash(state, parseBitcoinHash(reference));
  if (reference instanceof Uint8Array) return blockOfHash(state, reference);
  const hash = hashAt(state, BigInt(reference));
  return hash === undefined ? undefined : blockOfHash(state, hash);
}

/** The block submitted last; undefined on a chain without blocks. */
export function bestBlock(state: State): KnownBlock | undefined {
  const best = pendingStoreOf(state)?.bestBlock ?? blockStoreOf(state)?.latestBlock;
  return best === undefined ? undefined : blockOfHash(state, best.blockHash);
}

export function blockStoreOf(state: State): BitcoinBlockStore | undefined {
  const object = state.object([BITCOIN_BLOCK_STORE_KEY]);
  return object === undefined ? undefined : decode(bitcoinBlockStore, object.value);
}

export function pendingStoreOf(state: State): PendingStore | undefined {
  const object = state.object([PENDING_STORE_KEY]);
  return object === undefined ? undefined : decode(pendingStore, object.value);
}

/** The value of a field; undefined if it does not exist or has another type. */
export function readField<N, V>(state: State, parent: ObjectId, type: FieldType<N, V>, name: N): V | undefined {
  const field = state.field(parent, type.key(name));
  if (field === undefined || !equalStructs(field.meta.objectType, type.tag)) return undefined;
  return type.decode(field.value);
}

function hashAt(state: State, height: bigint): Uint8Array | undefined {
  const store = blockStoreOf(state);
  const confirmed = store === undefined ? undefined : readField(state, store.heightToHash, HASH_BY_NUMBER, height);
  if (confirmed !== undefined) return confirmed;
  const pending = pendingStoreOf(state);
  return pending === undefined ? undefined : pendingAt(pending, height)?.blockHash;
}

function blockOfHash(state: State, blockHash: Uint8Array): KnownBlock | undefined {
  const pending = state.object([pendingBlockKey(blockHash)]);
  if (pending !== undefined) {
    const { header, blockHeight } = decode(pendingBlock, pending.value);
    return { blockHeight, blockHash, header, isConfirmed: false };
  }
  const store = blockStoreOf(state);
  if (store === undefined) return undefined;
  const blockHeight = readField(state, store.hashToHeight, HEIGHT_BY_HASH, blockHash);
  const header = readField(state, store.blocks, HEADER_BY_HASH, blockHash);
  if (blockHeight === undefined || header === undefined) return undefined;
  return { blockHeight, blockHash, header, isConfirmed: true };
}
