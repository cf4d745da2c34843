import { textOfBytes } from '../../base/bytes/bytes.ts';
import { deriveFieldKey, type FieldKey, resourceFieldKey } from '../../chain/object/field-key.ts';
import { accountNamedObjectId, accountObjectId, type ObjectId, objectId } from '../../chain/object/object-id.ts';
import { type Address, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { ACCOUNT_TYPE } from '../framework/account.ts';
import { accountCoinStoreId, GAS_COIN_TYPE, multiCoinStoreId } from '../framework/coin.ts';
import { FieldType, MOVE_STRING, type MoveType } from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import { isBorrowable } from './borrowable.ts';

/** Number of accounts whose ids are cached between transactions: five hashes and about 400 bytes each. */
const ACCOUNT_IDS_KNOWN_MAX = 1_024;

const PAYMENT_HUB_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'payment_channel', 'PaymentHub');

/** Ids derived from an account's address. Each costs a hash, and the same accounts recur. */
export interface AccountIds {
  readonly accountId: ObjectId;
  /** The account's gas coin store. */
  readonly storeId: ObjectId;
  readonly multiStoreId: ObjectId;
  readonly paymentHubId: ObjectId;
  /** The key of a field whose name is the address. */
  readonly fieldKey: FieldKey;
}

/** By the address as text. */
const known = new Map<string, AccountIds>();

export function accountIdsOf(account: Address): AccountIds {
  const text = textOfBytes(account);
  let ids = known.get(text);
  if (ids === undefined) {
    if (known.size === ACCOUNT_IDS_KNOWN_MAX) known.clear();
    ids = makeIds(account.slice());
    known.set(text, ids);
  }
  return ids;
}

function makeIds(account: Address): AccountIds {
  return {
    accountId: accountObjectId(account),
    storeId: accountCoinStoreId(account, GAS_COIN_TYPE),
    multiStoreId: multiCoinStoreId(account),
    paymentHubId: accountNamedObjectId(account, PAYMENT_HUB_TYPE),
    fieldKey: deriveFieldKey(account, { kind: 'address' }),
  };
}

/** The type of the object whose fields are a table's entries. */
const TABLE_TYPE = structTag(MOVEOS_STD_ADDRESS, 'table', 'TablePlaceholder');

export class AccountTable<K, V> {
  /** The type of its entries. */
  readonly entryType: FieldType<K, V>;
  /** A struct of one table, which is a struct of one handle: its BCS is that of an id. */
  readonly #resourceType: FieldType<string, ObjectId>;
  readonly #resourceKey: FieldKey;

  constructor(resource: StructTag, key: MoveType<K>, value: MoveType<V>) {
    this.entryType = new FieldType(key, value);
    this.#resourceType = new FieldType(MOVE_STRING, { tag: structType(resource), codec: objectId });
    this.#resourceKey = resourceFieldKey(resource);
  }

  /**
   * The entry, which need not exist, of an account's table; undefined if Move code would abort.
   * @param key `entryType.key` of its name
   */
  entry(objects: ObjectRuntime, account: Address, key: FieldKey): RuntimeObject | undefined {
    const owner = objects.load(accountIdsOf(account).accountId);
    if (!isBorrowable(owner, ACCOUNT_TYPE)) return undefined;
    const resource = owner.field(this.#resourceKey);
    if (!resource.existsWithType(this.#resourceType.tag)) return undefined;
    const tableId = this.#resourceType.decode(resource.value.bytes());
    // Tables are created at the top level. Others, and missing ones, are left to Move code.
    if (tableId.length !== 1) return undefined;
    const table = objects.load(tableId);
    return table.existsWithType(TABLE_TYPE) ? table.field(key) : undefined;
  }
}
