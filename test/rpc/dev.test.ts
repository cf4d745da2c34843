/** The controls of a test node over JSON-RPC, and the gate before them. */
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine.ts';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import { devMethods } from '../../src/rpc/dev.ts';
import { createRpc, type RpcOptions } from '../../src/rpc/server.ts';
import { type HttpOptions, serveHttp } from '../../src/transport/http.ts';

const GAS = '0x3::gas_coin::RGas';
const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
const transfer = (amount: unknown) => ({
  function_id: '0x3::transfer::transfer_coin',
  ty_args: [GAS],
  arguments: [BOB, amount],
});

interface Answer {
  readonly result?: never;
  readonly error?: { readonly code: number; readonly message: string; readonly data: Record<string, unknown> };
}

describe('dev_accounts', () => {
  it('gives the accounts that genesis funded, as the engine has them', async () => {
    await using engine = await Engine.open({ bitcoinNetwork: 'signet' });
    const accounts = await createRpc(engine, { dev: true }).request('dev_accounts');
    expect(accounts).toEqual(
      engine.accounts.map((account) => {
        const { bitcoin, publicKey, privateKey, ...same } = JSON.parse(JSON.stringify(account));
        return { ...same, bitcoin_address: bitcoin, public_key: publicKey, private_key: privateKey };
      }),
    );
    expect(accounts).toHaveLength(10);
  });
});

describe('dev_call', () => {
  it('acts in the name of an account by any of its names, and what it did is read', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const before = BigInt((await rpc.request('chain_getBalance', [BOB, GAS])).balance as string);
    for (const sender of [ALICE, DEV_ACCOUNTS[0]!.regtestAddress, engine.accounts[0]!.address.toBech32()]) {
      const answer = await rpc.request('dev_call', [sender, transfer('7'), { withOutput: true, decode: true }]);
      expect(answer).toMatchObject({
        sequence_info: { tx_order: engine.head.order.toString() },
        execution_info: { status: { type: 'executed' } },
        output: { is_upgrade: false },
      });
      expect(JSON.stringify(answer)).toContain('"amount":"7"');
    }
    const { balance } = await rpc.request('chain_getBalance', [BOB, GAS]);
    expect(balance).toBe((before + 21n).toString());
  });

  it('takes arguments in BCS, as views do, or as values, also beyond what a double holds', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const amount = `0x05${'00'.repeat(31)}`;
    const { function_id, ty_args } = transfer('');
    const before = engine.balances.get(BOB, GAS).balance;
    await rpc.request('dev_call', [ALICE, { function_id, ty_args, args: [BOB, amount] }]);
    await rpc.request('dev_call', [ALICE, transfer(5)]);
    await rpc.request('dev_call', [ALICE, transfer({ bcs: amount })]);
    expect(engine.balances.get(BOB, GAS).balance).toBe(before + 15n);
    const text = `{"jsonrpc":"2.0","id":1,"method":"dev_call","params":["${ALICE}",${JSON.stringify(transfer('X')).replace('"X"', '20000000000000000000000000001')}]}`;
    const { result } = JSON.parse((await rpc.handle(text))!) as { result: { execution_info: { status: object } } };
    expect(result.execution_info.status).toMatchObject({ type: 'moveabort' });
  });

  it.each([
    [[ALICE, { ...transfer('1'), args: [] }], /args in BCS, or arguments as values, not both/],
    [[ALICE, transfer(1.5)], /params\[1\] function_call\.arguments\[1\]: expected an integer/],
    [[ALICE, transfer('ten')], /argument 1 \(u256\): expected an integer/],
    [[ALICE, { function_id: '0x3::transfer::nothing' }], /module transfer has no nothing/],
    [['nobody', transfer('1')], /params\[0\] sender/],
  ] as const)('refuses %#, naming what does not fit', async (params, message) => {
    await using engine = await Engine.open();
    const answer = createRpc(engine, { dev: true }).request('dev_call', params as never);
    await expect(answer).rejects.toMatchObject({ message: expect.stringMatching(message) });
    expect(engine.head.order).toBe(0n);
  });

  it('asks for no more gas than it is told', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const little = await rpc.request('dev_call', [ALICE, transfer('1'), { max_gas_amount: '300000' }]);
    expect(little).toMatchObject({ execution_info: { status: { type: 'outofgas' } } });
  });
});

