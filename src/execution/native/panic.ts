/**
 * Failures of natives for which the reference would have to discard the transaction.
 *
 * The reference turns them into an abort, so the transaction keeps its place and pays: `ABORTED` with one fixed code.
 * Failures of any other class stay as they are. Source: third_party/move/language/move-core/types/src/vm_status.rs of
 * the reference.
 *
 * Calls of library code that throws or returns false, whatever the cause.
 *
 * A native may be called when little of the host's stack is left. If the stack runs out inside a library, the library
 * takes the host's error for malformed input, and the outcome of the native would depend on the depth of its caller. So
 * the stack that a library needs is checked first: if there is too little, the host's error propagates and the machine
 * runs the whole call again with its frames on the heap.
 * @module
 */

import { isStackExhausted } from '../../vm/failure.ts';
import type { NativeContext } from '../../vm/native.ts';
import { StatusCode, statusClass } from '../../vm/status.ts';
import type { Type } from '../../vm/value/type.ts';

/** The abort code of a native that panicked. */
const NATIVE_PANIC = 987_654_321;

/** Fails with `status`, or with the abort into which the reference turns it. Nothing may have been charged. */
export function panic(context: NativeContext, status: StatusCode, message: string): never {
  const kind = statusClass(status);
  return kind === 'validation' || kind === 'invariant' ? context.abort(NATIVE_PANIC) : context.fail(status, message);
}

/** Fails for a type without a layout, in a native that needs one. */
export function panicWithoutLayout(context: NativeContext, type: Type): void {
  if (type.layoutFault === 0) return;
  panic(context, StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, `expected a type with a layout, got ${type.kind}`);
}

/** Arguments on the stack: 32 KiB, three times the measured need of the deepest library call. */
const STACK_WORDS: readonly unknown[] = new Array(4096).fill(0);

const nothing = (): void => {};

/**
 * Makes sure that there is enough stack for library code.
 * @throws {Error} the host's, if there is not.
 */
export function requireStack(): void {
  Reflect.apply(nothing, undefined, STACK_WORDS);
}

/**
 * The result of library code, or `undefined` if it throws, as libraries do for malformed input.
 * @throws {Error} the host's, when its stack runs out.
 */
export function attempt<Result>(call: () => Result): Result | undefined {
  requireStack();
  try {
    return call();
  } catch (error) {
    if (isStackExhausted(error)) throw error;
    return undefined;
  }
}
