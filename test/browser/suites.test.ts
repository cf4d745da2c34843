/** Test files that run in a page, too, as they are: the machine and its differential runs, stores in memory, and journeys of a chain. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as uses from './program.ts';
import { BROWSERS, ReportingPage } from './reporting-page.ts';

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
  get: (path: string): Uint8Array | undefined => {
    const file = path.startsWith('shared/') ? join(shared, path.slice('shared/'.length)) : join(root, path);
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file) : undefined;
  },
};

/** A module that runs the tests of `source` and reports their failures by name, and how many ran. */
async function bundled(source: string, after = 'await runAll()'): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { runAll } from 'vitest';\n${source}\nglobalThis.report(${after});`,
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
  return outputFiles[0]!.text;
}

for (const browser of BROWSERS) {
  describe.skipIf(browser.path === undefined)(`the tests of this project in ${browser.name}${browser.skipped}`, () => {
    let page: ReportingPage;

    beforeAll(async () => {
      page = await ReportingPage.open(browser, files);
    });

    afterAll(() => page?.close());

    it.each(SUITES)('pass: %s', async (suite) => {
      const module = await bundled(`import './fast-check.ts';\nimport './${suite}.test.ts';`);
      expect(await page.run(module)).toEqual({ result: { count: expect.any(Number), failures: {} }, complaints: [] });
    });

    it('report a failure there', async () => {
      const module = await bundled(
        "import { describe, expect, it } from 'vitest';\ndescribe('a', () => { it.each([1, 2])('b', (n) => expect(n).toBe(1)); });",
      );
      const { result } = await page.run(module);
      expect(result).toEqual({ count: 2, failures: { 'a > b 1': expect.stringContaining('expected 2 to be 1') } });
    });

    it('lead to the roots that a run recorded in Node has', async () => {
      const { file, roots } = await uses.recorded();
      const module = await bundled(
        "import { replayed } from './browser/program.ts';",
        `await replayed(${JSON.stringify(file)})`,
      );
      expect(await page.run(module)).toEqual({ result: roots, complaints: [] });
    });
  });
}
