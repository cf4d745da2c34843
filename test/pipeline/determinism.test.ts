/**
 * One story of transactions, and the same roots, statuses, gas and events for each of them wherever it is told: in memory
 * and on disk, reopened after every line, after a snapshot and its return, in a fork, and in processes of their own:
 * interpreted, and under other versions of Node.
 *
 * MOVELET_NODES names other Node binaries, with colons between them.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/index.ts';
import { bundled } from '../crash/bundled.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { STORY } from './story.ts';
import { endingOf, narrator, STORY_OPTIONS } from './story-engine.ts';

const nodes = (process.env['MOVELET_NODES'] ?? '').split(':').filter((path) => path !== '');
const newDirectory = temporaryDirectories();

/** How the story ended, line by line, and what was signed. */
let told: string[];
let recorded: Uint8Array[];

/** Tells the recorded story to an engine. */
async function hear(engine: Engine): Promise<string[]> {
  const endings: string[] = [];
  for (const signed of recorded) endings.push(await endingOf(engine, signed));
  return endings;
}

describe('the same story of transactions', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await Engine.open(STORY_OPTIONS);
    told = [];
    recorded = [];
    for (const { sign } of STORY) {
      const signed = sign(narrator(engine));
      recorded.push(signed);
      told.push(await endingOf(engine, signed));
    }
    expect(engine.head.order).toBeGreaterThan(20n);
  });

  afterAll(() => engine.close());

  it('ends the same in another engine', async () => {
    await using other = await Engine.open(STORY_OPTIONS);
    expect(await hear(other)).toEqual(told);
  });

  it('ends the same on disk, reopened for each line', async () => {
    const store = newDirectory();
    const endings: string[] = [];
    for (const signed of recorded) {
      await using durable = await Engine.open({ ...STORY_OPTIONS, store, durability: 'os' });
      endings.push(await endingOf(durable, signed));
    }
    expect(endings).toEqual(told);
    await using durable = await Engine.open({ ...STORY_OPTIONS, store });
    expect(durable.head).toEqual(engine.head);
  });

  it('ends the same after snapshots and returns to them', async () => {
    await using other = await Engine.open(STORY_OPTIONS);
    const beginning = other.snapshot();
    const middle = Math.floor(recorded.length / 2);
    for (const signed of recorded.slice(0, middle)) await endingOf(other, signed);
    const snapshot = other.snapshot();
    for (const signed of recorded.slice(middle)) await endingOf(other, signed);
    await other.revert(snapshot);
    const rest: string[] = [];
    for (const signed of recorded.slice(middle)) rest.push(await endingOf(other, signed));
    expect(rest).toEqual(told.slice(middle));
    await other.revert(beginning);
    expect(await hear(other)).toEqual(told);
  });

  it('ends the same in forks, and forks of forks, while what they came from goes on', async () => {
    await using other = await Engine.open(STORY_OPTIONS);
    const forks: Engine[] = [];
    const endings: string[][] = [];
    for (const [index, signed] of recorded.entries()) {
      if (index % 8 === 0) {
        forks.push((forks.at(-1) ?? other).fork());
        endings.push(told.slice(0, index));
      }
      const all = await Promise.all([endingOf(other, signed), ...forks.map((fork) => endingOf(fork, signed))]);
      for (const [fork, ending] of all.slice(1).entries()) endings[fork]!.push(ending);
    }
    for (const fork of endings) expect(fork).toEqual(told);
    for (const fork of forks) await fork.close();
  });

  describe('in processes of their own', () => {
    let child: string;
    let file: string;

    beforeAll(async () => {
      child = await bundled(new URL('determinism-child.ts', import.meta.url));
      file = join(newDirectory(), 'story.json');
      writeFileSync(file, JSON.stringify(recorded.map(toHex)));
    });

    const run = (node: string, ...options: readonly string[]): unknown =>
      JSON.parse(execFileSync(node, [...options, child, file], { encoding: 'utf8' }));

    it('ends the same', () => {
      expect(run(process.execPath)).toEqual(told);
    });

    it('ends the same when code cannot be generated, and all is interpreted', () => {
      expect(run(process.execPath, '--disallow-code-generation-from-strings')).toEqual(told);
    });

    const note = nodes.length > 0 ? '' : ' (skipped: MOVELET_NODES names none)';
    it.skipIf(nodes.length === 0)(`ends the same under other versions of Node${note}`, () => {
      for (const node of nodes) {
        const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
        expect(run(node), version).toEqual(told);
        console.info(`the same under ${version}`);
      }
    });
  });
});
