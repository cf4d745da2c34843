/** The page of methods says what the rows say, and rows refuse with the words that they list. */
import { describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine, type ERROR_CODES } from '../../../src/index.ts';
import { createRpc } from '../../../src/server/index.ts';
import { devMethods } from '../../../src/server/rpc/dev.ts';
import { methodTable } from '../../../src/server/rpc/methods.ts';
import { transactionMethods } from '../../../src/server/rpc/transaction.ts';
import { asked } from '../asked.ts';

interface Documented {
  readonly methods: readonly { readonly name: string; readonly params: readonly { readonly name: string }[] }[];
  readonly page: string;
}

describe('the page of methods', () => {
  it('has a section for each method, with its parameters and an example that works; its links lead to them', async () => {
    const script = new URL('../../../scripts/rpc-page.mjs', import.meta.url).href;
    const { rpcPage } = (await import(script)) as { rpcPage: (movelet: object) => Promise<Documented> };
    const { methods, page } = await rpcPage({ Engine, createRpc });
    const served = [...methodTable(['chain', 'rooch'], true, true).keys()];
    expect(methods.map(({ name }) => name).filter((name) => name !== 'rpc.discover')).toEqual(served.sort());
    const sections = new Map(page.split(/^### /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));
    for (const { name, params } of methods) {
      const section = sections.get(name.replace(/^rooch_/, 'chain_'))!;
      expect(section).toContain(name);
      for (const { name: param } of params) expect(section).toContain(`| \`${param}\` | `);
    }
    const headings = new Set([...sections.keys()].map((name) => `#${name.toLowerCase()}`));
    const links = [...page.matchAll(/\]\((#[^)]+)\)/g)].map(([, link]) => link!);
    expect(links.filter((link) => !headings.has(link))).toEqual([]);
    expect(links).toHaveLength(sections.size - 1);
  });
});

describe('the words of errors', () => {
  const none = `0x${'11'.repeat(32)}`;
  const alice = DEV_ACCOUNTS[0]!.address;
  const [, transfer] = devMethods.call.example as readonly [unknown, object];
  const unsigned = String(transactionMethods.dryRunRawTransaction.example[0]);
  const noFunction = { function_id: '0x9::m::f', ty_args: [], args: [] };
  /** A call for each word that a row lists, except those that depend on time or on busy nodes. */
  const REFUSED: readonly (readonly [method: string, code: keyof typeof ERROR_CODES, params: readonly unknown[]])[] = [
    ['btc_broadcastTX', 'not-supported', ['0x00']],
    ['chain_getStates', 'not-found', ['/object/0x3', { stateRoot: none }]],
    ['chain_listStates', 'not-found', ['/object', null, null, { stateRoot: none }]],
    ['chain_getObjectStates', 'not-found', ['0x3', { stateRoot: none }]],
    ['chain_getFieldStates', 'not-found', ['0x3', ['0x3'], { stateRoot: none }]],
    ['chain_listFieldStates', 'not-found', ['0x3', null, null, { stateRoot: none }]],
    ['chain_getDiff', 'not-found', ['7']],
    ['chain_getBalance', 'not-found', [alice, '0x9::no::Coin']],
    ['chain_queryEvents', 'not-supported', ['all']],
    ['chain_queryTransactions', 'not-supported', ['all']],
    ['chain_executeViewFunction', 'not-found', [noFunction]],
    ['chain_executeRawTransaction', 'malformed-bytes', ['0x00']],
    ['chain_sendRawTransaction', 'malformed-bytes', ['0x00']],
    ['chain_dryRunRawTransaction', 'malformed-bytes', ['0x00']],
    // In the name of 0x0, for which there is no account.
    ['chain_dryRunRawTransaction', 'transaction-rejected', [`0x${'00'.repeat(32)}${unsigned.slice(2 + 64)}`]],
    ['dev_call', 'invalid-argument', [alice, { ...transfer, ty_args: [] }]],
    ['dev_call', 'not-found', [alice, noFunction]],
    ['dev_call', 'transaction-rejected', [alice, transfer, { max_gas_amount: 1 }]],
    ['dev_simulate', 'invalid-argument', [alice, { ...transfer, ty_args: ['u8'] }]],
    ['dev_simulate', 'not-found', [alice, noFunction]],
    ['dev_simulate', 'transaction-rejected', [alice, transfer, { max_gas_amount: 1 }]],
    ['dev_publish', 'invalid-argument', [alice, []]],
    ['dev_publish', 'malformed-module', [alice, ['0x00']]],
    ['dev_publish', 'transaction-rejected', [alice, devMethods.publish.example[1], { max_gas_amount: 1 }]],
    ['dev_fund', 'invalid-argument', [alice, '0x9::no::Coin', '1']],
    ['dev_fund', 'transaction-rejected', ['0x0', '0x3::gas_coin::RGas', '1']],
    ['dev_setObject', 'invalid-argument', [none, { owner: alice }]],
    ['dev_setField', 'invalid-argument', [none, { key_type: 'u8', key: 1, value_type: 'u8', value: 1 }]],
    ['dev_mine', 'invalid-argument', [{ to: 'x' }]],
    ['dev_mine', 'not-found', [{ on: 77 }]],
    ['dev_revert', 'not-found', ['7']],
    ['dev_setTime', 'invalid-argument', ['1']],
    ['dev_advanceTime', 'invalid-argument', [`${2n ** 64n - 1n}`]],
    ['dev_trace', 'not-found', ['7']],
    ['dev_trace', 'not-supported', ['0']],
  ];

  /** Calls for roots and change sets that a chain with a bounded history does not keep. */
  const PRUNED: readonly (readonly [method: string, params: readonly unknown[]])[] = [
    ['chain_getStates', ['/object/0x3', { stateRoot: none }]],
    ['chain_listStates', ['/object', null, null, { stateRoot: none }]],
    ['chain_getObjectStates', ['0x3', { stateRoot: none }]],
    ['chain_getFieldStates', ['0x3', ['0x3'], { stateRoot: none }]],
    ['chain_listFieldStates', ['0x3', null, null, { stateRoot: none }]],
    ['chain_executeViewFunction', [noFunction, { stateRoot: none }]],
    ['chain_getHistory', ['0x3']],
    ['chain_getBlame', ['0x3']],
    ['chain_getDiff', ['0']],
    ['chain_syncStates', ['all', '0']],
    ['dev_trace', ['1']],
  ];

  it('are `pruned` when the history does not reach that far', async () => {
    await using engine = await Engine.open({ history: 1 });
    for (let time = 0; time < 3; time++) await engine.dev.mint(alice, 1n);
    await engine.prune();
    const rpc = createRpc(engine, { dev: true });
    for (const [method, params] of PRUNED) {
      expect(await asked(rpc, method, params), method).toMatchObject({ error: { data: { code: 'pruned' } } });
    }
  });

  it('that a method lists are those it refuses with', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    for (const [method, code, params] of REFUSED) {
      expect(await asked(rpc, method, params), method).toMatchObject({ error: { data: { code } } });
    }
    const listed = [...methodTable(['chain'], true)].flatMap(([name, { row }]) =>
      (row.errors ?? []).map((code) => `${name} ${code}`),
    );
    // A stale sequence number: test/server/rpc/execute.test.ts; what a durable chain, or one whose blocks are confirmed, cannot do:
    // dev.test.ts; too many subscriptions or forks: theirs; the sources of ten thousand modules: nowhere; a long listing: disassemble.test.ts.
    const elsewhere =
      /(?:execute|send)RawTransaction transaction-rejected|dev_(?:snapshot|reset|mine) not-supported|ubscribe\w+ (?:not-supported|limit-exceeded)|dev_(?:fork|addSources) limit-exceeded|disassembleModule limit-exceeded/;
    const tried = new Set([
      ...REFUSED.map(([method, code]) => `${method} ${code}`),
      ...PRUNED.map(([method]) => `${method} pruned`),
    ]);
    expect(listed.filter((one) => !tried.has(one) && !elsewhere.test(one))).toEqual([]);
    expect([...tried].filter((one) => !listed.includes(one))).toEqual([]);
  });
});
