/**
 * Calls of library code that throws, or gives false, for whatever goes wrong in it.
 *
 * A native may be called when little is left of the host's stack. If that runs out inside of a library, the library takes
 * the host's error for malformed input, and the outcome of the native would depend on who called it from where. So the
 * stack that a library needs is asked for before: if it is not there, the host's error passes up and the machine runs
 * the whole call again where frames lie on the heap.
 * Cost: 4 us, measured.
 * @module
 */
import { isStackExhausted } from '../vm/stack-exhausted.ts';

/** Arguments that lie on the stack at once: 32 KiB of it, three times what the deepest library call was seen to take. */
const STACK_WORDS: readonly unknown[] = new Array(4096).fill(0);

const nothing = (): void => {};

/**
 * Makes sure that library code has stack to run on.
 * @throws {RangeError} the host's, if it has not.
 */
export function requireStack(): void {
  Reflect.apply(nothing, undefined, STACK_WORDS);
}

/**
 * The result of library code, or `undefined` where it throws, as libraries do for malformed input.
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
