/**
 * The genesis hash that a head must name, as far as it follows from the chain itself.
 * @module
 */

import { decode } from '../../base/bcs/codec.ts';
import type { TransactionRecord } from '../../chain/ledger/transactions.ts';
import type { State } from '../../chain/state/state.ts';
import { followedNetwork, reorganisationDepthOf } from '../../execution/bitcoin-move/network.ts';
import { DEV_ACCOUNTS } from '../../execution/framework/accounts.ts';
import { accountCoinStoreId, coinStore, GAS_COIN_TYPE } from '../../execution/framework/coin.ts';
import { devGenesisAccounts } from '../../execution/genesis/genesis-account.ts';
import { parseAddressHex } from '../../move/address.ts';

/**
 * The hash of a framework genesis, from its transaction and the state after it; undefined for the genesis of a file,
 * whose hash is that of the file.
 * @throws {EngineError} as `State.object`.
 */
export async function genesisHashOf(
  { executionInfo, transaction }: TransactionRecord,
  state: State,
): Promise<Uint8Array | undefined> {
  const { data, sequenceInfo } = transaction;
  const depth = reorganisationDepthOf(state);
  const [known] = DEV_ACCOUNTS;
  const coins = known && state.object(accountCoinStoreId(parseAddressHex(known.address), GAS_COIN_TYPE));
  if (data.kind !== 'l2-transaction' || depth === undefined || coins === undefined) return undefined;
  const { frameworkGenesisHash } = await import('../../execution/genesis/framework-genesis.ts');
  return frameworkGenesisHash(executionInfo.txHash, {
    chainId: data.data.chainId,
    timestamp: sequenceInfo.txTimestamp,
    bitcoinNetwork: followedNetwork(state),
    reorganisationDepth: depth,
    accounts: devGenesisAccounts(decode(coinStore, coins.value).balance),
  });
}
