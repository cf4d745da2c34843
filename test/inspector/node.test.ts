import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { createRpc, type HttpServer, serveHttp } from '../../src/server/index.ts';
import { CHROMIUM, launchChromium, SKIPPED, WAIT_MS } from './chromium.ts';

describe.skipIf(CHROMIUM === undefined)(`the web client of a real node in Chromium${SKIPPED}`, () => {
  let browser: Browser;
  let engine: Engine;
  let server: HttpServer;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    engine = await Engine.open();
    server = await serveHttp(createRpc(engine), { port: 0 });
    browser = await launchChromium();
    page = await browser.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => complaints.push(message.text()));
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await engine?.close();
    expect(complaints).toEqual([]);
  });

  it('prefills an example of every method that the node answers as the engine does', async () => {
    await page.goto(`${server.url}/#/call`);
    await page.locator('#methods a').first().waitFor();
    const names = await page.locator('#methods a').allInnerTexts();
    expect(names.length).toBeGreaterThan(30);
    // They change the chain, and are valid at one moment of it only: test/server/rpc/execute.test.ts sends them.
    const sent = names.filter((name) => !/_(execute|send)RawTransaction$/.test(name));
    // In the page, since asking the browser at each step takes longer than all the rest.
    const outcomes = await page.evaluate<[string, string, boolean, string, number][]>(`(async () => {
      const byId = (id) => document.getElementById(id);
      const outcomes = [];
      for (const name of ${JSON.stringify(sent)}) {
        const shown = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
        location.hash = '#/call/' + name;
        await shown;
        const { textContent: heading } = byId('method-name');
        const { checked } = byId('as-json');
        const answered = new Promise((resolve) => {
          new MutationObserver((_, observer) => {
            if (!byId('response').querySelector('.facts')) return;
            observer.disconnect();
            resolve();
          }).observe(byId('response'), { childList: true });
        });
        byId('send').click();
        await answered;
        const facts = byId('response').querySelector('.facts').textContent;
        outcomes.push([name, heading, checked, facts, byId('response').querySelectorAll('.error').length]);
      }
      return outcomes;
    })()`);
    expect(outcomes.map(([name]) => name)).toEqual(sent);
    for (const [name, heading, isJson, facts, failures] of outcomes) {
      expect(heading).toBe(name);
      expect(isJson, name).toBe(false);
      expect(facts, name).toMatch(/^HTTP 200 /);
      // No Bitcoin node is followed, and a POST has no connection that subscriptions could go to.
      const isRefused = name === 'btc_broadcastTX' || /subscribe/i.test(name);
      expect(failures, name).toBe(isRefused ? 1 : 0);
    }
  });

  it('walks all objects by their cursors', async () => {
    await page.goto(`${server.url}/#/state/object`);
    const ids = new Set<string>();
    for (;;) {
      await page.locator('#state:not([aria-busy]) .card').first().waitFor();
      for (const link of await page.locator('#state .card > .links a').all())
        ids.add((await link.getAttribute('href')) ?? '');
      const next = page.getByRole('link', { name: 'Next page' });
      if ((await next.count()) === 0) break;
      const target = (await next.getAttribute('href')) ?? '';
      await next.click();
      await page.locator(`#state a.button[href=${JSON.stringify(target)}]`).waitFor({ state: 'detached' });
    }
    const whole = await createRpc(engine).request('chain_listStates', ['/object', null, '1000']);
    expect(whole).toMatchObject({ has_next_page: false });
    expect(ids.size).toBe((whole as { data: unknown[] }).data.length);
  });

  it('goes from an account to its resources, and back', async () => {
    const { address } = DEV_ACCOUNTS[0]!;
    await page.goto(`${server.url}/#/account/${address}`);
    await page.locator('#account', { hasText: '1,000,000\u00a0RGAS' }).waitFor();
    await page.locator('#account .card summary', { hasText: 'Details' }).click();
    await page.getByRole('link', { name: 'resources and session keys' }).click();
    await page.getByRole('heading', { name: 'Resources' }).first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Balances' }).waitFor();
  });

  it('shows the modules of a package and the code of one, and leads to the forms of its functions', async () => {
    await page.goto(`${server.url}/#/state/module/0x3`);
    await page.locator('#state .card', { hasText: 'transfer' }).locator('.links a').first().waitFor();
    await page.locator('#state a[href="#/contract/0x3::transfer"]').click();
    await page.locator('#contract .card summary', { hasText: 'Bytecode' }).click();
    await page.locator('#contract pre', { hasText: 'module 0x3::' }).waitFor();
    await page.getByRole('link', { name: 'transfer_coin<T0>' }).click();
    await page.locator('#tx-argument-1').waitFor();
  });

  it('shows an object by its type, and what is wrong with a path', async () => {
    await page.goto(`${server.url}/#/state/object/0x2::timestamp::Timestamp`);
    await page.locator('#state-value', { hasText: '1700000000000 2023-11-14 22:13:20 UTC' }).waitFor();
    await page.goto(`${server.url}/#/state/object/zzz`);
    await page.locator('.error', { hasText: 'params[0] access_path' }).waitFor();
    expect(await page.locator('#state .error').allInnerTexts()).toHaveLength(1);
  });
});
