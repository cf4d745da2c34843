/**
 * The JavaScript stack ran out: not an outcome of Move (see `call.ts`).
 * @module
 */

/** Thrown by those who were told so by a call (`stackExhausted`), to leave what they do. */
export class StackExhausted extends Error {}

/** Whether it is the host's error for an exhausted stack. */
export function isStackExhausted(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}
