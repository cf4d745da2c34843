/**
 * The entry point `movelet/vitest`: each test has a chain of its own.
 *
 * ```ts
 * import { expect, test } from 'movelet/vitest';
 *
 * test('a transfer arrives', async ({ engine, accounts: [alice, bob] }) => {
 *   const receipt = await engine.execute(alice.signTransaction({ function: '0x3::transfer::transfer_coin', ... }));
 *   expect(receipt).toBeExecuted();
 * });
 * ```
 *
 * `testOn({ prepare })` returns a `test` whose chains begin with what `prepare` did. A failed test is followed by the
 * transactions of its chain and what they changed, and, if the option `replays` or MOVELET_REPLAYS names a folder,
 * leaves its run there as a file for `movelet replay`.
 * @module
 */
/// <reference path="./move-toml.d.ts" preserve="true" />
import {
  afterAll,
  expect,
  type RunnerTestFile,
  type RunnerTestCase as Task,
  type TestAPI,
  test as vitestTest,
} from 'vitest';
import type { AddressInput } from '../bitcoin/address.ts';
import type { Engine } from '../engine/engine.ts';
import type { Account } from '../query/account.ts';
import type { RoochTransport } from '../server/rooch.ts';
import { PreparedChain, type PreparedChainOptions, type TestChain } from './chain.ts';
import { COVERAGE_META, GAS_META, startCounting, startMetering } from './covered-tests.ts';
import { type BalanceOf, matchers } from './matchers.ts';

export type { PreparedChainOptions };
export { expect };

expect.extend(matchers);

/** What a test may ask for. */
export interface ChainFixtures {
  /** A fork of the prepared chain, for this test alone. */
  readonly engine: Engine;
  /** The funded accounts of that chain, with their keys. */
  readonly accounts: readonly Account[];
  /** For `new RoochClient({ transport })` of the official SDK: no port, no socket. */
  readonly transport: RoochTransport;
  /** The URL of that chain; a port is opened only for tests that ask. */
  readonly rpcUrl: string;
}

interface Chains extends ChainFixtures {
  readonly preparedChain: PreparedChain;
  readonly testChain: TestChain;
}

/**
 * A `test` whose chains begin with what `prepare` did on a chain with these options, once per file. Create it at the
 * top of the file, not in a `describe`.
 * @throws {EngineError} `invalid-argument`, as `PreparedChain`
 */
export function testOn(options: PreparedChainOptions = {}): TestAPI<ChainFixtures> {
  const chain = new PreparedChain(options);
  return vitestTest.extend<Chains>({
    preparedChain: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs from its pattern
      async ({}, use) => {
        try {
          await use(chain);
        } finally {
          await chain.close();
        }
      },
      { scope: 'file' },
    ],
    testChain: async ({ preparedChain, task }, use) => {
      const own = await preparedChain.fork();
      try {
        await use(own);
      } finally {
        // Hooks of a failed test would run after this, when the chain can no longer be queried. `test.fails` has to fail.
        if (task.result?.state === 'fail' && task.fails !== true) await tell(own, task);
        await own.close();
      }
    },
    engine: ({ testChain }, use) => use(testChain.engine),
    accounts: ({ testChain }, use) => use(testChain.accounts),
    transport: ({ testChain }, use) => use(testChain.transport()),
    rpcUrl: async ({ testChain }, use) => use(await testChain.rpcUrl()),
  });
}

/**
 * Counts which Move code the tests of this file run, and gives it to the option `coverage` of `movelet/vitest-plugin`, whose
 * setup file calls this. From then on, Move code is interpreted.
 */
export function coverMoveCode(): void {
  const covered = startCounting();
  leaveMeta(COVERAGE_META, () => covered.counts());
}

/**
 * Notes the gas of the transactions that the tests of this file send, for the option `gas` of `movelet/vitest-plugin`, whose
 * setup file calls this.
 */
export function meterGas(): void {
  const metered = startMetering();
  leaveMeta(GAS_META, () => [...metered]);
}

/** Leaves a value with the test file once its tests have run, where the plugin finds it. */
function leaveMeta(name: string, value: () => unknown): void {
  afterAll(function () {
    // Vitest 3 gives the file first, and Vitest 4 second; it refuses a function that names the first but takes it whole.
    // biome-ignore lint/complexity/noArguments: neither form of parameters fits both
    const { file } = [...arguments].at(-1) as { readonly file: RunnerTestFile };
    Object.assign(file.meta, { [name]: value() });
  });
}

/** Prints what happened on the chain of a failed test. */
async function tell(chain: TestChain, task: Task): Promise<void> {
  const { name, file } = task;
  // Another group may have a test of the same name.
  const groups: string[] = [];
  for (let { suite } = task; suite !== undefined && suite !== file; { suite } = suite) groups.unshift(suite.name);
  const told = [chain.explain(), (await chain.leaveReplay([file.name, ...groups, name].join(' '))) ?? ''];
  const text = told.filter((part) => part !== '').join('\n');
  // Vitest prints the names of the test above it.
  if (text !== '') console.error(text);
}

/** A test on a fresh chain of the default options. */
export const test: TestAPI<ChainFixtures> = testOn();

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that is extended has it
  interface Matchers<T = any> {
    /** For a receipt: whether the transaction did what it was sent for. */
    toBeExecuted(): void;
    /** For a receipt: whether Move code aborted with this code, or with the constant of this name. */
    toAbortWith(code: bigint | number | string): void;
    /** For a receipt: whether there is an event whose type has this name, or ends with it, with these members. */
    toEmit(type: string, value?: object): void;
    /** For a function: whether calling it changes a balance by this much. */
    toChangeBalance(of: BalanceOf, difference: bigint | number): Promise<void>;
    /** For an engine: whether an address owns an unspent output with these members. */
    toOwnUtxo(owner: AddressInput, members?: object): Promise<void>;
  }
}
