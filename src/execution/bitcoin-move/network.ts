import { decode } from '../../base/bcs/codec.ts';
import { EngineError } from '../../base/error.ts';
import { pendingStore } from '../../bitcoin/block-store.ts';
import { type BitcoinNetwork, bitcoinNetworkOf } from '../../bitcoin/network.ts';
import type { State } from '../../chain/state/state.ts';
import { BITCOIN_NETWORK_ID, PENDING_STORE_ID } from './object-id.ts';

/**
 * The Bitcoin network followed by the chain of a state.
 * @throws {EngineError} `not-found` if the state has no Bitcoin network object.
 */
export function followedNetwork(state: State): BitcoinNetwork {
  const number = state.object(BITCOIN_NETWORK_ID)?.value[0];
  if (number === undefined) throw new EngineError('not-found', 'the chain has no Bitcoin network object');
  return bitcoinNetworkOf(number);
}

/** How many blocks deep the chain of a state allows reorganisations; undefined if it keeps no pending blocks. */
export function reorganisationDepthOf(state: State): bigint | undefined {
  const store = state.object(PENDING_STORE_ID);
  return store === undefined ? undefined : decode(pendingStore, store.value).reorgBlockCount;
}
