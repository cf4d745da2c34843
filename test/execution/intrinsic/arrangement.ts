/**
 * Sessions in which something is unusual about the objects that are touched around an action.
 * @module
 */
import fc from 'fast-check';
import { bool, bytes, type Codec, pair, string, u64 } from '../../../src/base/bcs.ts';
import { STRING_TYPE } from '../../../src/chain/object/field-key.ts';
import {
  ADDRESS_MAPPING_ID,
  ADDRESS_MAPPING_TYPE,
  BITCOIN_ADDRESS_TYPE,
} from '../../../src/execution/bitcoin-move/address-mapping.ts';
import { TIMESTAMP } from '../../../src/execution/bitcoin-move/object-type.ts';
import {
  ACCOUNT_TYPE,
  account,
  SESSION_KEY_TYPE,
  SESSION_KEYS_TYPE,
  type SessionKey,
  type SessionScope,
  sessionKey,
} from '../../../src/execution/framework/account.ts';
import {
  accountCoinStoreId,
  type CoinStoreField,
  coinInfoId,
  coinStore,
  coinStoreField,
  coinStoreType,
  GAS_COIN_TYPE,
  MULTI_COIN_STORE_TYPE,
  multiCoinStoreId,
} from '../../../src/execution/framework/coin.ts';
import { ONCHAIN_CONFIG_TYPE } from '../../../src/execution/framework/onchain-config.ts';
import { FieldType } from '../../../src/execution/runtime/field-type.ts';
import type { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { type Address, address, addressOf, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { canonicalStruct, equalStructs, type StructTag, structTag, structType } from '../../../src/move/type-tag.ts';
import {
  accountNamedObjectId,
  accountObjectId,
  namedObjectId,
  type ObjectId,
  objectId,
} from '../../../src/query/transaction-builder.ts';

const COIN = canonicalStruct(GAS_COIN_TYPE);
const STORE = { tag: coinStoreType(GAS_COIN_TYPE), codec: coinStore };
const FIELD: FieldType<string, CoinStoreField> = new FieldType(
  { tag: STRING_TYPE, codec: string },
  { tag: structType(structTag(FRAMEWORK_ADDRESS, 'multi_coin_store', 'CoinStoreField')), codec: coinStoreField },
);
/** A field of the same name that holds no coin. */
const OTHER_FIELD: FieldType<string, string> = new FieldType(
  { tag: STRING_TYPE, codec: string },
  { tag: STRING_TYPE, codec: string },
);
const CHAIN_ID = { tag: structTag(FRAMEWORK_ADDRESS, 'chain_id', 'ChainID'), codec: u64 };
const OTHER = { tag: structTag(FRAMEWORK_ADDRESS, 'empty', 'Empty'), codec: bool };
/** A store, and the table of the channels that are open. */
const HUB = { tag: structTag(FRAMEWORK_ADDRESS, 'payment_channel', 'PaymentHub'), codec: pair(objectId, objectId) };
/** The existing bytes, whatever they mean. */
const RAW: Codec<Uint8Array> = {
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.view(reader.remaining),
};

/** The entry of a session key, and the table that it is in. */
const LENT_KEYS: FieldType<string, ObjectId> = new FieldType(
  { tag: STRING_TYPE, codec: string },
  { tag: structType(SESSION_KEYS_TYPE), codec: objectId },
);
const KEY_NAME = { tag: { kind: 'vector', item: { kind: 'u8' } }, codec: bytes } as const;
const LENT_KEY: FieldType<Uint8Array, SessionKey> = new FieldType(KEY_NAME, {
  tag: structType(SESSION_KEY_TYPE),
  codec: sessionKey,
});
/** A field of the same name that is no session key. */
const OTHER_KEY: FieldType<Uint8Array, string> = new FieldType(KEY_NAME, { tag: STRING_TYPE, codec: string });
const POOL = { tag: structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool'), codec: objectId };
/** What an account has earned. */
const SHARE: FieldType<Address, ObjectId> = new FieldType(
  { tag: { kind: 'address' }, codec: address },
  {
    tag: structType(structTag(MOVEOS_STD_ADDRESS, 'object', 'Object', [structType(coinStoreType(GAS_COIN_TYPE))])),
    codec: objectId,
  },
);
/** A field of the same name that is no share. */
const OTHER_SHARE: FieldType<Address, boolean> = new FieldType(
  { tag: { kind: 'address' }, codec: address },
  { tag: { kind: 'bool' }, codec: bool },
);
/** Which accounts take coins that they do not have yet. */
const CHOICES_TYPE = structTag(FRAMEWORK_ADDRESS, 'account_coin_store', 'AutoAcceptCoins');
const CHOICES: FieldType<string, ObjectId> = new FieldType(
  { tag: STRING_TYPE, codec: string },
  { tag: structType(CHOICES_TYPE), codec: objectId },
);
const CHOICE: FieldType<Address, boolean> = new FieldType(
  { tag: { kind: 'address' }, codec: address },
  { tag: { kind: 'bool' }, codec: bool },
);
/** One that says nothing of coins. */
const OTHER_CHOICE: FieldType<Address, bigint> = new FieldType(
  { tag: { kind: 'address' }, codec: address },
  { tag: { kind: 'u64' }, codec: u64 },
);
/** What the mapping of addresses has of an account. */
const RECORD: FieldType<Address, Uint8Array> = new FieldType(
  { tag: { kind: 'address' }, codec: address },
  { tag: structType(BITCOIN_ADDRESS_TYPE), codec: bytes },
);

/** There is no such object. */
const NOTHING: ObjectId = [new Uint8Array(32).fill(0xcc)];
/** Of something that is no Bitcoin address. */
const OTHER_RECORD: FieldType<Address, boolean> = new FieldType(
  { tag: { kind: 'address' }, codec: address },
  { tag: { kind: 'bool' }, codec: bool },
);
/** To read it costs more than the validation of most transactions may. */
const LONG_ADDRESS = new Uint8Array(400_000).fill(1);

type Named = (typeof NAMED)[number];

const NAMED = [
  'account',
  'store',
  'multi store',
  'mapping',
  'clock',
  'pool',
  'configuration',
  'chain id',
  'coin',
  'framework account',
  'hub',
] as const;

export type Oddity =
  | { readonly kind: 'in store' | 'in field'; readonly balance: bigint; readonly frozen: boolean }
  | { readonly kind: 'freeze' | 'embed' | 'give' | 'remove' | 'retype'; readonly what: Named }
  | { readonly kind: 'no field' | 'other field' }
  | { readonly kind: 'clock'; readonly time: bigint }
  | { readonly kind: 'sequence number'; readonly value: bigint }
  | { readonly kind: 'no granted key' | 'other granted key' }
  | { readonly kind: 'no record' | 'long record' | 'other record' }
  | { readonly kind: 'no table' }
  | { readonly kind: 'other share'; readonly of: Address }
  | { readonly kind: 'accepts coins'; readonly accepts: boolean | undefined }
  | { readonly kind: 'chain id'; readonly id: bigint }
  | { readonly kind: 'hub'; readonly balance: bigint }
  | { readonly kind: 'same store'; readonly as: 'fees' | 'store'; readonly of: Address | 'fees' }
  | { readonly kind: 'granted key'; readonly parts: Partial<SessionKey> };

const U64_MAX = 2n ** 64n - 1n;
const U256_MAX = 2n ** 256n - 1n;

const NO_KEY = new Uint8Array(0);

/** Amounts around `price`, and at the limits of what fits. */
export const oddity = (price: bigint, time: bigint): fc.Arbitrary<Oddity> => {
  const amounts = [0n, 1n, price - 1n, price, price + 1n, 2n * price, U256_MAX - price, U256_MAX - 1n, U256_MAX];
  const amount = fc.oneof(fc.constantFrom(...amounts), fc.bigInt({ min: 0n, max: 4n * price }));
  const frozen = fc.integer({ min: 0, max: 9 }).map((number) => number === 0);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('in store' as const, 'in field' as const),
        balance: amount,
        frozen,
      }),
    },
    fc.record({
      kind: fc.constantFrom('freeze' as const, 'embed' as const, 'give' as const, 'remove' as const, 'retype' as const),
      what: fc.constantFrom(...NAMED),
    }),
    fc.record({ kind: fc.constantFrom('no field' as const, 'other field' as const) }),
    fc.record({ kind: fc.constant('accepts coins' as const), accepts: fc.constantFrom(true, false, undefined) }),
    fc.record({ kind: fc.constant('chain id' as const), id: fc.constantFrom(1n, 3n, 9n) }),
    fc.record({ kind: fc.constant('hub' as const), balance: amount }),
    fc.record({ kind: fc.constant('clock' as const), time: fc.constantFrom(time - 1n, time, time + 1n, U64_MAX) }),
    fc.record({ kind: fc.constant('sequence number' as const), value: fc.constantFrom(0n, 7n, U64_MAX - 1n, U64_MAX) }),
  );
};

