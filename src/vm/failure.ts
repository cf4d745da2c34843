/**
 * How running code fails: with a status, at a location.
 *
 * Inside the machine a failure is thrown, as a plain object, because the failing instruction may be a thousand calls
 * below; only `Machine` catches it and returns it as a value. An exhausted JavaScript stack is not an outcome of Move
 * (see `call.ts`).
 * @module
 */
import type { ModuleId } from './binary/module.ts';
import type { StatusCode } from './status.ts';

/** An instruction of a function. For a native, offset 0 of the native itself. */
export interface CodeLocation {
  /** `undefined` for a script. */
  readonly module: ModuleId | undefined;
  /** Index of the function's definition in its module. */
  readonly functionIndex: number;
  readonly codeOffset: number;
}

/** The outcome of a call that did not return. */
export interface Failure {
  readonly status: StatusCode;
  /** The abort code of ABORTED; the sub-status of some other statuses. */
  readonly subStatus: bigint | undefined;
  /** Absent where the reference gives none (arguments, loading, OUT_OF_GAS). */
  readonly location: CodeLocation | undefined;
  /** Set if no code ran: `location` is then the module to which the reference attributes the failure. */
  readonly isBeforeCode?: true;
  /** For humans; not part of the outcome. */
  readonly message: string;
  /** Why a native aborted, where the abort code alone is not enough. For humans too. */
  readonly reason?: string | undefined;
}

/** Carries a failure up to the machine. Not an `Error`: taking a stack trace would cost more than most calls. */
export class ThrownFailure {
  readonly failure: Failure;

  constructor(failure: Failure) {
    this.failure = failure;
  }
}

/** The result of `call`, or the failure that it throws; anything else is thrown on. */
export function failureOr<Result>(call: () => Result): Result | Failure {
  try {
    return call();
  } catch (thrown) {
    if (thrown instanceof ThrownFailure) return thrown.failure;
    throw thrown;
  }
}

/** A failure that has no location in code. */
export function placeless(status: StatusCode, message: string, subStatus?: bigint): Failure {
  return { status, subStatus, location: undefined, message };
}

/** The same, to be thrown. */
export function refuse(status: StatusCode, message: string, subStatus?: bigint): ThrownFailure {
  return new ThrownFailure(placeless(status, message, subStatus));
}

/** Thrown by a caller whose call ended with `stackExhausted`, to unwind. */
export class StackExhausted extends Error {}

/**
 * Whether this is the host's error for an exhausted stack: a `RangeError`, in Firefox an `InternalError`. The check
 * must need hardly any stack: V8 ends the process if a regular expression runs out of it.
 */
export function isStackExhausted(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { name, message } = thrown;
  if (name === 'RangeError') return message.includes('call stack');
  return name === 'InternalError' && message === 'too much recursion';
}
