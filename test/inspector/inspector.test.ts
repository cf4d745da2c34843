/**
 * The web client as an inspector: the chain at a glance, a transaction with its trace, an account, an object with its past, and
 * the ways between them; and nothing that axe finds, in any view.
 */
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reveal } from '../../src/bitcoin/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { createRpc } from '../../src/server/rpc/index.ts';
import { type HttpServer, serveHttp } from '../../src/server/transport/index.ts';
import { isLong } from '../effort.ts';
import { CHROMIUM, SKIPPED } from './chromium.ts';
import { OpenedPage, type Wishes } from './opened-page.ts';

const GAS = '0x3::gas_coin::RGas';
const COUNTER_MODULE = readFileSync(new URL('../../examples/counter/counter.mv', import.meta.url));
const PHONE = { width: 360, height: 740 };
const WIDE = { width: 1280, height: 720 };
const LIGHT: Wishes = { viewport: WIDE, colorScheme: 'light' };
const DARK: Wishes = { viewport: PHONE, colorScheme: 'dark' };
/** In a long run every view has all looks, else one: axe takes a third of a second to check colours each time. */
const ALL_LOOKS: readonly Wishes[] = [
  LIGHT,
  DARK,
  { ...LIGHT, colorScheme: 'dark' },
  { ...DARK, colorScheme: 'light' },
];
const short = (hex: string): string => `${hex.slice(0, 10)}…${hex.slice(-6)}`;