/** What may be unusual about a session key; `scopes` are some that it may have. */
export const keyOddity = (scopes: readonly SessionScope[], seconds: bigint): fc.Arbitrary<Oddity> => {
  const time = fc.constantFrom(0n, seconds - 11n, seconds - 10n, seconds - 9n, seconds, U64_MAX - 5n, U64_MAX);
  const parts = fc.record(
    {
      scopes: fc.array(fc.constantFrom(...scopes), { maxLength: 3 }),
      lastActiveTime: time,
      maxInactiveInterval: fc.constantFrom(0n, 10n, 10n, 10n, U64_MAX),
      appName: fc.constantFrom('app', 'a'.repeat(2_000)),
    },
    { requiredKeys: [] },
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('granted key' as const), parts }) },
    fc.record({ kind: fc.constantFrom('no granted key' as const, 'other granted key' as const) }),
    fc.record({ kind: fc.constant('no record' as const) }),
  );
};

function idOf(what: Named, sender: Address): ObjectId {
  const own = (module: string, name: string): ObjectId => namedObjectId(structTag(FRAMEWORK_ADDRESS, module, name));
  switch (what) {
    case 'account':
      return accountObjectId(sender);
    case 'store':
      return accountCoinStoreId(sender, GAS_COIN_TYPE);
    case 'multi store':
      return multiCoinStoreId(sender);
    case 'mapping':
      return namedObjectId(ADDRESS_MAPPING_TYPE);
    case 'clock':
      return namedObjectId(TIMESTAMP.tag);
    case 'pool':
      return own('transaction_fee', 'TransactionFeePool');
    case 'configuration':
      return namedObjectId(ONCHAIN_CONFIG_TYPE);
    case 'chain id':
      return own('chain_id', 'ChainID');
    case 'coin':
      return coinInfoId(GAS_COIN_TYPE);
    case 'hub':
      return accountNamedObjectId(sender, HUB.tag);
    case 'framework account':
      return accountObjectId(FRAMEWORK_ADDRESS);
  }
}

