/**
 * The recorded status of a transaction whose execution failed, if any.
 *
 * Statuses of the validation and invariant classes mean that the transaction should never have run, or that the node is
 * faulty: such a transaction is dropped. Source: third_party/move/language/move-core/types/src/vm_status.rs of the
 * reference.
 * @module
 */
import type { KeptStatus, Location } from '../../chain/transaction/execution-info.ts';
import type { CodeLocation, Failure } from '../../vm/failure.ts';
import { StatusCode, statusClass } from '../../vm/status.ts';

/** Kept as one status without details. */
const MISCELLANEOUS: ReadonlySet<StatusCode> = new Set([
  StatusCode.EXECUTION_LIMIT_REACHED,
  StatusCode.IO_LIMIT_REACHED,
  StatusCode.STORAGE_LIMIT_REACHED,
]);

/** The kept status of a failure, or undefined if the transaction must be dropped. */
export function keptStatusOf(failure: Failure): KeptStatus | undefined {
  const { status, subStatus, location } = failure;
  if (status === StatusCode.OUT_OF_GAS) return { kind: 'out-of-gas' };
  if (status === StatusCode.ABORTED && subStatus !== undefined && location !== undefined) {
    return { kind: 'move-abort', location: placeOf(location), code: subStatus };
  }
  if (MISCELLANEOUS.has(status)) return { kind: 'miscellaneous-error' };
  switch (statusClass(status)) {
    case 'execution':
      return location === undefined
        ? { kind: 'execution-failure', location: { kind: 'script' }, function: 0, codeOffset: 0 }
        : {
            kind: 'execution-failure',
            location: placeOf(location),
            function: location.functionIndex,
            codeOffset: location.codeOffset,
          };
    case 'verification':
    case 'deserialization':
      return { kind: 'miscellaneous-error' };
    default:
      return undefined;
  }
}

/** The module, or the script, of a place in code. */
export function placeOf({ module }: CodeLocation): Location {
  return module === undefined ? { kind: 'script' } : { kind: 'module', address: module.address, name: module.name };
}
