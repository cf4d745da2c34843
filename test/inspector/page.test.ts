import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, serveHttp } from '../../src/server/index.ts';
import { CHROMIUM, SKIPPED } from './chromium.ts';
import { FakeNode, HOSTILE } from './fake-node.ts';
import { OpenedPage, type Wishes } from './opened-page.ts';

const object = (digit: string): string => `0x${digit.repeat(64)}`;

describe.skipIf(CHROMIUM === undefined)(`the web client in Chromium${SKIPPED}`, () => {
  let opened: OpenedPage;
  let server: HttpServer;
  let node: FakeNode;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    opened = await OpenedPage.launch();
    ({ page, complaints } = opened);
  });

  afterAll(() => opened?.close());

  afterEach(async () => {
    await opened.leave();
    await server.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(hash = '', wishes: Wishes = {}): Promise<void> {
    await serve();
    await opened.open(`${server.url}/${hash}`, wishes);
  }

  async function serve(): Promise<void> {
    node = new FakeNode();
    server = await serveHttp(node, { port: 0 });
  }

  /** Opens the page of a node that does not answer yet. */
  async function openSilent(hash = ''): Promise<void> {
    await serve();
    node.fallSilent();
    await opened.load(`${server.url}/${hash}`);
  }

  const shows = (selector: string, part: string): Promise<void> => opened.shows(selector, part);
  const text = (selector: string): Promise<string> => opened.text(selector);

  async function isAt(path: string): Promise<void> {
    await expect.poll(() => page.inputValue('#path')).toBe(path);
  }

  /** The address has changed when a link was followed; the page hears of it later. */
  async function callsMethod(name: string): Promise<void> {
    await expect.poll(() => text('#method-name')).toBe(name);
  }

  it('loads nothing but itself, under a policy that forbids foreign scripts', async () => {
    await open('#/call');
    const resources = await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`);
    expect(resources.filter((name) => name !== `${server.url}/`)).toEqual([]);
    const ran = await page.evaluate(`(() => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        return 'ran' in window;
      })()`);
    expect(ran).toBe(false);
    // The browser reports no more of a page that was left.
    await opened.leave();
    expect(complaints.splice(0).every((complaint) => complaint.includes('Content Security Policy'))).toBe(true);
  });

  it('lists the methods of rpc.discover and finds them by a part of their name', async () => {
    await open('#/call');
    expect(await page.locator('#methods a').allInnerTexts()).toContain('chain_getBalance');
    expect(await text('#status')).toBe('fake node · 0.0.1 · 8 methods');
    await page.fill('#filter', 'STATES');
    expect(await page.locator('#methods li').allInnerTexts()).toEqual(['chain_getStates', 'chain_listStates']);
    await page.press('#filter', 'Enter');
    await callsMethod('chain_getStates');
  });

  it('prefills the first example, sends it, and shows the answer', async () => {
    await open('#/call/chain_getBalance');
    expect(await page.inputValue('#field-0')).toBe('0x3');
    expect(await text('#field-0-help')).toBe('Address (string) Whose balance.');
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(node.requests.at(-1)).toEqual({ method: 'chain_getBalance', params: '["0x3","0x3::gas_coin::RGas"]' });
    expect(JSON.parse(await text('#response .code')).result.balance).toBe('100000000000');
    expect(await text('#response .facts')).toMatch(/^HTTP 200 · [\d.]+ ms · \d+ bytes$/);
  });

  it('shows the request as it will be sent while fields change, nulls for what is left out', async () => {
    await open('#/call/chain_listStates');
    await page.fill('#field-2', '18446744073709551615');
    await page.fill('#field-3', '{"decode": true}');
    expect(JSON.parse(await text('#request')).params).toEqual([
      '/object',
      null,
      '18446744073709551615',
      { decode: true },
    ]);
    await page.fill('#field-3', '{"decode"');
    expect(await page.isDisabled('#send')).toBe(true);
    expect(await page.getAttribute('#field-3', 'aria-invalid')).toBe('true');
    await page.fill('#field-3', '');
    expect(JSON.parse(await text('#request')).params).toEqual(['/object', null, '18446744073709551615']);
  });

  it('keeps all digits of numbers, in answers and in requests', async () => {
    await open('#/call/chain_status');
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(await text('#response .code')).toContain('18446744073709551615');
    expect(await text('#response .code')).toContain('1.50');
    await page.check('#as-json');
    await page.fill('#params', '[18446744073709551615, {"n": 1.50}]');
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(node.requests.at(-1)?.params).toBe('[18446744073709551615,{"n":1.50}]');
  });

  it('takes what a node says as text, never as HTML', async () => {
    await open('#/call/chain_status');
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(JSON.parse(await text('#response .code')).result.hostile).toBe(HOSTILE);
    await page.goto(`${server.url}/#/state/object`);
    await page.locator('.card summary').first().click();
    await shows('.card details[open] .facts-list', HOSTILE.slice(0, 10));
    await page.goto(`${server.url}/#/call/chain_getBalance`);
    await page.click('#examples button >> nth=1');
    await page.click('#send');
    await page.waitForSelector('.error');
    expect(await text('.error')).toContain(HOSTILE);
    expect(await page.locator('img, body script:not(:last-child)').count()).toBe(0);
    expect(await page.title()).not.toContain('hacked');
  });

  it('shows methods of any name and description, even names that are unsafe as keys of JavaScript objects', async () => {
    const said = JSON.parse(`{
      "info": { "title": { "toString": 1 }, "version": 2 },
      "methods": [
        { "name": "__proto__", "summary": {}, "description": { "toString": null }, "params": [
          { "name": "__proto__", "schema": { "$ref": "#/__proto__/constructor", "enum": 7 } },
          { "name": {}, "schema": { "type": [{}, "string"], "enum": [{}, "a"], "title": {} } },
          { "schema": { "$ref": {}, "properties": 5, "anyOf": { "type": "null" }, "oneOf": 3 } }
        ] },
        { "name": "constructor", "params": 3 },
        { "name": "toString" }
      ]
    }`);
    await open('#/call');
    node.document = said;
    await page.reload();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await page.goto(`${server.url}/#/call/${name}`);
      await shows('#method-name', name);
      await shows('#status', '3 methods');
      await page.click('#send');
      await page.waitForSelector('.error');
    }
    await page.goto(`${server.url}/#/state/__proto__/x`);
    await shows('#state-view h3', 'Fields');
  });

  it('shows an error with its code, place and advice', async () => {
    await open('#/call/chain_getBalance');
    await page.click('#examples button >> nth=1');
    await page.click('#send');
    await page.waitForSelector('.error');
    const shown = await text('.error');
    for (const part of ['Invalid params', '-32602 · not-found', 'params[1] coin_type', 'a coin', 'try RGas']) {
      expect(shown).toContain(part);
    }
  });

  it('calls methods that the node does not describe, and works without rpc.discover', async () => {
    await open('#/call');
    node.isDescribed = false;
    await opened.connect(server.url);
    await page.waitForSelector('#status.failed');
    await page.fill('#filter', 'chain_getBalance');
    await page.press('#filter', 'Enter');
    await callsMethod('chain_getBalance');
    await page.fill('#params', '["0x3", "0x3::gas_coin::RGas"]');
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(JSON.parse(await text('#response .code')).result.decimals).toBe(8);
  });

  it('says what to do when no node answers', async () => {
    await open('#/call/chain_status');
    await page.click('#menu summary');
    await page.fill('#url', 'http://127.0.0.1:1/');
    await page.click('#send');
    await page.waitForSelector('.error');
    expect(await text('.error')).toContain(`--cors ${server.url}`);
    await page.fill('#url', 'ftp://x');
    await page.click('#send');
    await shows('.error', 'must begin with http');
    await opened.leave();
    expect(complaints.splice(0).every((complaint) => complaint.includes('ERR_UNSAFE_PORT'))).toBe(true);
  });

  it('calls another node if that allows the origin', async () => {
    await open('#/call');
    const other = new FakeNode();
    const second = await serveHttp(other, { port: 0, page: false });
    await opened.connect(second.url);
    await expect.poll(() => other.requests[0]?.method).toBe('rpc.discover');
    await shows('#status', '8 methods');
    // Nothing is on its way when the node ends.
    await opened.leave();
    await second.close();
  });

  it('copies a request as curl, quoted for a shell', async () => {
    await open('#/call/chain_getBalance', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.fill('#field-0', "it's");
    await page.click('#request-tools button >> nth=0');
    await shows('#said', 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^curl -s 'http:\/\/127\.0\.0\.1:\d+\/' -H 'content-type: application\/json' -d '\{"jsonrpc":"2\.0","id":\d+,"method":"chain_getBalance","params":\["it'\\''s","0x3::gas_coin::RGas"\]\}'$/,
    );
  });

  it('keeps a history across reloads, and restores its requests', async () => {
    await open('#/call/chain_getBalance');
    await page.fill('#field-0', '0x7');
    await page.press('#field-0', 'Control+Enter');
    await page.waitForSelector('#response .code');
    await page.goto(`${server.url}/#/call/chain_status`);
    await page.reload();
    await page.click('#past-panel summary');
    expect(await text('#past-count')).toBe('1');
    await page.click('#past-list a');
    await callsMethod('chain_getBalance');
    expect(await page.inputValue('#field-0')).toBe('0x7');
    await page.click('#past-clear');
    expect(await text('#past-count')).toBe('0');
  });

  it('works where storage is forbidden or holds nonsense', async () => {
    await open('#/call');
    await page.evaluate(`localStorage.setItem('movelet.past', '{"nonsense"')`);
    await page.reload();
    expect(await text('#past-count')).toBe('0');
    await page.addInitScript(`if (location.search === '?forbidden')
      Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })`);
    await page.goto(`${server.url}/?forbidden#/call/chain_status`);
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(await text('#past-count')).toBe('1');
    expect(node.requests.at(-1)?.method).toBe('chain_status');
  });

  it('sends nothing before it has shown what it will send', async () => {
    await openSilent('#/call/chain_status');
    expect(await page.isDisabled('#send')).toBe(true);
    await expect.poll(() => node.requests.map(({ method }) => method)).toEqual(['rpc.discover']);
    node.speak();
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(node.requests.at(-1)?.method).toBe('chain_status');
  });

  it('shows the methods of the node that was asked last, whichever answers first', async () => {
    await openSilent();
    const other = new FakeNode();
    other.isDescribed = false;
    const second = await serveHttp(other, { port: 0, page: false });
    await opened.connect(second.url);
    await shows('#status.failed', 'does not list its methods');
    node.speak();
    // What is fetched after the first node's answer comes after it.
    await page.evaluate('fetch(location.href).then((answer) => answer.text())');
    expect(await text('#status')).toBe('This node does not list its methods; call them by name.');
    await opened.leave();
    await second.close();
  });

  it('follows the cursor of a page in a call', async () => {
    await open('#/call/chain_listStates');
    await page.click('#send');
    await page.getByRole('button', { name: 'Next page' }).click();
    await shows('#response', 'Thing3');
    expect(JSON.parse(node.requests.at(-1)?.params ?? '')).toEqual(['/object', object('2'), 2]);
  });

  it('stays quick with a thousand items, and shows them on demand', async () => {
    await open('#/call/chain_queryEvents');
    await page.click('#send');
    await page.waitForSelector('#response .code');
    expect(await page.locator('#response *').count()).toBeLessThan(200);
    await page.locator('#response .json .json .json summary').click();
    await page.getByRole('button', { name: 'Show more (900 left)' }).click();
    expect(await page.getByRole('button', { name: 'Show more (800 left)' }).count()).toBe(1);
  });

  it('browses objects, their fields, tables and owners, page by page, and back', async () => {
    await open('#/state/object');
    const cards = page.locator('#state > .card > details > summary .type');
    await expect.poll(() => cards.allInnerTexts()).toEqual(['Thing1', 'Thing2']);
    for (const wanted of [['Thing3', 'Thing4'], ['Thing5']]) {
      await page.getByRole('link', { name: 'Next page' }).click();
      await expect.poll(() => cards.allInnerTexts()).toEqual(wanted);
    }
    expect(await page.getByRole('link', { name: 'Next page' }).count()).toBe(0);
    await page.click('.card .links a');
    await page.getByRole('heading', { name: 'Fields and child objects' }).waitFor();
    await isAt(`/object/${object('5')}`);
    await page.locator('#state-value').getByRole('link', { name: '0xbbbbbbbb…bbbbbb' }).click();
    await isAt(`/object/${object('b')}`);
    await expect.poll(() => node.requests.at(-1)?.method).toBe('chain_listStates');
    await page.locator('#state .facts-list').getByRole('link', { name: '0x99999999…999999' }).click();
    await shows('#account-name', object('9'));
    await page.goBack();
    for (const path of [`/object/${object('5')}`, '/object']) {
      await page.goBack();
      await isAt(path);
    }
  });

  it('says when nothing is stored at a path', async () => {
    await open('#/state/object');
    await page.click('.paths summary');
    await page.fill('#path', `/object/${object('7')}`);
    await page.click('#browse button');
    await page.getByText('Nothing is stored there now.').waitFor();
  });
});
