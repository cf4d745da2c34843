/** Whatever once broke the node no longer does, nor do a few random inputs of each area; `npm run fuzz` tries more. */
import { describe, expect, it } from 'vitest';
import { randomNumbers, runs, seed } from '../effort.ts';
import { AREAS } from './areas.ts';
import { corpusOf, fuzz } from './fuzzer.ts';

describe(`fuzzing with seed ${seed}`, () => {
  it.each(Object.keys(AREAS))('%s', { timeout: 600_000 }, async (name) => {
    const area = await AREAS[name]!();
    try {
      const corpus = corpusOf(name);
      const some = [...area.seeds.slice(0, runs(3, 10_000))];
      const cases = corpus.size + some.length + runs(10, 10_000);
      const result = await fuzz(
        { ...area, seeds: some },
        corpus.values(),
        randomNumbers(seed),
        (done) => done >= cases,
      );
      const { input = new Uint8Array(0), error } = result.found ?? {};
      expect(
        error,
        `${name}, seed ${seed}, input ${Buffer.from(input).toString('base64').slice(0, 500)}`,
      ).toBeUndefined();
      expect(result.cases).toBeGreaterThanOrEqual(cases);
    } finally {
      await area.close();
    }
  });
});
