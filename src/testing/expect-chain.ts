/**
 * The matchers as functions that throw, for test runners without an `expect` of their own.
 * @module
 */
import { AssertionError } from 'node:assert';
import { reportedAtCaller } from '../base/caller.ts';
import { type MatchResult, matchers } from './matchers.ts';

type Matchers = typeof matchers;

/** The arguments of a matcher after the received value. */
type Expected<M> = M extends (received: unknown, ...expected: infer Rest) => unknown ? Rest : never;

type Check<M> = M extends (...given: never[]) => Promise<unknown>
  ? (...expected: Expected<M>) => Promise<void>
  : (...expected: Expected<M>) => void;

type Checks = { readonly [Name in keyof Matchers]: Check<Matchers[Name]> };

/** The matchers, applied to one value. They throw an `AssertionError` that says what was received instead. */
export interface ChainExpectation extends Checks {
  readonly not: Checks;
}

/** `expectChain(receipt).toBeExecuted()`, `expectChain(receipt).not.toEmit('Added')`. */
export function expectChain(received: unknown): ChainExpectation {
  return { ...checks(received, true), not: checks(received, false) };
}

function checks(received: unknown, wanted: boolean): Checks {
  const names = Object.keys(matchers) as (keyof Matchers)[];
  const entries = names.map((name) => {
    const check: (...expected: never[]) => unknown = reportedAtCaller((...expected: unknown[]): unknown => {
      const matcher = matchers[name] as (...given: unknown[]) => MatchResult | Promise<MatchResult>;
      // By the time a promise fails, the caller is no longer on the stack.
      const call = { stack: '' };
      Error.captureStackTrace(call, check);
      const result = matcher(received, ...expected);
      return result instanceof Promise
        ? result.then((found) => judge(found, wanted, call.stack))
        : judge(result, wanted, call.stack);
    });
    return [name, check];
  });
  return Object.fromEntries(entries) as unknown as Checks;
}

/** @param stack the stack of the call, below a first line */
function judge({ pass, message }: MatchResult, wanted: boolean, stack: string): void {
  if (pass === wanted) return;
  const error = new AssertionError({ message: message() });
  const frames = stack.indexOf('\n');
  error.stack = `${error.name} [${error.code}]: ${error.message}${frames === -1 ? '' : stack.slice(frames)}`;
  // The message has both the expected and the received value; runners would print these members as undefined.
  for (const member of ['actual', 'expected', 'operator', 'diff']) Reflect.deleteProperty(error, member);
  throw error;
}
