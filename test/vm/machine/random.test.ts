import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLong, runs, seed } from '../../effort.ts';
import { type Choose, randomArgument, randomProgram } from './random-program.ts';
import { BoundedWork, SMALL_SCHEDULE, type Summary, UNIT_SCHEDULE, World } from './world.ts';

/** Choices from a list of numbers; when it is used up, always the simplest. */
function choicesFrom(numbers: readonly number[]): Choose {
  let at = 0;
  return (bound) => (numbers[at++] ?? 0) % bound;
}

const PROGRAMS = runs(50, 10_000);
/** Calls of a program, each with other arguments. */
const CALLS = 40;
const PARAMETERS_MAX = 5;
const BUDGET = 100_000n;
/** Instructions in all: a million in a short run. */
const INSTRUCTIONS = BigInt(4_000 * PROGRAMS);

interface Seen {
  returned: number;
  failed: number;
  outOfGas: number;
  outOfWork: number;
  instructions: bigint;
}

/** Runs a program on all engines, and once more with a price of one for each instruction, which counts them. */
function drive(
  choices: readonly number[],
  arguments_: readonly number[],
  fractions: readonly number[],
  seen: Seen,
): void {
  const { text, parameters } = randomProgram(choicesFrom(choices), PARAMETERS_MAX);
  let room = Number.POSITIVE_INFINITY;
  const world = new World([text], { schedule: SMALL_SCHEDULE, work: () => new BoundedWork(room) });
  const counting = new World([text], { schedule: UNIT_SCHEDULE });
  const choose = choicesFrom(arguments_);
  for (let call = 0; call < (parameters.length === 0 ? 1 : CALLS); call++) {
    const given = parameters.map((type) => ({ bytes: randomArgument(choose, type) }));
    // Work for all long constants, for none, or for some of those that a call loads.
    room = call % 4 === 3 ? 4 * call : Number.POSITIVE_INFINITY;
    const run = (budget: bigint): Summary => {
      const interpreted = world.runArguments('interpret', 'program::main', given, budget);
      for (const engine of ['translate', 'switch', 'mixed'] as const) {
        expect(world.runArguments(engine, 'program::main', given, budget), engine).toEqual(interpreted);
      }
      return interpreted;
    };
    const { result, gasUsed } = run(BUDGET);
    if (result.startsWith('EXECUTION_LIMIT_REACHED')) seen.outOfWork++;
    else if (result.startsWith('OUT_OF_GAS')) seen.outOfGas++;
    else if (/^[A-Z]/.test(result)) seen.failed++;
    else seen.returned++;
    seen.instructions += counting.runArguments('interpret', 'program::main', given, BUDGET / 3n).gasUsed;
    if (gasUsed === 0n || call % 8 !== 0) continue;
    for (const fraction of fractions) run((gasUsed * BigInt(fraction)) / 1000n);
    run(gasUsed - 1n);
  }
}

it(`runs ${PROGRAMS} random programs the same way on every engine`, { timeout: isLong ? 3_600_000 : 600_000 }, () => {
  const seen: Seen = { returned: 0, failed: 0, outOfGas: 0, outOfWork: 0, instructions: 0n };
  const programs = fc.property(
    fc.array(fc.nat(0xffff), { minLength: 200, maxLength: 1200, size: 'max' }),
    fc.array(fc.nat(0xffff), { minLength: 100, maxLength: 1000, size: 'max' }),
    fc.array(fc.nat(999), { minLength: 4, maxLength: 4 }),
    (choices, arguments_, fractions) => drive(choices, arguments_, fractions, seen),
  );
  // Most programs are short; if none looped for long, more are run.
  for (let part = 1; part === 1 || seen.instructions < INSTRUCTIONS; part++) {
    fc.assert(programs, { numRuns: PROGRAMS, seed: seed + part - 1 });
  }
  // The generator is of use only while its programs do not all fail at once.
  expect(seen.returned).toBeGreaterThan(PROGRAMS / 10);
  expect(seen.failed).toBeGreaterThan(PROGRAMS / 20);
});
