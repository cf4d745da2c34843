/** `--record FILE` and `movelet replay`: what a node was told, played again, served, written and checked. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../../src/compile/index.ts';
import { Engine, record } from '../../src/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';
import { ask, ended, listening } from './node-process.ts';

const directory = temporaryDirectories()();
const file = join(directory, 'own.run');

const movelet = (...args: string[]) => spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });

const request = (id: number, method: string, ...params: unknown[]): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

describe.skipIf(!isBuilt)(`a recorded node${note}`, () => {
  let status = '';

  beforeAll(async () => {
    const told = [
      request(1, 'dev_fund', '0x42', '0x3::gas_coin::RGas', '7'),
      request(2, 'dev_snapshot'),
      request(3, 'dev_fund', '0x42', '0x3::gas_coin::RGas', '1000'),
      request(4, 'dev_revert', '1'),
      request(5, 'dev_advanceTime', '60000'),
      request(6, 'dev_mine', {}),
      request(7, 'chain_status'),
    ];
    const node = spawn(process.execPath, [cli, 'stdio', '--record', file]);
    const answers = createInterface(node.stdout)[Symbol.asyncIterator]();
    for (const message of told) {
      node.stdin.write(message);
      ({ value: status } = (await answers.next()) as { value: string });
      expect(JSON.parse(status)).not.toHaveProperty('error');
    }
    node.stdin.end();
    await once(node, 'exit');
  });

  it('can be checked', () => {
    const { stderr, ...rest } = movelet('replay', file, '--check');
    expect(rest).toMatchObject({ stdout: '', status: 0 });
    const [, order, root] = /^replayed to order (\d+), state root (0x[0-9a-f]{64})\n$/.exec(stderr)!;
    expect(Number(order)).toBeGreaterThan(2);
    expect(status).toContain(root);
  });

  it('can be written to a directory up to an order, which a node then serves', () => {
    const data = join(directory, 'data');
    const { stderr, status } = movelet('replay', file, '--to', '1', '--data', data);
    expect({ stderr, status }).toEqual({
      stderr: expect.stringMatching(/^replayed to order 1, state root 0x\w{64}, into .+data\n$/),
      status: 0,
    });
    const balance = movelet('call', 'chain_getBalance', '["0x42","0x3::gas_coin::RGas"]', '--data', data);
    expect(JSON.parse(balance.stdout)).toMatchObject({ balance: '7' });
    expect(movelet('replay', file, '--data', data)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('empty'),
    });
  });

  it('can be served, with controls if asked for', async () => {
    const { node, url } = await listening('replay', file, '--dev');
    expect(await ask(url, 'chain_getBalance', '0x42', '0x3::gas_coin::RGas')).toMatchObject({ balance: '7' });
    await ask(url, 'dev_fund', '0x42', '0x3::gas_coin::RGas', '1');
    expect(await ask(url, 'chain_getBalance', '0x42', '0x3::gas_coin::RGas')).toMatchObject({ balance: '8' });
    await ended(node, 'SIGTERM');
    expect(node.exitCode).toBe(0);
  });

  it('names the trace of the last transaction that failed, with the lines of given sources', async () => {
    const failing = join(directory, 'failing.run');
    const engine = await Engine.open();
    const recording = record(engine);
    const [alice] = engine.accounts;
    const sources = fileURLToPath(new URL('../../examples/splitter', import.meta.url));
    const { modules } = await compile(sources);
    await engine.publish(
      alice!.address,
      modules.map(({ bytes }) => bytes),
    );
    const splitter = `${alice!.address}::splitter`;
    for (const amount of [2n ** 64n - 1n, 0n]) {
      // Thirty times as much is no u64.
      await engine.executeAs(alice!, { function: `${splitter}::pay`, arguments: [`${splitter}::Splitter`, amount] });
    }
    writeFileSync(failing, await recording.bytes());
    await engine.close();

    const node = spawn(process.execPath, [cli, 'replay', failing, '--dev', '--sources', sources, '--port', '0']);
    const lines = createInterface(node.stdout)[Symbol.asyncIterator]();
    const url = ((await lines.next()).value as string).replace('listening on ', '');
    let tried = '';
    while (!tried.startsWith('try ')) tried = (await lines.next()).value as string;
    expect(tried).toMatch(/^try {3}.* trace 2 --url http:/);
    expect(movelet('trace', '2', '--url', url).stdout).toContain('in splitter::pay, sources/splitter.move:19, offset');
    await ended(node, 'SIGTERM');
  });

  it('has recorded everything that it had answered when it is killed', async () => {
    const killed = join(directory, 'killed.run');
    const { node, url } = await listening('serve', '--dev', '--record', killed);
    for (let count = 0; count < 3; count++) await ask(url, 'dev_fund', '0x42', '0x3::gas_coin::RGas', '1');
    await ended(node, 'SIGKILL');
    const { stderr, status } = movelet('replay', killed, '--check');
    expect({ stderr, status }).toEqual({ stderr: expect.stringContaining('replayed to order 3'), status: 0 });
    // And where the last piece was cut.
    const cut = join(directory, 'cut.run');
    writeFileSync(cut, readFileSync(killed).subarray(0, -9));
    expect(movelet('replay', cut, '--check')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^warning: the recorded run ends within an entry.*\nreplayed to order 2/),
    });
  });

  it('reports what cannot be done', () => {
    const never = join(directory, 'never');
    expect(movelet('stdio', '--record', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('own.run exists'),
    });
    expect(movelet('serve', '--port', '0', '--record', never, '--genesis', cli)).toMatchObject({ status: 1 });
    expect(existsSync(never)).toBe(false);
    expect(movelet('replay', file, '--check', '--data', never)).toMatchObject({ status: 2 });
    expect(movelet('replay', file, '--to', 'x')).toMatchObject({ status: 2, stderr: expect.stringContaining('--to') });
    expect(movelet('replay', file, '--to', '99', '--data', never)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--to: expected an order from 0 to'),
    });
    expect(movelet('replay', cli, '--data', never)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('expected a recorded run'),
    });
    expect(existsSync(never)).toBe(false);
  });
});
