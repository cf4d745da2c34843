import { describe, expect, it } from 'vitest';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { addressOf } from '../../../src/move/address.ts';
import { runs, seed } from '../../effort.ts';
import { randomNumbers } from '../../random.ts';
import { generatedModule } from './generated-module.ts';

describe(`modules of random code, from seed ${seed}`, () => {
  it('compile, and our verifier takes them', { timeout: 600_000 }, () => {
    const addresses = new Map([['a', addressOf(0xa)]]);
    const mode = { hasTests: false, hasVerification: false };
    for (let at = 0; at < runs(10, 1_000); at++) {
      const files = new Map([['m.move', generatedModule('m', randomNumbers(seed + at))]]);
      const output = compileMove({ targets: [{ files, addresses }], dependencies: [], mode });
      const errors = output.diagnostics.sorted().filter(({ kind }) => kind.severity !== 'warning');
      expect(errors, `seed ${seed + at}`).toEqual([]);
      expect(output.modules).toHaveLength(1);
    }
  });
});
