/** Whatever once broke the node no longer does, nor do a few random inputs of each area; `npm run fuzz` tries more. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { randomNumbers, runs, seed } from '../effort.ts';
import { textBytes } from './area.ts';
import { AREAS } from './areas.ts';
import { talk } from './frames.ts';
import { corpusOf, fuzz } from './fuzzer.ts';
import { GROWTH_BYTES_MAX, heldMemory, isBack, memoryText } from './memory.ts';

describe(`fuzzing with seed ${seed}`, () => {
  it.each(Object.keys(AREAS))('%s', { timeout: 600_000 }, async (name) => {
    const area = await AREAS[name]!();
    try {
      const corpus = corpusOf(name);
      const some = [...area.seeds.slice(0, runs(3, 10_000))];
      const cases = corpus.size + some.length + runs(10, 10_000);
      const result = await fuzz(
        // What other files take on their threads would be counted too: only `npm run fuzz` judges the time.
        { ...area, seeds: some, msMax: Number.POSITIVE_INFINITY },
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

it('tells a process that holds on to more from one that has let go of it', async () => {
  const start = await heldMemory();
  const kept = [new Uint8Array(GROWTH_BYTES_MAX + 32e6)];
  expect(isBack(start, await heldMemory()), memoryText(start)).toBe(false);
  expect(kept.pop()).toBeDefined();
  expect(isBack(start, await heldMemory()), memoryText(start)).toBe(true);
});

it('a connection that the node resets is no failure', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    expect(await talk((server.address() as AddressInfo).port, textBytes('x'), 10_000)).toBe('');
  } finally {
    server.close();
  }
});
