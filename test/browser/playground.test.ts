/** The playground: a static page in which a visitor publishes, calls, looks and passes the run on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, SKIPPED } from '../inspector/chromium.ts';
import { OpenedPage } from '../inspector/opened-page.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { type ServedFiles, serveFiles } from './served.ts';

const directory = temporaryDirectories();

describe.skipIf(CHROMIUM === undefined)(`the playground in Chromium${SKIPPED}`, () => {
  let opened: OpenedPage;
  let page: Page;
  let served: ServedFiles;

  beforeAll(async () => {
    // By a variable, since there are no types of scripts.
    const script = '../../scripts/playground.mjs';
    const { buildPlayground } = (await import(/* @vite-ignore */ script)) as {
      buildPlayground(folder: string): Promise<string>;
    };
    const folder = await buildPlayground(join(directory(), 'playground'));
    served = await serveFiles(new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])));
    opened = await OpenedPage.launch();
    ({ page } = opened);
  });

  afterEach(async () => {
    await opened.leave();
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await opened?.close();
    await served?.close();
  });

  const load = async (hash = ''): Promise<void> => {
    await opened.load(`${served.url}/${hash}`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await opened.shows('#status', 'methods');
  };

  async function publish(): Promise<void> {
    await opened.shows('#code-state', 'Compiles');
    await page.click('#code-publish');
    await opened.shows('#code-answer', 'Published as transaction');
  }

  async function add(amount: string): Promise<void> {
    await page.click('#code-answer a[aria-label="Call add"]');
    // The counter is the one object that fits, so it is there already.
    await page.fill('#tx-argument-1', amount);
    await page.click('#tx-send');
    await opened.shows('#tx-receipt', 'added');
  }

  async function view(): Promise<string> {
    await opened.visit('#/code');
    await page.click('#code-answer a[aria-label="View value"]');
    await page.click('#tx-look');
    await opened.shows('#tx-receipt .returned', 'u64');
    return opened.text('#tx-receipt .returned');
  }

  it('publishes the example, calls it, shows what changed, and views it', async () => {
    await load();
    await publish();
    await add('7');
    expect(await view()).toContain('7');
    await opened.visit('#/tx/2');
    await opened.shows('#tx', 'counter::add');
    await opened.visit('#/state/object/0x2::timestamp::Timestamp');
    await opened.shows('#state', 'Timestamp');
  });

  it('passes a run on by a link, which can be continued and passed on again', async () => {
    await load();
    await publish();
    for (const link of ['first', 'second']) {
      if (link === 'second') await publish();
      await add('5');
      await opened.visit('#/code');
      await page.click('#code-link');
      await opened.shows('#code-shared', 'Copied');
      const copied = await page
        .locator('html')
        .evaluate(() => (globalThis as unknown as PageScope).navigator.clipboard.readText());
      expect(copied.length).toBeLessThan(10_000);
      const { hash } = new URL(copied);
      await page.goto('about:blank');
      await load(hash);
      await opened.shows('#glance-newest', 'counter::add');
      await opened.shows('#chip', link === 'first' ? '#2' : '#4');
      await opened.visit('#/code');
    }
  });

  it('says which lines do not compile, and which address the code has', async () => {
    await load();
    await page.fill('#code-text', 'module mine::m {\n  public fun f(): u64 { true }\n}');
    await opened.shows('#code-state', '1 error');
    expect(await opened.text('#code-troubles')).toContain('Line 2');
    await page.click('#code-publish');
    await opened.shows('#code-answer', 'does not compile');
    await page.fill('#code-text', 'module mine::m {\n  public fun f(): u64 { 5 }\n}');
    await publish();
    await page.reload();
    await opened.shows('#status', 'methods');
    expect(await page.inputValue('#code-text')).toContain('f(): u64 { 5 }');
  });

  it('says that a link is damaged, and offers a new chain', async () => {
    await load('#/run/H4sIAAAA');
    await opened.shows('#code-shared', 'The link is damaged');
    await publish();
    await page.click('#code-anew');
    await opened.shows('#chip', '#0');
    await opened.shows('#code-answer', 'Publish');
  });

  it.each([320, 375, 1280])('is no wider than a window of %i', async (width) => {
    await load();
    await page.setViewportSize({ width, height: 700 });
    await publish();
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBeLessThanOrEqual(width);
  });
});

/** What a page has, which the types of Node do not know. */
interface PageScope {
  readonly navigator: { readonly clipboard: { readText(): Promise<string> } };
}
