/**
 * The Move types of Bitcoin's blocks, outputs and inscriptions on the chain, each with its tag and codec. Ingestion
 * writes them, and queries read them.
 * Source: frameworks/bitcoin-move of the reference.
 *
 * Temporary areas: values that Move code puts on an output, an inscription or a stake, and that stay until it is spent
 * or moved.
 *
 * The area is a field that lists the types of the values and holds a bag: an object with the values as its fields.
 * Dropping an area removes both.
 * Source: temp_state.move of the reference.
 * @module
 */
import { bool, bytes, bytes32, type Codec, string, struct, u32, u64, vector } from '../../base/bcs.ts';
import { assert } from '../../base/error.ts';
import { type BabylonParameters, type BabylonStake, babylonParameters, babylonStake } from '../../bitcoin/babylon.ts';
import {
  type BitcoinBlockStore,
  bitcoinBlockStore,
  type PendingBlock,
  type PendingStore,
  pendingBlock,
  pendingStore,
  pendingTxids,
} from '../../bitcoin/block-store.ts';
import {
  type Inscription,
  type InscriptionId,
  type InscriptionStore,
  inscription,
  inscriptionId,
  inscriptionStore,
} from '../../bitcoin/inscription.ts';
import { type Flotsam, flotsam, type StoredUpdater, storedUpdater } from '../../bitcoin/inscription-updater.ts';
import { type Utxo, utxo } from '../../bitcoin/outpoint.ts';
import { type BitcoinTransaction, bitcoinTransaction } from '../../bitcoin/transaction.ts';
import { INSCRIPTION_TYPE, UTXO_TYPE } from '../../chain/index/objects.ts';
import { namedObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { BITCOIN_MOVE_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, structType, type TypeTag, vectorTag } from '../../move/type-tag.ts';
import {
  FieldType,
  MOVE_ADDRESS,
  MOVE_STRING,
  MOVE_U64,
  type MoveType,
  type ObjectType,
} from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';

const own = (module: string, name: string): StructTag => structTag(BITCOIN_MOVE_ADDRESS, module, name);
const bitcoinStruct = <T>(module: string, name: string, codec: Codec<T>): MoveType<T> => ({
  tag: structType(own(module, name)),
  codec,
});

const U32: MoveType<number> = { tag: { kind: 'u32' }, codec: u32 };
export const BYTE_VECTOR: MoveType<Uint8Array> = { tag: vectorTag({ kind: 'u8' } satisfies TypeTag), codec: bytes };
const TRANSACTION: MoveType<BitcoinTransaction> = bitcoinStruct('types', 'Transaction', bitcoinTransaction);

export const TIMESTAMP: ObjectType<bigint> = {
  tag: structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp'),
  codec: u64,
};
export const TIMESTAMP_ID: ObjectId = namedObjectId(TIMESTAMP.tag);
export const UTXO: ObjectType<Utxo> = { tag: UTXO_TYPE, codec: utxo };
export const INSCRIPTION: ObjectType<Inscription> = { tag: INSCRIPTION_TYPE, codec: inscription };
export const INSCRIPTION_STORE: ObjectType<InscriptionStore> = {
  tag: own('ord', 'InscriptionStore'),
  codec: inscriptionStore,
};
export const BLOCK_STORE: ObjectType<BitcoinBlockStore> = {
  tag: own('bitcoin', 'BitcoinBlockStore'),
  codec: bitcoinBlockStore,
};
export const PENDING_STORE: ObjectType<PendingStore> = {
  tag: own('pending_block', 'PendingStore'),
  codec: pendingStore,
};
export const PENDING_BLOCK: ObjectType<PendingBlock> = {
  tag: own('pending_block', 'PendingBlock'),
  codec: pendingBlock,
};

/** A stake in Babylon; see `bitcoin/babylon.ts`. */
export const STAKE: ObjectType<BabylonStake> = { tag: own('bbn', 'BBNStakeSeal'), codec: babylonStake };

/** A transaction under its txid: of a pending block, or in the table of processed ones. */
export const TRANSACTION_BY_TXID: FieldType<Uint8Array, BitcoinTransaction> = new FieldType(MOVE_ADDRESS, TRANSACTION);
/** All txids of a pending block, under the name "tx_ids". */
export const PENDING_TXIDS: FieldType<Uint8Array, readonly Uint8Array[]> = new FieldType(BYTE_VECTOR, {
  tag: vectorTag({ kind: 'address' }),
  codec: pendingTxids,
});
/** The inscription state that each transaction of a pending block passes on. */
export const UPDATER: FieldType<string, StoredUpdater> = new FieldType(
  MOVE_STRING,
  bitcoinStruct('inscription_updater', 'InscriptionUpdater', storedUpdater),
);
/**
 * Inscriptions that went to fees and are stored separately (inscriptions.ts): in the pending block, under the
 * txid that paid them.
 */
export const FLOTSAMS_BY_TXID: FieldType<Uint8Array, readonly Flotsam[]> = new FieldType(MOVE_ADDRESS, {
  tag: vectorTag(structType(own('inscription_updater', 'Flotsam'))),
  codec: vector(flotsam),
});
/** An inscription's id under its sequence number, in the inscription store. */
export const INSCRIPTION_BY_SEQUENCE: FieldType<number, InscriptionId> = new FieldType(
  U32,
  bitcoinStruct('ord', 'InscriptionID', inscriptionId),
);
/** Babylon's parameters for stakes, by version. */
export const BABYLON_PARAMETERS: FieldType<bigint, BabylonParameters> = new FieldType(
  MOVE_U64,
  bitcoinStruct('bbn', 'BBNGlobalParamV1', babylonParameters),
);
export const BABYLON_PARAMETERS_ID: ObjectId = namedObjectId(own('bbn', 'BBNGlobalParams'));

/** `0x4::temp_state::TempState`. */
interface TemporaryArea {
  /** The types of the values, in the order they were added. */
  readonly names: readonly string[];
  /** The bag's object. */
  readonly states: ObjectId;
}

const temporaryArea: Codec<TemporaryArea> = struct({
  names: vector(string),
  states: vector(bytes32),
});

const AREA_KEY: Uint8Array = new TextEncoder().encode('temporary_area');
const AREA: FieldType<Uint8Array, TemporaryArea> = new FieldType(BYTE_VECTOR, {
  tag: structType(structTag(BITCOIN_MOVE_ADDRESS, 'temp_state', 'TempState')),
  codec: temporaryArea,
});
/** The value: whether the bag may be dropped while it holds values. */
const BAG: ObjectType<boolean> = { tag: structTag(MOVEOS_STD_ADDRESS, 'bag', 'BagInner'), codec: bool };

/** Drops the area of an object, if it has one, and returns the type names, last one first. */
export function dropTemporaryArea(runtime: ObjectRuntime, id: ObjectId): readonly string[] {
  // Hardly any object has fields, and a look-up costs a hash.
  if (runtime.meta(id)?.size === 0n || !runtime.hasField(id, AREA, AREA_KEY)) return [];
  const { names, states } = runtime.removeField(id, AREA, AREA_KEY);
  const isDroppable = runtime.remove(states, BAG);
  assert(isDroppable, 'the bag of a temporary area may be dropped');
  return [...names].reverse();
}
