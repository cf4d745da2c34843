/** movelet new, in an empty folder where `movelet` is the built package. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newCommand } from '../../src/cli/new.ts';
import { cli, isBuilt, note } from './built.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binOf = (name: string, path: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);

let folder = '';
beforeEach(() => {
  mkdirSync(join(root, 'build'), { recursive: true });
  folder = mkdtempSync(join(root, 'build', 'new-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of Node in the folder, with nothing on the path; it must end well. */
function runs(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: '', NO_COLOR: '1', VITEST: undefined },
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

describe.skipIf(!isBuilt)(`movelet new${note}`, () => {
  it('writes a package whose tests pass with the commands that it names', () => {
    const said = runs(cli, 'new', 'guest-book');
    expect(said).toMatch(/^npx movelet test guest-book$/m);
    expect(runs(cli, 'test', 'guest-book')).toMatch(/^2 passed, 0 failed$/m);
    expect(said).toMatch(/^npx vitest run --root guest-book$/m);
    // A busy machine may take longer than what Vitest gives a test.
    const patient = ['--testTimeout=600000', '--hookTimeout=600000'];
    expect(runs(binOf('vitest', 'vitest.mjs'), 'run', '--root', 'guest-book', ...patient)).toMatch(/Tests {2}2 passed/);
    const types = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
    ];
    runs(binOf('typescript', 'bin/tsc'), ...types, '--skipLibCheck', 'guest-book/guest_book.test.ts');
  });
});

describe('movelet new', () => {
  it.each(['module', 'std', 'string', '9lives', 'Upper', 'a.b', 'a'.repeat(65)])(
    'refuses the name %s',
    async (name) => {
      await expect(newCommand.run([join(folder, name)])).rejects.toThrow('NAME: expected a lower-case letter');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('leaves a folder that exists as it is', async () => {
    mkdirSync(join(folder, 'hello'));
    await expect(newCommand.run([join(folder, 'hello')])).rejects.toThrow('exists already');
    expect(readdirSync(join(folder, 'hello'))).toEqual([]);
  });
});
