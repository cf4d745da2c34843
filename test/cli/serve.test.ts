/** `movelet serve`: what it prints, the time of its chain, and how it ends and begins again. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';
import { ask, ended, listening, type NodeProcess } from './node-process.ts';

const directories = temporaryDirectories();
/** What the chain of the default genesis begins with: crates/rooch-genesis, the local chain. */
const GENESIS_TIME = 1_700_000_000_000;
const DAY = 86_400_000;

async function started(...args: string[]): Promise<NodeProcess> {
  const started = await listening('serve', '--dev', ...args);
  onTestFinished(() => void started.node.kill('SIGKILL'));
  return started;
}

const time = async (url: string): Promise<number> => Number(((await ask(url, 'dev_time')) as { now: string }).now);

/** What Move code sees. */
async function seen(url: string): Promise<number> {
  const call = { function_id: '0x2::timestamp::now_milliseconds', ty_args: [], args: [] };
  const answer = await ask(url, 'chain_executeViewFunction', call);
  const { return_values: values } = answer as { return_values: [{ decoded_value: string }] };
  return Number(values[0].decoded_value);
}

describe.skipIf(!isBuilt)(`movelet serve${note}`, () => {
  it('says where the page is, whom to act for and how to end it', async () => {
    const folder = directories();
    const node = spawn(process.execPath, [cli, 'serve', '--dev', '--port', '0'], { cwd: folder });
    let out = '';
    node.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    while (!out.includes('Ctrl-C')) await once(node.stdout, 'data');
    const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(out)![1]!;
    for (const [number, { address }] of DEV_ACCOUNTS.entries())
      expect(out).toContain(`  ${number}  ${address}  1000000 RGAS\n`);
    expect(out.split('\n').length).toBeLessThan(20);
    // The line to try is one.
    const [, line = ''] = /\ntry {3}node (.+)\n/.exec(out)!;
    expect(line.endsWith(` --url ${url}`)).toBe(true);
    const typed = ['-c', `"$0" ${line}`, process.execPath];
    const tried = spawnSync('sh', typed, { cwd: folder, encoding: 'utf8' });
    expect(tried.stdout).toMatch(/^transaction 1 executed: 0x3::transfer::transfer_coin by account 0, gas /);
    await ended(node, 'SIGINT');
    expect(node.exitCode).toBe(0);
  });

  it('runs on the time of this machine, which controls move; --clock fixed stands still', async () => {
    const before = Date.now();
    const { url } = await started();
    const now = await time(url);
    expect(now >= before && now <= Date.now()).toBe(true);
    await ask(url, 'dev_advanceTime', String(DAY));
    const moved = await time(url);
    expect(moved >= now + DAY && moved <= Date.now() + DAY).toBe(true);
    expect(await seen(url)).toBeGreaterThanOrEqual(now + DAY);
    const fixed = await started('--clock', 'fixed');
    expect([await time(fixed.url), await time(fixed.url)]).toEqual([GENESIS_TIME, GENESIS_TIME]);
  });

  it('goes on from a time that was set in its directory, also after kill -9', async () => {
    const data = join(directories(), 'chain');
    const first = await started('--data', data);
    const begun = Date.now();
    await ask(first.url, 'dev_advanceTime', String(DAY));
    const head = await ask(first.url, 'chain_status');
    await ended(first.node, 'SIGKILL');
    const again = await started('--data', data);
    const now = await time(again.url);
    expect(now >= begun + DAY && now <= Date.now() + DAY).toBe(true);
    expect(await ask(again.url, 'chain_status')).toEqual(head);
    await ended(again.node, 'SIGTERM');
    // A chain whose time was set while it stood still may be ahead of the clock.
    const still = await started('--data', data, '--clock', 'fixed');
    const future = Date.UTC(2100, 0);
    await ask(still.url, 'dev_setTime', String(future));
    await ended(still.node, 'SIGTERM');
    const ahead = await started('--data', data);
    const reached = await time(ahead.url);
    expect(reached).toBeGreaterThanOrEqual(future);
    while ((await time(ahead.url)) === reached);
  });

  it('advances time with --block-time while nobody sends anything', async () => {
    const run = join(directories(), 'ticks.run');
    const { url, node } = await started('--block-time', '20', '--record', run);
    const from = Date.now();
    let at = await seen(url);
    for (let passed = 0; passed < 3; ) {
      const next = await seen(url);
      if (next > at && next >= from) passed++;
      expect(next).toBeLessThanOrEqual(Date.now());
      at = next;
    }
    await ended(node, 'SIGTERM');
    expect(node.exitCode).toBe(0);
    // What passed is in the recording, and leads to the same roots at another time.
    const { stderr, status } = spawnSync(process.execPath, [cli, 'replay', run, '--check'], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({
      stderr: expect.stringMatching(/^replayed to order \d+, state root 0x/),
      status: 0,
    });
    expect(Number(/order (\d+)/.exec(stderr)![1])).toBeGreaterThan(2);
  });

  it.each([
    [['--clock', 'host'], '--clock: expected system or fixed, got host'],
    [['--block-time', '0'], '--block-time: expected a whole number from 1 to 2147483647, got 0'],
    [['--block-time', '5', '--clock', 'fixed'], 'give --block-time or --clock fixed, not both'],
    [['--block-time', '5', '--role', 'reader'], '--block-time: expected a node that writes, not a reader'],
  ])('refuses %j', (args, said) => {
    const { stderr, status } = spawnSync(process.execPath, [cli, 'serve', ...args], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: `movelet: ${said}\n`, status: 2 });
  });

  it('says what to do about a port and a directory that another program has', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const data = join(directories(), 'chain');
    const message = `movelet: cannot listen on 127.0.0.1:${port}: port ${port} is in use; choose another one, or 0 for any that is free\n`;
    for (const args of [[], ['--data', data]]) {
      const taken = spawnSync(process.execPath, [cli, 'serve', '--port', `${port}`, ...args], { encoding: 'utf8' });
      expect([taken.status, taken.stderr]).toEqual([1, message]);
    }
    server.close();
    const wrong = ['serve', '--port', '0', '--cors', 'nonsense', '--data', data];
    expect(spawnSync(process.execPath, [cli, ...wrong], { encoding: 'utf8' }).status).toBe(2);
    expect(existsSync(data)).toBe(false);
    const { node } = await started('--data', data);
    const second = spawnSync(process.execPath, [cli, 'serve', '--port', '0', '--data', data], { encoding: 'utf8' });
    expect(second.status).toBe(1);
    expect(second.stderr).toMatch(new RegExp(`^movelet: .*${node.pid}`));
  });
});
