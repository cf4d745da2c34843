/**
 * Why a transaction is refused: what it means, what to do, and the Move VM status in the reference's words.
 *
 * Clients parse `sub status <number>` from the message; its low 16 bits are a validator's reason.
 * Source: Display of VMStatus in the reference's move-core types.
 * @module
 */

import { EngineError } from '../base/error.ts';
import { type ExplainedFailure, explainFailure } from '../execution/trace/explain-failure.ts';
import { formatAddressShort } from '../move/address.ts';
import type { ModuleLookup } from '../vm/binary/module.ts';
import type { Failure } from '../vm/failure.ts';
import { type StatusClass, StatusCode, statusClass, statusName } from '../vm/status.ts';

const CLASS_NAMES: Readonly<Record<StatusClass, string>> = {
  validation: 'Validation',
  verification: 'Verification',
  invariant: 'Invariant violation',
  deserialization: 'Deserialization',
  execution: 'Execution',
};

/** Abort codes of the framework's validators. */
const REASONS: Readonly<Record<number, readonly [reason: string, advice: string]>> = {
  1001: ['the sequence number is too old', "sign it again with the account's next sequence number"],
  1002: ['the sequence number is too new', 'send the transactions before it first, or sign it again with the next one'],
  1003: ['the account does not exist', 'send it coins first'],
  1004: ['the sender cannot pay for the gas that it asks for', 'give it coins, or ask for less gas: maxGasAmount'],
  1005: ['the transaction expired', 'sign a new one'],
  1006: ['it is for another chain', 'sign it with the chain id of this one'],
  1007: ['the sequence number is too big', "sign it again with the account's next sequence number"],
  1008: ['it asks for more gas than the chain allows', 'ask for less gas'],
  1009: [
    'the key is none of the account',
    'sign with the account itself, or with a session key that it granted and has not revoked',
  ],
  1010: ['the authenticator does not prove the sender', 'check the signature, the message that was signed and the key'],
  1011: ['the validator is not installed for the account', 'install it, or use a built-in one'],
  1012: ['the session key expired', 'create a new session key'],
  1013: ['the session key may not call this function', 'create a session key with this function in its scope'],
};
const REASON_MASK = 0xffffn;
/** Addresses whose modules abort with the codes above: the framework, Bitcoin, and the nursery of older chains. */
const VALIDATOR_OWNERS: readonly string[] = ['0x3', '0x4', '0xa'];

export interface RejectionOptions {
  /** What was being checked, for failures that say little by themselves. */
  readonly during?: string;
  /** Facts for the reader, after the reason. */
  readonly fact?: string | undefined;
  /** Finds modules, to name the functions of the location. Default: functions are not named. */
  readonly findModule?: ModuleLookup | undefined;
}

/** The refusal of a transaction for a failure of its validation, or for one that the ledger does not keep. */
export function rejection(failure: Failure, { during, fact, findModule }: RejectionOptions = {}): EngineError {
  const explained = explainFailure(failure, findModule ?? (() => undefined));
  const { status, subStatus, location, message, reason: told = '' } = failure;
  const owner = location?.module === undefined ? undefined : formatAddressShort(location.module.address);
  const code = status === StatusCode.ABORTED && subStatus !== undefined ? Number(subStatus & REASON_MASK) : undefined;
  const known =
    code !== undefined && owner !== undefined && VALIDATOR_OWNERS.includes(owner) ? REASONS[code] : undefined;
  // For an abort, the machine's message is only its code and location.
  const [reason, advice] = known ?? [
    status === StatusCode.ABORTED && location !== undefined ? told : message,
    undefined,
  ];
  const place = known !== undefined ? '' : placeText(explained);
  const named = `${formatFailure(failure)}${place}${during === undefined ? '' : `, in ${during}`}`;
  const facts = fact === undefined ? '' : ` (${fact})`;
  const words = `${reason}${facts}${advice === undefined ? '' : `; ${advice}`}`;
  return new EngineError('transaction-rejected', reason === '' ? `${named}${facts}` : `${words} (${named})`, {
    details: {
      status: statusName(status),
      statusCode: status,
      ...(subStatus === undefined ? {} : { subStatus: subStatus.toString() }),
      failure: explained,
      reason,
      ...(advice === undefined ? {} : { advice }),
    },
  });
}

/** `status NAME of type Class`, with the sub status if there is one. */
function formatFailure({ status, subStatus }: Failure): string {
  const text = `status ${statusName(status)} of type ${CLASS_NAMES[statusClass(status)]}`;
  return subStatus === undefined ? text : `${text} with sub status ${subStatus}`;
}

/** ` (ErrorName) in 0x3::module::function at offset 7`, as far as it is known. */
function placeText({ module, function: name, codeOffset, abortName }: ExplainedFailure): string {
  const named = abortName === undefined ? '' : ` (${abortName})`;
  if (module === undefined) return named;
  const place = codeOffset === undefined ? '' : `${name === undefined ? '' : `::${name}`} at offset ${codeOffset}`;
  return `${named} in ${module}${place}`;
}
