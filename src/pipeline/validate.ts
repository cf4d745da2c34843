/**
 * Validation: whether a transaction may be given an order.
 *
 * It must be for this chain, be the sender's next, be proven to come from the sender, and be paid for; and its function
 * must accept its arguments. The chain's own Move code decides the first part: `0x3::transaction_validator::validate`,
 * and the module that it names if a contract registered one. A refusal here leaves no trace.
 *
 * An unsigned call is validated too, except for the signature: the result that a validator would have is filled in.
 *
 * Source: `validate_l2_tx` of the reference's crates/rooch-executor, `MoveOS::verify`.
 * @module
 */
import { bytes, type Codec, decode, encode, encodeShortLived, u64 } from '../base/bcs.ts';
import { IMPERSONATION_VALIDATOR_ID } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { parseBitcoinAddress } from '../bitcoin/address.ts';
import type { State } from '../chain/state/state.ts';
import type { Action } from '../chain/transaction/action.ts';
import {
  type Authenticator,
  authenticator as authenticatorCodec,
  hashedSigned,
  type SignedTransaction,
  signedTransaction,
  type TransactionData,
  transactionData,
  transactionDataHash,
  VALIDATOR_BITCOIN,
} from '../chain/transaction/signed.ts';
import { ADDRESS_MAPPING_ID, addressMappingField } from '../execution/bitcoin-move/address-mapping.ts';
import { sequenceNumberOf } from '../execution/framework/account.ts';
import { gasEntriesOf, gasScheduleOf } from '../execution/framework/gas-schedule.ts';
import {
  TX_META_TYPE,
  TX_VALIDATE_RESULT_TYPE,
  type TxValidateResult,
  txMeta,
  txMetaOf,
  txValidateResult,
} from '../execution/framework/transaction.ts';
import { accountIdsOf } from '../execution/intrinsic/account-table.ts';
import { runSession, type Session, type SessionCall, type SessionSettings } from '../execution/runtime/session.ts';
import { contextEntryOf, type TxContext, withEntry } from '../execution/runtime/tx-context.ts';
import { moduleLookup } from '../execution/trace/explain-failure.ts';
import { type Address, FRAMEWORK_ADDRESS, formatAddress, isSystemAddress } from '../move/address.ts';
import type { Returned } from '../vm/call.ts';
import { type Failure, placeless } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';
import { depositFact } from './deposit.ts';
import { type ExecutionContext, sessionSettings } from './execution-context.ts';
import { sizeCharge, validateUsual } from './framework-step.ts';
import { type RejectionOptions, rejection } from './rejection.ts';
import type { HashedTransaction } from './sequence.ts';

/** Bytes of one signed transaction: at its usual gas limit the reference takes 247,035, and no price allows twice that. */
export const TRANSACTION_BYTES_MAX: number = 1024 * 1024;

/** Native work of a validation, which is free if it refuses: a proof, or two hundred signatures. */
export const VALIDATION_NATIVE_WORK_MAX = 600_000;

/** Gas units that a validation may use, and therefore that a transaction may ask for; the reference's number. */
const VALIDATION_GAS_MAX = 5_000_000_000n;

/**
 * Bytes assumed for the authenticator in calls and dry runs, which have none: the size of a Bitcoin authenticator, so
 * that they cost what the signed transaction would. The reference's number.
 */
export const AUTHENTICATOR_BYTES_ASSUMED = 219;

/** A transaction that may be given an order. */
export interface ValidatedTransaction extends HashedTransaction {
  readonly data: { readonly kind: 'l2-transaction' } & SignedTransaction;
  /** What validation found out. */
  readonly result: TxValidateResult;
  /** The context that it runs in, with that result; its place in the ledger is added later. */
  readonly context: TxContext;
}

export type Validation =
  | { readonly kind: 'refused'; readonly error: EngineError }
  | { readonly kind: 'validated'; readonly transaction: ValidatedTransaction };

