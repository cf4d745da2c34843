/**
 * Whole blocks that consensus allows and that a miner would have to fill on purpose: none of them stops the chain,
 * or takes more than a minute or a gigabyte beyond what the process takes when it is quiet. (What a chain in memory
 * holds is no part of that: its rows are there.) A process that is killed meanwhile leaves a chain that goes on.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { bundled } from '../../crash/bundled.ts';
import { isLong } from '../../effort.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const BLOCKS = [
  ['make', 57_000],
  ['make', 560_000],
  ['fill', 57_000],
  ['outputs', 109_000],
  ['items', 3_900_000],
  ['move', 40_000],
  ['fees', 40_000],
  ['again', 40_000],
  ['again', 100],
] as const;
/** Which of the blocks that a child reports is the one that its kind names. */
const LAST_LARGE: Readonly<Record<string, number>> = {
  make: 1,
  fill: 1,
  outputs: 1,
  items: 1,
  move: 4,
  fees: 4,
  again: 2,
};
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

  it.each(BLOCKS)('%s %i, LevelDB, killed in the middle', { timeout: TIMEOUT_MS }, async (kind, count) => {
    const path = directory();
    // Later each time, until the block is taken before the kill.
    for (let milliseconds = 1_000, isTaken = false; !isTaken; milliseconds *= 3) {
      isTaken = await killed(kind, count, path, milliseconds);
      await using engine = await Engine.open({ store: path });
      expect(engine.status().lostCommits).toBe(0n);
      const { height } = await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
      const { confirmed, pending } = engine.bitcoin.status();
      expect(confirmed?.blockHeight).toBe(BigInt(height));
      expect(pending).toEqual(confirmed);
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
    const lines = String(stdout)
      .trim()
      .split('\n')
      .filter((line) => line !== 'begin');
    return lines.map((line) => JSON.parse(line) as Taken);
  }

  /** Kills the child that long after it began its last large block. True if it had taken that one. */
  async function killed(kind: string, count: number, path: string, milliseconds: number): Promise<boolean> {
    const running = spawn(process.execPath, [child, kind, String(count), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(running, 'close');
    let isTaken = false;
    let begun = 0;
    for await (const line of createInterface(running.stdout)) {
      if (line !== 'begin') isTaken ||= begun === LAST_LARGE[kind];
      else if (++begun === LAST_LARGE[kind]) setTimeout(() => running.kill('SIGKILL'), milliseconds);
    }
    const [code, signal] = await ended;
    // Unless it has taken that block and ended before.
    if (!isTaken || code !== 0) expect(signal).toBe('SIGKILL');
    return isTaken;
  }
});
