/**
 * A process that is killed while it writes a transaction in pieces: what it leaves is the chain before that transaction,
 * whole, and the next block goes on from there.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound } from './sound.ts';

/** A short run has smaller bounds with the same effect: each block has some thirty pieces. */
const BOUNDS = {
  COMMIT_SHARED_OPERATIONS_MAX: 1_000,
  LARGE_BATCH_HELD_OPERATIONS_MAX: 1_000,
  LARGE_BATCH_PIECE_OPERATIONS_MAX: 250,
};
/** Above COMMIT_SHARED_OPERATIONS_MAX rows each. */
const COUNT = isLong ? 60_000 : 900;
const ROUNDS = isLong ? 30 : 2;
const KILLED_MS_MAX = isLong ? 20_000 : 250;
const directory = temporaryDirectories();
let child: string;
beforeAll(async () => {
  child = await bundled(new URL('inscriptions-child.ts', import.meta.url), isLong ? {} : BOUNDS);
});

/** Runs the child until it has printed `lines` lines after it opened and `milliseconds` have passed, and kills it. */
async function killed(path: string, lines: number, milliseconds: number): Promise<number> {
  const running = spawn(process.execPath, [child, path, String(COUNT)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => running.on('close', () => resolve()));
  running.stdin.write('\n');
  let height = -1;
  let told = -1;
  for await (const line of createInterface(running.stdout)) {
    if (line === 'open') told = 0;
    else if (line !== 'ready') {
      height = Number(line);
      told++;
    }
    if (told === lines) setTimeout(() => running.kill('SIGKILL'), milliseconds);
  }
  await ended;
  expect(running.signalCode).toBe('SIGKILL');
  return height;
}

describe('a process that is killed while it writes a transaction in pieces', () => {
  it('leaves a whole chain, on which the next block stands', { timeout: 3_600_000 }, async () => {
    const path = directory();
    const next = randomNumbers(seed);
    for (let round = 0; round < ROUNDS; round++) {
      // The first block is killed while it makes inscriptions, the second while it moves them.
      const acknowledged = await killed(path, round % 2, next(KILLED_MS_MAX));
      const engine = await Engine.open({ store: path });
      const { confirmed, pending } = engine.bitcoin.status();
      expect(confirmed?.blockHeight ?? -1n).toBeGreaterThanOrEqual(BigInt(acknowledged));
      expect(engine.status().lostCommits).toBe(0n);
      const { height: mined } = await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
      // A block that was pending when the process died is finished first.
      expect(BigInt(mined)).toBe((pending?.blockHeight ?? -1n) + 1n);
      expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(BigInt(mined));
      await engine.close();
    }
    await expectSound(path);
  });
});
