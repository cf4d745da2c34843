/**
 * The Bitcoin objects of `0x4` that queries read: where blocks, UTXOs and inscriptions live.
 * Source: crates/rooch-types/src/bitcoin of the reference.
 * @module
 */
import type { InscriptionId } from '../../bitcoin/inscription-id.ts';
import {
  BITCOIN_BLOCK_STORE_KEY,
  BITCOIN_NETWORK_KEY,
  INSCRIPTION_STORE_KEY,
  inscriptionKey,
  PENDING_STORE_KEY,
  UTXO_STORE_KEY,
  utxoKey,
} from '../../bitcoin/object-key.ts';
import type { OutPoint } from '../../bitcoin/outpoint.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';

export const UTXO_STORE_ID: ObjectId = [UTXO_STORE_KEY];
export const INSCRIPTION_STORE_ID: ObjectId = [INSCRIPTION_STORE_KEY];
export const BLOCK_STORE_ID: ObjectId = [BITCOIN_BLOCK_STORE_KEY];
export const PENDING_STORE_ID: ObjectId = [PENDING_STORE_KEY];
/** Its value is one byte, the number of a Bitcoin network. */
export const BITCOIN_NETWORK_ID: ObjectId = [BITCOIN_NETWORK_KEY];

/** The UTXO of an output. */
export function utxoObjectId(output: OutPoint): ObjectId {
  return [UTXO_STORE_KEY, utxoKey(output)];
}

export function inscriptionObjectId(id: InscriptionId): ObjectId {
  return [INSCRIPTION_STORE_KEY, inscriptionKey(id)];
}