/** An action in the name of an account, without its signature. */
export interface UnsignedCall {
  readonly sender: Address;
  readonly action: Action;
  /** Gas units. Default: the most that the chain allows a transaction. */
  readonly maxGasAmount?: bigint | undefined;
}

const VALIDATE = { module: { address: FRAMEWORK_ADDRESS, name: 'transaction_validator' }, function: 'validate' };

/**
 * Validates a signed transaction.
 * @param signed BCS of the signed transaction
 * @throws {EngineError} for state that is not loaded or corrupt, which is not an outcome
 */
export function validateSigned(signed: Uint8Array, context: ExecutionContext): Validation {
  const transaction = decodeBounded(hashedSigned, signed, 'a signed transaction');
  if (transaction instanceof EngineError) return { kind: 'refused', error: transaction };
  const txContext = contextOf(transaction.data, BigInt(signed.length), transaction.hash);
  const result = authenticate(transaction, txContext, context);
  if ('status' in result)
    return refused(result, { fact: factOf(result, transaction, context), findModule: moduleLookup(context) });
  return verified({ transaction, signed, txContext, result }, context);
}

/**
 * Validates an unsigned call: it takes the account's next sequence number and is for this chain.
 * @throws {EngineError} as `validateSigned`, and `invalid-argument` for a call in the name of the system itself
 */
export function validateCall(call: UnsignedCall, context: ExecutionContext): Validation {
  const { sender, action } = call;
  if (isSystemAddress(sender)) {
    throw new EngineError(
      'invalid-argument',
      'expected a call in the name of an account, got 0x0: the accounts 0x1 to 0xa have the rights of the system',
    );
  }
  const { state, head } = context;
  const gasMax = gasScheduleOf(state).maxGasAmount;
  const { maxGasAmount = gasMax } = call;
  const data = { sender, sequenceNumber: sequenceNumberOf(state, sender), chainId: head.chainId, maxGasAmount, action };
  if (maxGasAmount > gasMax) {
    const message = `the chain allows ${gasMax} gas units for a transaction, got ${maxGasAmount}: ask for less gas`;
    return refused(placeless(StatusCode.MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND, message));
  }
  const transaction = { data, authenticator: IMPERSONATION };
  const signed = encodeShortLived(signedTransaction, transaction);
  const encoded = signed.subarray(0, signed.length - IMPERSONATION_BYTES);
  const size = BigInt(encoded.length + AUTHENTICATOR_BYTES_ASSUMED);
  const hash = transactionDataHash(encoded);
  const result: TxValidateResult = {
    authValidatorId: IMPERSONATION_VALIDATOR_ID,
    authValidator: undefined,
    sessionKey: undefined,
    bitcoinAddress: bitcoinAddressOf(state, sender),
  };
  return verified({ transaction, signed, txContext: contextOf(data, size, hash), result }, context);
}

const IMPERSONATION: Authenticator = { validatorId: IMPERSONATION_VALIDATOR_ID, payload: new Uint8Array(0) };
const IMPERSONATION_BYTES = encode(authenticatorCodec, IMPERSONATION).length;

/**
 * Treats unsigned data as a valid Bitcoin-signed transaction, to find out what it would do: nothing is checked, not
 * even the sequence number or the balance. Source: `convert_to_verified_tx_for_dry_run` of the reference.
 * @param unsigned BCS of the transaction's data
 */
export function presumeValid(unsigned: Uint8Array, { state }: ExecutionContext): Validation {
  const data = decodeBounded(transactionData, unsigned, 'an unsigned transaction');
  if (data instanceof EngineError) return { kind: 'refused', error: signedInstead(unsigned) ?? data };
  const known = bitcoinAddressOf(state, data.sender);
  const result: TxValidateResult = {
    authValidatorId: VALIDATOR_BITCOIN,
    authValidator: undefined,
    sessionKey: undefined,
    bitcoinAddress: known.length === 0 ? parseBitcoinAddress(DRY_RUN_BITCOIN_ADDRESS) : known,
  };
  const authenticator = { validatorId: VALIDATOR_BITCOIN, payload: new Uint8Array(0) };
  const transaction = { data, authenticator };
  const size = BigInt(unsigned.length + AUTHENTICATOR_BYTES_ASSUMED);
  return validated({
    transaction,
    signed: undefined,
    txContext: contextOf(data, size, transactionDataHash(unsigned)),
    result,
  });
}

