/** Views on worker threads: what the option `workers` changes, which is nothing but where they run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/bytes/hex.ts';
import { Engine } from '../../src/engine.ts';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import { createRpc, type Rpc } from '../../src/rpc/index.ts';
import { serveHttp } from '../../src/transport/index.ts';
import { publish, SIGHTS } from '../query/published.ts';

const VIEW = 'chain_executeViewFunction';
const ACCOUNT = DEV_ACCOUNTS[0]!.address;

let engine: Engine;
/** Roots of the state before the module was there, and after. */
let before: string;
let after: string;
let own: Rpc;
let aside: Rpc;

beforeAll(async () => {
  engine = await Engine.open();
  before = toHexPrefixed(engine.head.stateRoot);
  await publish(engine, SIGHTS);
  after = toHexPrefixed(engine.head.stateRoot);
  own = createRpc(engine, { dev: true });
  aside = createRpc(engine, { dev: true, workers: 1 });
});
afterAll(async () => {
  await aside.close();
  await engine.close();
});

const text = (method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 'ä', method, params });
const sight = (name: string, args: readonly string[] = [], ty_args: readonly string[] = []): unknown => ({
  function_id: `0x42::sights::${name}`,
  ty_args,
  args,
});
const balance = { function_id: '0x3::gas_coin::balance', ty_args: [], args: [ACCOUNT] };

describe('a view on a worker thread', () => {
  it.each<[string, () => readonly unknown[]]>([
    ['values', () => [sight('several')]],
    ['a generic struct', () => [sight('pair', ['0x05'], ['u8'])]],
    ['an abort', () => [sight('maybe', ['0x00'])]],
    ['the balance of an account', () => [balance]],
    ['an earlier state', () => [balance, { stateRoot: before }]],
    ['a module that an earlier state does not have', () => [sight('several'), { stateRoot: before }]],
    ['the present state by its root', () => [sight('several'), { stateRoot: after }]],
    ['a root that the chain never had', () => [balance, { stateRoot: `0x${'11'.repeat(32)}` }]],
    ['a function that is not there', () => [sight('nowhere')]],
    ['arguments that do not fit', () => [sight('pair', ['0x05', '0x06'], ['u8'])]],
    ['parameters that are none', () => [{ function_id: 'sights' }]],
  ])('answers as the thread of the engine: %s', async (_name, params) => {
    for (const method of [VIEW, 'rooch_executeViewFunction']) {
      const request = text(method, ...params());
      expect(await aside.handle(request)).toBe(await own.handle(request));
    }
  });

  it('gives programs values, and errors by their numbers', async () => {
    const call = balance as { function_id: string; ty_args: string[]; args: string[] };
    expect(await aside.request(VIEW, [call])).toEqual(await own.request(VIEW, [call]));
    const wrong = { ...call, function_id: '0x3::nowhere::balance' };
    await expect(aside.request(VIEW, [wrong])).rejects.toMatchObject({ code: 2, data: { code: 'not-found' } });
  });

  it('answers over HTTP, alone and in a batch', async () => {
    const node = await serveHttp(aside, { port: 0 });
    try {
      const one = text(VIEW, balance);
      const ask = async (body: string): Promise<string> =>
        (await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text();
      expect(await ask(one)).toBe(await own.handle(one));
      const batch = `[${one},${text('chain_getBalance', ACCOUNT, '0x3::gas_coin::RGas')},${text(VIEW, sight('several'))}]`;
      expect(await ask(batch)).toBe(await own.handle(batch));
    } finally {
      await node.close();
    }
  });

  it('sees what was written before it, and on a fork what the fork wrote', async () => {
    const sender = engine.accounts[0]!.address;
    const transfer = {
      function: '0x3::transfer::transfer_coin',
      typeArguments: ['0x3::gas_coin::RGas'],
      arguments: [engine.accounts[1]!.address, 7n],
    };
    const answers = [await aside.handle(text(VIEW, balance))];
    for (let count = 0; count < 3; count++) {
      await engine.call(sender, transfer);
      answers.push(await aside.handle(text(VIEW, balance)));
      expect(answers.at(-1)).toBe(await own.handle(text(VIEW, balance)));
    }
    expect(new Set(answers).size).toBe(4);
    const { id } = (await aside.request('dev_fork', [])) as unknown as { id: string };
    await aside.request('dev_fund', [ACCOUNT, '0x3::gas_coin::RGas', '5000'], { fork: id });
    const onFork = await aside.handle(text(VIEW, balance), { fork: id });
    expect(onFork).not.toBe(answers.at(-1));
    expect(await aside.handle(text(VIEW, balance))).toBe(answers.at(-1));
  });
});
