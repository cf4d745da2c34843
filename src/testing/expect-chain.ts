/**
 * The matchers as functions that throw, for runners without `expect`.
 * @module
 */
import { AssertionError } from 'node:assert';
import { type MatchResult, matchers } from './matchers.ts';

type Matchers = typeof matchers;

/** The arguments of a matcher after the received value. */
type Expected<M> = M extends (received: unknown, ...expected: infer Rest) => unknown ? Rest : never;

type Check<M> = M extends (...given: never[]) => Promise<unknown>
  ? (...expected: Expected<M>) => Promise<void>
  : (...expected: Expected<M>) => void;

type Checks = { readonly [Name in keyof Matchers]: Check<Matchers[Name]> };

/** The matchers on one value. They throw an `AssertionError` that says what was received instead. */
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
    const check = (...expected: unknown[]): unknown => {
      const matcher = matchers[name] as (...given: unknown[]) => MatchResult | Promise<MatchResult>;
      const result = matcher(received, ...expected);
      return result instanceof Promise ? result.then((found) => judge(found, wanted)) : judge(result, wanted);
    };
    return [name, check];
  });
  return Object.fromEntries(entries) as unknown as Checks;
}

function judge({ pass, message }: MatchResult, wanted: boolean): void {
  if (pass !== wanted) throw new AssertionError({ message: message() });
}
