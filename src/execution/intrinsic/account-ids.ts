/**
 * Ids derived from an account's address. Each costs a hash, and the same accounts recur.
 * @module
 */
import { textOfBytes } from '../../base/bytes/byte-text.ts';
import { deriveFieldKey, type FieldKey } from '../../chain/object/field-key.ts';
import { accountNamedObjectId, accountObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { type Address, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import { accountCoinStoreId, GAS_COIN_TYPE, multiCoinStoreId } from '../framework/coin.ts';

/** Accounts whose ids are kept at hand between transactions: five hashes and some 400 bytes each. */
const ACCOUNT_IDS_KNOWN_MAX = 1_024;

const PAYMENT_HUB_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'payment_channel', 'PaymentHub');

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
