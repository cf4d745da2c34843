import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { callCommand } from '../../src/cli/call.ts';
import { dumpCommand, loadCommand } from '../../src/cli/dump.ts';
import { serveCommand } from '../../src/cli/serve.ts';
import { statusCommand } from '../../src/cli/status.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const temporary = temporaryDirectories();
let directory = '';
let absent = '';
beforeEach(() => {
  directory = temporary();
  absent = join(directory, 'absent');
});

describe('a path that was mistyped', () => {
  it.each([
    ['status', () => statusCommand.run(['--data', absent])],
    ['call', () => callCommand.run(['chain_status', '--data', absent])],
    ['dump', () => dumpCommand.run([join(directory, 'dump'), '--data', absent])],
  ])('does not make a new chain to answer from: %s', async (_name, run) => {
    await expect(run()).rejects.toMatchObject({
      code: 'not-found',
      message: `${absent} holds no chain; check the path, or make one: movelet serve --data ${absent}`,
    });
    expect(existsSync(absent)).toBe(false);
  });

  it('does not make a new chain for a dump that does not exist', async () => {
    const dump = join(directory, 'dump');
    await expect(loadCommand.run([dump, '--data', absent])).rejects.toThrow(dump);
    expect(existsSync(absent)).toBe(false);
  });

  it('leaves no empty chain when a dump could not be loaded, and removes nothing that it did not make', async () => {
    const cut = join(directory, 'cut');
    writeFileSync(cut, 'no dump');
    await expect(loadCommand.run([cut, '--data', absent])).rejects.toThrow();
    expect(existsSync(absent)).toBe(false);
    const own = join(directory, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'letter'), 'mine');
    await expect(loadCommand.run([cut, '--data', own])).rejects.toThrow();
    expect(existsSync(join(own, 'letter'))).toBe(true);
  });

  it('is named where a recording cannot be made in it', async () => {
    const file = join(directory, 'absent', 'node.run');
    const asked = serveCommand.run(['--port', '0', '--record', file]);
    await expect(asked).rejects.toThrow(`--record: the folder ${join(directory, 'absent')} does not exist`);
  });

  it.each(['absent', '.'])('is reported under the option that it was given with: --sources %s', async (name) => {
    const asked = serveCommand.run(['--sources', join(directory, name)]);
    await expect(asked).rejects.toThrow(UsageError);
    await expect(asked).rejects.toThrow(/^--sources: /);
  });

  it.each(['nope', 'localhost:6767', 'ftp://127.0.0.1'])('is refused as a URL: %j', async (url) => {
    const asked = statusCommand.run(['--url', url]);
    await expect(asked).rejects.toThrow(UsageError);
    await expect(asked).rejects.toThrow(`--url: expected http://HOST:PORT, got ${url}`);
  });
});
