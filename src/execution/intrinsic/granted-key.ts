/**
 * A session key that an account has granted, as `get_session_key` and `active_session_key` of `0x3::session_key` find
 * it.
 * @module
 */

import { EngineError } from '../../base/error.ts';
import type { Address } from '../../move/address.ts';
import { structType } from '../../move/type-tag.ts';
import { BYTE_VECTOR } from '../bitcoin-move/object-type.ts';
import { SESSION_KEY_TYPE, SESSION_KEYS_TYPE, type SessionKey, sessionKey } from '../framework/account.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import { AccountTable } from './account-table.ts';

const TABLE = new AccountTable<Uint8Array, SessionKey>(SESSION_KEYS_TYPE, BYTE_VECTOR, {
  tag: structType(SESSION_KEY_TYPE),
  codec: sessionKey,
});

export class GrantedKey {
  readonly #entry: RuntimeObject;
  readonly #authenticationKey: Uint8Array;
  readonly value: SessionKey;
  /** The length of its entry. */
  readonly bytes: number;

  private constructor(entry: RuntimeObject, authenticationKey: Uint8Array, value: SessionKey, bytes: number) {
    this.#entry = entry;
    this.#authenticationKey = authenticationKey;
    this.value = value;
    this.bytes = bytes;
  }

  /** Undefined if Move code would find no key or abort, or if only Move code can read its text. */
  static find(objects: ObjectRuntime, account: Address, authenticationKey: Uint8Array): GrantedKey | undefined {
    const entry = TABLE.entry(objects, account, TABLE.entryType.key(authenticationKey));
    if (!entry?.existsWithType(TABLE.entryType.tag)) return undefined;
    const stored = entry.value.bytes();
    const value = readKey(stored);
    return value && new GrantedKey(entry, authenticationKey, value, stored.length);
  }

  /** Records the time of its last use, in seconds. */
  setLastActiveTime(lastActiveTime: bigint): void {
    const value = { ...this.value, lastActiveTime };
    this.#entry.value.write(TABLE.entryType.encode(this.#authenticationKey, value));
  }
}

/** Undefined for text that is not UTF-8: transactions may send any bytes as a `String`, which Move code accepts. */
function readKey(stored: Uint8Array): SessionKey | undefined {
  try {
    return TABLE.entryType.decode(stored);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'malformed-bytes') return undefined;
    throw error;
  }
}