/**
 * Makes something of the sender's, or of the chain's, unusual; does nothing if there is no such thing.
 * @param grantedKey the authentication key of the session key that may be unusual
 */
export function arrange(objects: ObjectRuntime, sender: Address, odd: Oddity, grantedKey: Uint8Array = NO_KEY): void {
  const storeId = idOf('store', sender);
  const multiStoreId = idOf('multi store', sender);
  switch (odd.kind) {
    case 'in store':
      if (isOf(objects, storeId, STORE.tag)) objects.set(storeId, STORE, { balance: odd.balance, frozen: odd.frozen });
      return;
    case 'in field':
      if (!hasField(objects, multiStoreId)) return;
      objects.setField(multiStoreId, FIELD, COIN, { coinType: COIN, balance: odd.balance, frozen: odd.frozen });
      return;
    case 'no field':
      if (hasField(objects, multiStoreId)) objects.removeField(multiStoreId, FIELD, COIN);
      return;
    case 'other field':
      if (!hasField(objects, multiStoreId)) return;
      objects.removeField(multiStoreId, FIELD, COIN);
      objects.addField(multiStoreId, OTHER_FIELD, COIN, 'no coin');
      return;
    case 'clock':
      objects.set(idOf('clock', sender), TIMESTAMP, odd.time);
      return;
    case 'sequence number': {
      const id = idOf('account', sender);
      const value = { address: sender, sequenceNumber: odd.value };
      if (isOf(objects, id, ACCOUNT_TYPE)) objects.set(id, { tag: ACCOUNT_TYPE, codec: account }, value);
      return;
    }
    case 'no granted key':
    case 'other granted key':
    case 'granted key':
      arrangeKey(objects, sender, odd, grantedKey);
      return;
    case 'other share': {
      const pool = idOf('pool', sender);
      if (objects.hasFieldOfType(pool, SHARE, odd.of)) objects.removeField(pool, SHARE, odd.of);
      if (!objects.hasField(pool, OTHER_SHARE, odd.of)) objects.addField(pool, OTHER_SHARE, odd.of, true);
      return;
    }
    case 'no table':
      if (!isOf(objects, accountObjectId(FRAMEWORK_ADDRESS), ACCOUNT_TYPE)) return;
      objects.setField(accountObjectId(FRAMEWORK_ADDRESS), CHOICES, canonicalStruct(CHOICES_TYPE), NOTHING);
      return;
    case 'same store':
      copyHandle(objects, sender, odd);
      return;
    case 'accepts coins':
      choose(objects, sender, odd.accepts);
      return;
    case 'chain id':
      if (isOf(objects, idOf('chain id', sender), CHAIN_ID.tag))
        objects.set(idOf('chain id', sender), CHAIN_ID, odd.id);
      return;
    case 'hub':
      if (!objects.exists(accountNamedObjectId(sender, HUB.tag))) openHub(objects, sender, odd.balance);
      return;
    case 'no record':
    case 'long record':
    case 'other record':
      arrangeRecord(objects, sender, odd.kind);
      return;
    default:
      arrangeObject(objects, idOf(odd.what, sender), odd);
  }
}

