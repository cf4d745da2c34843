/**
 * The transaction context: what Move code may know about the transaction that it runs in.
 * Source: moveos/moveos-types/src/moveos_std/tx_context.rs of the reference.
 * @module
 */
import { type Codec, encodeShortLived } from '../../base/bcs/codec.ts';
import { struct, vector } from '../../base/bcs/composite.ts';
import { bytes, string, u64 } from '../../base/bcs/primitive.ts';
import { type Address, address } from '../../move/address.ts';
import { canonicalStruct, type StructTag } from '../../move/type-tag.ts';

/** A value of the context's map: the canonical type that is its key, and its BCS. */
export interface ContextEntry {
  readonly key: string;
  readonly typeName: string;
  readonly data: Uint8Array;
}

/** A value as an entry of the map, encoded when Move code looks at it. */
export function contextEntryOf<T>(type: StructTag, codec: Codec<T>, value: T): ContextEntry {
  const key = canonicalStruct(type);
  let data: Uint8Array | undefined;
  return {
    key,
    typeName: key,
    get data() {
      data ??= encodeShortLived(codec, value);
      return data;
    },
  };
}

/** The context with one more entry. Its properties are written out: spreading takes many times longer. */
export function withEntry(context: TxContext, entry: ContextEntry): TxContext {
  const { sender, sequenceNumber, maxGasAmount, txHash, txSize, idsCreated, entries } = context;
  return { sender, sequenceNumber, maxGasAmount, txHash, txSize, idsCreated, entries: [...entries, entry] };
}

export interface TxContext {
  readonly sender: Address;
  readonly sequenceNumber: bigint;
  readonly maxGasAmount: bigint;
  readonly txHash: Uint8Array;
  /** The size of the whole signed transaction in bytes. */
  readonly txSize: bigint;
  /** How many fresh ids have been created. */
  readonly idsCreated: bigint;
  /** In insertion order. */
  readonly entries: readonly ContextEntry[];
}

const contextEntry: Codec<ContextEntry> = struct<ContextEntry>({ key: string, typeName: string, data: bytes });

export const txContext: Codec<TxContext> = struct<TxContext>({
  sender: address,
  sequenceNumber: u64,
  maxGasAmount: u64,
  txHash: bytes,
  txSize: u64,
  idsCreated: u64,
  entries: vector(contextEntry),
});
