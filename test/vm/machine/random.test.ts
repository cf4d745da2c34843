import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Choose, randomProgram } from './random-program.ts';
import { SMALL_SCHEDULE, World } from './world.ts';

/** Choices from a list of numbers; when it is used up, always the simplest. */
function choicesFrom(numbers: readonly number[]): Choose {
  let at = 0;
  return (bound) => (numbers[at++] ?? 0) % bound;
}

const PROGRAMS = Number(process.env['MOVELET_FUZZ_RUNS'] ?? 250);

it(`runs ${PROGRAMS} random programs the same way by every engine`, { timeout: 600_000 }, () => {
  const seen = { returned: 0, failed: 0, outOfGas: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.nat(0xffff), { minLength: 200, maxLength: 1200, size: 'max' }),
      fc.array(fc.nat(999), { minLength: 4, maxLength: 4 }),
      (choices, fractions) => {
        const world = new World([randomProgram(choicesFrom(choices))], { schedule: SMALL_SCHEDULE });
        const run = (budget: bigint): string => {
          const interpreted = world.run('interpret', 'program::main', [], budget);
          expect(world.run('translate', 'program::main', [], budget)).toEqual(interpreted);
          expect(world.run('switch', 'program::main', [], budget)).toEqual(interpreted);
          expect(world.run('mixed', 'program::main', [], budget)).toEqual(interpreted);
          total = interpreted.gasUsed;
          return interpreted.result;
        };
        let total = 0n;
        const result = run(100_000n);
        if (result.startsWith('OUT_OF_GAS')) seen.outOfGas++;
        else if (/^[A-Z]/.test(result)) seen.failed++;
        else seen.returned++;
        const whole = total;
        for (const fraction of fractions) run((whole * BigInt(fraction)) / 1000n);
        if (whole > 0n) run(whole - 1n);
      },
    ),
    { numRuns: PROGRAMS, seed: process.env['CI'] === undefined ? undefined : 1 } as fc.Parameters<unknown>,
  );
  // The generator is of use only while its programs do not all fail at once.
  expect(seen.returned).toBeGreaterThan(PROGRAMS / 10);
  expect(seen.failed).toBeGreaterThan(PROGRAMS / 20);
});
