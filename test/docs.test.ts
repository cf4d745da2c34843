/** The code in docs/ and in the README: each block is part of a file that runs, or is run here. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { compileSources } from '../src/compile/index.ts';
import { DEV_ACCOUNTS, Engine, EngineError } from '../src/index.ts';
import { listening } from './cli/node-process.ts';
import { ran } from './cli/ran.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli.js');
const isBuilt = existsSync(cli);
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';
/** Where the texts say the node is. */
const STATED_URL = 'http://127.0.0.1:6767';

interface Block {
  readonly page: string;
  readonly language: string;
  /** The file that the block is from; `shell` or `in-an-empty-folder` for one that is run, `move` for one that is compiled. */
  readonly source: string | undefined;
  readonly code: string;
}

const BLOCK = /(?:<!-- (\S+) -->\n)?```(\w*)\n(.*?)```\n/gs;

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(BLOCK)].map(([, source, language = '', code = '']) => ({ page, language, source, code }));
}

const RUN = ['shell', 'in-an-empty-folder', 'move'];
/** Pages whose commands find nothing on the path but Node, movelet, `npx` for what is installed, and `sed`. */
const ALONE = ['docs/move.md', 'docs/testing-contracts.md'];

/** A file that a page shows: one of `movelet new hello`, or of the project. */
function shownFile(source: string): string {
  return readFileSync(join(source.startsWith('hello/') ? begun : root, source), 'utf8');
}

/** Where the package `hello` of `movelet new` is. */
let begun = '';
beforeAll(async () => {
  begun = mkdtempSync(join(tmpdir(), 'movelet-begun-'));
  await ran(COMMANDS.get('new')!, join(begun, 'hello'));
});
afterAll(() => rmSync(begun, { recursive: true, force: true }));

/** Written by a build. */
const BUILT = ['docs/rpc.md', 'docs/framework.md'];
const pages = [...new Set([...BUILT, ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)])];
/** What a page can link to. */
const exists = (path: string): boolean => BUILT.includes(path) || existsSync(join(root, path));
/** Pages of figures and tables (a program writes some of them), and that of the browser: they have no code of ours. */
const TABLES = [
  'command-line',
  'errors',
  'framework',
  'guarantees',
  'hosts',
  'inspector',
  'limits',
  'numbers',
  'rpc',
].map((name) => `docs/${name}.md`);
const textPages = pages.filter((page) => !TABLES.includes(page));
const blocks = textPages.flatMap(blocksOf);
const readme = blocksOf('README.md').filter(({ source }) => source !== undefined);
const all = [...blocks, ...TABLES.flatMap(blocksOf).filter(({ source }) => source === 'shell'), ...readme];

describe('a page of the documents', () => {
  it.each(pages)('is found from the README: %s', (page) => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`](${page})`);
  });

  it.each(pages.filter((page) => existsSync(join(root, page))))('links only to what exists: %s', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => `#${heading.toLowerCase()}`);
    for (const [, link = ''] of text.matchAll(/\]\(([^):]+)\)/g)) {
      expect(link.startsWith('#') ? headings.includes(link) : exists(join('docs', link.replace(/#.*/, ''))), link).toBe(
        true,
      );
    }
  });

  it.each(textPages)('shows only code from files that run: %s', (page) => {
    const shown = blocks.filter((block) => block.page === page);
    expect(shown.length).toBeGreaterThan(2);
    for (const { source, code } of shown) {
      expect(source, code).toBeDefined();
      if (!RUN.includes(source!)) expect(`\n${shownFile(source!)}`, source).toContain(`\n${code}`);
    }
  });

  it('shows files that are run: by Vitest, by npm run examples, or below', () => {
    const sources = new Set(all.map(({ source }) => source).filter((source) => !RUN.includes(source!)));
    for (const source of sources)
      expect(source).toMatch(
        /^hello\/.+|^examples\/(?:[\w-]+\.ts|auction\/deploy\.json|page\/[\w-]+(?:\.config)?\.(?:js|html)|[\w-]+\.py|gallery\/gallery\.ts|.+\.test\.ts)$/,
      );
  });
});

