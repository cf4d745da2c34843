/** Expectations about refusals. */
import { expect } from 'vitest';
import { EngineError, type ErrorCode } from '../src/base/error.ts';

/** Fails unless `run` throws an EngineError of `code` whose message matches; gives the error back. */
export function expectRefusal(run: () => unknown, code: ErrorCode, message: RegExp | string = /expected/): EngineError {
  let thrown: unknown;
  try {
    const value = run();
    expect.fail(`expected a refusal with ${code}, got ${String(value)}`);
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof EngineError)) throw thrown;
  expect(thrown.code, thrown.message).toBe(code);
  expect(thrown.message).toMatch(message);
  return thrown;
}
