/**
 * `0x3::transaction_validator::validate`: whether a transaction is the sender's next on this chain, and was signed by a
 * key that may sign for the sender.
 *
 * This returns what the Move function returns in the usual case: on a local or dev chain, with a signature by the
 * sender's Bitcoin key or by a session key. Otherwise it returns nothing, and the Move function has to run: to refuse
 * the transaction with a reason, or to handle an unusual one.
 *
 * The Move function is metered, although no one pays for it: if it runs out of gas, the transaction is refused. So this
 * also returns nothing if the Move function might use more than the transaction's limit.
 * @module
 */
import { decode } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { isAddressOfPublicKey } from '../../bitcoin/address-derivation.ts';
import { isAccepted, isWellFormed, readClaim } from '../../chain/signature/verify.ts';
import type { Action, FunctionId } from '../../chain/transaction/action.ts';
import type { SignedTransaction } from '../../chain/transaction/signed.ts';
import type { Address } from '../../move/address.ts';
import { ADDRESS_MAPPING_ID, ADDRESS_MAPPING_TYPE, BITCOIN_ADDRESS_BY_OWNER } from '../bitcoin-move/address-mapping.ts';
import { ACCOUNT_TYPE, account as accountCodec, type SessionKey, type SessionScope } from '../framework/account.ts';
import { GENESIS_TRANSACTION_GAS_MAX, hasGenesisPrices } from '../framework/gas-schedule.ts';
import type { TxValidateResult } from '../framework/transaction.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { accountIdsOf } from './account-table.ts';
import { chainIdOf, isBorrowable, isLocalOrDev, secondsOf } from './borrowable.ts';
import { GrantedKey } from './granted-key.ts';

/**
 * Bounds for transactions that are validated without Move code: the minimum gas limit, of which validation takes a
 * sixth; and the maximum bytes of their authenticator's payload, of the entry of their session key, and of the sender's
 * Bitcoin address on record.
 */
export const INTRINSIC_VALIDATION_GAS_MIN = 10_000_000n;
export const INTRINSIC_VALIDATION_BYTES_MAX = 1_024;

const U64_MAX = 0xffff_ffff_ffff_ffffn;
const ANY = '*';

/**
 * @param objects of the state before the transaction
 * @param hash of the transaction
 * @param isVerified whether signatures are checked
 * @returns undefined if the Move function has to run
 */
export function validate(
  objects: ObjectRuntime,
  { data, authenticator }: SignedTransaction,
  hash: Uint8Array,
  isVerified: boolean,
): TxValidateResult | undefined {
  const { sender, sequenceNumber, chainId, maxGasAmount, action } = data;
  const { validatorId, payload } = authenticator;
  if (maxGasAmount < INTRINSIC_VALIDATION_GAS_MIN || maxGasAmount > GENESIS_TRANSACTION_GAS_MAX) return undefined;
  if (payload.length > INTRINSIC_VALIDATION_BYTES_MAX || !hasGenesisPrices(objects.state)) return undefined;
  if (chainId !== chainIdOf(objects) || !isLocalOrDev(chainId)) return undefined;
  if (sequenceNumber === U64_MAX || sequenceNumber !== nextOf(objects, sender)) return undefined;
  const claim = readClaim(hash, authenticator);
  if (claim === undefined || claim.kind === 'multisign') return undefined;
  const found = { authValidatorId: validatorId, authValidator: undefined };
  const isSigned = (): boolean => claim.checks.every(isVerified ? isAccepted : isWellFormed);
  // The signature is checked last: if anything else is wrong, the Move function runs and would check it again.
  if (claim.kind === 'bitcoin') {
    const { bitcoinAddress, publicKey, account } = claim;
    if (!equalBytes(account, sender) || !isSigned() || !isAddressOfPublicKey(bitcoinAddress, publicKey))
      return undefined;
    return { ...found, sessionKey: undefined, bitcoinAddress };
  }
  const { authenticationKey } = claim;
  const bitcoinAddress = recordOf(objects, sender);
  if (bitcoinAddress === undefined || !maySign(objects, sender, authenticationKey, action)) return undefined;
  return isSigned() ? { ...found, sessionKey: authenticationKey, bitcoinAddress } : undefined;
}

/** The sender's next sequence number; undefined if Move code could not read the account. */
function nextOf(objects: ObjectRuntime, sender: Address): bigint | undefined {
  const object = objects.load(accountIdsOf(sender).accountId);
  if (!object.exists) return 0n;
  return isBorrowable(object, ACCOUNT_TYPE) ? decode(accountCodec, object.value.bytes()).sequenceNumber : undefined;
}

/** Whether a session key of the account may sign this action now. */
function maySign(objects: ObjectRuntime, account: Address, authenticationKey: Uint8Array, action: Action): boolean {
  const key = GrantedKey.find(objects, account, authenticationKey);
  if (key === undefined || key.bytes > INTRINSIC_VALIDATION_BYTES_MAX || action.kind !== 'function') return false;
  return isAlive(objects, key.value) && key.value.scopes.some((scope) => covers(scope, action.function));
}

function isAlive(objects: ObjectRuntime, { lastActiveTime, maxInactiveInterval }: SessionKey): boolean {
  if (maxInactiveInterval === 0n) return true;
  const now = secondsOf(objects);
  const end = lastActiveTime + maxInactiveInterval;
  // Move code aborts if the sum overflows.
  return now !== undefined && end <= U64_MAX && end >= now;
}

function covers(
  { moduleAddress, moduleName, functionName }: SessionScope,
  { address: at, module, name }: FunctionId,
): boolean {
  if (!equalBytes(moduleAddress, at)) return false;
  return (moduleName === ANY || moduleName === module) && (functionName === ANY || functionName === name);
}

/** Internal form of an account's Bitcoin address, empty without one; undefined if Move code has to look it up. */
function recordOf(objects: ObjectRuntime, account: Address): Uint8Array | undefined {
  const mapping = objects.load(ADDRESS_MAPPING_ID);
  if (!isBorrowable(mapping, ADDRESS_MAPPING_TYPE)) return undefined;
  const field = mapping.field(accountIdsOf(account).fieldKey);
  if (!field.exists) return new Uint8Array(0);
  if (!field.existsWithType(BITCOIN_ADDRESS_BY_OWNER.tag)) return undefined;
  const stored = field.value.bytes();
  // Controls can write any length, and the Move function pays for each byte.
  return stored.length > INTRINSIC_VALIDATION_BYTES_MAX ? undefined : BITCOIN_ADDRESS_BY_OWNER.decode(stored);
}
