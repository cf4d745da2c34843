/**
 * The deposit for gas: before its action, a transaction pays for all the gas that it asks for, and what it does not use
 * is refunded.
 *
 * The framework checks this on the networks. On local and dev chains it gives coins to senders who have none, and this
 * check takes its place unless that is wanted.
 * @module
 */
import { decode, encode, u64, u256 } from '../base/bcs.ts';
import { coinInfo, coinInfoId, coinText, GAS_COIN_TYPE } from '../execution/framework/coin.ts';
import { runSession, type SessionSettings } from '../execution/runtime/session.ts';
import type { TxContext } from '../execution/runtime/tx-context.ts';
import { type Address, address, FRAMEWORK_ADDRESS, formatAddress } from '../move/address.ts';
import type { Failure } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';
import { type ExecutionContext, sessionSettings } from './execution-context.ts';

/** A sender, and the gas units that its transaction asks for. */
type Payer = Pick<TxContext, 'sender' | 'maxGasAmount'>;

/** `ErrorValidateCantPayGasDeposit` of `0x3::auth_validator`. */
const CANNOT_PAY_DEPOSIT = 1004n;

/** Why the sender of a transaction cannot pay for the gas that it asks for; undefined if it can. */
export function cannotPay({ sender, maxGasAmount }: Payer, context: ExecutionContext): Failure | undefined {
  const deposit = priceOf(maxGasAmount, context);
  const balance = balanceOf(sender, context);
  if (deposit === undefined || balance === undefined || balance >= deposit) return undefined;
  const module = { address: FRAMEWORK_ADDRESS, name: 'transaction_validator' };
  return {
    status: StatusCode.ABORTED,
    subStatus: CANNOT_PAY_DEPOSIT,
    location: { module, functionIndex: 0, codeOffset: 0 },
    isBeforeCode: true,
    message: '',
  };
}

/** The deposit, the price and the balance, in coins. */
export function depositFact({ sender, maxGasAmount }: Payer, context: ExecutionContext): string | undefined {
  const [deposit, balance] = [priceOf(maxGasAmount, context), balanceOf(sender, context)];
  const info = context.state.object(coinInfoId(GAS_COIN_TYPE));
  if (deposit === undefined || balance === undefined || info === undefined) return undefined;
  const coin = decode(coinInfo, info.value);
  const coins = (amount: bigint): string => coinText(amount, coin);
  const price = coins(maxGasAmount === 0n ? 0n : deposit / maxGasAmount);
  const asked = `the deposit for ${maxGasAmount} gas units at ${price} each is ${coins(deposit)}`;
  return `${asked}, and ${formatAddress(sender)} has ${coins(balance)}`;
}

/** Of an account and its payment hub together. */
function balanceOf(account: Address, context: ExecutionContext): bigint | undefined {
  const given = [encode(address, account)];
  return (
    ask('transaction_gas', 'total_available_gas_balance', given, context) ?? ask('gas_coin', 'balance', given, context)
  );
}

function priceOf(gas: bigint, context: ExecutionContext): bigint | undefined {
  return ask('transaction_fee', 'calculate_gas', [encode(u64, gas)], context);
}

/** What a function of the chain's framework returns; undefined if there is none, or if it fails. */
function ask(
  module: string,
  name: string,
  parts: readonly Uint8Array[],
  context: ExecutionContext,
): bigint | undefined {
  const settings: SessionSettings = { ...sessionSettings(context, NOBODY), isReadOnly: true };
  const call = { module: { address: FRAMEWORK_ADDRESS, name: module }, function: name, typeArguments: [] };
  return runSession(settings, (session) => {
    const outcome = session.call({ ...call, arguments: parts });
    const [returned] = outcome.kind === 'failed' ? [] : outcome.values;
    return returned && decode(u256, returned.type.encode(returned.value));
  });
}

/** Bounds the gas that reading takes. */
const READ_GAS_MAX = 100_000_000n;

const NOBODY: TxContext = {
  sender: FRAMEWORK_ADDRESS,
  sequenceNumber: 0n,
  maxGasAmount: READ_GAS_MAX,
  txHash: new Uint8Array(32),
  txSize: 0n,
  idsCreated: 0n,
  entries: [],
};