describe('dev_simulate', () => {
  it('tells what dev_call would do, and writes nothing', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const told = await rpc.request('dev_simulate', [ALICE, transfer('7')]);
    expect(engine.head.order).toBe(0n);
    const done = await rpc.request('dev_call', [ALICE, transfer('7')]);
    const { tx_hash, state_root, gas_used } = done['execution_info'] as Record<string, string>;
    expect(told).toMatchObject({ raw_output: { tx_hash, state_root, gas_used, status: { type: 'executed' } } });
    const failing = await rpc.request('dev_simulate', [ALICE, transfer(`${2n ** 200n}`)]);
    expect(failing).toMatchObject({ vm_error_info: { error_message: expect.stringContaining('aborted with code') } });
  });
});

describe('dev_publish', () => {
  it('publishes modules, which can be called then', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const [sender, modules] = devMethods.publish.example as [string, string[]];
    const answer = await rpc.request('dev_publish', [sender, modules]);
    expect(answer).toMatchObject({ execution_info: { status: { type: 'executed' } } });
    const call = { function_id: `${sender}::example::answer`, ty_args: [], args: [] };
    expect(await rpc.request('chain_executeViewFunction', [call])).toMatchObject({
      return_values: [{ decoded_value: '42' }],
    });
    const again = await rpc.request('dev_publish', [sender, modules, { withOutput: true }]);
    expect(again).toMatchObject({ output: { is_upgrade: true } });
    await expect(rpc.request('dev_publish', [sender, ['0x00']])).rejects.toMatchObject({
      data: { code: 'malformed-module' },
    });
  });
});

describe('every example', () => {
  it.each(Object.entries(devMethods))('of dev_%s works on a new local chain', async (name, { example }) => {
    await using engine = await Engine.open();
    await createRpc(engine, { dev: true }).request(`dev_${name}` as never, example as never);
  });
});

describe('the gate', () => {
  const names = Object.keys(devMethods).map((name) => `dev_${name}`);

  it('is shut unless it is asked for, and says how to open it', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    for (const name of names) {
      await expect(rpc.request(name as never), name).rejects.toMatchObject({
        code: -32601,
        message: expect.stringMatching(/^dev_\w+ is off: start the node with --dev, or make the adapter by createRpc/),
        data: { code: 'method-not-found', hint: expect.stringContaining('--dev') },
      });
    }
    const { methods } = (await rpc.request('rpc.discover')) as unknown as { methods: { name: string }[] };
    expect(methods.filter(({ name }) => name.startsWith('dev_'))).toEqual([]);
  });

  it('once open, is in the document', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const { methods } = (await rpc.request('rpc.discover')) as unknown as { methods: { name: string }[] };
    expect(methods.map(({ name }) => name).filter((name) => name.startsWith('dev_'))).toEqual(names.sort());
    await expect(rpc.request('dev_cal' as never)).rejects.toMatchObject({ message: expect.stringMatching('dev_call') });
  });

  const ask = async (options: HttpOptions, rpc: RpcOptions, host: string, isWebSocket = false): Promise<Answer> => {
    await using engine = await Engine.open();
    await using server = await serveHttp(createRpc(engine, rpc), { port: 0, ...options });
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev_simulate', params: [ALICE, transfer('1')] });
    if (isWebSocket) {
      const { WebSocket } = await import('ws');
      const socket = new WebSocket(`ws://${host}:${server.port}`);
      await new Promise((resolve) => socket.once('open', resolve));
      const answer = new Promise<Answer>((resolve) =>
        socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as Answer)),
      );
      socket.send(request);
      await answer.finally(() => socket.close());
      return answer;
    }
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://${host}:${server.port}`, { method: 'POST', headers, body: request });
    return (await response.json()) as Answer;
  };

  it.each([false, true])(
    'lets only this machine through unless it is told otherwise (WebSocket: %s)',
    async (isWebSocket) => {
      const dev = { dev: true };
      const refused = {
        error: { code: 2, message: expect.stringContaining('--dev-exposed'), data: { code: 'not-supported' } },
      };
      expect(await ask({}, dev, '127.0.0.1', isWebSocket)).toHaveProperty('result');
      expect(await ask({ host: '127.0.0.2' }, dev, '127.0.0.2', isWebSocket)).toHaveProperty('result');
      expect(await ask({ host: '0.0.0.0' }, dev, '127.0.0.1', isWebSocket)).toMatchObject(refused);
      expect(await ask({ hosts: ['node.example'] }, dev, '127.0.0.1', isWebSocket)).toMatchObject(refused);
      expect(await ask({ host: '0.0.0.0', devExposed: true }, dev, '127.0.0.1', isWebSocket)).toHaveProperty('result');
      expect(await ask({ devExposed: true }, {}, '127.0.0.1', isWebSocket)).toMatchObject({ error: { code: -32601 } });
    },
  );
});
