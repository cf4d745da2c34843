/**
 * `npm run hosts [-- WORD...] [--tools DIR]`: packs the package, installs it, and runs the program in every host, or in
 * those whose name has one of the words. The tools are installed into a temporary folder, or kept in DIR. Where all of them
 * hold, docs/hosts.md is written.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pageOf, problemsOf, type Reported, versionsOf } from './page.ts';
import type { Workshop } from './place.ts';
import { report } from './report.ts';
import { ROWS, type Row } from './rows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { positionals, values } = parseArgs({ allowPositionals: true, options: { tools: { type: 'string' } } });
const rows = ROWS.filter(
  ({ host }) => positionals.length === 0 || positionals.some((word) => host.toLowerCase().includes(word.toLowerCase())),
);

const npm = (folder: string, ...args: readonly string[]): string =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

function prepare(folder: string): Workshop {
  const installed = join(folder, 'installed');
  const tools = values.tools ?? join(folder, 'tools');
  for (const each of [installed, tools]) {
    mkdirSync(each, { recursive: true });
    if (!existsSync(join(each, 'package.json'))) writeFileSync(join(each, 'package.json'), '{ "private": true }');
  }
  const tarball = join(folder, npm(root, 'pack', '--pack-destination', folder).split('\n').at(-1)!);
  npm(installed, 'install', tarball, 'pg');
  const wanted = Object.entries(Object.assign({}, ...rows.map((row) => row.tools)) as Row['tools']);
  // What another tool brought along may be of another version.
  const { dependencies: kept = {} } = JSON.parse(readFileSync(join(tools, 'package.json'), 'utf8'));
  const missing = wanted.filter(([name]) => !(name in kept));
  if (missing.length > 0) npm(tools, 'install', '--save', ...missing.map(([name, from]) => `${name}@${from}`));
  return { installed, tools, tarball, registry: npm(root, 'config', 'get', 'registry') };
}

const folder = mkdtempSync(join(tmpdir(), 'movelet-hosts-'));
try {
  const workshop = prepare(folder);
  const reported: Reported[] = [];
  for (const [index, row] of rows.entries()) {
    const one = await report(row, join(folder, `row-${index}`), workshop);
    reported.push(one);
    const problems = problemsOf(one);
    console.log(`${problems.length === 0 ? 'holds' : 'FAILS'}  ${row.host} ${one.version}`);
    for (const problem of problems) console.log(problem.replaceAll(/^/gm, '    '));
  }
  if (reported.some((one) => problemsOf(one).length > 0)) process.exitCode = 1;
  else {
    // Rows that were not run keep the version with which they were.
    const page = join(root, 'docs', 'hosts.md');
    const before = versionsOf(readFileSync(page, 'utf8'));
    const all = ROWS.map((row): Reported => {
      const earlier = { row, version: before.get(row.host) ?? 'not yet', results: undefined, failure: undefined };
      return reported.find((one) => one.row === row) ?? earlier;
    });
    writeFileSync(page, pageOf(all));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