describe.skipIf(CHROMIUM === undefined)(`the inspector${SKIPPED}`, () => {
  let engine: Engine;
  let server: HttpServer;
  let opened: OpenedPage;
  let page: Page;
  let alice = '';
  let bob = '';
  let counter = '';
  /** Orders of the transactions that the tests view. */
  let added = 0n;
  let failed = 0n;

  beforeAll(async () => {
    engine = await Engine.open();
    [alice, bob] = engine.accounts.map(({ address }) => String(address)) as [string, string];
    const [to, other] = engine.accounts.map(({ bitcoin }) => bitcoin) as [string, string];
    const first = await engine.dev.mine({ to });
    const coins = { txid: first.transactions[0]!.txid, vout: 0 };
    const content = { contentType: 'text/plain', body: 'seen <b>by</b> people' };
    const transactions = [reveal(coins, content, [{ to, value: 10_000n }])];
    await engine.dev.mine({ to: other, transactions });
    const { changes } = await engine.publish(alice, [COUNTER_MODULE]);
    counter = String(changes.find(({ type }) => type.endsWith('::Counter'))?.id);
    await engine.executeAs(alice, { function: `${alice}::counter::add`, arguments: [counter, 5] });
    ({ order: added } = await engine.executeAs(alice, { function: `${alice}::counter::add`, arguments: [counter, 7] }));
    const transfer = { function: '0x3::transfer::transfer_coin', typeArguments: [GAS] };
    ({ order: failed } = await engine.executeAs(bob, { ...transfer, arguments: [alice, 10n ** 30n] }));
    server = await serveHttp(createRpc(engine, { dev: true }), { port: 0 });
    opened = await OpenedPage.launch();
    ({ page } = opened);
    await opened.open(`${server.url}/#/dev`);
  });

  afterEach(() => {
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await opened?.close();
    await server?.close();
    await engine?.close();
  });

  const open = (hash: string, wishes: Wishes = {}): Promise<void> => opened.visit(hash, wishes);
  const focused = (): Promise<string> => page.evaluate('document.activeElement.id');
  const openCard = (title: string, within = '#tx'): Promise<void> =>
    page.locator(`${within} .card summary`, { hasText: title }).first().click();

  it('says what this is, how far the chain is, and what it did last', async () => {
    await open('#/chain');
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
      '1',
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
    await open('#/chain');
    await opened.shows('#glance-live', 'Watching from order');
    const before = engine.snapshot();
    const newest = () => page.locator('#glance-newest .order').first().innerText();
    const { order } = engine.head;
    await engine.dev.mint(DEV_ACCOUNTS[3]!.address, 1n);
    await expect.poll(newest).toBe(String(order + 1n));
    await expect.poll(() => page.locator('#glance-facts dd').nth(1).innerText()).toBe(String(order + 1n));
    await engine.revert(before);
    await expect.poll(newest).toBe(String(order));
  });

  it('has the funded accounts, and a button that sends from one', async () => {
    await open('#/chain');
    await opened.shows('#glance-accounts', '9');
    expect(await page.locator('#glance-accounts li').count()).toBe(DEV_ACCOUNTS.length);
    await page.getByRole('button', { name: 'Use account 4' }).click();
    await expect.poll(() => page.inputValue('#tx-sender')).toBe(DEV_ACCOUNTS[4]!.address);
    expect(await page.isVisible('#tx-form')).toBe(true);
  });

  it('is passed by the first key of the keyboard: a skip link leads to the view that is shown', async () => {
    await opened.leave();
    await opened.open(`${server.url}/#/state/module/0x3`);
    await page.locator('#state .card').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('skip');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('state-view');
    expect(page.url()).toContain('#/state/module/0x3');
  });

  it('goes to the answer when it stands below the form, and stays put when it stands beside it', async () => {
    await open('#/call/chain_getStates', { viewport: PHONE });
    await page.click('#send');
    await expect.poll(focused).toBe('answer');
    const top = await page.evaluate<number>(`document.querySelector('#answer').getBoundingClientRect().top`);
    expect(top).toBeLessThan(PHONE.height / 2);
    await open('#/send/0x3::transfer::transfer_coin', { viewport: PHONE });
    await page.fill('#tx-type-0', GAS);
    await page.fill('#tx-argument-0', '0x42');
    await page.fill('#tx-argument-1', '7');
    await page.click('#tx-try');
    await expect.poll(focused).toBe('tx-answer');
    await open('#/call/chain_getStates');
    await page.click('#send');
    await page.locator('#response .code').waitFor();
    expect(await focused()).toBe('send');
  });

  it('says why a transaction failed, what its code means, and which calls led there', async () => {
    await open(`#/tx/${failed}`);
    await opened.shows('#tx .outcome.failed', `Aborted with code 3 in 0x3::account_coin_store at order ${failed}`);
    await opened.shows('#tx', '(ErrorInsufficientBalance) in 0x3::account_coin_store::withdraw_from at offset');
    await opened.shows('#tx .meaning', 'The amount is larger than the balance.');
    const stack = await page.locator('#tx .stack a').allInnerTexts();
    expect(stack).toEqual([
      '0x3::account_coin_store::withdraw_from',
      '0x3::account_coin_store::transfer',
      '0x3::transfer::transfer_coin',
    ]);
  });

  it('shows the calls of a trace with their arguments and gas, open down to the one that failed', async () => {
    await open(`#/tx/${failed}`);
    await openCard('Trace');
    await opened.shows('#tx .calls details[open]:not(:has(details[open]))', '0x3::account_coin_store::withdraw_from');
    const trace = engine.trace(failed);
    const outermost = page.locator('#tx > .card > details > .inside > .calls > li > details > summary > .gas');
    expect(await outermost.allInnerTexts()).toEqual(trace.calls.map(({ gasUsed }) => String(gasUsed)));
    await opened.shows('#tx .calls .facts-list', 'u256 "1000000000000000000000000000000"');
    await openCard('Gas by function');
    await page.locator('#tx tbody tr').first().waitFor();
    const rows = (await page.locator('#tx tbody tr').allInnerTexts()).map((row) => row.split('\t').slice(0, 3));
    const expected = trace.functions.slice(0, 20).map((each) => [each.function, `${each.calls}`, `${each.gasSelf}`]);
    expect(rows).toEqual(expected);
  });

  it('shows what a transaction changed, before and after, and leads from there to the object', async () => {
    await open(`#/tx/${added}`);
    await openCard('Changes');
    await openCard('counter::Counter');
    await opened.shows('#tx .differences', 'value.value');
    const cells = await page.locator('#tx .differences tbody tr').allInnerTexts();
    expect(cells.map((row) => row.split('\t'))).toEqual([['value.value', '"5"', '"12"']]);
    await page.locator('#tx .card a', { hasText: short(counter) }).click();
    await expect.poll(() => page.inputValue('#path')).toBe(`/object/${counter}`);
  });

  it('lists the events of a transaction as they were emitted', async () => {
    await open(`#/tx/${added}`);
    await openCard('Events');
    await page.locator('#tx .card .card').first().waitFor();
    const types = await page.locator('#tx .card .card .type').allInnerTexts();
    const expected = engine.events.ofTransaction(added).map(({ event }) => String(event.eventType));
    expect(types).toEqual(expected.map((type) => type.replace(alice, short(alice))));
  });

  it('goes from one transaction to the next, and says when there is none', async () => {
    await open(`#/tx/${failed - 1n}`);
    await page.getByRole('link', { name: `Transaction ${failed}` }).click();
    await opened.shows('#tx .outcome', `at order ${failed}`);
    await page.getByRole('link', { name: `Transaction ${failed + 1n}` }).click();
    await opened.shows('#tx', `There is no transaction ${failed + 1n} on this chain.`);
  });

  it('shows an object decoded, its owner, and who changed it from what to what', async () => {
    await open(`#/state/object/${counter}`);
    await opened.shows('#state .facts-list', 'shared');
    expect(JSON.parse(await opened.text('#state-value'))).toEqual({ value: '12' });
    await openCard('History', '#state');
    await page.locator('#state .card .card').first().waitFor();
    const { data } = await engine.objects.history(counter);
    const titles = await page.locator('#state .card .card .type').allInnerTexts();
    expect(titles).toEqual(data.map(({ order }) => `order ${order}`));
    await page.locator('#state .card .card summary').first().click();
    await opened.shows('#state .card .card p', `by ${short(alice)}::counter::add of ${short(alice)}`);
    expect(await page.locator('#state .differences tbody tr').allInnerTexts()).toEqual(['value.value\t"5"\t"12"']);
    await page
      .locator('#state')
      .getByRole('link', { name: `transaction ${added}` })
      .click();
    await opened.shows('#tx .outcome', `at order ${added}`);
  });

  it('has the addresses, balances, outputs, objects, transactions and events of an account', async () => {
    const { bitcoin } = engine.accounts[0]!;
    await open(`#/account/${alice}`);
    await opened.shows('#account .facts-list', bitcoin);
    const list = (name: string) => page.getByRole('list', { name, exact: true }).locator('> li');
    await list('Balances').first().waitFor();
    const { balance } = engine.balances.get(alice, GAS);
    const [shown] = (await list('Balances').first().innerText()).split(' ');
    expect(BigInt(shown!.replace('.', '').padEnd(shown!.indexOf('.') + 8, '0'))).toBe(balance);
    await expect
      .poll(() => list('UTXOs').allInnerTexts())
      .toEqual([expect.stringMatching(/^0\.0001 BTC\s+[0-9a-f]{12}…:0/)]);
    const inscription = async (): Promise<string | undefined> => (await list('Inscriptions').allInnerTexts())[0];
    await expect.poll(inscription).toMatch(/^Inscription 0\s.*text\/plain, 21 bytes\s+seen <b>by<\/b> people$/s);
    await expect.poll(() => list('Transactions').count()).toBe(3);
    await expect.poll(() => list('Objects').first().innerText()).toContain('0x3::coin_store::CoinStore');
    await expect.poll(() => list('Events').count()).toBe(10);
    await page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => list('Events').count()).toBeGreaterThan(10);
    expect(await page.evaluate(`document.activeElement.closest('li').matches(':nth-child(11)')`)).toBe(true);
  });

  it('shows the same account by its Bitcoin address', async () => {
    await open(`#/account/${engine.accounts[0]!.bitcoin}`);
    await opened.shows('#account .facts-list', alice);
  });

  it('finds what is named: orders, hashes, accounts, objects, modules, functions, outpoints', async () => {
    const txHash = String(engine.transactions.get(added)!.executionInfo.txHash);
    const { objectId, txid, vout } = (await engine.bitcoin.utxos({ kind: 'all' })).data[0]!;
    const leads = async (text: string, place: string): Promise<void> => {
      await page.fill('#find-what', text);
      await page.press('#find-what', 'Enter');
      await expect.poll(() => new URL(page.url()).hash, { interval: 5 }).toBe(place);
    };
    await leads(String(added), `#/tx/${added}`);
    await leads(txHash.slice(2), `#/tx/${txHash}`);
    await leads(alice, `#/account/${alice}`);
    await leads(counter, `#/state/object/${counter}`);
    await leads('0x3::transfer', '#/send/0x3::transfer');
    await leads('0x2::timestamp::Timestamp', '#/state/object/0x2::timestamp::Timestamp');
    await leads(`${txid}:${vout}`, `#/state/object/${objectId}`);
  });

  it('says what it cannot find', async () => {
    await open('#/chain');
    await page.fill('#find-what', `${'0'.repeat(64)}:7`);
    await page.press('#find-what', 'Enter');
    await opened.shows('#find-trouble', 'The chain has no such thing now.');
  });

  it('moves time, mines blocks, and goes back to a snapshot', async () => {
    await open('#/chain');
    await page.click('#dev-tab');
    const before = engine.head;
    await page.click('#dev-snapshot button');
    await opened.shows('#dev-outcome', `Snapshot 1 is of order ${before.order}.`);
    await page.fill('#dev-mine-count', '2');
    await page.click('#dev-mine button');
    await opened.shows('#dev-outcome', 'Mined 2 blocks, up to height 3');
    expect(engine.status().bitcoin.pending?.blockHeight).toBe(3n);
    await page.selectOption('#dev-advance-unit', { label: 'days' });
    await page.press('#dev-advance-by', 'Enter');
    await opened.shows('#dev-outcome', 'The time is 2023-11-15 22:13:20 UTC.');
    await page.getByRole('button', { name: 'Go to snapshot 1' }).click();
    await opened.shows('#dev-outcome', `The chain is at snapshot 1, order ${before.order}.`);
    expect(String(engine.head.stateRoot)).toBe(String(before.stateRoot));
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Go to snapshot 1');
  });

  it('mints coins, and says what was refused', async () => {
    const before = engine.snapshot();
    await open('#/dev');
    const { balance } = engine.balances.get(bob, GAS);
    await page.fill('#dev-fund-account', bob);
    await page.fill('#dev-fund-amount', '150000000');
    await page.click('#dev-fund button');
    await opened.shows('#dev-outcome', 'RGAS now.');
    expect(engine.balances.get(bob, GAS).balance).toBe(balance + 150_000_000n);
    await page.fill('#dev-mine-to', 'nobody');
    await page.click('#dev-mine button');
    await opened.shows('#dev-outcome .error', 'nobody');
    await engine.revert(before);
  });

  it('has no controls when the node has none', async () => {
    await using plain = await serveHttp(createRpc(engine), { port: 0 });
    await page.fill('#url', plain.url);
    await page.click('#node button');
    await expect.poll(() => page.isVisible('#dev-tab')).toBe(false);
    await open(`#/tx/${failed}`);
    await openCard('Trace');
    await opened.shows('#tx', 'This node does not trace.');
    await open('#/dev');
    await opened.shows('#dev-off:not([hidden])', '--dev');
    expect(await page.locator('#dev-view form:visible').count()).toBe(0);
    await page.fill('#url', server.url);
    await page.click('#node button');
    await page.locator('#dev-tab').waitFor();
  });

  it('is walked by the keyboard alone', async () => {
    await open(`#/tx/${failed}`);
    await page.locator('#tx .card summary').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#tx .calls').first().waitFor();
    await page.keyboard.press('Tab');
    const outermost = page.locator('#tx .calls details').first();
    await expect.poll(() => outermost.locator('> summary').evaluate((summary) => summary.matches(':focus'))).toBe(true);
    await page.keyboard.press('Space');
    await outermost.locator('.calls').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('0x3::transaction_validator::pre_execute');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/send/0x3::transaction_validator::pre_execute');
  });

  it.each<[string, Wishes, () => string, string, string?]>([
    ['the chain', LIGHT, () => '#/chain', '#glance-accounts li'],
    ['a transaction', DARK, () => `#/tx/${failed}`, '#tx .card tbody tr', 'Trace, Gas by function, As text'],
    ['an account', LIGHT, () => `#/account/${alice}`, '#account .cards .card'],
    ['an object', DARK, () => `#/state/object/${counter}`, '#state .differences', 'History, order'],
    ['all objects', LIGHT, () => '#/state/object', '#state .card details[open]', '::'],
    ['a method', DARK, () => '#/call/chain_getStates', '#response .code'],
    ['a form', LIGHT, () => '#/send/0x3::transfer', '#tx-form'],
    ['events', DARK, () => '#/watch?what=events&filter=all', '#watch-past .card'],
    ['the controls', DARK, () => '#/dev', '#dev-now p'],
  ])('of %s gives axe nothing to find, and fits a phone', async (_, look, hash, seen, cards = '') => {
    await open(hash(), { viewport: PHONE });
    if (hash().startsWith('#/call')) await page.click('#send');
    for (const title of cards.split(', ').filter(Boolean)) {
      await page.locator('main:visible .card:not(:has(details[open])) summary', { hasText: title }).first().click();
    }
    await page.locator(seen).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.locator('summary a, summary button').count()).toBe(0);
    if (!(await page.evaluate('window.axe'))) await page.evaluate(axe.source);
    for (const { viewport = WIDE, colorScheme = 'light' } of isLong ? ALL_LOOKS : [look]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      // Colours in transition from the other scheme belong to neither.
      await page.evaluate('Promise.all(document.getAnimations().map((animation) => animation.finished))');
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(document, { resultTypes: ['violations'] })`,
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    }
  });
});
