/** Test files that run in a page, too, as they are: the machine and its differential runs, stores in memory, and journeys of a chain. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, SKIPPED } from '../inspector/chromium.ts';
import { OpenedPage } from '../inspector/opened-page.ts';
import { type ServedFiles, serveFiles } from './served.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { MOVELET_SHARED: shared = join(root, '../shared') } = env;

const SUITES = [
  'vm/machine/kernels',
  'vm/machine/machine',
  'vm/machine/random',
  'vm/machine/limits',
  'vm/machine/integer',
  'store/memory',
  'engine-transactions',
  'journeys/chain',
].filter((suite) => suite !== 'vm/machine/kernels' || existsSync(shared));

/** Sources as the build for pages takes them, and Vitest and Node as far as a page has them. */
const forPages: Plugin = {
  name: 'for-pages',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^vitest$/ }, () => ({ path: join(root, 'test/browser/page-vitest.ts') }));
    onResolve({ filter: /^node:/ }, () => ({ path: join(root, 'test/browser/page-node.ts') }));
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const ours = resolve(resolveDir, path).replace(/\.ts$/, '.browser.ts');
      return existsSync(ours) ? { path: ours } : undefined;
    });
    // The tests may use what they like; what they test may not.
    onLoad({ filter: /\/test\/.*\.ts$/ }, ({ path }) => ({
      contents: `import { Buffer } from 'buffer';\nconst process = { env: {} };\n${readFileSync(
        path,
        'utf8',
      ).replaceAll('import.meta.url', `new URL('/${relative(root, path)}', location.href).href`)}`,
      loader: 'ts',
      resolveDir: dirname(path),
    }));
  },
};

/** The files of the project, and the shared ones beside it. */
const files = {
  get: (path: string): Uint8Array | string | undefined => {
    if (path === 'index.html') return '<!doctype html><link rel="icon" href="data:,"><title>tests</title>';
    const file = path.startsWith('shared/') ? join(shared, path.slice('shared/'.length)) : join(root, path);
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file) : undefined;
  },
};

describe.skipIf(CHROMIUM === undefined)(`the tests of this project in Chromium${SKIPPED}`, () => {
  let opened: OpenedPage;
  let served: ServedFiles;

  beforeAll(async () => {
    served = await serveFiles(files);
    opened = await OpenedPage.launch();
  });

  afterAll(async () => {
    await opened?.close();
    await served?.close();
  });

  /** The failures by the names of the tests, and how many tests ran. */
  async function run(source: string): Promise<{ count: number; failures: Record<string, string> }> {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { runAll } from 'vitest';\n${source}\nglobalThis.ended = runAll();`,
        resolveDir: join(root, 'test'),
        sourcefile: join(root, 'test', 'suite.ts'),
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      plugins: [forPages],
      // The package says that importing a file of it has no effect; importing tests has one.
      ignoreAnnotations: true,
      logLevel: 'silent',
    });
    await opened.load(served.url);
    await opened.page.addScriptTag({ type: 'module', content: outputFiles[0]!.text });
    await opened.page.waitForFunction('globalThis.ended !== undefined');
    return opened.page.evaluate('ended');
  }

  it.each(SUITES)('pass: %s', async (suite) => {
    const { count, failures } = await run(`import './fast-check.ts';\nimport './${suite}.test.ts';`);
    expect(failures).toEqual({});
    expect(count).toBeGreaterThan(0);
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  it('fail there if something is wrong', async () => {
    const { count, failures } = await run(
      "import { describe, expect, it } from 'vitest';\ndescribe('a', () => { it.each([1, 2])('b', (n) => expect(n).toBe(1)); });",
    );
    expect([count, Object.keys(failures)]).toEqual([2, ['a > b 1']]);
  });
});
