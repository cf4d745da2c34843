/**
 * `0x3::transaction_validator::post_execute`: after a transaction's action, the sequence number is incremented, the
 * cost is distributed, and the rest is returned to the sender.
 *
 * As in pre-execute.ts, this is the usual case: the sender has a separate gas coin store, and paid for all of it.
 * @module
 */
import { bytes, decode, encode, encodeShortLived } from '../../base/bcs.ts';
import { encodeUtf8, equalBytes } from '../../base/bytes/bytes.ts';
import { namedObjectId } from '../../chain/object/object-id.ts';
import { type Address, FRAMEWORK_ADDRESS, isReservedAddress } from '../../move/address.ts';
import { ACCOUNT_TYPE, account as accountCodec } from '../framework/account.ts';
import { ONCHAIN_CONFIG_TYPE, onchainConfig } from '../framework/onchain-config.ts';
import { GAS_USAGE_TYPE, gasUsage } from '../framework/transaction.ts';
import type { Session } from '../runtime/session.ts';
import { accountIdsOf } from './account-table.ts';
import { isBorrowable, isChangeable, secondsOf } from './borrowable.ts';
import { FeePool } from './coin-place.ts';
import { GasAccount } from './gas-account.ts';
import { GrantedKey } from './granted-key.ts';

const ONCHAIN_CONFIG_ID = namedObjectId(ONCHAIN_CONFIG_TYPE);
const SEQUENCE_NUMBER_MAX = 0xffff_ffff_ffff_ffffn;
/** Shares of the gas used, in percent. The framework gets the rest. */
const SEQUENCER_PERCENT = 30n;
const DEVELOPER_PERCENT = 30n;

const ACTIVE_SESSION_KEY = {
  module: { address: FRAMEWORK_ADDRESS, name: 'session_key' },
  function: 'active_session_key',
  typeArguments: [],
};
/** In place of a session key, this marks the name of a verification method (`auth_validator.move`). */
const METHOD_PREFIX = encodeUtf8('DID_VM:');

/** The parts of the transaction context that are used after the action. */
export interface End {
  /** Gas units. */
  readonly gasUsed: bigint;
  /** The authentication key of the session key that signed, if one did. */
  readonly sessionKey: Uint8Array | undefined;
  /** The address of the module whose function was called; undefined if none was. */
  readonly calledAddress: Address | undefined;
}

/** @returns whether it was done; if not, nothing was changed and the Move function has to run */
export function postExecute(session: Session, { gasUsed, sessionKey, calledAddress }: End): boolean {
  const { objects, txContext, events } = session;
  const { sender, maxGasAmount: paid } = txContext;
  if (gasUsed > paid || !isPaidByAccount(session)) return false;
  const account = objects.load(accountIdsOf(sender).accountId);
  if (!isChangeable(account, ACCOUNT_TYPE)) return false;
  const { address, sequenceNumber } = decode(accountCodec, account.value.bytes());
  const pool = FeePool.find(session);
  if (sequenceNumber === SEQUENCE_NUMBER_MAX || pool === undefined || !pool.fees.canWithdraw(paid)) return false;
  const earnings = earningsOf(session, pool, gasUsed, calledAddress);
  const rest = paid - gasUsed;
  const payer = rest === 0n ? undefined : GasAccount.find(session, sender);
  if (earnings === undefined || (rest > 0n && payer?.canDeposit(rest) !== true)) return false;
  if (sessionKey !== undefined && !countSessionKey(session, sessionKey)) return false;

  account.value.write(encodeShortLived(accountCodec, { address, sequenceNumber: sequenceNumber + 1n }));
  pool.fees.withdraw(events, paid);
  for (const { account: earner, amount } of earnings) pool.pay(earner, amount);
  payer?.deposit(rest);
  return true;
}

/** Whether all of it was taken from the account's own coins. */
function isPaidByAccount({ txContext }: Session): boolean {
  return txContext.get(GAS_USAGE_TYPE, gasUsage)?.fromHub === 0n;
}

interface Earning {
  readonly account: Address;
  readonly amount: bigint;
}

/** The shares of the gas used, in the order of the events; undefined if one cannot be paid. */
function earningsOf(
  { objects }: Session,
  pool: FeePool,
  gasUsed: bigint,
  calledAddress: Address | undefined,
): readonly Earning[] | undefined {
  const config = objects.load(ONCHAIN_CONFIG_ID);
  if (!isBorrowable(config, ONCHAIN_CONFIG_TYPE)) return undefined;
  const { sequencer } = decode(onchainConfig, config.value.bytes());
  const earnings: Earning[] = [];
  let left = gasUsed;
  const pay = (account: Address, amount: bigint): boolean => {
    // The whole amount, since one share may be paid more than once.
    if (!pool.canPay(account, gasUsed)) return false;
    left -= amount;
    earnings.push({ account, amount });
    return true;
  };
  if (!pay(sequencer, (gasUsed * SEQUENCER_PERCENT) / 100n)) return undefined;
  const isContract = calledAddress !== undefined && !isReservedAddress(calledAddress);
  if (isContract && !pay(calledAddress, (gasUsed * DEVELOPER_PERCENT) / 100n)) return undefined;
  return pay(FRAMEWORK_ADDRESS, left) ? earnings : undefined;
}

/** Records the use of a session key that signed. Returns whether that succeeded. */
function countSessionKey(session: Session, key: Uint8Array): boolean {
  if (startsWith(key, METHOD_PREFIX)) return true;
  const { objects } = session;
  const now = secondsOf(objects);
  const granted = now === undefined ? undefined : GrantedKey.find(objects, session.txContext.sender, key);
  if (granted === undefined) {
    const outcome = session.call({ ...ACTIVE_SESSION_KEY, arguments: [encode(bytes, key)] });
    return outcome.kind === 'returned';
  }
  granted.setLastActiveTime(now!);
  return true;
}

function startsWith(text: Uint8Array, start: Uint8Array): boolean {
  return text.length >= start.length && equalBytes(text.subarray(0, start.length), start);
}
