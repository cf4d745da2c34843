/** A contract with a bug that only shows with some amounts, and two ways to find it with random calls. */

import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { DEV_ACCOUNTS, type Engine } from 'movelet';
import { compile } from 'movelet/compile';
import { argumentsOf, invariant } from 'movelet/fast-check';
import { expect, testOn } from 'movelet/vitest';

const alice = DEV_ACCOUNTS[0]!.address;
const splitter = `${alice}::splitter`;

const test = testOn({
  prepare: async (engine) => engine.publish(alice, await compile(fileURLToPath(new URL('.', import.meta.url)))),
});

/** Whether the parties got everything that was received. */
function holds(chain: Engine): boolean {
  const [received, first, second] = chain.view({ function: `${splitter}::totals` }) as [bigint, bigint, bigint];
  return first + second === received;
}

test('what is received is what the parties get', async ({ engine }) => {
  const broken = invariant(engine, { calls: [splitter], holds });
  await expect(broken).rejects.toThrow(
    /the invariant is broken after 1 call \(seed 1\)[\s\S]*splitter::pay\(.*, 1\), executed/,
  );
});

test('a single payment goes to the parties', async ({ engine }) => {
  const pay = `${splitter}::pay`;
  const property = fc.asyncProperty(await argumentsOf(engine, pay), async (values) => {
    await using chain = engine.fork();
    await chain.executeAs(alice, { function: pay, arguments: values });
    return holds(chain);
  });
  await expect(fc.assert(property, { seed: 1 })).rejects.toThrow('Property failed');
});
