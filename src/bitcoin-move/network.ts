import { type BitcoinNetwork, bitcoinNetworkOf } from '../bitcoin/network.ts';
import { EngineError } from '../error.ts';
import type { State } from '../state/state.ts';
import { BITCOIN_NETWORK_ID } from './object-id.ts';

/**
 * The Bitcoin network that the chain of a state follows.
 * @throws {EngineError} `not-found` where the state has no Bitcoin network object.
 */
export function followedNetwork(state: State): BitcoinNetwork {
  const number = state.object(BITCOIN_NETWORK_ID)?.value[0];
  if (number === undefined) throw new EngineError('not-found', 'the chain has no Bitcoin network object');
  return bitcoinNetworkOf(number);
}
