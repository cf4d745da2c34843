/**
 * Contracts that loop, recurse, grow, nest, emit, instantiate and call costly natives, at the usual gas limit: each
 * meets its gas or a bound that is stated. What they are bounded by is counted and not timed, so that every engine agrees
 * on who fails: one that begins with nothing, one that has run all of them before, and one that interprets.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { MAX_GAS_AMOUNT_DEFAULT } from '../../src/base/config.ts';
import { PREPARED_EXACT_MAX, PREPARED_KEPT_MAX, PREPARED_MAX } from '../../src/vm/link/preparation.ts';
import { isLong } from '../effort.ts';
import { publishFor } from './contract.ts';
import { HOSTILE } from './hostile-contracts.ts';
import { ALICE, callOf, StepChain } from './step-chain.ts';

interface Ending {
  readonly status: unknown;
  readonly gasUsed: bigint;
  /** Milliseconds on the clock, for inspection. */
  readonly took: number;
}

/** Runs the contract on a chain of its own, several times. */
async function run(
  text: string,
  rounds: number,
  options: Parameters<typeof StepChain.open>[0] = {},
): Promise<Ending[]> {
  const chain = await StepChain.open(options);
  const published = chain.send(ALICE, publishFor(ALICE, `module 0xa11ce::m\n${text}`), {
    maxGasAmount: MAX_GAS_AMOUNT_DEFAULT,
  });
  expect(published.failure).toBeUndefined();
  return Array.from({ length: rounds }, () => {
    const begun = performance.now();
    const { status, gasUsed } = chain.send(ALICE, callOf(`${ALICE.address}::m::f`), {
      maxGasAmount: MAX_GAS_AMOUNT_DEFAULT,
    });
    return { status, gasUsed, took: performance.now() - begun };
  });
}

const outcome = ({ status, gasUsed }: Ending): unknown => [status, gasUsed];
const table: string[] = [];

describe('a hostile contract', () => {
  afterAll(() => console.info(`milliseconds at the usual gas limit\n${table.join('\n')}`));

  const note = isLong ? '' : ' (those that take seconds are skipped: no long run)';
  it.each(HOSTILE.filter((contract) => isLong || contract.isLong !== true))(
    `($name) meets its gas or a stated bound, wherever it runs${note}`,
    async ({ name, text, ends }) => {
      const [first, second = first] = await run(text, isLong ? 2 : 1);
      expect(first!.status).toMatchObject({ kind: ends });
      expect(outcome(second!)).toEqual(outcome(first!));
      if (isLong) {
        const [interpreted] = await run(text, 1, { engine: 'interpret' });
        expect(outcome(interpreted!)).toEqual(outcome(first!));
      }
      table.push(`${name}: ${Math.round(first!.took)}`);
    },
  );
});

describe('the bound of what is prepared', () => {
  it('is more than what may be prepared at once and what may be kept', () => {
    expect(PREPARED_EXACT_MAX).toBeGreaterThanOrEqual(PREPARED_MAX + PREPARED_KEPT_MAX);
  });

  /** Ends after one walk of the tree. */
  const once = (levels: number): string => {
    const level = (at: number): string => `fun f${at}<T>() { Call f${at + 1}<A<T>>; Call f${at + 1}<B<T>>; Ret }`;
    return `struct A<phantom T> has copy, drop { x: bool }
      struct B<phantom T> has copy, drop { x: bool }
      ${Array.from({ length: levels }, (_, at) => level(at)).join('\n')}
      fun f${levels}<T>() { Ret }
      entry fun f() { Call f0<u8>; Ret }`;
  };

  it.each(isLong ? [9, 11, 12, 13, 15, 16] : [9, 15])(
    'is met by all engines alike (a tree of %d levels)',
    async (levels) => {
      const [cold, warm] = await run(once(levels), 2);
      expect(outcome(warm!)).toEqual(outcome(cold!));
      const [interpreted] = await run(once(levels), 1, { engine: 'interpret' });
      expect(outcome(interpreted!)).toEqual(outcome(cold!));
      expect(cold!.status).toEqual({ kind: levels < 14 ? 'executed' : 'miscellaneous-error' });
    },
  );
});
