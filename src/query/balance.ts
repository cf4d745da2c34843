/**
 * Balances: how much of a coin an account holds, in its coin store and its multi coin store together.
 * Source: crates/rooch-rpc-server/src/service of the reference.
 * @module
 */

import { type Codec, decode, string } from '../base/bcs.ts';
import { compareBytes, textOfBytes } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type HashInput, toHash } from '../base/hash/hash-input.ts';
import { sha3 } from '../base/hash/sha3.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { objectTypeKey } from '../chain/index/objects.ts';
import type { FieldKey } from '../chain/object/field-key.ts';
import { equalObjectIds, type ObjectId } from '../chain/object/object-id.ts';
import type { ObjectState } from '../chain/object/object-state.ts';
import { dynamicFieldValue, type State } from '../chain/state/state.ts';
import {
  ANY_COIN_STORE_TYPE,
  accountCoinStoreId,
  type CoinInfo,
  type CoinStore,
  coinInfo,
  coinInfoId,
  coinStore,
  coinStoreField,
  multiCoinFieldKey,
  multiCoinStoreId,
} from '../execution/framework/coin.ts';
import type { Address } from '../move/address.ts';
import {
  canonicalStruct,
  canonicalTypeBytes,
  displayStruct,
  parseStructTag,
  type StructTag,
  type StructTagInput,
  structType,
  toStructTag,
} from '../move/type-tag.ts';
import { indexedObjects } from './object.ts';
import { followed, keyed, mapPage, type Page, type PageOptions, pageOf, toPage } from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld } from './reader.ts';
import type { CoinAmount, Makers, Records, Values } from './values.ts';

/** Coins of one account that a list of balances sorts; they are stored in the order of a hash, so all must be read. */
const BALANCE_COINS_MAX = 5_000;

/** Coins whose object ids, and those of their owners, are kept for the next balance. */
const COIN_TYPES_MAX = 100;

/** Accounts of a coin whose object ids are kept for their next balance: some 300 bytes each. */
const COIN_PLACES_MAX = 10_000;

/** A coin, with the object that describes it. */
interface CoinEntry {
  readonly tag: StructTag;
  readonly infoId: ObjectId;
  readonly info: LastDecoded<CoinInfo>;
  readonly owners: Map<string, CoinPlace>;
}

/** The ids under which an account's coin is stored. Deriving them takes four hashes and formatting three types. */
interface CoinPlace {
  readonly single: ObjectId;
  readonly store: LastDecoded<CoinStore>;
  readonly multi: ObjectId;
  readonly multiKey: FieldKey;
}

/**
 * Keeps the value decoded from an object for as long as the state returns that same object, which it decodes once and
 * freezes.
 */
class LastDecoded<T extends object> {
  readonly #codec: Codec<T>;
  #last: { readonly object: ObjectState; readonly value: T } | undefined;

  constructor(codec: Codec<T>) {
    this.#codec = codec;
  }

  of(object: ObjectState): T {
    if (this.#last?.object !== object) this.#last = { object, value: Object.freeze(decode(this.#codec, object.value)) };
    return this.#last.value;
  }
}

/** The object ids of coins and of their holders, by the canonical name of the coin's type. */
export class CoinPlaces {
  readonly #coins = new Map<string, CoinEntry>();

  of(owner: Address, { tag, owners }: CoinEntry): CoinPlace {
    const key = textOfBytes(owner);
    let place = owners.get(key);
    if (place === undefined) {
      place = {
        single: accountCoinStoreId(owner, tag),
        store: new LastDecoded(coinStore),
        multi: multiCoinStoreId(owner),
        multiKey: multiCoinFieldKey(tag),
      };
      if (owners.size >= COIN_PLACES_MAX) owners.clear();
      owners.set(key, place);
    }
    return place;
  }

  amount(state: State, owner: Address, coinType: StructTagInput): bigint {
    return amountOf(state, this.of(owner, this.coin(coinType)));
  }

