/** The rows of the matrix that need no tools but those of the project, with the package as `npm pack` makes it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../store/temporary.ts';
import { pageOf, problemsOf, type Reported, versionsOf } from './page.ts';
import type { Workshop } from './place.ts';
import { report } from './report.ts';
import { ROWS } from './rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = temporaryDirectories();

/** The package from its tarball, beside links to the packages that npm would install with it and with pg. */
function unpack(): Workshop {
  const folder = directory();
  const printed = execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  const tarball = join(folder, filename);
  const packages = join(folder, 'node_modules');
  const installed = join(packages, 'movelet');
  mkdirSync(installed, { recursive: true });
  // Without what only people and compilers read: it is copied for each row.
  const left = ['*.d.ts', '*.map', 'package/src', 'package/docs'].map((pattern) => `--exclude=${pattern}`);
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1', ...left]);
  const wanted = [installed];
  const take = (name: string): void => {
    const [link, target] = [join(packages, name), join(root, 'node_modules', name)];
    if (wanted.includes(target)) return;
    wanted.push(target);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  };
  take('pg');
  for (const manifest of wanted) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(manifest, 'package.json'), 'utf8'));
    Object.keys(dependencies).forEach(take);
  }
  return { tools: root, installed: folder, tarball, registry: '' };
}

describe('a fast host', () => {
  let workshop: Workshop;
  beforeAll(() => {
    workshop = unpack();
  });

  it.each(ROWS.filter(({ isFast }) => isFast))('runs the program: $host', async (row) => {
    expect(problemsOf(await report(row, join(directory(), 'project'), workshop))).toEqual([]);
  });
});

describe('the judgement of a row', () => {
  const [row] = ROWS.filter(({ limits }) => limits?.['directory'] !== undefined);
  const works = { memory: 'works', directory: 'works' };
  const one: Reported = { row: { ...row!, limits: {} }, version: '1', results: works, failure: undefined };

  it('finds what does not work, what did not end, and what failed', () => {
    expect(problemsOf(one)).toEqual([]);
    expect(problemsOf({ ...one, results: { ...works, memory: 'Error: no' } })).toEqual(['memory: Error: no']);
    expect(problemsOf({ ...one, results: undefined })).toEqual(['the program did not come to its end']);
    expect(problemsOf({ ...one, failure: 'killed' })).toEqual(['killed']);
  });

  it('finds a limit that no longer applies', () => {
    expect(problemsOf({ ...one, row: row! })).toEqual(['directory: works']);
  });
});

describe('docs/hosts.md', () => {
  it('has the rows that are run, with versions that a run has found', () => {
    const page = readFileSync(join(root, 'docs', 'hosts.md'), 'utf8');
    const versions = versionsOf(page);
    const reported = ROWS.map((row): Reported => {
      const version = versions.get(row.host) ?? 'none';
      return { row, version, results: {}, failure: undefined };
    });
    expect(reported.map(({ version }) => version)).not.toContain('none');
    expect(page).not.toContain('not yet');
    expect(page).toBe(pageOf(reported));
  });
});
