/**
 * Every function of our framework, with what random transactions give it, by both engines with real natives: values,
 * status, location, gas, changes, events and context must agree, and so must the end of every run that has too little
 * gas. What the values are is not looked at here.
 */
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { State } from '../../../src/chain/state/state.ts';
import { FRAMEWORK_PACKAGES, type FrameworkPackage } from '../../../src/execution/framework/framework.ts';
import { GENESIS_GAS_ENTRIES, gasEntriesOf } from '../../../src/execution/framework/gas-schedule.ts';
import type { GasEntries } from '../../../src/execution/runtime/machine-cache.ts';
import { localGenesis } from '../../../src/pipeline/local-chain.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { isLong, randomNumbers, runs, seed } from '../../effort.ts';
import { Chain, Stage } from './framework-world.ts';
import { describeSteps, hasFailed, isOutOfGas, nameOfStep, outcomeOf } from './outcomes.ts';
import { Director, type Transaction } from './random-call.ts';
import { CONTEXTS, playScenes, TYPE_ARGUMENTS } from './scenes.ts';
import { type Target, targetsOf } from './target.ts';

const ROUNDS = runs(1, 60);
/** Some functions loop as long as there is gas. */
const BUDGET = 3_000_000n;
/** Small, different prices, so that a run has few points at which it can run out of gas. */
const SMALL_PRICES: GasEntries = new Map(GENESIS_GAS_ENTRIES.map(([name], index) => [name, BigInt(1 + (index % 5))]));
const POINTS = runs(2, 30);
/** One in every so many functions is run with every amount of gas, if it takes no more than this. */
const WHOLE_EVERY = runs(48, 2);
const WHOLE_MAX = 600n;
/** A short run gives every third function too little gas, from a random one on. */
const STARVED_EVERY = runs(3, 1);
const TIMEOUT = isLong ? 3_600_000 : 600_000;

const random = randomNumbers(seed);

function targetsOfPackage({ modules }: FrameworkPackage): Target[] {
  return modules.flatMap(({ bytes }) => targetsOf(readModule(bytes)));
}

/** A new local chain, on which both engines run at these prices. */
async function direct(gasEntries: (state: State) => GasEntries): Promise<Director> {
  const chain = await Chain.open();
  const director = new Director(random, {
    stages: (['interpret', 'translate'] as const).map((engine) => new Stage(chain, { engine, gasEntries })),
    typeArguments: TYPE_ARGUMENTS,
    contexts: CONTEXTS,
    objects: (await localGenesis({})).output.changeSet.changes,
  });
  for (const transaction of playScenes(director, FRAMEWORK_PACKAGES.flatMap(targetsOfPackage))) agree(transaction);
  return director;
}

function agree(transaction: Transaction): void {
  const [interpreted, translated] = transaction.results;
  expectEqual(outcomeOf(translated!), outcomeOf(interpreted!), transaction);
}

/** Describes the transaction only if something differs: that takes as long as running it. */
function expectEqual(actual: unknown, expected: unknown, transaction: Transaction): void {
  if (isDeepStrictEqual(actual, expected)) return;
  expect(actual, `${describeSteps(transaction)}\nMOVELET_FUZZ_SEED=${seed}`).toEqual(expected);
}

describe('the functions of our framework, translated and interpreted', () => {
  let director: Director;
  const called = new Set<string>();
  let returned = 0;
  beforeAll(async () => {
    director = await direct(gasEntriesOf);
  });

  function run(targets: readonly Target[]): void {
    const transaction = director.run(targets, BUDGET);
    agree(transaction);
    for (const step of transaction.steps) called.add(nameOfStep(step));
    if (hasFailed(transaction.results[0]!)) return;
    returned++;
    director.commit(transaction);
  }

  it.each(FRAMEWORK_PACKAGES.map((framework) => [framework.name, framework] as const))(
    'do the same: those of %s',
    (_name, framework) => {
      const targets = targetsOfPackage(framework);
      const byModule = new Map<string, Target[]>();
      for (const target of targets) {
        byModule.set(target.module.name, [...(byModule.get(target.module.name) ?? []), target]);
      }
      for (let round = 0; round < ROUNDS; round++) {
        for (const target of targets) {
          run([target]);
          const siblings = byModule.get(target.module.name)!;
          if (random(3) === 0) run([siblings[random(siblings.length)]!, siblings[random(siblings.length)]!, target]);
        }
      }
      for (const target of targets)
        for (let more = 0; more < 20 && !called.has(nameOfStep(target)); more++) run([target]);
      expect(targets.map(nameOfStep).filter((name) => !called.has(name))).toEqual([]);
      expect(returned).toBeGreaterThan(targets.length / 3);
    },
    TIMEOUT,
  );
});

const note = STARVED_EVERY === 1 ? '' : ' (every third: MOVELET_LONG=1 takes all)';

describe(`the functions of our framework with too little gas${note}`, () => {
  it(
    'end at the same place, translated and interpreted',
    async () => {
      const director = await direct(() => SMALL_PRICES);
      const first = random(STARVED_EVERY);
      const targets = FRAMEWORK_PACKAGES.flatMap(targetsOfPackage).filter(
        (_, index) => index % STARVED_EVERY === first,
      );
      let points = 0;
      for (const target of targets) {
        const transaction = director.run([target], BUDGET);
        agree(transaction);
        const [whole] = transaction.results;
        const total = whole!.results[0]?.gasUsed ?? 0n;
        if (total === 0n || isOutOfGas(whole!)) continue;
        for (const gasBudget of budgets(total)) {
          const short = director.play(transaction.steps, { ...transaction.settings, gasBudget });
          agree(short);
          const { text, gasUsed } = short.results[0]!.results[0]!;
          expectEqual([text, gasUsed], ['OUT_OF_GAS at nowhere', gasBudget], short);
          points++;
        }
        const enough = director.play(transaction.steps, { ...transaction.settings, gasBudget: total });
        expectEqual(enough.results[0]!.results, whole!.results, enough);
        if (!hasFailed(whole!)) director.commit(transaction);
      }
      expect(points).toBeGreaterThan(targets.length);
    },
    TIMEOUT,
  );
});

/** Amounts below what a run takes: all, or the largest and random ones. */
function budgets(total: bigint): bigint[] {
  if (total <= WHOLE_MAX && random(WHOLE_EVERY) === 0)
    return Array.from({ length: Number(total) }, (_, index) => BigInt(index));
  const below = Number(total < 2n ** 31n ? total : 2n ** 31n);
  return [total - 1n, ...Array.from({ length: POINTS }, () => BigInt(random(below)))];
}
