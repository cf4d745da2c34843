/** `movelet rooch` from a shell: exit codes, and a node that ends with its signal. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const isBuilt = existsSync(cli);
const directory = mkdtempSync(join(tmpdir(), 'movelet-rooch-shell-'));
const env = { ...process.env, ROOCH_CONFIG_DIR: directory };
afterAll(() => rmSync(directory, { recursive: true }));

const rooch = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'rooch', ...words], { encoding: 'utf8', env });
  return { status, stdout, stderr };
};

describe.skipIf(!isBuilt)(`movelet rooch${isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)'}`, () => {
  it('exits with 0, 1 for what fails and 2 for what is not understood, and says why in a line', () => {
    expect(rooch('init', '--skip-password')).toMatchObject({ status: 0, stderr: '' });
    expect(rooch('account', 'list', '--json').stdout).toContain('"hex_address"');
    expect(rooch('db', 'gc')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^movelet: rooch db is not .*\n$/),
    });
    expect(rooch('move', 'view')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^movelet: --function: .*\n$/),
    });
  });

  it('serves a directory until it is told to end, and goes on from there', async () => {
    const data = join(directory, 'chain');
    const orders: string[] = [];
    for (let round = 0; round < 2; round++) {
      const server = spawn(process.execPath, [cli, 'rooch', 'server', 'start', '-d', data, '--port', '0'], { env });
      const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
      const [, port] = /^JSON-RPC HTTP Server start listening 0\.0\.0\.0:(\d+)$/.exec(line) ?? [];
      rooch('env', 'add', '--alias', 'local', '--rpc', `http://127.0.0.1:${port}`);
      const { stdout } = rooch('move', 'run', '--function', '0x3::empty::empty', '--json');
      orders.push((JSON.parse(stdout) as { sequence_info: { tx_order: string } }).sequence_info.tx_order);
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
    expect(orders).toEqual(['1', '2']);
  });
});
