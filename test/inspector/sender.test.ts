/** The web client's form for calls, before a node with the controls of a test node and before one without. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compileSources } from '../../src/compile/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { createRpc, type HttpServer, serveHttp } from '../../src/server/index.ts';
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
      await opened.visit(`#/contract/${name}`, wishes);
    } else {
      await opened.leave();
      await opened.open(`${at.url}/#/contract/${name}`, wishes);
    }
  }

  async function openTransfer(amount: string): Promise<void> {
    await open('0x3::transfer::transfer_coin');
    await opened.page.fill('#tx-type-0', GAS);
    await opened.page.fill('#tx-argument-0', bob);
    await opened.page.fill('#tx-argument-1', amount);
  }

  it('shows the functions of a module with their parameters by name, each leading to its form', async () => {
    await open('0x3::transfer');
    const { page } = opened;
    const row = page.getByRole('table', { name: 'Send' }).locator('tbody tr', { hasText: 'transfer_coin<T0>' });
    await row.waitFor();
    expect((await row.locator('th, td').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'transfer_coin<T0>',
      'to address amount u256',
      'nothing',
      'Call',
    ]);
    await row.getByRole('link', { name: 'Call' }).click();
    const labels = async (): Promise<string[]> =>
      (await page.locator('#tx-fields label').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(labels).toEqual(['type T0 store + key', 'to address', 'amount u256']);
    expect(page.url()).toMatch(/#\/contract\/0x3::transfer::transfer_coin$/);
    await page.reload();
    await expect.poll(labels).toHaveLength(3);
  });

  it('numbers the parameters of a module without a source', async () => {
    await open(`${alice}::counter::add`);
    const labels = async (): Promise<string[]> => opened.page.locator('#tx-fields label').allInnerTexts();
    await expect
      .poll(async () => (await labels()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual(['argument 0 &mut Object<Counter>', 'argument 1 u64']);
  });

  it('has the names of parameters of a package that was published as it was compiled', async () => {
    const text = 'module me::named { public entry fun give(_from: &signer, _to: address, many: u64) { many; } }';
    await engine.publish(bob, compileSources({ 'named.move': text }, { addresses: { me: bob } }));
    await open(`${bob}::named::give`);
    const labels = async (): Promise<string[]> => opened.page.locator('#tx-fields label').allInnerTexts();
    await expect
      .poll(async () => (await labels()).map((label) => label.replace(/\s+/g, ' ')))
      .toEqual(['_to address', 'many u64']);
  });

  it('has the contracts of this chain before those of the framework', async () => {
    await open('');
    const { page } = opened;
    await page.getByRole('table', { name: 'Contracts published here' }).waitFor();
    expect(await page.locator('#contract h3').allInnerTexts()).toEqual([
      expect.stringMatching(/^Published here/),
      'Often called',
      expect.stringMatching(/^The framework/),
    ]);
    await page.getByRole('table', { name: 'Contracts published here' }).getByRole('link', { name: 'counter' }).click();
    const functions = async (name: string): Promise<string[]> =>
      page.getByRole('table', { name }).locator('tbody th').allInnerTexts();
    await expect.poll(async () => [await functions('Send'), await functions('View')]).toEqual([['add'], ['value']]);
  });

  it('lists the modules of an address, and what a module has', async () => {
    await open(alice);
    await opened.page.getByRole('link', { name: 'counter' }).click();
    await expect.poll(() => opened.text('#contract-name')).toBe(`${alice}::counter`);
    await opened.page.locator('#contract .card summary', { hasText: 'Counter' }).click();
    await opened.shows('#contract .card .facts-list', 'u64');
    await opened.page.locator('#contract .card summary', { hasText: 'Bytecode' }).click();
    await opened.shows('#contract pre', 'module 0x');
  });

  it('says when there is no such module or function, and when a module has nothing to call', async () => {
    await open('0x3::nowhere');
    await opened.shows('#contract', 'There is no module nowhere at RoochFramework.');
    await open('0x1::ascii_none');
    await opened.shows('#contract', 'There is no module ascii_none at MoveStdlib.');
    await open('0x3::transfer::nothing');
    await opened.shows('#contract', 'The module has no function nothing that can be called.');
    await opened.shows('#contract', 'transfer_coin');
    await open('nobody::m');
    await opened.shows('#contract .error', 'Invalid params');
    expect(await opened.page.isVisible('#tx-form')).toBe(false);
  });

  it('offers accounts and objects, and fills in the one that there is', async () => {
    await open(`${alice}::counter::add`);
    const { page } = opened;
    await expect.poll(() => page.inputValue('#tx-argument-0')).toBe(counter);
    await open('0x3::transfer::transfer_coin');
    await page.selectOption('#tx-type-0-choice', { index: 1 });
    await page.selectOption('#tx-argument-0-choice', { index: 2 });
    expect([await page.inputValue('#tx-type-0'), await page.inputValue('#tx-argument-0')]).toEqual([GAS, bob]);
  });

  it('sends in the name of the chosen account, and shows the receipt', async () => {
    const { order } = engine.head;
    await openTransfer('12');
    await opened.page.selectOption('#tx-sender', { index: 2 });
    await opened.page.press('#tx-argument-1', 'Enter');
    await opened.shows('#tx-receipt .outcome', 'Executed');
    const record = engine.transactions.get(order + 1n)!;
    const { data } = record.transaction;
    expect(data.kind === 'l2-transaction' && String(data.data.sender)).toBe(String(engine.accounts[2]!.address));
    await opened.shows('#tx-receipt .sentence', 'account 2 called transfer::transfer_coin with account 1 and 12');
    await opened.shows('#tx-receipt .sentence', '0.00000012\u00a0RGAS moved from account 2 to account 1.');
    expect(await opened.page.locator('#tx-receipt .tools span[title]').first().getAttribute('title')).toBe(
      `${record.executionInfo.gasUsed} units of gas`,
    );
    await opened.page.getByRole('link', { name: `Transaction ${order + 1n}` }).click();
    await expect.poll(() => opened.text('#tx-title')).toBe(`Transaction ${order + 1n}`);
  });

  it('passes an object by its id, and any address as the sender', async () => {
    const stranger = `0x${'77'.repeat(32)}`;
    await engine.dev.setBalance(stranger, 10n ** 10n);
    await open(`${alice}::counter::add`);
    await opened.page.selectOption('#tx-sender', 'another');
    await opened.page.fill('#tx-another', stranger);
    await opened.page.fill('#tx-argument-0', counter);
    await opened.page.fill('#tx-argument-1', '7');
    await opened.page.click('#tx-send');
    await opened.shows('#tx-receipt .event', '0x77777777…777777');
    expect(engine.view({ function: `${alice}::counter::value` })[0]).toBe(7n);
  });

  it('shows what a function returns, also when the node has no controls', async () => {
    await using plain = await serveHttp(createRpc(engine), { port: 0 });
    await open('0x3::account_coin_store::balance', {}, plain);
    const { page } = opened;
    await page.waitForSelector('#tx-look:visible');
    expect(await page.isVisible('#tx-sender')).toBe(false);
    await page.fill('#tx-type-0', GAS);
    await page.fill('#tx-argument-0', bob);
    await page.press('#tx-argument-0', 'Enter');
    await opened.shows('#tx-receipt .outcome', 'Returned');
    const { balance } = engine.balances.get(bob, GAS);
    expect(await opened.text('#tx-receipt .returned')).toMatch(new RegExp(`^u256\\s+${balance}$`));
  });

  it('shows why a view failed', async () => {
    await open('0x1::vector::remove');
    await opened.page.fill('#tx-type-0', 'u8');
    await opened.page.fill('#tx-argument-0', '0x');
    await opened.page.fill('#tx-argument-1', '0');
    await opened.page.click('#tx-look');
    await opened.shows('#tx-receipt .outcome .failed', 'Failed');
    await opened.shows('#tx-receipt .failure', 'EINDEX_OUT_OF_BOUNDS (131072): A position is not below the length.');
    await opened.shows('#tx-receipt .stack', 'in vector::remove, offset');
  });

  it('tries without writing', async () => {
    const { order } = engine.head;
    await openTransfer('12');
    await opened.page.click('#tx-try');
    await opened.shows('#tx-receipt .outcome', 'It would be executed');
    await opened.shows('#tx-receipt .balances', '+0.00000012\u00a0RGAS');
    await opened.page.fill('#tx-argument-1', (10n ** 30n).toString());
    await opened.page.click('#tx-try');
    await opened.shows('.outcome .failed', 'It would fail');
    await opened.shows('#tx-receipt', 'ErrorInsufficientBalance (3): The amount is larger than the balance.');
    await opened.page.click('#tx-receipt .card summary:has-text("Trace")');
    await opened.page.click('#tx-receipt .card summary:has-text("As text")');
    await opened.shows('#tx-receipt .trace', '0x3::account_coin_store::withdraw_from<0x3::gas_coin::RGas>');
    expect(engine.head.order).toBe(order);
  });

  it('shows a failed transaction as a failure, with its cost', async () => {
    await openTransfer((10n ** 30n).toString());
    await opened.page.click('#tx-send');
    await opened.shows('.outcome .failed', 'ErrorInsufficientBalance');
    await opened.shows('#tx-receipt .sentence', 'It failed: The amount is larger than the balance.');
    expect(await opened.text('#tx-receipt .tools')).toMatch(/fee 0\.\d+/);
    await opened.shows('#tx-receipt .stack li:first-child', 'in account_coin_store::withdraw_from, offset');
    await opened.shows('#tx-receipt .stack li:last-child', 'called by transfer::transfer_coin, offset');
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
    await page.locator('#tx-argument-1').waitFor();
    await page.focus('#tx-sender');
    const visited: string[] = [];
    for (let step = 0; step < 9; step++) {
      visited.push(await page.evaluate<string>('document.activeElement.id || document.activeElement.textContent'));
      await page.keyboard.press('Tab');
    }
    expect(visited).toEqual([
      'tx-sender',
      'tx-type-0-choice',
      'tx-type-0',
      'tx-argument-0-choice',
      'tx-argument-0',
      'tx-argument-1',
      'tx-gas',
      'tx-send',
      'tx-try',
    ]);
    for (const id of visited.filter((each) => !/choice|send|try/.test(each))) {
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

  it('gives the same call in TypeScript, with integers and text as they are written there', async () => {
    await open('0x3::transfer::transfer_coin', { permissions: ['clipboard-read', 'clipboard-write'] });
    await opened.page.fill('#tx-type-0', GAS);
    await opened.page.fill('#tx-argument-0', bob);
    await opened.page.fill('#tx-argument-1', '7');
    await opened.page.getByRole('button', { name: 'Copy as TypeScript' }).click();
    await opened.shows('#said', 'Copied');
    const text = await opened.page.evaluate<string>('navigator.clipboard.readText()');
    const run = new Function('engine', `return (async () => { ${text} return receipt; })()`);
    const { status } = await run(engine);
    expect(status.kind).toBe('executed');
  });

  it('tells how to turn the controls on when they are off', async () => {
    await using plain = await serveHttp(createRpc(engine), { port: 0 });
    await open('0x3::transfer::transfer_coin', {}, plain);
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
    await open('0x3::transfer::transfer_coin', {}, exposed);
    await opened.page.selectOption('#tx-sender', 'another');
    await opened.page.fill('#tx-another', bob);
    await opened.page.fill('#tx-type-0', GAS);
    await opened.page.fill('#tx-argument-0', bob);
    await opened.page.fill('#tx-argument-1', '1');
    await opened.page.click('#tx-send');
    await opened.shows('#tx-receipt .error', 'other machines may reach this listener');
  });
});
