/**
 * Modules with random changes: reading and verifying one ends in a verdict, and what the verifier lets pass runs the
 * same way on every engine, to a result or a status. 4,000 of them; 1,000,000 in a long run.
 */
import { describe, expect, it } from 'vitest';
import { equalBytes } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';
import type { Module } from '../../src/vm/binary/module.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { verifyDependencies } from '../../src/vm/verify/dependencies.ts';
import { verifyModule } from '../../src/vm/verify/verify.ts';
import { isLong, runs, seed } from '../effort.ts';
import { hasReference } from './corpus.ts';
import { lookup, MutantRunner, MutantSource } from './mutants.ts';

const COUNT = runs(1_000, 1_000_000);
/** Fifty times what one takes: whatever needs longer hangs. */
const MILLISECONDS_EACH_MAX = 60;

/** The module, unless reading it ends in `malformed-module` with a status; nothing else may escape. */
function read(bytes: Uint8Array): Module | undefined {
  try {
    return readModule(bytes);
  } catch (thrown) {
    if (thrown instanceof EngineError && thrown.code === 'malformed-module' && 'statusCode' in thrown.details) return;
    throw thrown;
  }
}

describe(`${COUNT} mutated modules from seed ${seed}`, () => {
  it('neither crash nor hang the reader or the verifier, and those that pass run alike', {
    timeout: COUNT * MILLISECONDS_EACH_MAX,
  }, () => {
    const framework = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes));
    const source = new MutantSource(framework, hasReference);
    const runner = new MutantRunner();
    const seen = { mutants: 0, read: 0, verified: 0, linked: 0, executed: 0, calls: 0 };
    for (let number = seed; number < seed + COUNT; number++) {
      seen.mutants++;
      try {
        const mutant = source.mutant(number);
        const module = mutant === undefined ? undefined : read(mutant.bytes);
        if (mutant === undefined || module === undefined) continue;
        seen.read++;
        if (mutant.isWritten) expect(equalBytes(writeModule(module), mutant.bytes)).toBe(true);
        if (!verifyModule(module).ok) continue;
        seen.verified++;
        if (!verifyDependencies(module, lookup).ok) continue;
        seen.linked++;
        if (!runner.canRun(module)) continue;
        const ran = runner.run(module);
        if (typeof ran === 'string') throw new Error(ran);
        seen.executed++;
        seen.calls += ran;
      } catch (error) {
        throw new Error(`mutant ${number}: repeat with MOVELET_FUZZ_SEED=${number}`, { cause: error });
      }
      if (isLong && seen.mutants % 50_000 === 0) console.log(JSON.stringify(seen));
    }
    console.log(`mutated modules from seed ${seed}: ${JSON.stringify(seen)}`);
    expect(seen.read).toBeGreaterThan(COUNT / 4);
    expect(seen.verified).toBeGreaterThan(COUNT / 20);
    expect(seen.executed).toBeGreaterThan(COUNT / 40);
  });
});
