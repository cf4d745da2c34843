/**
 * Vitest for tests that run in a page: what they name of it, with Vitest's own `expect`. A page collects the tests of a file
 * when it is loaded, and runs them one after the other with `runAll`.
 * @module
 */
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  addCustomEqualityTesters,
  chai,
  GLOBAL_EXPECT,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';

type Run = () => unknown;

interface Test {
  readonly name: string;
  readonly run: Run;
}

const tests: Test[] = [];
const before: Run[] = [];
const after: Run[] = [];
const beforeOne: Run[] = [];
const afterOne: Run[] = [];
const names: string[] = [];

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);
const asked = (value: unknown, message?: string): unknown => chai.expect(value, message);
export const expect: unknown = Object.assign(asked, chai.expect, { addEqualityTesters: addCustomEqualityTesters });
Object.assign(globalThis, { [GLOBAL_EXPECT]: expect });
setState({ ...(getState(expect as never) as object), assertionCalls: 0, testPath: '' } as never, expect as never);
Object.assign(asked, (globalThis as never)[ASYMMETRIC_MATCHERS_OBJECT]);

/** Options stand before the function or after it. */
const functionOf = (given: readonly unknown[]): Run => given.find((each) => typeof each === 'function') as Run;

function group(name: string, ...given: readonly unknown[]): void {
  names.push(name);
  functionOf(given)();
  names.pop();
}

function test(name: string, ...given: readonly unknown[]): void {
  tests.push({ name: [...names, name].join(' > '), run: functionOf(given) });
}

/** `each` as functions take it: rows are arguments, or one argument. */
const eachOf =
  (register: typeof test) =>
  (rows: readonly unknown[]) =>
  (name: string, ...given: readonly unknown[]): void => {
    const run = functionOf(given) as (...row: readonly unknown[]) => unknown;
    for (const [index, row] of rows.entries())
      register(`${name} ${index}`, () => (Array.isArray(row) ? run(...row) : run(row)));
  };

export const it: unknown = Object.assign(test, {
  each: eachOf(test),
  skipIf: (skips: boolean) => (skips ? () => {} : test),
});
export const describe: unknown = Object.assign(group, {
  each: eachOf(group),
  skipIf: (skips: boolean) => (skips ? () => {} : group),
});
export const beforeAll = (run: Run): void => void before.push(run);
export const afterAll = (run: Run): void => void after.push(run);
export const beforeEach = (run: Run): void => void beforeOne.push(run);
export const afterEach = (run: Run): void => void afterOne.push(run);
/** What test/seed.ts provides. */
export const inject = (name: string): unknown => (name === 'seed' ? 1 : false);

/** The failures by the names of the tests, and how many tests there were. */
export async function runAll(): Promise<{
  readonly count: number;
  readonly failures: Readonly<Record<string, string>>;
}> {
  const failures: Record<string, string> = {};
  for (const run of before) await run();
  for (const { name, run } of tests) {
    try {
      for (const prepare of beforeOne) await prepare();
      await run();
      for (const clean of afterOne) await clean();
    } catch (error) {
      failures[name] = error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
    }
  }
  for (const run of after.reverse()) await run();
  return { count: tests.length, failures };
}
