/** An interruption from the keyboard: where it stopped, what is left, and how to go on. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { RegtestChain } from '../../src/bitcoin/index.ts';
import { Interrupted, Interruption, onEndSignal } from '../../src/cli/progress.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';

const directory = temporaryDirectories()();
const blocks = join(directory, 'blocks.hex');
const data = join(directory, 'data');
const COUNT = 300;

beforeAll(() => {
  const chain = new RegtestChain();
  for (let block = 0; block < COUNT; block++) chain.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  writeFileSync(blocks, chain.blocks.map(({ bytes }) => `${toHex(bytes)}\n`).join(''));
});

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** Has a program wait for the signal before it opens the file of blocks for the thirtieth time: it reads one block each time. */
const GATE = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { open } = fs.promises;
  let times = 0;
  fs.promises.open = async (path, ...rest) => {
    if (path === ${JSON.stringify(blocks)} && ++times === 30) await new Promise((go) => {
      const waiting = setInterval(() => {}, 1_000);
      process.once('SIGINT', () => go(clearInterval(waiting)));
    });
    return open(path, ...rest);
  };
  syncBuiltinESMExports();
`;

/** @param flags of Node */
function run(flags: readonly string[], ...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...flags, cli, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  child.stdout.resume();
  child.stdin.on('error', () => {});
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, stderr })) };
}

/** The order of the last commit in the directory, as the file beside the database has it. */
function writtenOrder(): number {
  const path = join(data, 'commit-record');
  if (!existsSync(path)) return 0;
  const bytes = readFileSync(path);
  const orders = [16, 512 + 16].filter((at) => at + 8 <= bytes.length).map((at) => bytes.readBigUInt64LE(at));
  return Math.max(0, ...orders.filter((order) => order < 1n << 53n).map(Number));
}

/** Waits until an external condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('an interruption', () => {
  it('stops the work at its next check, and is listened for only while the work runs', () => {
    const before = process.listenerCount('SIGINT');
    const interruption = new Interruption();
    expect(() => interruption.check(() => 'nowhere')).not.toThrow();
    process.emit('SIGINT');
    expect(() => interruption.check(() => 'stopped at 7')).toThrow(Interrupted);
    // The next one finds no listener, and ends the process.
    expect(process.listenerCount('SIGINT')).toBe(before);
    const other = new Interruption();
    other.end();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});

describe.skipIf(!isBuilt)(`an interrupted command${note}`, () => {
  it('ingest says after which block, and continues from there', async () => {
    const command = ['ingest', blocks, '--data', data, '--height', '0'];
    const gate = join(directory, 'gate.mjs');
    writeFileSync(gate, GATE);
    const { child, ended } = run(['--import', pathToFileURL(gate).href], ...command);
    await until(() => writtenOrder() > 10 || child.exitCode !== null);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    const [, done, height] =
      /stopped at (\d+) of 300 blocks, before height (\d+); run the same command to continue/.exec(stderr) ?? [];
    expect(done).toBe(height);
    const again = spawnSync(process.execPath, [cli, ...command], { encoding: 'utf8' });
    expect(again.status).toBe(0);
    expect(again.stdout).toContain(`ingested ${COUNT - Number(done)} of ${COUNT} blocks`);
  });

  it('load leaves nothing behind', async () => {
    const copy = join(directory, 'copy');
    const { child, ended } = run([], 'load', '-', '--data', copy);
    const dumped = spawnSync(process.execPath, [cli, 'dump', '-', '--data', data], { maxBuffer: 1e8 });
    child.stdin!.write(dumped.stdout.subarray(0, dumped.stdout.length / 2));
    await until(() => existsSync(join(`${copy}.loading`, 'CURRENT')) || child.exitCode !== null);
    child.kill('SIGINT');
    child.stdin!.end(dumped.stdout.subarray(dumped.stdout.length / 2));
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringMatching(
        /stopped at \d+ bytes; nothing was loaded; run the same command to start over/,
      ) as string,
    });
    expect([existsSync(copy), existsSync(`${copy}.loading`)]).toEqual([false, false]);
  });
});

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = (): number[] => SIGNALS.map((signal) => process.listenerCount(signal));

describe.each(SIGNALS)('%s', (signal) => {
  it('asks a node to close, and after it no signal is listened for', () => {
    const before = listeners();
    let closed = 0;
    onEndSignal(() => closed++);
    expect(listeners()).toEqual(before.map((count) => count + 1));
    process.emit(signal);
    expect([closed, listeners()]).toEqual([1, before]);
  });
});