/** Two structs have the handle of one store. */
function copyHandle(objects: ObjectRuntime, sender: Address, odd: Oddity & { readonly kind: 'same store' }): void {
  const pool = idOf('pool', sender);
  if (!isOf(objects, pool, POOL.tag)) return;
  const id = odd.as === 'fees' ? objects.get(pool, POOL)! : idOf('store', sender);
  if (odd.of === 'fees') objects.set(pool, POOL, id);
  else if (!objects.hasField(pool, SHARE, odd.of) || objects.hasFieldOfType(pool, SHARE, odd.of)) {
    objects.setField(pool, SHARE, odd.of, id);
  }
}

function arrangeRecord(
  objects: ObjectRuntime,
  sender: Address,
  kind: 'no record' | 'long record' | 'other record',
): void {
  if (!isOf(objects, idOf('mapping', sender), ADDRESS_MAPPING_TYPE)) return;
  if (kind === 'long record') {
    objects.setField(ADDRESS_MAPPING_ID, RECORD, sender, LONG_ADDRESS);
    return;
  }
  if (objects.hasField(ADDRESS_MAPPING_ID, RECORD, sender)) objects.removeField(ADDRESS_MAPPING_ID, RECORD, sender);
  if (kind === 'other record') objects.addField(ADDRESS_MAPPING_ID, OTHER_RECORD, sender, true);
}

/** A hub of payment channels with gas coins in its store. */
function openHub(objects: ObjectRuntime, sender: Address, balance: bigint): void {
  const [storeId, channelsId] = [[new Uint8Array(32).fill(0xaa)], [new Uint8Array(32).fill(0xbb)]];
  objects.add(storeId, { tag: MULTI_COIN_STORE_TYPE, codec: bool }, false);
  objects.addField(storeId, FIELD, COIN, { coinType: COIN, balance, frozen: false });
  objects.add(accountNamedObjectId(sender, HUB.tag), HUB, [storeId, channelsId], sender);
}

function choose(objects: ObjectRuntime, sender: Address, accepts: boolean | undefined): void {
  if (!isOf(objects, accountObjectId(FRAMEWORK_ADDRESS), ACCOUNT_TYPE)) return;
  const table = objects.getField(accountObjectId(FRAMEWORK_ADDRESS), CHOICES, canonicalStruct(CHOICES_TYPE))!;
  if (accepts === undefined) {
    if (!objects.hasField(table, CHOICE, sender)) objects.addField(table, OTHER_CHOICE, sender, 1n);
  } else if (!objects.hasField(table, CHOICE, sender)) objects.addField(table, CHOICE, sender, accepts);
  else if (objects.hasFieldOfType(table, CHOICE, sender)) objects.setField(table, CHOICE, sender, accepts);
}

function arrangeKey(
  objects: ObjectRuntime,
  sender: Address,
  odd: Oddity & { readonly kind: 'no granted key' | 'other granted key' | 'granted key' },
  grantedKey: Uint8Array,
): void {
  if (!isOf(objects, accountObjectId(sender), ACCOUNT_TYPE)) return;
  const table = objects.getField(accountObjectId(sender), LENT_KEYS, canonicalStruct(SESSION_KEYS_TYPE));
  if (table === undefined || !objects.hasFieldOfType(table, LENT_KEY, grantedKey)) return;
  if (odd.kind === 'granted key') {
    objects.setField(table, LENT_KEY, grantedKey, { ...objects.getField(table, LENT_KEY, grantedKey)!, ...odd.parts });
    return;
  }
  objects.removeField(table, LENT_KEY, grantedKey);
  if (odd.kind === 'other granted key') objects.addField(table, OTHER_KEY, grantedKey, 'no key');
}

function arrangeObject(objects: ObjectRuntime, id: ObjectId, { kind, what }: Oddity & { readonly what: Named }): void {
  const meta = objects.meta(id);
  if (meta === undefined) return;
  if (kind === 'freeze') objects.freeze(id);
  if (kind === 'embed') objects.embed(id);
  if (kind === 'give') objects.transfer(id, addressOf(0xf00d));
  // Without the clock there is no change set.
  if (what === 'clock' || (kind !== 'remove' && kind !== 'retype')) return;
  objects.remove(id, { tag: meta.objectType, codec: RAW });
  if (kind === 'retype') objects.add(id, OTHER, false, FRAMEWORK_ADDRESS);
}

function isOf(objects: ObjectRuntime, id: ObjectId, type: StructTag): boolean {
  const meta = objects.meta(id);
  return meta !== undefined && equalStructs(meta.objectType, type);
}

function hasField(objects: ObjectRuntime, multiStoreId: ObjectId): boolean {
  return isOf(objects, multiStoreId, MULTI_COIN_STORE_TYPE) && objects.hasFieldOfType(multiStoreId, FIELD, COIN);
}
