/** The examples of pages, as docs/browser.md shows them: with Vite, and without a bundler. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, SKIPPED } from '../inspector/chromium.ts';
import { OpenedPage } from '../inspector/opened-page.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundle } from './bundle.ts';
import { type ServedFiles, serveFiles } from './served.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = temporaryDirectories();

/** A million coins of eight decimals, and five of the smallest unit. */
const BALANCE = '100000000000005';

function filesIn(folder: string): Map<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))]));
}

describe.skipIf(CHROMIUM === undefined)(`an example in Chromium${SKIPPED}`, () => {
  let opened: OpenedPage;
  let page: Page;
  let served: ServedFiles;

  beforeAll(async () => {
    opened = await OpenedPage.launch();
    ({ page } = opened);
  });

  afterEach(async () => {
    await opened.leave();
    await served.close();
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  afterAll(() => opened?.close());

  it('has its chain in a worker, of one tab or of all, when Vite has built it', async () => {
    const project = join(directory(), 'page');
    cpSync(join(root, 'examples/page'), project, { recursive: true });
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/movelet'));
    const { build } = await import('vite');
    await build({ root: project, logLevel: 'error' });
    served = await serveFiles(filesIn(join(project, 'dist')));
    await opened.load(served.url);
    await opened.shows('output', BALANCE);
    // A second page of the origin has the same chain, on which bob has been paid before.
    await page.goto(`${served.url}/?shared`);
    await opened.shows('output', BALANCE);
    await page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), { src: '?shared' }))");
    await page.frameLocator('iframe').locator('output', { hasText: '100000000000010' }).waitFor();
  });

  it('finds its packages by an import map, without a bundler', async () => {
    const html = readFileSync(join(root, 'examples/page/no-bundler.html'), 'utf8');
    const files = new Map<string, string | Uint8Array>([['index.html', html]]);
    for (const [name, bytes] of filesIn(join(root, 'dist'))) files.set(`node_modules/movelet/dist/${name}`, bytes);
    for (const name of ['@bitauth/libauth/build', '@noble/curves', '@noble/hashes', '@scure/base'])
      for (const [path, bytes] of filesIn(join(root, 'node_modules', name)))
        files.set(`node_modules/${name}/${path}`, bytes);
    served = await serveFiles(files);
    await opened.load(served.url);
    await opened.shows('output', BALANCE);
  });

  it('has its chain again the next time', async () => {
    const { files } = await bundle(readFileSync(join(root, 'examples/page/kept.js'), 'utf8'));
    const html = `<!doctype html><link rel="icon" href="data:,"><output></output><script>
      const worker = new Worker('program.js', { type: 'module' });
      worker.onmessage = ({ data }) => { document.querySelector('output').textContent = data.order + ' ' + (data.balance ?? data.message); };
      worker.postMessage(5n);
    </script>`;
    served = await serveFiles(new Map<string, string | Uint8Array>([['index.html', html], ...files]));
    await opened.load(served.url);
    await opened.shows('output', '1 100000000000005');
    await page.reload();
    await opened.shows('output', '2 100000000000010');
  });
});
