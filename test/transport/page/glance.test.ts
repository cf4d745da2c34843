/** The page as somebody meets it first: the chain at a glance, and nothing that axe finds, in any view. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine.ts';
import { DEV_ACCOUNTS } from '../../../src/framework/accounts.ts';
import { createRpc } from '../../../src/rpc/server.ts';
import { type HttpServer, serveHttp } from '../../../src/transport/index.ts';
import { isLong } from '../../effort.ts';
import { CHROMIUM, SKIPPED } from './chromium.ts';
import { OpenedPage, type Wishes } from './opened-page.ts';

const PHONE = { width: 390, height: 800 };

const WIDE = { width: 1280, height: 800 };
/** The page in all its looks; those in between only in a long run. */
const LOOKS: readonly Wishes[] = [
  { viewport: WIDE, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
  ...(isLong
    ? ([
        { viewport: WIDE, colorScheme: 'dark' },
        { viewport: PHONE, colorScheme: 'light' },
      ] as const)
    : []),
];

describe.skipIf(CHROMIUM === undefined)(`the page at a glance${SKIPPED}`, () => {
  let opened: OpenedPage;
  let engine: Engine;
  let server: HttpServer;
  let page: Page;

  beforeAll(async () => {
    engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    await engine.bitcoin.mine({ to: alice!.bitcoin });
    await engine.call(alice!.address, {
      function: '0x3::transfer::transfer_coin',
      typeArguments: ['0x3::gas_coin::RGas'],
      arguments: [bob!.address, 5n],
    });
    server = await serveHttp(createRpc(engine, { dev: true }), { port: 0 });
    opened = await OpenedPage.launch();
    ({ page } = opened);
  });

  afterEach(async () => {
    await opened.leave();
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await opened?.close();
    await server?.close();
    await engine?.close();
  });

  const open = (hash = '', wishes: Wishes = {}): Promise<void> => opened.open(`${server.url}/${hash}`, wishes);
  const focused = (): Promise<string> => page.evaluate('document.activeElement.id');

  it('says what this is, how far the chain is, and what it did last', async () => {
    await open();
    expect(await opened.text('#about')).toMatch(/^A Move and Bitcoin chain: /);
    await opened.shows('#glance-facts', 'Bitcoin height');
    const facts = await page.locator('#glance-facts dt, #glance-facts dd').allInnerTexts();
    const root = String(engine.head.stateRoot);
    expect(facts).toEqual([
      'Service',
      'active',
      'Order',
      String(engine.head.order),
      'State root',
      `${root.slice(0, 10)}…${root.slice(-6)}`,
      'Bitcoin height',
      '0',
    ]);
    await opened.shows('#glance-newest', '0x3::transfer::transfer_coin');
    const orders = await page.locator('#glance-newest .order').allInnerTexts();
    expect(orders).toEqual(
      Array.from({ length: orders.length }, (_, back) => String(engine.head.order - BigInt(back))),
    );
    await page.locator('#glance-newest a').first().click();
    await expect.poll(() => opened.text('#tx-title')).toBe(`Transaction ${engine.head.order}`);
  });

  it('shows what is committed while it is looked at, and the chain that a snapshot brings back', async () => {
    await open();
    await opened.shows('#glance-live', 'Watching from order');
    const before = engine.snapshot();
    const newest = () => page.locator('#glance-newest .order').first().innerText();
    const { order } = engine.head;
    await engine.dev.fund(DEV_ACCOUNTS[3]!.address, '0x3::gas_coin::RGas', 1n);
    await expect.poll(newest).toBe(String(order + 1n));
    await expect.poll(() => page.locator('#glance-facts dd').nth(1).innerText()).toBe(String(order + 1n));
    await engine.revert(before);
    await expect.poll(newest).toBe(String(order));
  });

  it('has the funded accounts, and a button that sends from one', async () => {
    await open();
    await opened.shows('#glance-accounts', '9');
    expect(await page.locator('#glance-accounts li').count()).toBe(DEV_ACCOUNTS.length);
    await page.getByRole('button', { name: 'Use account 4' }).click();
    await expect.poll(() => page.inputValue('#tx-sender')).toBe(DEV_ACCOUNTS[4]!.address);
    expect(await page.isVisible('#tx-form')).toBe(true);
  });

  it('is passed by the first key of the keyboard: a skip link leads to the view that is shown', async () => {
    await open('#/state/module/0x3');
    await page.locator('.card').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('skip');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('state-view');
    expect(page.url()).toContain('#/state/module/0x3');
  });

  it('goes to the answer where it stands below the form, and stays where it stands beside', async () => {
    await open('#/call/chain_getStates', { viewport: PHONE });
    await page.click('#send');
    await expect.poll(focused).toBe('answer');
    const top = await page.evaluate<number>(`document.querySelector('#answer').getBoundingClientRect().top`);
    expect(top).toBeLessThan(PHONE.height / 2);
    await open('#/send/0x3::transfer::transfer_coin', { viewport: PHONE });
    await page.fill('#tx-type-0', '0x3::gas_coin::RGas');
    await page.fill('#tx-argument-0', '0x42');
    await page.fill('#tx-argument-1', '7');
    await page.click('#tx-try');
    await expect.poll(focused).toBe('tx-answer');
    await open('#/call/chain_getStates');
    await page.click('#send');
    await page.locator('#response .code').waitFor();
    expect(await focused()).toBe('send');
  });

  it('has no link or button inside of what opens and closes', async () => {
    for (const hash of ['#/state/object', '#/state/module/0x3', '#/state/resource/0x3']) {
      await page.goto('about:blank');
      await open(hash);
      await page.locator('.card').first().waitFor();
      expect(await page.locator('summary a, summary button').count()).toBe(0);
    }
  });

  it.each([
    ['#/chain', '#glance-accounts li'],
    ['#/call/chain_getStates', '#response .code'],
    ['#/send/0x3::transfer', '#tx-form'],
    ['#/watch', '#watch'],
    ['#/state/object', '.card details[open]'],
  ])('%s gives axe nothing to find, wide and narrow, light and dark', async (hash, seen) => {
    for (const wishes of LOOKS) {
      await page.goto('about:blank');
      await open(hash, wishes);
      if (hash.startsWith('#/call')) await page.click('#send');
      if (hash.startsWith('#/state')) await page.locator('.card summary').first().click();
      await page.locator(seen).first().waitFor();
      // Colours that are on their way from the other scheme are of neither.
      await page.evaluate('Promise.all(document.getAnimations().map((animation) => animation.finished))');
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(document, { resultTypes: ['violations'] })`,
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    }
  });
});
