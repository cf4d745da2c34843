/** Tests of an assembled package: no compiler is needed, and its address is a short one. */
import { describe, expect, it } from 'vitest';
import type { ExpectedFailure, UnitTest } from '../../../src/compile/index.ts';
import { coverageOf } from '../../../src/compile/unit-test/coverage.ts';
import { runUnitTest } from '../../../src/compile/unit-test/run.ts';
import type { TestedPackage } from '../../../src/compile/unit-test/tested-package.ts';
import { UnitTestChain } from '../../../src/compile/unit-test/unit-test-chain.ts';
import { CoveredCode } from '../../../src/execution/trace/covered-code.ts';
import { withExterns } from '../../execution/runtime/externs.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';

const MODULE = `module 0x42::counted
  fun used() { Ret }
  fun unused() { Ret }
  fun calls() { Call used; Call used; Ret }
  fun spins() { again: Branch again }
  fun hashes() {
    again: LdConst vector<u8> 0x40${'00'.repeat(64)}; Call 0x1::hash::sha2_256; Pop; Branch again
  }
`;

const unitTest = (name: string, expected?: ExpectedFailure): UnitTest => ({
  module: '0x42::counted',
  name,
  arguments: [],
  ...(expected && { expected }),
  path: 'sources/counted.move',
  line: 1,
});

const tested: TestedPackage = {
  name: 'Counted',
  modules: [
    {
      address: '0x42',
      name: 'counted',
      bytes: assembleModuleBytes(withExterns(MODULE)),
      constants: {},
      lines: undefined,
    },
  ],
  tests: [unitTest('calls')],
};

const chain = new UnitTestChain(tested);

describe('coverage', () => {
  it('counts the calls in modules whose address has leading zeros', () => {
    const covered = new CoveredCode();
    expect(runUnitTest(chain, tested, tested.tests[0]!, { covered }).passed).toBe(true);
    const [ofModule] = coverageOf(tested, covered);
    const calls = Object.fromEntries(ofModule!.functions.map((each) => [each.name, each.calls]));
    expect(calls).toMatchObject({ used: 2, unused: 0, spins: 0 });
  });
});

describe('a test that is expected to run out of gas', () => {
  const passes = (name: string, location: string, gasMax = 100_000n): boolean =>
    runUnitTest(chain, tested, unitTest(name, { status: 'OUT_OF_GAS', location }), { gasMax }).passed;

  // The status itself has no place: the reference keeps none for it.
  it('may say in which module', () => {
    expect(passes('spins', '0x42::counted')).toBe(true);
    expect(passes('spins', '0x1::hash')).toBe(false);
  });

  it('runs out of it in one module only, a native among them', () => {
    const modules = ['0x42::counted', '0x1::hash'];
    const found = new Set<string>();
    for (let gasMax = 1n; gasMax < 20_000n; gasMax += 211n) {
      const met = modules.filter((module) => passes('hashes', module, gasMax));
      expect(met).toHaveLength(1);
      found.add(met[0]!);
    }
    expect([...found].sort()).toEqual([...modules].sort());
  });
});
