/**
 * Failures of natives for which the reference would have to discard the transaction.
 *
 * The reference turns them into an abort, so the transaction keeps its place and pays: `ABORTED` with one fixed code.
 * Failures of any other class stay as they are. Source: third_party/move/language/move-core/types/src/vm_status.rs of
 * the reference.
 * @module
 */
import type { NativeContext } from '../../vm/native.ts';
import { StatusCode, statusClass } from '../../vm/status.ts';
import type { Type } from '../../vm/value/type.ts';

/** The abort code of a native that failed in a way that no native should. */
const NATIVE_PANIC = 987_654_321;

/** Fails with `status`, or with the abort that the reference makes of it. Nothing may have been charged. */
export function panic(context: NativeContext, status: StatusCode, message: string): never {
  const kind = statusClass(status);
  return kind === 'validation' || kind === 'invariant' ? context.abort(NATIVE_PANIC) : context.fail(status, message);
}

/** Fails for a type without a layout in the reference, in a native that cannot continue without one. */
export function panicWithoutLayout(context: NativeContext, type: Type): void {
  if (type.layoutFault === 0) return;
  panic(context, StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, `expected a type with a layout, got ${type.kind}`);
}
