/**
 * The web client as an inspector: the chain at a glance, a transaction with its trace, an account, an object with its past, and
 * the ways between them; and nothing that axe finds, in any view.
 */
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reveal } from '../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { createRpc, type HttpServer, serveHttp } from '../../src/server/index.ts';
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
  let sent = 0n;
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
    ({ order: sent } = await engine.executeAs(alice, { ...transfer, arguments: [bob, 150_000_000n] }));
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

  it('says what this is, how long the chain is, and what it did last', async () => {
    await open('#/chain');
    const figures = async (): Promise<string[][]> =>
      (await page.locator('#glance-facts .figure').allInnerTexts()).map((text) =>
        text.split('\n').filter((line) => line !== ''),
      );
    // The list and the figures come from different requests.
    await opened.shows('#glance-newest', 'transfer::transfer_coin');
    await expect.poll(figures).toEqual([
      ['Transactions', String(engine.head.order), 'order of the newest'],
      ['Time', '2023-11-14 22:13:20', 'standing still'],
      ['Bitcoin height', '1', 'newest block'],
      ['Service', 'active'],
    ]);
    expect(await opened.text('#chain-title')).toBe('A local chain');
    expect((await opened.text('#chip')).replace(/\s+/g, ' ')).toBe(`local #${engine.head.order}`);
    const rows = await page.locator('#glance-newest tbody tr').allInnerTexts();
    expect(rows.map((row) => row.replace(/\s+/g, ' ').trim())).toEqual([
      `#${failed} now account 1 transfer::transfer_coin ErrorInsufficientBalance –`,
      `#${sent} now account 0 transfer::transfer_coin Executed 1.5 RGAS from account 0 to account 1`,
      `#${added} now account 0 counter::add Executed added`,
      `#${added - 1n} now account 0 counter::add Executed added`,
      `#${added - 2n} now account 0 publish Executed counter, version 1`,
      ...Array.from({ length: 5 }, () => expect.stringMatching(/^#\d+ now Bitcoin Bitcoin (block|transaction)/)),
    ]);
    await page.locator('#glance-newest tbody th a').first().click();
    await expect.poll(() => opened.text('#tx-title')).toBe(`Transaction ${failed}`);
  });

  it('says what to do on a chain on which nothing has happened', async () => {
    await using fresh = await Engine.open();
    await using at = await serveHttp(createRpc(fresh, { dev: true }), { port: 0 });
    await opened.load(`${at.url}/#/chain`);
    await opened.shows('#glance-newest', 'Nothing has happened on this chain yet.');
    await opened.shows('#glance-published pre', `movelet publish FOLDER --url ${at.url}/`);
    await page.getByRole('link', { name: 'Send coins' }).click();
    await page.locator('#tx-argument-1').waitFor();
    await opened.open(`${server.url}/#/dev`);
  });

  it('shows what is committed while it is looked at, and the chain that a snapshot brings back', async () => {
    await open('#/chain');
    await opened.shows('#glance-live', 'live');
    const before = engine.snapshot();
    const newest = () => page.locator('#glance-newest .order').first().innerText();
    const { order } = engine.head;
    await engine.dev.mint(DEV_ACCOUNTS[3]!.address, 50_000_000n);
    await expect.poll(newest).toBe(`#${order + 1n}`);
    await expect.poll(() => page.locator('#glance-facts strong').first().innerText()).toBe(String(order + 1n));
    await opened.shows('#glance-accounts li:nth-child(4)', '1,000,000.5\u00a0RGAS');
    await engine.revert(before);
    await expect.poll(newest).toBe(`#${order}`);
  });

  it('has the funded accounts with what they have, and a button that sends from one', async () => {
    await open('#/accounts');
    await page.locator('#accounts tbody tr').first().waitFor();
    expect(await page.locator('#accounts tbody tr').count()).toBe(DEV_ACCOUNTS.length);
    expect((await page.locator('#accounts tbody tr').nth(4).innerText()).replace(/\s+/g, ' ')).toMatch(
      /^account 4 1,000,000 RGAS 0x/,
    );
    await page.getByRole('link', { name: 'Send from account 4' }).click();
    await expect.poll(() => page.inputValue('#tx-sender')).toBe(DEV_ACCOUNTS[4]!.address);
    expect(await page.isVisible('#tx-form')).toBe(true);
  });

  it('can be skipped with the first key: a skip link leads to the view that is shown', async () => {
    await opened.leave();
    await opened.open(`${server.url}/#/state/module/0x3`);
    await page.locator('#state .card').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('skip');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('state-view');
    expect(page.url()).toContain('#/state/module/0x3');
  });

  it('scrolls to an answer that is out of sight, and stays put otherwise', async () => {
    await open('#/call/chain_getStates', { viewport: PHONE });
    await page.click('#send');
    await expect.poll(focused).toBe('answer');
    const top = await page.evaluate<number>(`document.querySelector('#answer').getBoundingClientRect().top`);
    expect(top).toBeLessThan(PHONE.height / 2);
    await open('#/contract/0x3::transfer::transfer_coin', { viewport: PHONE });
    await page.fill('#tx-type-0', GAS);
    await page.fill('#tx-argument-0', '0x42');
    await page.fill('#tx-argument-1', '7');
    await page.click('#tx-try');
    await expect.poll(focused).toBe('tx-answer');
    await open('#/call/chain_status');
    await page.click('#send');
    await page.locator('#response .code').waitFor();
    expect(await focused()).toBe('send');
  });

  it('says what a transaction did in a sentence, and whose balances it changed', async () => {
    await open(`#/tx/${sent}`);
    await opened.shows(
      '#tx .sentence',
      'account 0 called transfer::transfer_coin with account 1 and 150,000,000: 1.5\u00a0RGAS moved from account 0 to account 1.',
    );
    const table = async (name: string): Promise<string[]> =>
      (await page.getByRole('table', { name }).locator('tbody tr').allInnerTexts()).map((row) =>
        row.replace(/\s+/g, ' ').trim(),
      );
    expect(await table('Arguments')).toEqual(['T0 type RGas', 'to address account 1', 'amount u256 150,000,000']);
    const { gasUsed } = engine.transactions.get(sent)!.executionInfo;
    expect(await table('Balance changes')).toEqual([
      'account 0 −1.5 RGAS',
      'account 1 +1.5 RGAS',
      `account 0 gas −0.${String(gasUsed).padStart(8, '0').replace(/0+$/, '')} RGAS`,
    ]);
  });

  it('says why a transaction failed, what its code means, and which calls led there', async () => {
    await open(`#/tx/${failed}`);
    await opened.shows('#tx .sentence', 'It failed: The amount is larger than the balance.');
    await opened.shows('#tx .failure', 'ErrorInsufficientBalance (3): The amount is larger than the balance.');
    const stack = await page.locator('#tx .stack a').allInnerTexts();
    expect(stack).toEqual([
      'account_coin_store::withdraw_from',
      'account_coin_store::transfer',
      'transfer::transfer_coin',
    ]);
  });

  it('shows the calls of a trace with their arguments and gas, open down to the one that failed', async () => {
    await open(`#/tx/${failed}`);
    await openCard('Trace');
    await opened.shows('#tx .calls details[open]:not(:has(details[open]))', 'account_coin_store::withdraw_from');
    const { calls, functions } = engine.trace(failed);
    const outermost = page.locator('#tx > .card > details > .inside > .calls > li > details > summary > .gas');
    const action = calls.filter(({ module }) => !module.endsWith('::transaction_validator'));
    expect((await outermost.allInnerTexts()).map((gas) => gas.replaceAll(',', ''))).toEqual(
      action.map(({ gasUsed }) => String(gasUsed)),
    );
    await opened.shows('#tx .calls .facts-list', 'u256 1000000000000000000000000000000');
    await openCard('Gas by function');
    const rows = page.getByRole('table', { name: 'Gas by function' }).locator('tbody tr');
    await rows.first().waitFor();
    const cells = (await rows.allInnerTexts()).map((row) => row.replaceAll(',', '').split(/\s+/).slice(0, 3));
    const expected = functions
      .slice(0, 20)
      .map((each) => [each.function.replace(/^0x\w+::/, ''), `${each.calls}`, `${each.gasSelf}`]);
    expect(cells).toEqual(expected);
  });

  it('shows what a transaction changed of its own, before and after, and leads from there to the object', async () => {
    await open(`#/tx/${added}`);
    await opened.shows('#tx .differences', 'value');
    const cells = await page.locator('#tx .differences tbody tr').allInnerTexts();
    expect(cells.map((row) => row.split(/\s+/))).toEqual([['value', '5', '12']]);
    await opened.shows('#tx .card summary', 'of the framework’s books');
    await page.locator('#tx .card a', { hasText: short(counter) }).click();
    await expect.poll(() => page.inputValue('#path')).toBe(`/object/${counter}`);
  });

  it("lists the action's own events, and the framework's on demand", async () => {
    await open(`#/tx/${added}`);
    await page.locator('#tx .event').first().waitFor();
    expect((await page.locator('#tx .event').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'Added all of them amount 7 by account 0 value 12',
    ]);
    const all = engine.events.ofTransaction(added).length;
    await openCard(`${all - 1} events of the framework`);
    await expect.poll(() => page.locator('#tx .card .card .type').count()).toBe(all - 1);
  });

  it('goes from one transaction to the next, and says when there is none', async () => {
    await open(`#/tx/${failed - 1n}`);
    await page.getByRole('link', { name: `Transaction ${failed}` }).click();
    await expect.poll(() => page.locator('#tx-near a').allInnerTexts()).toEqual([`← ${failed - 1n}`]);
    await open(`#/tx/${failed + 1n}`);
    await opened.shows('#tx', `There is no transaction ${failed + 1n} on this chain. Its newest one is`);
  });

  it('shows an object decoded, its owner, and who changed it from what to what', async () => {
    await open(`#/state/object/${counter}`);
    await opened.shows('#state .facts-list', 'shared');
    expect(await opened.text('#state-title')).toBe('Counter');
    expect((await opened.text('#state-value')).split(/\s+/)).toEqual(['value', '12']);
    await opened.shows('#state .facts-list', `transaction ${added}`);
    await openCard('Proof', '#state');
    await opened.shows('#state .card .json-key', 'proof');
    await openCard('History', '#state');
    await page.locator('#state .card .card').first().waitFor();
    const { data } = await engine.objects.history(counter);
    const titles = await page.locator('#state .card .card .type').allInnerTexts();
    expect(titles).toEqual(data.map(({ order }) => `order ${order}`));
    await page.locator('#state .card .card summary').first().click();
    await opened.shows('#state .card .card p', 'by counter::add of account 0');
    const cells = await page.locator('#state .differences tbody tr').allInnerTexts();
    expect(cells.map((row) => row.split(/\s+/))).toEqual([['value', '5', '12']]);
    await page
      .locator('#state .card .links')
      .getByRole('link', { name: `transaction ${added}` })
      .click();
    await opened.shows('#tx-title', `Transaction ${added}`);
  });

  it('has the balances, contracts, objects and transactions of an account, and its outputs, inscriptions and events', async () => {
    await open(`#/account/${alice}`);
    await opened.shows('#account-title', 'account 0');
    const list = (name: string) => page.getByRole('list', { name, exact: true }).locator('> li');
    await list('Balances').first().waitFor();
    const { balance } = engine.balances.get(alice, GAS);
    const [shown] = (await list('Balances').first().innerText()).replaceAll(',', '').split(/\s/);
    expect(BigInt(shown!.replace('.', '').padEnd(shown!.indexOf('.') + 8, '0'))).toBe(balance);
    await opened.shows('#account .names', 'counter');
    const rows = (name: string) => page.getByRole('table', { name }).locator('tbody tr');
    await expect.poll(() => rows('Transactions').count()).toBe(4);
    await expect.poll(() => rows('Objects').first().innerText()).toContain('CoinStore<RGas>');
    await openCard('Bitcoin', '#account');
    await expect
      .poll(() => list('UTXOs').allInnerTexts())
      .toEqual([expect.stringMatching(/^0\.0001 BTC\s+[0-9a-f]{12}…:0/)]);
    const inscription = async (): Promise<string | undefined> => (await list('Inscriptions').allInnerTexts())[0];
    await expect.poll(inscription).toMatch(/^Inscription 0\s.*text\/plain, 21 bytes\s+seen <b>by<\/b> people$/s);
    await openCard('Events', '#account');
    await expect.poll(() => list('Events').count()).toBe(10);
    await page.getByRole('button', { name: 'More' }).last().click();
    await expect.poll(() => list('Events').count()).toBeGreaterThan(10);
    expect(await page.evaluate(`document.activeElement.closest('li').matches(':nth-child(11)')`)).toBe(true);
  });

  it('shows the same account by its Bitcoin address', async () => {
    await open(`#/account/${engine.accounts[0]!.bitcoin}`);
    await opened.shows('#account-title', 'account 0');
    await openCard('Details', '#account');
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
    await leads('account 1', `#/account/${bob}`);
    await leads('0x3::transfer', '#/contract/0x3::transfer');
    await leads('counter', `#/contract/${alice}::counter`);
    await leads('counter::add', `#/contract/${alice}::counter::add`);
    await leads('0x2::timestamp::Timestamp', '#/state/object/0x2::timestamp::Timestamp');
    await leads(`${txid}:${vout}`, `#/state/object/${objectId}`);
  });

  it.each([
    [`${'0'.repeat(64)}:7`, 'It may have been spent, or never have been on this chain.'],
    ['gibberish!!', 'What can be found: an order, a hash, an address'],
    ['99999', 'The newest transaction is'],
    ['0x3::nothing', 'There is no module nothing at 0x3.'],
    ['account 12', 'There are 10 funded accounts.'],
  ])('says what it looked for and what there is, when it finds nothing for %s', async (text, more) => {
    await open('#/chain');
    await page.fill('#find-what', text);
    await page.press('#find-what', 'Enter');
    await opened.shows('#find-trouble', `Nothing was found for “${text}”. ${more}`);
  });

  it('has the search under the key /', async () => {
    await open('#/chain');
    await page.fill('#find-what', '');
    await page.focus('#chip');
    await page.keyboard.press('/');
    expect(await focused()).toBe('find-what');
    expect(await page.inputValue('#find-what')).toBe('');
  });

  it('says that it has no view of an unknown address, and which it has', async () => {
    await open('#/nowhere/at/all');
    expect(await opened.text('#lost-view')).toContain('This page has no view /nowhere/at/all.');
    await page.locator('#lost-view').getByRole('link', { name: 'contracts' }).click();
    await opened.shows('#contract h3', 'Published here');
  });

  it('becomes dark or light by a button, and stays so', async () => {
    await open('#/chain', LIGHT);
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.click('#look');
    expect(await ground()).not.toBe(light);
    await page.reload();
    expect(await ground()).not.toBe(light);
    await page.click('#look');
    expect(await ground()).toBe(light);
    await page.evaluate('localStorage.clear(); delete document.documentElement.dataset.look');
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
    await page.selectOption('#dev-fund-choice', { label: 'account 1' });
    await page.fill('#dev-fund-amount', '1.5');
    await page.click('#dev-fund button');
    await opened.shows('#dev-outcome', 'RGAS now.');
    expect(engine.balances.get(bob, GAS).balance).toBe(balance + 150_000_000n);
    await page.selectOption('#dev-mine-choice', '');
    await page.fill('#dev-mine-to', 'nobody');
    await page.click('#dev-mine button');
    await opened.shows('#dev-outcome .error', 'nobody');
    await engine.revert(before);
  });

  it('has no controls when the node has none', async () => {
    await using plain = await serveHttp(createRpc(engine), { port: 0 });
    await opened.connect(plain.url);
    await expect.poll(() => page.isVisible('#dev-tab')).toBe(false);
    await open(`#/tx/${failed}`);
    await openCard('Trace');
    await opened.shows('#tx', 'This node does not trace.');
    await open('#/dev');
    await opened.shows('#dev-off:not([hidden])', '--dev');
    expect(await page.locator('#dev-view form:visible').count()).toBe(0);
    await opened.connect(server.url);
    await page.locator('#dev-tab').waitFor();
  });

  it('can be used by the keyboard alone', async () => {
    await open(`#/tx/${failed}`);
    await page.locator('#tx > .card summary').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#tx .calls').first().waitFor();
    await page.keyboard.press('Tab');
    const outermost = page.locator('#tx .calls details').first();
    await expect.poll(() => outermost.locator('> summary').evaluate((summary) => summary.matches(':focus'))).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('0x3::transfer::transfer_coin');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/contract/0x3::transfer::transfer_coin');
  });

  it.each<[string, Wishes, () => string, string, string?]>([
    ['the chain', LIGHT, () => '#/chain', '#glance-newest tbody tr'],
    ['a transaction', DARK, () => `#/tx/${failed}`, '#tx pre', 'Trace, Gas by function, As text'],
    ['accounts', LIGHT, () => '#/accounts', '#accounts tbody tr'],
    ['an account', DARK, () => `#/account/${alice}`, '#account .transactions tr'],
    ['an object', DARK, () => `#/state/object/${counter}`, '#state .differences', 'History, order'],
    ['all objects', LIGHT, () => '#/state/object', '#state .card'],
    ['contracts', LIGHT, () => '#/contract', '#contract tbody tr'],
    ['a module', DARK, () => `#/contract/${alice}::counter`, '#contract tbody tr'],
    ['a form', LIGHT, () => '#/contract/0x3::transfer::transfer_coin', '#tx-argument-1'],
    ['a method', DARK, () => '#/call/chain_getStates', '#response .code'],
    ['events', DARK, () => '#/watch?what=events&filter=all', '#watch-past .card'],
    ['the controls', DARK, () => '#/dev', '#dev-now p'],
    ['nothing', LIGHT, () => '#/nothing', '#lost-view'],
  ])('of %s gives axe nothing to find', async (_, look, hash, seen, cards = '') => {
    await open(hash());
    if (hash().startsWith('#/call')) await page.click('#send');
    for (const title of cards.split(', ').filter(Boolean)) {
      await page.locator('main:visible .card:not(:has(details[open])) summary', { hasText: title }).first().click();
    }
    await page.locator(seen).first().waitFor();
    expect(await page.locator('summary a, summary button').count()).toBe(0);
    if (!(await page.evaluate('window.axe'))) await page.evaluate(axe.source);
    for (const { viewport = WIDE, colorScheme = 'light' } of isLong ? ALL_LOOKS : [look]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(document, { resultTypes: ['violations'] })`,
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    }
  });
});
