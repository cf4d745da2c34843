/** The web client's form for calls, before a node with the controls of a test node and before one without. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { createRpc } from '../../src/server/rpc/index.ts';
import { type HttpServer, serveHttp } from '../../src/server/transport/index.ts';
import { CHROMIUM, SKIPPED } from './chromium.ts';
import { OpenedPage, type Wishes } from './opened-page.ts';

const GAS = '0x3::gas_coin::RGas';
const COUNTER_MODULE = readFileSync(new URL('../../examples/counter/counter.mv', import.meta.url));

describe.skipIf(CHROMIUM === undefined)(`sending in the web client${SKIPPED}`, () => {
  let engine: Engine;
  let server: HttpServer;
  let opened: OpenedPage;
  let counter = '';
  let alice = '';
  let bob = '';

  beforeAll(async () => {
    opened = await OpenedPage.launch();
    engine = await Engine.open();
    [alice, bob] = engine.accounts.map(({ address }) => String(address)) as [string, string];
    const { changes } = await engine.publish(alice, [COUNTER_MODULE]);
    counter = String(changes.find(({ type }) => type.endsWith('::Counter'))?.id);
    server = await serveHttp(createRpc(engine, { dev: true }), { port: 0 });
  });

  afterEach(() => {
    expect(opened.complaints.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await opened?.close();
    await server?.close();
    await engine?.close();
  });

  /** Shows the form, in the page that is open if it is of the same node. */
  async function open(name: string, wishes: Wishes = {}, at = server): Promise<void> {
    if (wishes.permissions === undefined && opened.page.url().startsWith(`${at.url}/`)) {
      await opened.page.evaluate(`document.getElementById('tx-form').reset()`);
      await opened.visit(`#/send/${name}`, wishes);
    } else {
      await opened.leave();
      await opened.open(`${at.url}/#/send/${name}`, wishes);
    }
  }

  async function openTransfer(amount: string): Promise<void> {
    await open('0x3::transfer');
    await opened.page.fill('#tx-type-0', GAS);
    await opened.page.fill('#tx-argument-0', bob);
    await opened.page.fill('#tx-argument-1', amount);
  }

  it('offers the entry functions of a module, with a field for each parameter but signers', async () => {
    await open('0x3::transfer::transfer_coin_by_type_name');
    const { page } = opened;
    await expect.poll(() => page.inputValue('#tx-function')).toBe('transfer_coin_by_type_name');
    expect(await page.locator('#tx-function option').allInnerTexts()).toContain('transfer_object');
    const labels = async (): Promise<string[]> =>
      (await page.locator('#tx-fields label').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(await labels()).toEqual(['argument 0 address', 'argument 1 0x1::string::String', 'argument 2 u256']);
    await page.selectOption('#tx-function', 'transfer_coin');
    expect(await labels()).toEqual(['type T0 store + key', 'argument 0 address', 'argument 1 u256']);
    expect(page.url()).toMatch(/#\/send\/0x3::transfer::transfer_coin$/);
    await page.reload();
    await expect.poll(() => page.inputValue('#tx-function')).toBe('transfer_coin');
  });

  it('lists the modules of an address, each leading to its functions', async () => {
    await open(alice);
    await opened.page.getByRole('link', { name: 'counter' }).click();
    await opened.page.waitForSelector('#tx-form:not([hidden])');
    expect(await opened.page.inputValue('#tx-module')).toBe(`${alice}::counter`);
    const options = async (label: string): Promise<string[]> =>
      opened.page.locator(`#tx-function optgroup[label=${label}] option`).allInnerTexts();
    expect([await options('Send'), await options('View')]).toEqual([['add'], ['value']]);
    await opened.page.getByRole('link', { name: 'The code of this module' }).click();
    await expect.poll(() => opened.page.inputValue('#path')).toBe(`/module/${alice}/counter`);
  });

  it('says when there is no such module, and when a module has nothing to call', async () => {
    await open('0x3::nowhere');
    await opened.shows('#tx-found', 'There is no module nowhere at 0x3.');
    await opened.page.fill('#tx-module', '0x1::signer');
    await opened.page.press('#tx-module', 'Enter');
    await opened.shows('#tx-found', 'The module has no functions to call.');
    await opened.page.fill('#tx-module', 'nobody');
    await opened.page.press('#tx-module', 'Enter');
    await opened.shows('#tx-found .error', 'Invalid params');
    expect(await opened.page.isVisible('#tx-form')).toBe(false);
  });

  it('sends in the name of the chosen account, and shows the receipt', async () => {
    const { order } = engine.head;
    await openTransfer('12');
    await opened.page.selectOption('#tx-sender', { index: 2 });
    await opened.page.press('#tx-argument-1', 'Enter');
    await opened.shows('.outcome', `Executed at order ${order + 1n}`);
    const record = engine.transactions.get(order + 1n)!;
    const { data } = record.transaction;
    expect(data.kind === 'l2-transaction' && String(data.data.sender)).toBe(String(engine.accounts[2]!.address));
    expect(await opened.text('#tx-receipt .facts')).toContain(`gas ${record.executionInfo.gasUsed}`);
    await opened.shows('#tx-receipt .card summary', 'amount 12');
    await opened.shows('#tx-receipt .card summary', '0x2::account::Account');
    await opened.page.click('#tx-receipt .facts a');
    await expect.poll(() => opened.text('#tx-title')).toBe(`Transaction ${order + 1n}`);
  });

  it('passes an object by its id, and any address as the sender', async () => {
    const stranger = `0x${'77'.repeat(32)}`;
    await open(`${alice}::counter::add`);
    await opened.page.selectOption('#tx-sender', 'another');
    await opened.page.fill('#tx-another', stranger);
    await opened.page.fill('#tx-argument-0', counter);
    await opened.page.fill('#tx-argument-1', '7');
    await opened.page.click('#tx-send');
    await opened.shows('#tx-receipt .card summary', 'by 0x77777777…777777, value 7');
    expect(engine.view({ function: `${alice}::counter::value` })[0]).toBe(7n);
  });

  it('shows what a function returns, also when the node has no controls', async () => {
    await using plain = await serveHttp(createRpc(engine), { port: 0 });
    await open('0x3::account_coin_store::balance', {}, plain);
    const { page } = opened;
    await expect.poll(() => page.inputValue('#tx-function')).toBe('balance');
    expect(await page.isVisible('#tx-sender')).toBe(false);
    await page.fill('#tx-type-0', GAS);
    await page.fill('#tx-argument-0', bob);
    await page.press('#tx-argument-0', 'Enter');
    await opened.shows('#tx-receipt .outcome', 'Returned');
    const { balance } = engine.balances.get(bob, GAS);
    expect(await page.locator('#tx-receipt .label, #tx-receipt .json-string').allInnerTexts()).toEqual([
      'u256',
      `"${balance}"`,
    ]);
  });

  it('shows why a view failed', async () => {
    await open('0x1::vector::remove');
    await opened.page.fill('#tx-type-0', 'u8');
    await opened.page.fill('#tx-argument-0', '0x');
    await opened.page.fill('#tx-argument-1', '0');
    await opened.page.click('#tx-look');
    await opened.shows('#tx-receipt .outcome.failed', 'Failed');
    await opened.shows('#tx-receipt p', 'aborted with code 131072 (EINDEX_OUT_OF_BOUNDS) in 0x1::vector::remove');
    await opened.shows('#tx-receipt .meaning', 'A position is not below the length.');
    await opened.shows('#tx-receipt .stack', '0x1::vector::remove, offset');
  });

  it('tries without writing', async () => {
    const { order } = engine.head;
    await openTransfer('12');
    await opened.page.click('#tx-try');
    await opened.shows('.outcome', 'Executed, if it were sent');
    await opened.page.fill('#tx-argument-1', (10n ** 30n).toString());
    await opened.page.click('#tx-try');
    await opened.shows('.outcome.failed', 'Aborted with code 3 in 0x3::account_coin_store, if it were sent');
    await opened.shows('#tx-receipt', 'ErrorInsufficientBalance');
    await opened.page.click('#tx-receipt .card summary:has-text("Trace")');
    await opened.shows('#tx-receipt .trace', '0x3::account_coin_store::withdraw_from<0x3::gas_coin::RGas>');
    expect(engine.head.order).toBe(order);
  });

  it('shows one that failed as a failure, and what it cost', async () => {
    await openTransfer((10n ** 30n).toString());
    await opened.page.click('#tx-send');
    await opened.shows('.outcome.failed', 'Aborted with code 3 in 0x3::account_coin_store at order');
    await opened.shows('#tx-receipt', '(ErrorInsufficientBalance) in 0x3::account_coin_store::withdraw_from at offset');
    expect(await opened.text('#tx-receipt .facts')).toMatch(/^gas [1-9]\d+ /);
    await opened.shows('#tx-receipt .meaning', 'The amount is larger than the balance.');
    await opened.shows('#tx-receipt .stack li:last-child', '0x3::transfer::transfer_coin, offset');
    await opened.page.click('#tx-receipt .card summary:has-text("Trace")');
    await opened.page.click('#tx-receipt .card summary:has-text("As text")');
    await opened.shows('#tx-receipt .trace', 'withdraw_from, offset');
  });

  it('names the field that is wrong, goes to it, and sends nothing', async () => {
    const { order } = engine.head;
    await openTransfer('much');
    await opened.page.fill('#tx-gas', '-1');
    await opened.page.click('#tx-send');
    expect(await opened.text('#tx-argument-1-trouble')).toBe('Expected a whole number from 0 to 2^256 - 1.');
    expect(await opened.text('#tx-gas-trouble')).toBe('Expected a whole number from 0 to 2^64 - 1.');
    expect(await opened.page.evaluate('document.activeElement.id')).toBe('tx-argument-1');
    expect(await opened.page.getAttribute('#tx-argument-1', 'aria-invalid')).toBe('true');
    await opened.page.fill('#tx-argument-1', '1');
    await opened.page.fill('#tx-gas', '');
    await opened.page.fill('#tx-type-0', '');
    await opened.page.click('#tx-send');
    expect(await opened.text('#tx-type-0-trouble')).toBe('Expected a Move type.');
    expect(await opened.page.isHidden('#tx-argument-1-trouble')).toBe(true);
    expect(engine.head.order).toBe(order);
  });

  it('shows what the chain refuses, with its reason', async () => {
    await openTransfer('1');
    await opened.page.fill('#tx-gas', '5');
    await opened.page.click('#tx-send');
    await opened.shows('#tx-receipt .error', 'OUT_OF_GAS');
  });

  it('can be used by the keyboard alone, and every field has a name', async () => {
    await open('0x3::transfer::transfer_coin');
    const { page } = opened;
    await page.locator('#tx-function').waitFor();
    await page.focus('#tx-function');
    const visited: string[] = [];
    for (let step = 0; step < 8; step++) {
      visited.push(await page.evaluate<string>('document.activeElement.id || document.activeElement.textContent'));
      await page.keyboard.press('Tab');
    }
    expect(visited).toEqual([
      'tx-function',
      'tx-sender',
      'tx-type-0',
      'tx-argument-0',
      'tx-argument-1',
      'tx-gas',
      'tx-send',
      'tx-try',
    ]);
    for (const id of visited.slice(0, 6)) {
      expect(await page.evaluate(`document.getElementById('${id}').labels.length`), id).toBe(1);
    }
  });

  it('gives the same call as a command line', async () => {
    await open('0x3::transfer::transfer_coin', { permissions: ['clipboard-read', 'clipboard-write'] });
    await opened.page.fill('#tx-type-0', GAS);
    await opened.page.fill('#tx-argument-0', bob);
    await opened.page.fill('#tx-argument-1', "it's");
    await opened.page.getByRole('button', { name: 'Copy as command' }).click();
    await opened.shows('#said', 'Copied');
    expect(await opened.page.evaluate('navigator.clipboard.readText()')).toBe(
      `movelet run 0x3::transfer::transfer_coin ${bob} 'it'\\''s' --type-args ${GAS} --sender ${alice} --url ${server.url}/`,
    );
  });

  it('tells how to turn the controls on when they are off', async () => {
    await using plain = await serveHttp(createRpc(engine), { port: 0 });
    await open('0x3::transfer', {}, plain);
    await opened.shows('#tx-off:not([hidden])', '--dev');
    await opened.page.waitForSelector('#tx-form:not([hidden])');
    expect(await opened.page.isDisabled('#tx-send')).toBe(true);
    expect(await opened.page.isDisabled('#tx-try')).toBe(true);
    const { order } = engine.head;
    await opened.page.press('#tx-argument-1', 'Control+Enter');
    expect(engine.head.order).toBe(order);
  });

  it('tells why the controls are refused when other machines may reach the listener', async () => {
    await using exposed = await serveHttp(createRpc(engine, { dev: true }), { port: 0, hosts: ['node.example'] });
    await open('0x3::transfer', {}, exposed);
    await opened.shows('#tx-found .error', 'other machines may reach this listener');
    await opened.page.waitForSelector('#tx-form:not([hidden])');
  });

  it('fits a narrow window', async () => {
    await open('0x3::transfer', { viewport: { width: 360, height: 740 } });
    await opened.page.fill('#tx-type-0', GAS);
    await opened.page.fill('#tx-argument-0', bob);
    await opened.page.fill('#tx-argument-1', '1');
    await opened.page.click('#tx-send');
    await opened.shows('.outcome', 'Executed');
    expect(await opened.page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(
      0,
    );
  });
});
