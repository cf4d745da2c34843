/**
 * Calls of library code that throws or returns false, whatever the cause.
 *
 * A native may be called when little of the host's stack is left. If the stack runs out inside a library, the library
 * takes the host's error for malformed input, and the outcome of the native would depend on the depth of its caller. So
 * the stack that a library needs is checked first: if there is too little, the host's error propagates and the machine
 * runs the whole call again with its frames on the heap.
 * @module
 */
import { isStackExhausted } from '../../vm/stack-exhausted.ts';

/** Arguments that are on the stack at once: 32 KiB, three times the measured need of the deepest library call. */
const STACK_WORDS: readonly unknown[] = new Array(4096).fill(0);

const nothing = (): void => {};

/**
 * Makes sure that there is enough stack for library code.
 * @throws {RangeError} the host's, if there is not.
 */
export function requireStack(): void {
  Reflect.apply(nothing, undefined, STACK_WORDS);
}

/**
 * The result of library code, or `undefined` if it throws, as libraries do for malformed input.
 * @throws {RangeError} the host's, when its stack runs out.
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
