/**
 * `0x2::account::Account`: the object of an account, whose id is the address.
 *
 * Session keys, which an account grants: entries of the table in its resource `0x3::session_key::SessionKeys`, by
 * authentication key. Source: session_key.move of the reference.
 * @module
 */

import { bytes, type Codec, decode, string, struct, u64, vector } from '../../base/bcs.ts';
import { accountObjectId } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { type Address, address, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

interface Account {
  readonly address: Address;
  readonly sequenceNumber: bigint;
}

export const ACCOUNT_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'account', 'Account');

export const account: Codec<Account> = struct({ address, sequenceNumber: u64 });

/** The sequence number of an account's next transaction; 0 for an account that does not exist. */
export function sequenceNumberOf(state: State, owner: Address): bigint {
  const object = state.object(accountObjectId(owner));
  return object === undefined ? 0n : decode(account, object.value).sequenceNumber;
}

/** The resource: the handle of the table. */
export const SESSION_KEYS_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'session_key', 'SessionKeys');
export const SESSION_KEY_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'session_key', 'SessionKey');

/** The functions whose calls a key may sign. `*` stands for any name. */
export interface SessionScope {
  readonly moduleAddress: Address;
  readonly moduleName: string;
  readonly functionName: string;
}

export interface SessionKey {
  readonly appName: string;
  readonly appUrl: string;
  readonly authenticationKey: Uint8Array;
  readonly scopes: readonly SessionScope[];
  /** Seconds, like the other times. */
  readonly createTime: bigint;
  readonly lastActiveTime: bigint;
  /** 0 for a key that does not expire. */
  readonly maxInactiveInterval: bigint;
}

export const sessionKey: Codec<SessionKey> = struct({
  appName: string,
  appUrl: string,
  authenticationKey: bytes,
  scopes: vector(struct<SessionScope>({ moduleAddress: address, moduleName: string, functionName: string })),
  createTime: u64,
  lastActiveTime: u64,
  maxInactiveInterval: u64,
});
