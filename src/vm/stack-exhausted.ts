/**
 * How the host tells that its own stack ran out: not an outcome of Move (see `machine.ts`).
 * @module
 */

export function isStackExhausted(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}