describe('Move code of a page', () => {
  const addresses = { me: DEV_ACCOUNTS[0]!.address };

  it.each(blocks.filter(({ source }) => source === 'move'))('can be published: $page $code', async ({ code }) => {
    await using engine = await Engine.open();
    const built = compileSources({ 'page.move': code }, { addresses });
    expect(built.warnings).toEqual([]);
    expect(await engine.publish(addresses.me, built)).toMatchObject({ status: { kind: 'executed' } });
  });

  const page = readFileSync(join(root, 'docs/coming-from-aptos-and-sui.md'), 'utf8');
  const [table = ''] = /^\| of Move 2 or 2024 (?:.*\n)+?\n/m.exec(page) ?? [];
  const rows = [...table.replaceAll('\\|', '|').matchAll(/^\| `(.*?)` \| `(.*?)` \|$/gm)].map(([, there, here]) => ({
    there,
    here,
  }));

  it('is compared in a table', () => expect(rows.length).toBeGreaterThan(10));

  it.each(rows)('is refused as $there, and taken as $here', ({ there, here }) => {
    const compiled = (text = ''): boolean => {
      const isMember = /^(?:public|struct|const|inline|macro)\b/.test(text);
      const member = isMember ? text : `public fun body(x: u64, v: vector<u64>, p: Point) { ${text}; }`;
      const rest =
        'use std::string; use std::vector; const ErrorEmpty: u64 = 1; struct Point has drop { x: u64, y: u64 }';
      const source = `module me::m { friend me::other; ${rest} ${member} } module me::other {}`;
      try {
        compileSources({ 'cell.move': source }, { addresses });
        return true;
      } catch (error) {
        if (error instanceof EngineError && error.code === 'compile-failed') return false;
        throw error;
      }
    };
    expect([compiled(there), compiled(here)]).toEqual([false, true]);
  });
});

describe.skipIf(!isBuilt)(`what the documents say to type${note}`, () => {
  let folder = '';
  let node: ChildProcess;
  let url = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'movelet-docs-'));
    const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
    const programs = {
      movelet: `exec '${process.execPath}' '${cli}' "$@"`,
      npx: `command=$1; shift; case $command in movelet) movelet "$@";; vitest) '${process.execPath}' '${vitest}' "$@" --testTimeout=600000 --hookTimeout=600000;; esac`,
    };
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    symlinkSync(process.execPath, join(folder, 'node'));
    symlinkSync(spawnSync('sh', ['-c', 'command -v sed'], { encoding: 'utf8' }).stdout.trim(), join(folder, 'sed'));
    ({ node, url } = await listening('serve', '--dev'));
  });

  afterAll(() => {
    node?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a block of commands writes; it must end well and write no errors. */
  function typed({ page, code, language }: Block, cwd: string): string {
    expect(language).toBe('sh');
    const path = ALONE.includes(page) ? folder : `${folder}:${process.env['PATH']}`;
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-e', '-c', code.replaceAll(STATED_URL, url)], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, MOVELET_URL: url, PATH: path, NO_COLOR: '1', VITEST: undefined },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }

  it.each(all.filter(({ source }) => source === 'shell'))('works: $page $code', (block) => {
    expect(typed(block, root)).not.toBe('');
  });

  it.each(all.filter(({ source }) => source === 'in-an-empty-folder'))('works where nothing is: $page', (block) => {
    // Within the package, whose name its tests import.
    mkdirSync(join(root, 'build'), { recursive: true });
    const empty = mkdtempSync(join(root, 'build', 'empty-'));
    try {
      expect(typed(block, empty)).toMatch(/2 passed, 0 failed[\s\S]*Tests {2}2 passed/);
    } finally {
      rmSync(empty, { recursive: true });
    }
  });

  it.each(blocksOf('README.md').filter(({ language, code }) => language === 'ts' && code.startsWith('import ')))(
    'is a program that ends: $page $code',
    ({ code }) => {
      // Within the package, whose name it imports.
      mkdirSync(join(root, 'build'), { recursive: true });
      const program = join(mkdtempSync(join(root, 'build', 'readme-')), 'program.mjs');
      try {
        writeFileSync(program, transformSync(code, { loader: 'ts', target: 'es2022' }).code);
        const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      } finally {
        rmSync(dirname(program), { recursive: true });
      }
    },
  );

  const python = spawnSync('python3', ['--version']).status === 0;
  const pythonNote = python ? '' : ' (skipped: there is no python3)';
  it.skipIf(!python)(`can be run from another language${pythonNote}`, () => {
    for (const name of readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.py'))) {
      // Any machine has this locale, and a shell that starts Python warns of others that it does not have.
      const env = { ...process.env, LC_ALL: 'C' };
      const { status, stderr } = spawnSync('python3', [join('examples', name)], { cwd: root, encoding: 'utf8', env });
      expect({ status, stderr }, name).toEqual({ status: 0, stderr: '' });
    }
  });
});
