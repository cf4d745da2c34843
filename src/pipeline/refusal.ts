import { EngineError, type ErrorCode } from '../base/error.ts';

const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid-argument',
  'malformed-bytes',
  'malformed-module',
  'limit-exceeded',
  'not-supported',
  'transaction-rejected',
]);

/** Whether an error means that an input is not acceptable, rather than that the chain or its store is broken. */
export function isRefusal(error: unknown): error is EngineError {
  return error instanceof EngineError && REFUSALS.has(error.code);
}
