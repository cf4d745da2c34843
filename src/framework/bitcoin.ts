/**
 * The Bitcoin objects of `0x4` that queries read: which block is known, where UTXOs and inscriptions live.
 * Source: spec/state.md 2.6, 2.8 and 2.10.
 * @module
 */
import type { Codec } from '../bcs/codec.ts';
import { option, struct, vector } from '../bcs/composite.ts';
import { bytes32, u64 } from '../bcs/primitive.ts';
import type { InscriptionId } from '../bitcoin/inscription-id.ts';
import {
  BITCOIN_BLOCK_STORE_KEY,
  BITCOIN_NETWORK_KEY,
  INSCRIPTION_STORE_KEY,
  inscriptionKey,
  PENDING_STORE_KEY,
  UTXO_STORE_KEY,
  utxoKey,
} from '../bitcoin/object-key.ts';
import type { OutPoint } from '../bitcoin/outpoint.ts';
import { type ObjectId, objectId } from '../object/object-id.ts';

export const UTXO_STORE_ID: ObjectId = [UTXO_STORE_KEY];
export const INSCRIPTION_STORE_ID: ObjectId = [INSCRIPTION_STORE_KEY];
export const BLOCK_STORE_ID: ObjectId = [BITCOIN_BLOCK_STORE_KEY];
export const PENDING_STORE_ID: ObjectId = [PENDING_STORE_KEY];
/** Its value is one byte, the number of a Bitcoin network. */
export const BITCOIN_NETWORK_ID: ObjectId = [BITCOIN_NETWORK_KEY];

export interface BlockHeightHash {
  readonly height: bigint;
  /** Internal byte order. */
  readonly hash: Uint8Array;
}

export const blockHeightHash: Codec<BlockHeightHash> = struct<BlockHeightHash>({ height: u64, hash: bytes32 });

export interface BitcoinBlockStore {
  readonly genesis: BlockHeightHash;
  readonly latest: BlockHeightHash | undefined;
  readonly blocks: ObjectId;
  readonly heightToHash: ObjectId;
  readonly hashToHeight: ObjectId;
  readonly transactions: ObjectId;
  readonly transactionToHeight: ObjectId;
  readonly transactionIds: ObjectId;
}

export const bitcoinBlockStore: Codec<BitcoinBlockStore> = struct<BitcoinBlockStore>({
  genesis: blockHeightHash,
  latest: option(blockHeightHash),
  blocks: objectId,
  heightToHash: objectId,
  hashToHeight: objectId,
  transactions: objectId,
  transactionToHeight: objectId,
  transactionIds: objectId,
});

export interface PendingStore {
  readonly pending: readonly BlockHeightHash[];
  readonly best: BlockHeightHash | undefined;
  readonly reorganisationDepth: bigint;
}

export const pendingStore: Codec<PendingStore> = struct<PendingStore>({
  pending: vector(blockHeightHash),
  best: option(blockHeightHash),
  reorganisationDepth: u64,
});

/** The UTXO of an output. */
export function utxoObjectId(output: OutPoint): ObjectId {
  return [UTXO_STORE_KEY, utxoKey(output)];
}

export function inscriptionObjectId(id: InscriptionId): ObjectId {
  return [INSCRIPTION_STORE_KEY, inscriptionKey(id)];
}
