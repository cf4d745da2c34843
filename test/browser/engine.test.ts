/** An engine in a page: the same chain as in Node, from the same program. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, SKIPPED } from '../inspector/chromium.ts';
import { OpenedPage } from '../inspector/opened-page.ts';
import { type Bundle, bundle } from './bundle.ts';
import * as uses from './program.ts';
import { type ServedFiles, serveFiles } from './served.ts';

type Uses = typeof uses;

const HTML =
  '<!doctype html><title>page</title><link rel="icon" href="data:,"><script type="module" src="program.js"></script>';

describe.skipIf(CHROMIUM === undefined)(`an engine in Chromium${SKIPPED}`, () => {
  let opened: OpenedPage;
  let page: Page;
  let built: Bundle;
  let served: ServedFiles;

  beforeAll(async () => {
    opened = await OpenedPage.launch();
    ({ page } = opened);
    built = await bundle("import * as uses from './test/browser/program.ts';\nObject.assign(globalThis, { uses });");
  });

  afterEach(async () => {
    await opened.leave();
    await served.close();
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  afterAll(() => opened?.close());

  async function load(headers: Readonly<Record<string, string>> = {}): Promise<void> {
    served = await serveFiles(new Map<string, string | Uint8Array>([['index.html', HTML], ...built.files]), headers);
    await opened.load(served.url);
    await page.waitForFunction('globalThis.uses !== undefined');
  }

  /** Calls a use in the page. */
  const inPage = <Name extends keyof Uses>(name: Name, ...given: Parameters<Uses[Name]>): ReturnType<Uses[Name]> =>
    page.evaluate(`uses.${name}(...${JSON.stringify(given)})`) as ReturnType<Uses[Name]>;

  it('executes a thousand transfers to the roots that they have in Node', async () => {
    await load();
    const { roots } = await inPage('transfers', 1_000);
    expect(roots).toBe((await uses.transfers(1_000)).roots);
    expect(JSON.parse(roots)[0]).toBe('1000');
  });

  it('compiles, publishes, calls and views a contract, in translated code', async () => {
    await load();
    expect(await inPage('contract')).toEqual({ value: '7', code: 'translated' });
  });

  it('replays a run that was recorded in Node to the same roots, and Node one of the page', async () => {
    await load();
    const [ofNode, ofPage] = [await uses.recorded(), await inPage('recorded')];
    expect(await inPage('replayed', ofNode.file)).toBe(ofNode.roots);
    expect(await uses.replayed(ofPage.file)).toBe(ofPage.roots);
    expect(ofPage.roots).toBe(ofNode.roots);
  });

  it('computes a genesis of its own options as Node does, from the modules that it has', async () => {
    await load();
    expect(await inPage('otherGenesis')).toBe(await uses.otherGenesis());
  });

  it('answers JSON-RPC', async () => {
    await load();
    expect(await inPage('chainId')).toBe('4');
  });

  it('works under a policy that forbids making code from text, interpreted, and says so', async () => {
    await load({ 'content-security-policy': "default-src 'none'; script-src 'self'" });
    expect(await inPage('contract')).toEqual({ value: '7', code: 'interpreted' });
    const { roots } = await inPage('transfers', 60);
    expect(roots).toBe((await uses.transfers(60)).roots);
    // The browser reports no more of a page that was left.
    await opened.leave();
    const refused = opened.complaints.splice(0);
    expect(refused.filter((complaint) => !complaint.includes('Content Security Policy'))).toEqual([]);
  });
});
