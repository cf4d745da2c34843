/** Hosts that do not let a program do everything: file systems that cannot be written, Node's permission model. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';

const directory = temporaryDirectories();

interface Ended {
  readonly output: string;
  readonly status: number | null;
}

function ended(command: string, ...args: string[]): Ended {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' });
  return { output: `${stdout}${stderr}`, status };
}

/** Runs movelet where `path` is mounted read-only, in a namespace of its own. */
function readOnly(path: string, ...args: string[]): Ended {
  const mounted = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
  return ended('unshare', '-rm', 'sh', '-c', mounted, 'sh', path, process.execPath, cli, ...args);
}

const canMount = isBuilt && ended('unshare', '-rm', 'mount', '--bind', '/tmp', '/tmp').status === 0;

let chain: string;
beforeAll(async () => {
  chain = directory();
  await using engine = await Engine.open({ store: chain, durability: 'os' });
  await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
});

const listing = (path: string): string[] =>
  readdirSync(path).map((name) => `${name} ${statSync(join(path, name)).mtimeMs}`);

describe.skipIf(!canMount)(
  `a read-only file system${canMount ? '' : ' (skipped: not built, or mounting is not allowed)'}`,
  () => {
    it('takes status and verify', () => {
      const before = listing(chain);
      const status = readOnly(chain, 'status', '--data', chain);
      expect(status, status.output).toMatchObject({
        status: 0,
        output: expect.stringContaining('service   active') as string,
      });
      const verify = readOnly(chain, 'verify', chain);
      expect(verify, verify.output).toMatchObject({ status: 0, output: expect.stringContaining(': sound') as string });
      expect(listing(chain)).toEqual(before);
    });

    it('refuses writes, and says why', () => {
      const { output, status } = readOnly(chain, 'call', 'chain_status', '--data', chain);
      expect(status).not.toBe(0);
      expect(output).toMatch(/read-only file system/i);
    });
  },
);

const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

describe.skipIf(!isBuilt)(`the permission model of Node${note}`, () => {
  const all = ['--allow-addons', '--allow-fs-read=*', '--allow-fs-write=*'];
  const run = (without: string, ...args: string[]): Ended =>
    ended(process.execPath, PERMISSION, ...all.filter((flag) => !flag.startsWith(without)), ...args);

  it('lets a chain be written and closed, though it has no fsync', () => {
    const { output, status } = run('none', cli, 'status', '--data', chain);
    expect(status, output).toBe(0);
    const index = JSON.stringify(new URL('../../dist/index.js', import.meta.url));
    const program = `const { Engine, DEV_ACCOUNTS } = await import(${index});
      const engine = await Engine.open({ store: ${JSON.stringify(chain)} });
      await engine.dev.mine({ to: DEV_ACCOUNTS[0].regtestAddress });
      await engine.close();`;
    const file = join(directory(), 'program.mjs');
    writeFileSync(file, program);
    const written = run('none', file);
    expect(written.status, written.output).toBe(0);
    expect(readFileSync(join(chain, readdirSync(chain).find((name) => name.startsWith('owner-'))!), 'latin1')).toMatch(
      /^free/,
    );
  });

  it('names --allow-worker when worker threads are asked for, and leaves the chain closed', () => {
    const { output, status } = run('none', cli, 'serve', '--data', chain, '--port', '0', '--workers', '1');
    expect(status).toBe(1);
    expect(output).toContain('start node with --allow-worker');
    expect(readFileSync(join(chain, readdirSync(chain).find((name) => name.startsWith('owner-'))!), 'latin1')).toMatch(
      /^free/,
    );
  });

  it('serves without worker threads when nobody asked for them, and says what that means', async () => {
    const node = spawn(process.execPath, [PERMISSION, ...all, cli, 'serve', '--data', chain, '--port', '0', '--quiet']);
    let said = '';
    node.stderr.on('data', (text) => {
      said += text;
    });
    await once(node.stdout, 'data');
    node.kill('SIGTERM');
    expect(await once(node, 'close')).toEqual([0, null]);
    expect(said).toContain('will hold up other requests, since no worker thread can start');
    expect(said).toContain('start node with --allow-worker');
  });

  it.each([['--allow-addons'], ['--allow-fs-write']])('names %s when it is missing', (flag) => {
    const { output, status } = run(flag, cli, 'verify', chain);
    expect(status).toBe(1);
    expect(output).toContain(`start node with ${flag}`);
  });
});

describe.skipIf(!isBuilt)(`a table with a page of zeros${note}`, () => {
  it('is reported by verify, and does not crash the process', async () => {
    const path = directory();
    const engine = await Engine.open({ store: path, durability: 'os' });
    for (let block = 0; block < 100; block++) await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    await engine.close();
    // Opening makes a table out of what the log holds.
    await (await Engine.open({ store: path })).close();
    const name = readdirSync(path).find((file) => file.endsWith('.ldb'))!;
    const bytes = readFileSync(join(path, name));
    writeFileSync(join(path, name), bytes.fill(0, 4_096, 8_192));
    const { output, status } = ended(process.execPath, cli, 'verify', path);
    expect(status, output).toBe(1);
    expect(output).toContain(`${name} is damaged in its block at byte`);
  });
});
