/**
 * A session key that an account has lent, as `get_session_key` and `active_session_key` of `0x3::session_key` find it.
 * @module
 */
import { bytes, string } from '../bcs/primitive.ts';
import { ACCOUNT_TYPE } from '../framework/account.ts';
import { SESSION_KEY_TYPE, SESSION_KEYS_TYPE, type SessionKey, sessionKey } from '../framework/session-key.ts';
import type { Address } from '../move/address.ts';
import { structType } from '../move/type-tag.ts';
import { resourceFieldKey, STRING_TYPE } from '../object/field-key.ts';
import { type ObjectId, objectId } from '../object/object-id.ts';
import { FieldType } from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import { accountIdsOf } from './account-ids.ts';
import { isBorrowable } from './borrowable.ts';

/** The resource is a struct of one table, which is a struct of one handle, whose bytes are an id. */
const TABLE = new FieldType<string, ObjectId>(
  { tag: STRING_TYPE, codec: string },
  { tag: structType(SESSION_KEYS_TYPE), codec: objectId },
);
const TABLE_KEY = resourceFieldKey(SESSION_KEYS_TYPE);

const ENTRY = new FieldType<Uint8Array, SessionKey>(
  { tag: { kind: 'vector', item: { kind: 'u8' } }, codec: bytes },
  { tag: structType(SESSION_KEY_TYPE), codec: sessionKey },
);

export class LentKey {
  readonly #entry: RuntimeObject;
  readonly #authenticationKey: Uint8Array;
  readonly value: SessionKey;
  /** The length of its entry. */
  readonly bytes: number;

  private constructor(entry: RuntimeObject, authenticationKey: Uint8Array) {
    this.#entry = entry;
    this.#authenticationKey = authenticationKey;
    const stored = entry.value.bytes();
    this.value = ENTRY.decode(stored);
    this.bytes = stored.length;
  }

  /** Undefined where Move code finds none, or would abort. */
  static find(objects: ObjectRuntime, account: Address, authenticationKey: Uint8Array): LentKey | undefined {
    const owner = objects.load(accountIdsOf(account).accountId);
    if (!isBorrowable(owner, ACCOUNT_TYPE)) return undefined;
    const resource = owner.field(TABLE_KEY);
    if (!resource.existsWithType(TABLE.tag)) return undefined;
    const tableId = TABLE.decode(resource.value.bytes());
    // Where tables are made. A table that is elsewhere is left to Move code.
    if (tableId.length !== 1) return undefined;
    const entry = objects.load(tableId).field(ENTRY.key(authenticationKey));
    return entry.existsWithType(ENTRY.tag) ? new LentKey(entry, authenticationKey) : undefined;
  }

  /** Records when it was used last, in seconds. */
  setLastActiveTime(lastActiveTime: bigint): void {
    this.#entry.value.write(ENTRY.encode(this.#authenticationKey, { ...this.value, lastActiveTime }));
  }
}
