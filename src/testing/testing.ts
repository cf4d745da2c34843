/**
 * The entry point `movelet/testing`: chains and matchers for any test runner. for Vitest there is `movelet/vitest`.
 *
 * ```ts
 * import { after, test } from 'node:test';
 * import { expectChain, PreparedChain } from 'movelet/testing';
 *
 * const chain = new PreparedChain({ prepare: (engine) => engine.publish(alice, modules) });
 * after(() => chain.close());
 *
 * test('adds', async () => {
 *   await using own = await chain.fork();
 *   expectChain(await own.engine.executeAs(bob, { function: add, arguments: [7n] })).toBeExecuted();
 * });
 * ```
 *
 * In runners that have an `expect` of their own, add the matchers to it: `expect.extend(matchers)`.
 * @module
 */
export { fixture, PreparedChain, type PreparedChainOptions, type TestChain } from './chain.ts';
export { type ChainExpectation, expectChain } from './expect-chain.ts';
export { type BalanceOf, type MatchResult, matchers } from './matchers.ts';
