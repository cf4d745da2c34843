/**
 * The result of checking bytecode: sound, or not, with the reason and the location.
 *
 * A verdict is a value. Inside a pass, the first fault is thrown as a `Rejection`, since a walk over code has hundreds
 * of places that may fail and only one that handles it; only `verdictOf` catches it.
 * @module
 */
import { type StatusCode, statusName } from './status.ts';

/** The table that a location's `index` refers to. */
export type IndexKind =
  | 'moduleHandle'
  | 'structHandle'
  | 'functionHandle'
  | 'fieldHandle'
  | 'friend'
  | 'functionInstantiation'
  | 'fieldInstantiation'
  | 'structDefinition'
  | 'structInstantiation'
  | 'functionDefinition'
  | 'fieldDefinition'
  | 'signature'
  | 'identifier'
  | 'address'
  | 'constant'
  | 'local'
  | 'codeOffset'
  | 'typeParameter'
  | 'field';

/** Where a check failed: an entry of a table, an instruction of a function, or neither. */
export interface VerifyLocation {
  readonly table?: IndexKind;
  readonly index?: number;
  /** Index of the function definition; 0 for a script's function. */
  readonly functionIndex?: number;
  readonly codeOffset?: number;
}

interface Accepted {
  readonly ok: true;
}

interface Rejected {
  readonly ok: false;
  readonly statusCode: StatusCode;
  /** The sub-status of the chain's own checks. */
  readonly subStatus?: number;
  readonly message: string;
  readonly location: VerifyLocation;
}

export type VerifyResult = Accepted | Rejected;

export const ACCEPTED: Accepted = { ok: true };

/** Thrown and caught inside the verifier only. */
export class Rejection extends Error {
  readonly verdict: Rejected;

  constructor(statusCode: StatusCode, message: string, location: VerifyLocation = {}, subStatus?: number) {
    super(message);
    this.name = 'Rejection';
    const verdict = { ok: false, statusCode, location } as const;
    this.verdict =
      subStatus === undefined
        ? { ...verdict, message: `${message} (${statusName(statusCode)})` }
        : { ...verdict, message, subStatus };
  }
}

/** A rejection of the entry `index` of a table. */
export function rejectEntry(statusCode: StatusCode, table: IndexKind, index: number, message: string): Rejection {
  return new Rejection(statusCode, message, { table, index });
}

/** A rejection of one instruction. */
export function rejectCode(
  statusCode: StatusCode,
  functionIndex: number,
  codeOffset: number,
  message: string,
): Rejection {
  return new Rejection(statusCode, message, { functionIndex, codeOffset });
}

/** Runs a check that may throw `Rejection`; other errors are not caught. */
export function verdictOf(check: () => void): VerifyResult {
  try {
    check();
    return ACCEPTED;
  } catch (thrown) {
    if (thrown instanceof Rejection) return thrown.verdict;
    throw thrown;
  }
}
