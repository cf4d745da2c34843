/**
 * The JavaScript stack ran out: not an outcome of Move (see `call.ts`).
 * @module
 */

/** Thrown by a caller whose call ended with `stackExhausted`, to unwind what it is doing. */
export class StackExhausted extends Error {}

/** Whether this is the host's error for an exhausted stack. */
export function isStackExhausted(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}
