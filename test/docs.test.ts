/** The code in docs/ and in the README: each block is part of a file that runs, or is run here. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli.js');
const isBuilt = existsSync(cli);
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';
/** Where the texts say the node is. */
const STATED_URL = 'http://127.0.0.1:6767';

interface Block {
  readonly page: string;
  readonly language: string;
  /** The file that the block is from, or `shell` for one that is run. */
  readonly source: string | undefined;
  readonly code: string;
}

const BLOCK = /(?:<!-- (\S+) -->\n)?```(\w*)\n(.*?)```\n/gs;

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(BLOCK)].map(([, source, language = '', code = '']) => ({ page, language, source, code }));
}

/** Written by a build. */
const METHODS = 'docs/rpc.md';
const pages = [...new Set([METHODS, ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)])];
/** What a page can link to. */
const exists = (path: string): boolean => path === METHODS || existsSync(join(root, path));
/** Pages of figures and tables (a program writes some of them), and that of the browser: they have no code of ours. */
const TABLES = ['command-line', 'errors', 'guarantees', 'hosts', 'inspector', 'limits', 'numbers', 'rpc'].map(
  (name) => `docs/${name}.md`,
);
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
      if (source === 'shell') continue;
      expect(source, code).toBeDefined();
      expect(`\n${readFileSync(join(root, source!), 'utf8')}`, source).toContain(`\n${code}`);
    }
  });

  it('shows files that are run: by Vitest, by npm run examples, or below', () => {
    const sources = new Set(all.map(({ source }) => source).filter((source) => source !== 'shell'));
    for (const source of sources)
      expect(source).toMatch(/^examples\/(?:[\w-]+\.ts|[\w-]+\.py|gallery\/gallery\.ts|.+\.test\.ts)$/);
  });
});

describe.skipIf(!isBuilt)(`what the documents say to type${note}`, () => {
  let folder = '';
  let node: ChildProcess;
  let url = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'movelet-docs-'));
    const program = join(folder, 'movelet');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
    chmodSync(program, 0o755);
    node = spawn(process.execPath, [cli, 'serve', '--port', '0', '--dev', '--quiet'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await new Promise((resolve, reject) => {
      node.once('exit', reject);
      node.stdout!.once('data', (line) => resolve(String(line).trim().replace('listening on ', '')));
    });
  });

  afterAll(() => {
    node.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(all.filter(({ source }) => source === 'shell'))('works: $page $code', ({ code, language }) => {
    expect(language).toBe('sh');
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', code.replaceAll(STATED_URL, url)], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, MOVELET_URL: url, PATH: `${folder}:${process.env['PATH']}` },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toBe('');
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
  it.skipIf(!python)(`runs from another language${pythonNote}`, () => {
    for (const name of readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.py'))) {
      const { status, stderr } = spawnSync('python3', [join('examples', name)], { cwd: root, encoding: 'utf8' });
      expect({ status, stderr }, name).toEqual({ status: 0, stderr: '' });
    }
  });
});
