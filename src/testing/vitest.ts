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
 * `testOn({ prepare })` returns a `test` whose chains begin with what `prepare` did. When a test fails, the transactions of
 * its chain and what they changed are printed, and, if the option `replays` or MOVELET_REPLAYS names a folder, its run is
 * written there as a file for `movelet replay`.
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

/** What tests can ask for. */
export interface ChainFixtures {
  /** A fork of the prepared chain that only this test has. */
  readonly engine: Engine;
  /** The funded accounts of that chain, with their keys. */
  readonly accounts: readonly Account[];
  /** For `new RoochClient({ transport })` of the official SDK: no port and no socket. */
  readonly transport: RoochTransport;
  /** The URL at which that chain is served; a port is opened only for tests that ask for this. */
  readonly rpcUrl: string;
}

interface Chains extends ChainFixtures {
  readonly preparedChain: PreparedChain;
  readonly testChain: TestChain;
}

/**
 * A `test` whose chains have these options and begin with what `prepare` did, which runs once per file. Create it at the top
 * of the file, not in a `describe`.
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
        // The hooks of a failed test run after this, when the chain is closed. A test with `fails` is meant to fail.
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
 * Counts which Move code the tests of this file run, for the option `coverage` of `movelet/vitest-plugin`, whose setup file
 * calls this. From then on, Move code is interpreted.
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

/** Once the tests of the file have run, stores a value with the file, where the plugin finds it. */
function leaveMeta(name: string, value: () => unknown): void {
  afterAll(function () {
    // Vitest 3 passes the file first and Vitest 4 second; both refuse a function whose first parameter is a plain name.
    // biome-ignore lint/complexity/noArguments: neither form of parameters fits both
    const { file } = [...arguments].at(-1) as { readonly file: RunnerTestFile };
    Object.assign(file.meta, { [name]: value() });
  });
}

/** Prints what happened on the chain of a failed test. */
async function tell(chain: TestChain, task: Task): Promise<void> {
  const { name, file } = task;
  // Tests in other groups may have the same name.
  const groups: string[] = [];
  for (let { suite } = task; suite !== undefined && suite !== file; { suite } = suite) groups.unshift(suite.name);
  const told = [chain.explain(), (await chain.leaveReplay([file.name, ...groups, name].join(' '))) ?? ''];
  const text = told.filter((part) => part !== '').join('\n');
  // Vitest prints the name of the test above this.
  if (text !== '') console.error(text);
}

/** A test on a fresh chain of the default options. */
export const test: TestAPI<ChainFixtures> = testOn();

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that is extended has it
  interface Matchers<T = any> {
    /** For a receipt: whether the transaction was executed, and neither aborted nor failed. */
    toBeExecuted(): void;
    /** For a receipt: whether Move code aborted with this code, or with the code of this name. */
    toAbortWith(code: bigint | number | string): void;
    /** For a receipt: whether there is an event with these members whose type is this one or ends with it. */
    toEmit(type: string, value?: object): void;
    /** For a function: whether calling it changes a balance by this much. */
    toChangeBalance(of: BalanceOf, difference: bigint | number): Promise<void>;
    /** For an engine: whether an address owns an unspent output with these members. */
    toOwnUtxo(owner: AddressInput, members?: object): Promise<void>;
  }
}
