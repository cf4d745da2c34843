/**
 * `0x3::transaction_validator::pre_execute`: before the action of a transaction, the clock is set, and the
 * transaction's maximum cost is taken from the sender.
 *
 * This does what the Move function does in the usual case: the sender has an account and pays from the account's own
 * coins. If the Move function would do anything else (create the account, give it coins, record an address, draw from a
 * payment hub, abort), nothing is done and it has to run.
 *
 * An object of an unexpected type is left to the Move function, which decodes it as its actual type: that may fail if
 * the type's module was upgraded.
 *
 * It also reads exactly what the Move function reads from the state, since an action pays for being the first to read
 * an object.
 * @module
 */
import { decode, encodeShortLived, u64 } from '../../base/bcs.ts';
import { ADDRESS_MAPPING_ID, ADDRESS_MAPPING_TYPE, BITCOIN_ADDRESS_BY_OWNER } from '../bitcoin-move/address-mapping.ts';
import { TIMESTAMP, TIMESTAMP_ID } from '../bitcoin-move/object-type.ts';
import { ACCOUNT_TYPE } from '../framework/account.ts';
import { GAS_USAGE_TYPE, gasUsage } from '../framework/transaction.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import type { Session } from '../runtime/session.ts';
import { type AccountIds, accountIdsOf } from './account-table.ts';
import { chainIdOf, isChangeable, isLocalOrDev } from './borrowable.ts';
import { FeePool } from './coin-place.ts';
import { GasAccount } from './gas-account.ts';

/** The parts of the transaction context that are used before the action. */
export interface Start {
  /** Milliseconds of the sequencer's clock; undefined for a transaction that has no place in the order. */
  readonly time: bigint | undefined;
  /** The sender's Bitcoin address in its internal form; empty if it is not known. */
  readonly bitcoinAddress: Uint8Array;
}

/** @returns whether it was done; if not, nothing was changed */
export function preExecute(session: Session, { time, bitcoinAddress }: Start): boolean {
  const { objects, txContext, events } = session;
  const { sender, maxGasAmount: price } = txContext;
  const ids = accountIdsOf(sender);
  if (price === 0n || !objects.load(ids.accountId).existsWithType(ACCOUNT_TYPE)) return false;
  // Before the stores, which the Move function does not read where a hub pays for all.
  if (objects.load(ids.paymentHubId).exists) return false;
  const account = GasAccount.find(session, sender);
  if (account === undefined || !account.canWithdraw(price) || mayGetGift(session, account)) return false;
  if (bitcoinAddress.length > 0 && !isOnRecord(session, ids)) return false;
  const clock = time === undefined ? undefined : objects.load(TIMESTAMP_ID);
  if (clock !== undefined && !isChangeable(clock, TIMESTAMP.tag)) return false;
  const pool = FeePool.find(session);
  if (pool === undefined || !pool.fees.canDeposit(price)) return false;

  if (clock !== undefined) advance(clock, time!);
  account.withdraw(price);
  txContext.add(GAS_USAGE_TYPE, gasUsage, { fromHub: 0n, fromAccount: price });
  pool.fees.deposit(events, price);
  return true;
}

/** Whether the sender would first be given coins, or the chain id cannot be read. */
function mayGetGift({ objects }: Session, account: GasAccount): boolean {
  const chainId = chainIdOf(objects);
  return chainId === undefined || (isLocalOrDev(chainId) && account.balance === 0n);
}

/** Whether the sender's Bitcoin address is on record. */
function isOnRecord({ objects }: Session, { fieldKey }: AccountIds): boolean {
  const mapping = objects.load(ADDRESS_MAPPING_ID);
  return (
    isChangeable(mapping, ADDRESS_MAPPING_TYPE) && mapping.field(fieldKey).existsWithType(BITCOIN_ADDRESS_BY_OWNER.tag)
  );
}

/** Sets the clock, which never goes back. */
function advance(clock: RuntimeObject, time: bigint): void {
  if (time >= decode(u64, clock.value.bytes())) clock.value.write(encodeShortLived(u64, time));
}
