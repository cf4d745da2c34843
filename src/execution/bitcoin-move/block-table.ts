/**
 * The tables that find a block: its header and height under its hash, its hash under its height. Separate from the
 * other Bitcoin object types, so that code which only looks up blocks does not load transactions and their
 * elliptic-curve code.
 * Source: bitcoin.move of the reference.
 * @module
 */
import { bytes32, u64 } from '../../base/bcs/primitive.ts';
import { type BlockHeader, blockHeader } from '../../bitcoin/header.ts';
import { BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import { structTag, structType } from '../../move/type-tag.ts';
import { FieldType, type MoveType } from '../runtime/field-type.ts';

const ADDRESS: MoveType<Uint8Array> = { tag: { kind: 'address' }, codec: bytes32 };
const U64: MoveType<bigint> = { tag: { kind: 'u64' }, codec: u64 };

export const HEADER_BY_HASH: FieldType<Uint8Array, BlockHeader> = new FieldType(ADDRESS, {
  tag: structType(structTag(BITCOIN_MOVE_ADDRESS, 'types', 'Header')),
  codec: blockHeader,
});
/** A block's or transaction's height under its hash. */
export const HEIGHT_BY_HASH: FieldType<Uint8Array, bigint> = new FieldType(ADDRESS, U64);
/** A block's hash under its height, or a txid under its position in processing order. */
export const HASH_BY_NUMBER: FieldType<bigint, Uint8Array> = new FieldType(U64, ADDRESS);
