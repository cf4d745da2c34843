/**
 * The effect of a transaction on the balances of accounts: of its action, and of its gas.
 *
 * The framework takes a deposit for all the gas from the account's coin store, and refunds the rest to its multi coin
 * store: neither store tells what the gas cost, but the events of both together do.
 * @module
 */
import { decode } from '../base/bcs.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import type { EventRecord } from '../chain/ledger/events.ts';
import type { ChangedFields } from '../chain/object/change-set.ts';
import { equalObjectIds, formatObjectId, type ObjectId, objectId } from '../chain/object/object-id.ts';
import {
  accountCoinStoreId,
  type CoinInfo,
  coinStoreTransferEvent,
  coinText,
  MULTI_COIN_STORE_TYPE,
  multiCoinStoreId,
} from '../execution/framework/coin.ts';
import { type Address, formatAddress } from '../move/address.ts';
import { equalStructs, parseStructTag, type StructTag, structName } from '../move/type-tag.ts';
import { partedEvents } from './bookkeeping.ts';
import type { Commit } from './commit.ts';

/** How the balance of an account in one coin changed. */
export interface CoinMove {
  readonly owner: string;
  readonly coin: StructTag;
  /** What the action added to it. */
  readonly change: bigint;
  /** What it paid for gas; negative for a share of the gas of others. */
  readonly gas: bigint;
}

/** By the owner and the coin. The stores are those that an account has by itself: an object's own are no balance. */
export class CoinMoves {
  /** The ids of the stores that it happened in, and of those that were made for it. */
  readonly stores: Set<string> = new Set<string>();
  readonly #owners = new Map<string, string>();
  readonly #moves = new Map<string, CoinMove>();

  constructor(commits: Iterable<Commit>) {
    for (const commit of commits) {
      this.#find(commit.changeSet.changes);
      const { own, around } = partedEvents(commit);
      for (const record of own) this.#add(record, false);
      for (const record of around) this.#add(record, true);
    }
  }

  /** In the order in which they began. */
  list(): CoinMove[] {
    return [...this.#moves.values()];
  }

  /** What the account paid for gas in this coin. */
  gas(owner: string, coin: StructTag): bigint {
    return this.#moves.get(keyOf(owner, coin))?.gas ?? 0n;
  }

  #find(changes: ChangedFields): void {
    for (const [, { meta }] of changes) {
      if (isAccountStore(meta)) this.#owners.set(formatObjectId(meta.id), formatAddress(meta.owner));
    }
  }

  #add({ event: { eventType, eventData } }: EventRecord, isGas: boolean): void {
    const [, kind] = STORE_EVENT.exec(structName(eventType)) ?? [];
    if (kind === undefined) return;
    const store = formatObjectId(objectId.read(new ByteReader(eventData)));
    const owner = this.#owners.get(store);
    if (owner === undefined) return;
    this.stores.add(store);
    if (kind === 'Create') return;
    const { coinType, amount } = decode(coinStoreTransferEvent, eventData);
    const coin = parseStructTag(coinType);
    const key = keyOf(owner, coin);
    const { change, gas } = this.#moves.get(key) ?? { change: 0n, gas: 0n };
    const added = kind === 'Deposit' ? amount : -amount;
    this.#moves.set(
      key,
      isGas ? { owner, coin, change, gas: gas - added } : { owner, coin, change: change + added, gas },
    );
  }
}

const STORE_EVENT = /^0x3::(?:multi_)?coin_store::(Create|Deposit|Withdraw)Event$/;

const keyOf = (owner: string, coin: StructTag): string => `${owner} ${structName(coin)}`;

/** A store of coins, by what every object has. */
interface StoreMeta {
  readonly id: ObjectId;
  readonly owner: Address;
  readonly objectType: StructTag;
}

/** Whether it is a coin store or the multi coin store that holds an account's balance. */
export function isAccountStore({ id, owner, objectType }: StoreMeta): boolean {
  if (equalStructs(objectType, MULTI_COIN_STORE_TYPE)) return equalObjectIds(id, multiCoinStoreId(owner));
  const [coin] = COIN_STORE.test(structName(objectType)) ? objectType.typeArguments : [];
  return coin?.kind === 'struct' && equalObjectIds(id, accountCoinStoreId(owner, coin.struct));
}

const COIN_STORE = /^0x3::coin_store::CoinStore</;

/**
 * Moves in words, an account each: `0x42...: -100 RGAS, gas 0.01 RGAS`; coins without a description in their units. An
 * account that only paid for gas is left out: a transaction says what gas it used.
 */
export function coinMoveLines(
  moves: readonly CoinMove[],
  infoOf: (coin: StructTag) => Pick<CoinInfo, 'decimals' | 'symbol'> | undefined,
): string[] {
  const lines = new Map<string, string[]>();
  for (const { owner, coin, change, gas } of moves) {
    if (change === 0n && gas >= 0n) continue;
    const info = infoOf(coin) ?? { decimals: 0, symbol: structName(coin) };
    const parts = lines.get(owner) ?? [];
    if (change !== 0n) parts.push(`${change > 0n ? '+' : ''}${coinText(change, info)}`);
    if (gas > 0n) parts.push(`gas ${coinText(gas, info)}`);
    if (gas < 0n) parts.push(`+${coinText(-gas, info)} of the gas of others`);
    lines.set(owner, parts);
  }
  return [...lines].map(([owner, parts]) => `${owner}: ${parts.join(', ')}`);
}
