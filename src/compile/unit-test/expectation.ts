/**
 * Whether a test ended as expected.
 * @module
 */

import { formatAddressShort } from '../../move/address.ts';
import type { Failure } from '../../vm/failure.ts';
import { StatusCode, statusName } from '../../vm/status.ts';
import type { ExpectedFailure } from '../index.ts';

/**
 * What is wrong with how a test ended, in a sentence; undefined if nothing is.
 * @param innermost finds the module of the function that failed, for a failure without a place: OUT_OF_GAS
 */
export function complaintOf(
  expected: ExpectedFailure | undefined,
  failure: Failure | undefined,
  innermost: () => string | undefined,
): string | undefined {
  if (expected === undefined) return failure === undefined ? undefined : 'it failed';
  const wanted = expectationText(expected);
  if (failure === undefined) return `expected ${wanted}; it succeeded`;
  return meets(expected, failure, innermost) ? undefined : `expected ${wanted}; it failed otherwise`;
}

function meets(
  expected: ExpectedFailure,
  { status, subStatus, location }: Failure,
  innermost: () => string | undefined,
): boolean {
  const { abortCode, minorStatus } = expected;
  if (expected.status !== undefined && expected.status !== statusName(status) && expected.status !== String(status)) {
    return false;
  }
  if (abortCode !== undefined && (status !== StatusCode.ABORTED || String(subStatus) !== abortCode)) return false;
  if (minorStatus !== undefined && String(subStatus) !== minorStatus) return false;
  if (expected.location === undefined) return true;
  if (location === undefined) return innermost() === expected.location;
  const { module } = location;
  return module !== undefined && `${formatAddressShort(module.address)}::${module.name}` === expected.location;
}

function expectationText({ status, abortCode, abortName, minorStatus, location }: ExpectedFailure): string {
  const name = abortName === undefined ? '' : ` (${abortName})`;
  const what = abortCode === undefined ? (status ?? 'a failure') : `an abort with code ${abortCode}${name}`;
  const minor = minorStatus === undefined ? '' : ` with minor status ${minorStatus}`;
  return `${what}${minor}${location === undefined ? '' : ` in ${location}`}`;
}
