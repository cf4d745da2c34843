/**
 * Coins: their descriptions (`0x3::coin::CoinInfo`), and the places where accounts hold them: a separate object for
 * each coin (`0x3::coin_store::CoinStore`), or a field of the account's `0x3::multi_coin_store::MultiCoinStore`.
 * Source: coin.move and coin_store.move of the reference.
 * @module
 */
import { bool, type Codec, option, string, struct, u8, u256 } from '../../base/bcs.ts';
import { type FieldKey, stringFieldKey } from '../../chain/object/field-key.ts';
import { accountNamedObjectId, namedObjectId, type ObjectId, objectId } from '../../chain/object/object-id.ts';
import { type Address, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { canonicalStruct, type StructTag, structTag, structType } from '../../move/type-tag.ts';

/** The gas coin, RGAS, of 8 decimals. */
export const GAS_COIN_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'gas_coin', 'RGas');
/** The name of its type, which is its key. */
export const GAS_COIN_NAME: string = canonicalStruct(GAS_COIN_TYPE);

export interface CoinInfo {
  /** Canonical type. */
  readonly coinType: string;
  readonly name: string;
  readonly symbol: string;
  readonly iconUrl: string | undefined;
  readonly decimals: number;
  readonly supply: bigint;
}

export const coinInfo: Codec<CoinInfo> = struct({
  coinType: string,
  name: string,
  symbol: string,
  iconUrl: option(string),
  decimals: u8,
  supply: u256,
});

/** An amount of the smallest unit in whole coins, without trailing zeros: `0.01053674 RGAS`. */
export function coinText(amount: bigint, { decimals, symbol }: Pick<CoinInfo, 'decimals' | 'symbol'>): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`} ${symbol}`;
}

export function coinInfoType(coin: StructTag): StructTag {
  return structTag(FRAMEWORK_ADDRESS, 'coin', 'CoinInfo', [structType(coin)]);
}

export function coinInfoId(coin: StructTag): ObjectId {
  return namedObjectId(coinInfoType(coin));
}

export interface CoinStore {
  readonly balance: bigint;
  readonly frozen: boolean;
}

export const coinStore: Codec<CoinStore> = struct({ balance: u256, frozen: bool });

export function coinStoreType(coin: StructTag): StructTag {
  return structTag(FRAMEWORK_ADDRESS, 'coin_store', 'CoinStore', [structType(coin)]);
}

/** The generic type, which matches the stores of every coin. */
export const ANY_COIN_STORE_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'coin_store', 'CoinStore');

export function accountCoinStoreId(owner: Address, coin: StructTag): ObjectId {
  return accountNamedObjectId(owner, coinStoreType(coin));
}

export const MULTI_COIN_STORE_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'multi_coin_store', 'MultiCoinStore');

export function multiCoinStoreId(owner: Address): ObjectId {
  return accountNamedObjectId(owner, MULTI_COIN_STORE_TYPE);
}

/** The key of a coin's field in a multi coin store: the string rule on its canonical type. */
export function multiCoinFieldKey(coin: StructTag): FieldKey {
  return stringFieldKey(canonicalStruct(coin));
}

export interface CoinStoreField {
  /** Canonical type. */
  readonly coinType: string;
  readonly balance: bigint;
  readonly frozen: boolean;
}

export const coinStoreField: Codec<CoinStoreField> = struct({
  coinType: string,
  balance: u256,
  frozen: bool,
});

/** `0x3::coin_store::CreateEvent`. */
export const coinStoreCreateEvent: Codec<{
  readonly coinStoreId: ObjectId;
  readonly coinType: string;
}> = struct({
  coinStoreId: objectId,
  coinType: string,
});

/** `0x3::coin_store::DepositEvent` and `WithdrawEvent`. */
export const coinStoreTransferEvent: Codec<{
  readonly coinStoreId: ObjectId;
  readonly coinType: string;
  readonly amount: bigint;
}> = struct({
  coinStoreId: objectId,
  coinType: string,
  amount: u256,
});

/** `0x3::coin::MintEvent` and `BurnEvent`. */
export const coinSupplyEvent: Codec<{
  readonly coinType: string;
  readonly amount: bigint;
}> = struct({ coinType: string, amount: u256 });
