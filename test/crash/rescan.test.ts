/**
 * A process that is killed while what a scan of older blocks found is added: what it leaves is sound, has all that was
 * acknowledged and nothing that the blocks do not have, and scanning again adds the rest.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { feed } from '../pipeline/ingest/chain.ts';
import { shown } from '../pipeline/ingest/shown.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { alice, bob, rescannedChain } from './rescanned-chain.ts';
import { expectSound } from './sound.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
const next = randomNumbers(seed);
const rounds = isLong ? 100 : 4;

let child: string;
beforeAll(async () => {
  // Some sixty pieces, and a batch of the store for every few of them.
  child = await bundled(new URL('rescan-child.ts', import.meta.url), {
    RESCAN_PIECE_BYTES: 400,
    WRITER_GROUP_COMMITS_MAX: 4,
  });
});

type Shown = Record<keyof ReturnType<typeof shown>, string[]>;

/** What an engine has, each output and each inscription as text. */
function textsOf(engine: Engine): Shown {
  const { outputs, inscriptions } = shown(engine);
  const text = (one: unknown): string =>
    JSON.stringify(one, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return { outputs: outputs.map(text), inscriptions: inscriptions.map(text) };
}

/** Those of `some` that are not in `all`. */
function beyond(some: Shown, all: Shown): string[] {
  return (['outputs', 'inscriptions'] as const).flatMap((kind) => {
    const known = new Set(all[kind]);
    return some[kind].filter((one) => !known.has(one));
  });
}

async function watching(owners: readonly string[], store?: string): Promise<Engine> {
  const engine = await Engine.open({ ...(store !== undefined && { store }), ingest: { owners } });
  await feed(engine, rescannedChain().blocks);
  return engine;
}

it('keeps what it acknowledged, and the next scan adds the rest to the chain', {
  timeout: 3_600_000,
}, async () => {
  const place = directory();
  const [original, path] = [join(place, 'original'), join(place, 'data')];
  await using always = await watching([alice, bob]);
  const all = textsOf(always);
  const begun = await watching([alice], original);
  const { order: first } = begun.head;
  const least = textsOf(begun);
  await begun.close();
  cpSync(original, path, { recursive: true });
  let before = { order: first, has: least };
  let partial = 0;
  for (let round = 0; round < rounds; round++) {
    const message = `round ${round}, seed ${seed}`;
    const isLast = round + 1 === rounds;
    // The first dies early in the additions, the last one completes them, the others die during them or at any time.
    const running = new Victim(child, path, String(isLast ? 1_000 : 1 + next(round === 0 ? 4 : 20)));
    await running.go();
    const isDone = (): boolean => running.lines.some((line) => line.startsWith('done'));
    if (round % 4 === 2 && !isLast) {
      await running.until(() => running.isOpen);
      await pause(next(300));
    } else {
      await running.until(() => running.hasEnded || isDone());
    }
    await running.kill();
    await expectSound(path);
    const engine = await Engine.open({ store: path, ingest: { owners: [alice, bob] } });
    const { order } = engine.head;
    const has = textsOf(engine);
    expect(engine.status().lostCommits, message).toBe(0n);
    await engine.close();
    const acknowledged = running.lines.filter((line) => /^\d+$/.test(line)).map(BigInt);
    expect(order, message).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? before.order);
    expect(beyond(has, all), message).toEqual([]);
    expect(beyond(before.has, has), message).toEqual([]);
    before = { order, has };
    const isComplete = beyond(all, has).length === 0;
    if (isDone()) expect(isComplete, message).toBe(true);
    if (!isComplete && order > first) partial++;
    if (!isComplete || isLast) continue;
    rmSync(path, { recursive: true });
    cpSync(original, path, { recursive: true });
    before = { order: first, has: least };
  }
  expect(before.has).toEqual(all);
  expect(partial).toBeGreaterThan(0);
});
