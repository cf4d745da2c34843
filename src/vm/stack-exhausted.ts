/**
 * Recognises the host's error for an exhausted stack: not an outcome of Move (see `machine.ts`).
 * @module
 */

export function isStackExhausted(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}