/** The error for the bytes of a signed transaction, as `execute` takes them; undefined for any other. */
function signedInstead(bytes: Uint8Array): EngineError | undefined {
  if (decodeBounded(signedTransaction, bytes, 'a transaction') instanceof EngineError) return undefined;
  const message =
    'expected the BCS of an unsigned transaction, got that of a signed one: give its data alone, or the decoded transaction';
  return new EngineError('malformed-bytes', message);
}

/** The Bitcoin address in dry runs for senders that have none on record; the same as the reference's. */
const DRY_RUN_BITCOIN_ADDRESS = '18cBEMRxXHqzWWCxZNtU91F5sbUNKhL5PX';

function refused(failure: Failure, options?: RejectionOptions): Validation {
  return { kind: 'refused', error: rejection(failure, options) };
}

function decodeBounded<T>(codec: Pick<Codec<T>, 'read'>, given: Uint8Array, what: string): T | EngineError {
  if (given.length > TRANSACTION_BYTES_MAX) {
    const message = `expected at most ${TRANSACTION_BYTES_MAX} bytes (TRANSACTION_BYTES_MAX), got ${given.length}`;
    return rejection(placeless(StatusCode.EXCEEDED_MAX_TRANSACTION_SIZE, message));
  }
  try {
    return decode(codec, given);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    return new EngineError('malformed-bytes', `expected the BCS of ${what}: ${cause.message}`, {
      details: cause.details,
      cause,
    });
  }
}

/** The context of a transaction before anything is known about its sender. */
function contextOf(data: TransactionData, size: bigint, hash: Uint8Array): TxContext {
  return {
    sender: data.sender,
    sequenceNumber: data.sequenceNumber,
    maxGasAmount: data.maxGasAmount,
    txHash: hash,
    txSize: size,
    idsCreated: 0n,
    entries: [contextEntryOf(TX_META_TYPE, txMeta, txMetaOf(data.action))],
  };
}

/** The result of the chain's validator for the sender, once the module that it names, if any, has agreed. */
function authenticate(
  transaction: SignedTransaction,
  txContext: TxContext,
  context: ExecutionContext,
): TxValidateResult | Failure {
  const { data, authenticator } = transaction;
  if (data.maxGasAmount > VALIDATION_GAS_MAX) {
    const message = `expected a gas limit of at most ${VALIDATION_GAS_MAX}, got ${data.maxGasAmount}: ask for less gas`;
    return placeless(StatusCode.MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND, message);
  }
  const usual = validateUsual(transaction, txContext.txHash, context);
  if (usual !== undefined) return usual;
  const { validatorId, payload } = authenticator;
  const parts = [encode(u64, data.chainId), encode(u64, validatorId), encode(bytes, payload)];
  const assumesSignatures = !context.settings.verifySignatures;
  const settings: SessionSettings = {
    ...sessionSettings(context, txContext),
    nativeWorkMax: VALIDATION_NATIVE_WORK_MAX,
    isReadOnly: true,
    assumesSignatures,
  };
  const returned = ask({ ...VALIDATE, typeArguments: [], arguments: parts }, settings);
  if ('status' in returned) return returned;
  const [{ type, value }] = returned as [Returned];
  const result = decode(txValidateResult, type.encode(value));
  if (result.authValidator === undefined) return result;
  const { moduleAddress, moduleName } = result.authValidator;
  const other = { module: { address: moduleAddress, name: moduleName }, function: 'validate' };
  const agreed = ask({ ...other, typeArguments: [], arguments: [encode(bytes, payload)] }, settings);
  return 'status' in agreed ? agreed : result;
}

