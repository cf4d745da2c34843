/** No view of the web client is wider than its window, whatever a chain holds: long names, ids, texts, numbers and failures. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSources } from '../../src/compile/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { createRpc, type HttpServer, serveHttp } from '../../src/server/index.ts';
import { seed } from '../effort.ts';
import { CHROMIUM, SKIPPED } from './chromium.ts';
import { OpenedPage } from './opened-page.ts';

const WIDTHS = [320, 375, 768, 1280];
const SCHEMES = ['light', 'dark'] as const;

const name = (first: string): fc.Arbitrary<string> =>
  fc.stringMatching(/^[a-z_]{40,90}$/).map((rest) => `${first}${rest.replaceAll('__', '_x')}`);

/** What people write, and what nobody should. */
const hostileText = fc.oneof(
  fc.constant('W'.repeat(400)),
  fc.constant('<b>bold</b> `code` " \\ \u202e\u0000 \n\n\t☃ 𝔘𝔫𝔦'),
  fc.string({ unit: 'binary', minLength: 80, maxLength: 300 }),
  fc.constant(`https://example.org/${'a/'.repeat(150)}`),
);

const [moduleName, structName, fieldName, functionName, errorName, title] = fc.sample(
  fc.tuple(name('m'), name('S'), name('f'), name('g'), name('E'), hostileText),
  { numRuns: 1, seed },
)[0]!;

/** A module in which everything that has a name has a long one. */
const SOURCE = `module me::${moduleName} {
  use moveos_std::event;
  use moveos_std::object::{Self, Object};
  use moveos_std::table::{Self, Table};
  use std::option::{Self, Option};
  use std::string::String;

  /// Fails \`always\`, at ${'great '.repeat(60)}length.
  const ${errorName}: u64 = 18446744073709551615;

  struct ${structName}<phantom T> has key { ${fieldName}: String, many: vector<u256>, inner: Inner, by_name: Table<String, Inner> }
  struct Inner has copy, drop, store { ${fieldName}_inner: u256, maybe: Option<vector<address>> }
  struct ${structName}_happened has copy, drop { ${fieldName}: String, many: vector<u256>, inner: Inner }

  fun largest(): u256 { 115792089237316195423570985008687907853269984665640564039457584007913129639935 }
  fun inner(): Inner { Inner { ${fieldName}_inner: largest(), maybe: option::some(vector[@0x3, @me]) } }
  fun many(): vector<u256> {
    let all = vector[];
    while (std::vector::length(&all) < 40) std::vector::push_back(&mut all, largest());
    all
  }

  public entry fun ${functionName}(${fieldName}: String) {
    let entries = table::new();
    table::add(&mut entries, ${fieldName}, inner());
    event::emit(${structName}_happened { ${fieldName}, many: many(), inner: inner() });
    object::to_shared(object::new(${structName}<Inner> { ${fieldName}, many: many(), inner: inner(), by_name: entries }));
  }
  public entry fun fail_${functionName}<T: key>(_${fieldName}: &mut Object<${structName}<Inner>>, _text: String, _numbers: vector<u256>) { fail() }
  fun fail() { abort ${errorName} }
  public fun view_${functionName}(_object: &Object<${structName}<Inner>>, _text: String): (vector<u256>, Inner) { (many(), inner()) }
}`;

