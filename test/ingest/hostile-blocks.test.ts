/**
 * Blocks that consensus allows and that a miner would have to fill for the purpose, whole: none of them stops the chain,
 * or takes more than a minute or a gigabyte beyond what the process takes when it is quiet. (What a chain in memory
 * holds is no part of that: its rows are there.)
 */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../crash/bundled.ts';
import { isLong } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const BLOCKS = [
  ['make', 57_000],
  ['make', 560_000],
  ['fill', 57_000],
  ['outputs', 109_000],
  ['move', 40_000],
  ['fees', 40_000],
  ['again', 40_000],
  ['again', 100],
] as const;
const SECONDS_MAX = 60;
const MEGABYTES_MAX = 1_024;
const TIMEOUT_MS = 3_600_000;
const directory = temporaryDirectories();
const note = isLong ? '' : ' (skipped: set MOVELET_LONG=1)';

describe.skipIf(!isLong)(`hostile blocks${note}`, () => {
  let child: string;
  beforeAll(async () => {
    child = await bundled(new URL('hostile-child.ts', import.meta.url));
  });

  it.each(BLOCKS)('%s %i, LevelDB', { timeout: TIMEOUT_MS }, (kind, count) => {
    for (const { seconds, peak, quiet } of take(kind, count, directory())) {
      expect(seconds).toBeLessThan(SECONDS_MAX);
      expect(peak - quiet).toBeLessThan(MEGABYTES_MAX);
    }
  });

  it.each(BLOCKS)('%s %i, memory', { timeout: TIMEOUT_MS }, (kind, count) => {
    for (const { seconds } of take(kind, count)) expect(seconds).toBeLessThan(SECONDS_MAX);
  });

  interface Taken {
    readonly seconds: number;
    /** Megabytes. */
    readonly peak: number;
    readonly quiet: number;
  }

  function take(kind: string, count: number, ...store: readonly string[]): Taken[] {
    const { status, stdout, stderr } = spawnSync(process.execPath, [child, kind, String(count), ...store]);
    expect([status, String(stderr)]).toEqual([0, '']);
    const lines = String(stdout).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Taken);
  }
});