/** Calls a function that must not change anything, with the transaction's gas limit; its result, or why it failed. */
function ask(call: SessionCall, settings: SessionSettings): readonly Returned[] | Failure {
  return runSession(settings, (session) => {
    const outcome = session.call(call);
    if (outcome.kind === 'failed') return outcome.failure;
    return changeOf(session, call) ?? outcome.values;
  });
}

function changeOf(session: Session, { module, function: name }: SessionCall): Failure | undefined {
  if (session.finish().changeSet.changes.length === 0 && session.txContext.idsCreated === 0n) return undefined;
  const message = `${module.name}::${name} changes the state, which a validator may not`;
  return placeless(StatusCode.UNKNOWN_VALIDATION_STATUS, message);
}

/** A transaction whose sender is known. */
interface Authenticated {
  readonly transaction: SignedTransaction;
  /** BCS of the signed transaction, if it is at hand. */
  readonly signed: Uint8Array | undefined;
  /** Without the result. */
  readonly txContext: TxContext;
  readonly result: TxValidateResult;
}

/** The static part: the size is paid for, and the function can be called like this. */
function verified(authenticated: Authenticated, context: ExecutionContext): Validation {
  const { transaction, txContext } = authenticated;
  const { data } = transaction;
  const charge = sizeCharge(gasEntriesOf(context.state), txContext.txSize, true);
  if (charge > data.maxGasAmount) {
    const message = `${txContext.txSize} bytes cost ${charge} gas units, and the gas limit is ${data.maxGasAmount}`;
    return refused(placeless(StatusCode.OUT_OF_GAS, message));
  }
  const validation = validated(authenticated);
  // This is free if it is refused.
  const usual = sessionSettings(context, validation.transaction.context);
  const settings: SessionSettings = { ...usual, nativeWorkMax: VALIDATION_NATIVE_WORK_MAX };
  const failure = runSession(settings, (session) => session.verify(data.action));
  if (failure === undefined) return validation;
  return refused(failure, { during: 'the check of what it calls', findModule: moduleLookup(context) });
}

function validated({ transaction, signed, txContext, result }: Authenticated): Validation & { kind: 'validated' } {
  const { data: sent, authenticator } = transaction;
  const data = { kind: 'l2-transaction', data: sent, authenticator } as const;
  const context = withEntry(txContext, contextEntryOf(TX_VALIDATE_RESULT_TYPE, txValidateResult, result));
  return { kind: 'validated', transaction: { data, hash: txContext.txHash, signed, result, context } };
}

/** Internal form of an account's Bitcoin address; empty if it is not on record. */
function bitcoinAddressOf(state: State, owner: Address): Uint8Array {
  const field = state.field(ADDRESS_MAPPING_ID, accountIdsOf(owner).fieldKey);
  return field === undefined ? new Uint8Array(0) : decode(addressMappingField, field.value).bitcoinAddress;
}

/** Facts for the most frequent refusals: what the chain expected instead. */
export function factOf(
  { subStatus }: Failure,
  { data }: Pick<SignedTransaction, 'data'>,
  context: ExecutionContext,
): string | undefined {
  const { state, head } = context;
  switch (Number((subStatus ?? 0n) & 0xffffn)) {
    case 1001:
    case 1002:
      return `the next of ${formatAddress(data.sender)} is ${sequenceNumberOf(state, data.sender)}, got ${data.sequenceNumber}`;
    case 1004:
      return depositFact(data, context);
    case 1006:
      return `expected ${head.chainId}, got ${data.chainId}`;
    case 1008:
      return `expected at most ${gasScheduleOf(state).maxGasAmount} gas units, got ${data.maxGasAmount}`;
    default:
      return undefined;
  }
}
