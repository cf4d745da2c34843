/** A store that stays in a page: the private file system of its origin, from a worker. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong, randomNumbers, runs, seed } from '../effort.ts';
import { CHROMIUM, launchChromium, SKIPPED, WAIT_MS } from '../inspector/chromium.ts';
import { bundle } from './bundle.ts';
import { type ServedFiles, serveFiles } from './served.ts';

/** A page with a worker, which it asks. */
const HTML = `<!doctype html><title>page</title><link rel="icon" href="data:,"><script>
  const worker = new Worker('program.js', { type: 'module' });
  const waiting = [];
  worker.onmessage = ({ data }) => {
    if (data.acknowledged !== undefined) acknowledged(data.acknowledged);
    else waiting[data.id](data);
  };
  globalThis.ask = (use, given) => new Promise((resolve, reject) => {
    waiting.push(({ value, error }) => error === undefined ? resolve(value) : reject(new Error(error)));
    worker.postMessage({ id: waiting.length - 1, use, given });
  });
</script>`;

describe.skipIf(CHROMIUM === undefined)(`a store in Chromium${SKIPPED}`, () => {
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  let context: Awaited<ReturnType<typeof browser.newContext>>;
  let served: ServedFiles;
  const acknowledged: number[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext();
    context.setDefaultTimeout(WAIT_MS);
    await context.exposeFunction('acknowledged', (count: number) => void acknowledged.push(count));
    const { files } = await bundle("import { answerAll } from './test/browser/worker-program.ts';\nanswerAll();");
    served = await serveFiles(new Map<string, string | Uint8Array>([['index.html', HTML], ...files]));
  });

  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  async function tab(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(served.url);
    return page;
  }

  const ask = <T>(page: Page, use: string, ...given: readonly unknown[]): Promise<T> =>
    page.evaluate(`ask('${use}', ${JSON.stringify(given)})`);

  /** Asks again while a tab that is gone still has the store. */
  async function askNext<T>(page: Page, use: string, name: string): Promise<T> {
    for (;;) {
      try {
        return await ask<T>(page, use, name);
      } catch (error) {
        if (!String(error).includes('store-locked')) throw error;
      }
    }
  }

  it('complies with the contract of Store', async () => {
    const page = await tab();
    const { tests, ...failures } = await ask<Record<string, string>>(page, 'comply', isLong ? 25 : 3);
    expect(failures).toEqual({});
    expect(Number(tests)).toBeGreaterThan(10);
    await page.close();
  });

  it('has the chain again in another tab', async () => {
    const first = await tab();
    expect(await ask(first, 'transfer', './chain')).toEqual(['0', '1', '100000000000005']);
    await first.close();
    const second = await tab();
    expect(await askNext(second, 'transfer', 'chain')).toEqual(['1', '2', '100000000000010']);
    await second.close();
  });

  it('belongs to one tab at a time, and to the next when that is gone', async () => {
    const [first, second] = [await tab(), await tab()];
    await ask(first, 'hold', 'held');
    await expect(ask(second, 'hold', 'held')).rejects.toThrow(/store-locked: another tab or worker has the store/);
    await ask(second, 'hold', 'another');
    await first.close();
    await askNext(second, 'hold', 'held');
    await second.close();
  });

  it('says in a page itself that it needs a worker', async () => {
    const page = await tab();
    const { files } = await bundle(
      "import { openDirectory } from 'movelet/store';\nObject.assign(globalThis, { opened: openDirectory('x').then(() => 'opened', ({ code, message }) => code + ': ' + message) });",
    );
    await page.addScriptTag({ type: 'module', content: new TextDecoder().decode(files.get('program.js')) });
    // An inline module runs after the call that adds it has returned.
    await page.waitForFunction('globalThis.opened');
    expect(await page.evaluate('opened')).toMatch(/not-supported: store: only a worker/);
    await page.close();
  });

  it('loses nothing acknowledged when its tab is killed while it writes', async () => {
    const below = randomNumbers(seed);
    const kills = runs(5, 500);
    let before = 0;
    let ahead = 0;
    for (let kill = 0; kill < kills; kill++) {
      const page = await tab();
      // The renderer dies at once, and tells nobody: the session's own calls fail too.
      const session = await context.newCDPSession(page);
      acknowledged.splice(0);
      void askNext(page, 'write', 'killed').catch(() => {});
      await expect.poll(() => acknowledged.length).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, below(60)));
      await Promise.race([
        session.send('Page.crash').catch(() => {}),
        new Promise((resolve) => page.once('crash', resolve)),
      ]);
      const last = Math.max(before, ...acknowledged);
      await page.close();
      const next = await tab();
      const count = await askNext<number>(next, 'count', 'killed');
      await next.close();
      expect(count).toBeGreaterThanOrEqual(last);
      if (count > last) ahead++;
      before = count;
    }
    console.info(
      `${kills} kills: ${before} commits are there; after ${ahead} of the kills, more than was acknowledged`,
    );
  });
});
