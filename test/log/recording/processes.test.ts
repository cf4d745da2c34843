/**
 * A recorded run of everything leads to the same roots in processes of their own: in memory, on disk, interpreted, and
 * under other versions of Node, whose binaries MOVELET_NODES names, with colons between them.
 *
 * The run has 150 inputs here, and 10,000 in the long run, which takes minutes a process.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine, record } from '../../../src/index.ts';
import { bundled } from '../../crash/bundled.ts';
import { isLong, seed } from '../../effort.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { headText } from './head-text.ts';
import { MIXED_OPTIONS, playMixedRun, tickingClock } from './mixed-run.ts';

const INPUTS = isLong ? 10_000 : 150;
const nodes = (process.env['MOVELET_NODES'] ?? '').split(':').filter((path) => path !== '');
const newDirectory = temporaryDirectories();
const TIMEOUT_MS = isLong ? 3_600_000 : 600_000;
const length = isLong ? '' : ' (10,000 inputs take minutes: MOVELET_LONG=1 plays them)';

describe(`a recorded run of ${INPUTS} mixed inputs${length}`, { timeout: TIMEOUT_MS }, () => {
  let child: string;
  let file: string;
  let ending: string;

  beforeAll(async () => {
    await using engine = await Engine.open({ ...MIXED_OPTIONS, clock: tickingClock() });
    const recording = record(engine);
    await playMixedRun(engine, { seed, orders: INPUTS, reverts: true });
    expect(recording.inputs).toBeGreaterThanOrEqual(INPUTS);
    ending = headText(engine);
    const bytes = await recording.bytes();
    file = join(newDirectory(), 'mixed.run');
    writeFileSync(file, bytes);
    if (isLong) console.info(`${recording.inputs} inputs in ${bytes.length} bytes`);
    child = await bundled(new URL('replay-child.ts', import.meta.url));
  }, TIMEOUT_MS);

  const run = (node: string, ...given: readonly string[]): string =>
    execFileSync(node, [...given.slice(1), child, file, ...given.slice(0, 1)].filter(Boolean), { encoding: 'utf8' });

  it('ends where it ended, in memory', () => {
    expect(run(process.execPath)).toBe(ending);
  });

  it('ends where it ended, on disk', () => {
    expect(run(process.execPath, newDirectory())).toBe(ending);
  });

  it('ends where it ended when code cannot be generated, and all is interpreted', () => {
    expect(run(process.execPath, '', '--disallow-code-generation-from-strings')).toBe(ending);
  });

  const note = nodes.length > 0 ? '' : ' (skipped: MOVELET_NODES names none)';
  it.skipIf(nodes.length === 0)(`ends where it ended under other versions of Node${note}`, () => {
    for (const node of nodes) {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
      expect(run(node), version).toBe(ending);
      expect(run(node, newDirectory()), version).toBe(ending);
      console.info(`the same under ${version}`);
    }
  });
});