describe.skipIf(CHROMIUM === undefined)(`the width of the web client${SKIPPED}`, () => {
  let engine: Engine;
  let server: HttpServer;
  let opened: OpenedPage;
  let me = '';
  let object = '';
  let ended = 0n;
  let failed = 0n;

  beforeAll(async () => {
    engine = await Engine.open();
    me = engine.accounts[0]!.address;
    await engine.dev.mine({ to: engine.accounts[0]!.bitcoin });
    await engine.publish(me, compileSources({ [`sources/${'x'.repeat(120)}.move`]: SOURCE }, { addresses: { me } }));
    const module = `${me}::${moduleName}`;
    const made = await engine.executeAs(me, { function: `${module}::${functionName}`, arguments: [title] });
    object = made.changes.find(({ type }) => type.includes(structName))!.id;
    ended = made.order;
    const numbers = Array.from({ length: 30 }, () => 2n ** 256n - 1n);
    ({ order: failed } = await engine.executeAs(me, {
      function: `${module}::fail_${functionName}`,
      typeArguments: [`${module}::${structName}<${module}::${structName}<${module}::Inner>>`],
      arguments: [object, title, numbers],
    }));
    await engine.dev.mint(me, 10n ** 70n);
    server = await serveHttp(createRpc(engine, { dev: true }), { port: 0 });
    opened = await OpenedPage.launch();
    await opened.open(`${server.url}/#/dev`);
  });

  afterAll(async () => {
    await opened?.close();
    await server?.close();
    await engine?.close();
  });

  /** What lies beyond the right edge, but for what only screen readers see and what is in a scrolled box of its own. */
  const beyond = (): Promise<string[]> =>
    opened.page.evaluate(`(() => {
      const width = document.documentElement.clientWidth;
      const found = [...document.querySelectorAll('header *, main:not([hidden]) *, #call-view:not([hidden]) *')].filter((each) =>
        each.getBoundingClientRect().right > width + 1 && !each.closest('.offscreen') && each.getClientRects().length > 0);
      const names = found.slice(0, 5).map((each) => each.tagName + '.' + each.className + ' ' + each.textContent.slice(0, 60));
      return document.documentElement.scrollWidth > width ? ['the page scrolls sideways', ...names] : names;
    })()`);

  it.each<[string, () => string, string, string?]>([
    ['the chain', () => '#/chain', '#glance-newest tbody tr', '#glance-node summary'],
    ['a transaction', () => `#/tx/${ended}`, '#tx .event', '#tx .card summary'],
    ['a failed transaction', () => `#/tx/${failed}`, '#tx .failure', '#tx .card summary'],
    ['accounts', () => '#/accounts', '#accounts tbody tr'],
    ['an account', () => `#/account/${me}`, '#account .transactions', '#account .card summary'],
    ['contracts', () => '#/contract', '#contract tbody tr', '#contract .card summary'],
    ['a module', () => `#/contract/${me}::${moduleName}`, '#contract tbody tr', '#contract .card summary'],
    ['a form', () => `#/contract/${me}::${moduleName}::fail_${functionName}`, '#tx-argument-2', '#tx-try'],
    ['a view', () => `#/contract/${me}::${moduleName}::view_${functionName}`, '#tx-argument-1', '#tx-look'],
    ['an object', () => `#/state/object/${object}`, '#state-value', '#state .card summary'],
    ['all objects', () => '#/state/object', '#state .card', '#state .card summary'],
    ['transactions as they come', () => '#/watch', '#watch-past .card', '#watch-past .card summary'],
    ['events', () => '#/watch?what=events&filter=all', '#watch-past .card', '#watch-past .card summary'],
    ['the controls', () => '#/dev', '#dev-now p', '#dev-snapshot button'],
    ['a method', () => '#/call/chain_getTransactionsByOrder', '#field-0', '#send'],
    ['nothing', () => `#/${'nothing'.repeat(40)}`, '#lost-view'],
  ])('fits that of its window: %s', async (_, hash, seen, opens) => {
    const { page } = opened;
    await opened.visit(hash(), { viewport: { width: 1280, height: 800 } });
    await page.locator(seen).first().waitFor();
    // Everything that opens is opened, two levels deep.
    for (let level = 0; level < 2 && opens !== undefined; level++) {
      await page.evaluate(`for (const each of [...document.querySelectorAll('${opens}')].slice(0, 40)) {
        if (!each.parentElement.open) each.click();
      }`);
      await page.locator('main:not([hidden]) [aria-busy]').first().waitFor({ state: 'detached' });
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        expect([width, colorScheme, ...(await beyond())]).toEqual([width, colorScheme]);
      }
    }
  });
});
