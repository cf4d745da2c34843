/**
 * Ids of the Bitcoin objects of `0x4` that queries read: blocks, UTXOs and inscriptions. Source:
 * crates/rooch-types/src/bitcoin of the reference.
 * @module
 */

import { decode } from '../../base/bcs.ts';
import { EngineError } from '../../base/error.ts';
import { pendingStore } from '../../bitcoin/block-store.ts';
import type { InscriptionId } from '../../bitcoin/inscription.ts';
import { type BitcoinNetwork, bitcoinNetworkOf } from '../../bitcoin/network.ts';
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
import type { State } from '../../chain/state/state.ts';

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

/**
 * The Bitcoin network followed by the chain of a state.
 * @throws {EngineError} `not-found` if the state has no Bitcoin network object.
 */
export function followedNetwork(state: State): BitcoinNetwork {
  const number = state.object(BITCOIN_NETWORK_ID)?.value[0];
  if (number === undefined) throw new EngineError('not-found', 'the chain has no Bitcoin network object');
  return bitcoinNetworkOf(number);
}

/**
 * The maximum depth of reorganisations, in blocks, on the chain of a state; undefined if it keeps no pending blocks.
 */
export function reorganisationDepthOf(state: State): bigint | undefined {
  const store = state.object(PENDING_STORE_ID);
  return store === undefined ? undefined : decode(pendingStore, store.value).reorgBlockCount;
}