  /**
   * The coin of a type, remembered once looked up.
   * @throws {EngineError} `invalid-argument`
   */
  coin(coinType: StructTagInput): CoinEntry {
    const tag = toStructTag(coinType, 'coinType');
    const name = canonicalStruct(tag);
    let coin = this.#coins.get(name);
    if (coin === undefined) {
      coin = { tag, infoId: coinInfoId(tag), info: new LastDecoded(coinInfo), owners: new Map() };
      if (this.#coins.size >= COIN_TYPES_MAX) this.#coins.clear();
      this.#coins.set(name, coin);
    }
    return coin;
  }
}

export class BalanceQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(BalanceQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;
  readonly #places: CoinPlaces;

  /** `places` may be shared: the ids derived from owners and coins are the same in every state. */
  constructor(source: ReaderSource, make: Makers<Results>, places: CoinPlaces) {
    this.#source = source;
    this.#make = make;
    this.#places = places;
  }

  /**
   * The balance of `owner` in `coinType`: 0 for an address that has never appeared.
   * @throws {EngineError} `invalid-argument`, `not-found` for a type that is not a coin
   */
  get(owner: AddressInput, coinType: StructTagInput): Results['balance'] {
    const account = toAddress(owner, 'owner');
    const { state } = this.#source.current();
    const amount = balanceOf(state, this.#places, account, this.#places.coin(coinType));
    return this.#make.balance(amount, new Decoder(this.#source, state));
  }

  /** As `ChainView.balance`; costs three tree reads. @internal */
  amount(owner: AddressInput, coinType: StructTagInput): bigint {
    return this.#places.amount(this.#source.current().state, toAddress(owner, 'owner'), coinType);
  }

  /**
   * Every coin that `owner` holds or has held, in ascending order of the sha3 of its canonical type; that hash is the
   * cursor.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` for an account with more than BALANCE_COINS_MAX coins.
   */
  async list(
    owner: AddressInput,
    page: Omit<PageOptions<HashInput>, 'descending'> = {},
  ): Promise<Page<Results['balance'], Results['hash']>> {
    const account = toAddress(owner, 'owner');
    const request = toPage(keyed(page, toHash), false);
    const found = await readHeld(this.#source, async (reader) => {
      const { cursor, limit } = request;
      const coins = (await heldCoins(reader, account))
        .map((coinType) => ({ coinType, key: sha3(canonicalTypeBytes(structType(coinType))) }))
        .sort((left, right) => compareBytes(left.key, right.key))
        .filter(({ key }) => cursor === undefined || compareBytes(key, cursor) > 0)
        .slice(0, limit + 1);
      const decoder = new Decoder(this.#source, reader.state);
      return mapPage(
        pageOf(coins, request, ({ key }) => key),
        ({ coinType }) => {
          const amount = balanceOf(reader.state, this.#places, account, this.#places.coin(coinType));
          return this.#make.balance(amount, decoder);
        },
        (key) => this.#make.hash(key, decoder),
      );
    });
    return followed(found, (cursor) => this.list(owner, { ...page, cursor }));
  }
}

function balanceOf(state: State, places: CoinPlaces, owner: Address, coin: CoinEntry): CoinAmount {
  const object = state.object(coin.infoId);
  if (object === undefined) {
    throw new EngineError('not-found', `Can not find CoinInfo with coin_type: ${displayStruct(coin.tag)}`);
  }
  return { coinType: coin.tag, info: coin.info.of(object), balance: amountOf(state, places.of(owner, coin)) };
}

function amountOf(state: State, { single, store, multi, multiKey }: CoinPlace): bigint {
  const own = state.object(single);
  const field = state.field(multi, multiKey);
  return (
    (own === undefined ? 0n : store.of(own).balance) +
    (field === undefined ? 0n : dynamicFieldValue(field, string, coinStoreField).balance)
  );
}

async function heldCoins(reader: Reader, owner: Address): Promise<StructTag[]> {
  const coins = new Map<string, StructTag>();
  const page = { limit: BALANCE_COINS_MAX, descending: false, cursor: undefined };
  const parts = [owner, objectTypeKey(ANY_COIN_STORE_TYPE)];
  const stores = await indexedObjects(reader, 'objectByOwnerAndType', parts, page);
  for (const { object } of stores.data) {
    const [coin] = object.meta.objectType.typeArguments;
    if (coin?.kind !== 'struct') continue;
    // An account may own other stores of the coin; its balance counts only the one at its own derived id.
    if (!equalObjectIds(object.meta.id, accountCoinStoreId(owner, coin.struct))) continue;
    coins.set(canonicalStruct(coin.struct), coin.struct);
  }
  const fields = reader.state.fields(multiCoinStoreId(owner), { after: undefined, limit: BALANCE_COINS_MAX + 1 });
  for (const { object } of fields) {
    const coin = readCoinType(dynamicFieldValue(object, string, coinStoreField).coinType);
    coins.set(canonicalStruct(coin), coin);
  }
  if (stores.hasNextPage || coins.size > BALANCE_COINS_MAX) {
    throw new EngineError('limit-exceeded', `expected an account of at most ${BALANCE_COINS_MAX} coins`);
  }
  return [...coins.values()];
}

function readCoinType(text: string): StructTag {
  try {
    return parseStructTag(text);
  } catch (cause) {
    throw new EngineError('corrupt', `a multi coin store names the coin type ${JSON.stringify(text.slice(0, 120))}`, {
      cause,
    });
  }
}
