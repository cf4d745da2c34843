/** The controls of a test node over JSON-RPC, and the gate before them. */

import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { spend } from '../../../src/bitcoin/index.ts';
import { encodeBitcoinTransaction } from '../../../src/bitcoin/transaction.ts';
import { DEV_ACCOUNTS, Engine, toBech32 } from '../../../src/index.ts';
import { createRpc, type HttpOptions, type RpcOptions, serveHttp } from '../../../src/server/index.ts';
import { devMethods } from '../../../src/server/rpc/dev.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const directories = temporaryDirectories();
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
        const { bitcoin, publicKey, ...same } = JSON.parse(JSON.stringify(account));
        return { ...same, bitcoin_address: bitcoin, public_key: publicKey, private_key: account.privateKey };
      }),
    );
    expect(accounts).toHaveLength(10);
  });
});

describe('dev_call', () => {
  it('acts for an account under any of its names, and what it did can be read', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const before = BigInt((await rpc.request('chain_getBalance', [BOB, GAS])).balance as string);
    for (const sender of [ALICE, DEV_ACCOUNTS[0]!.regtestAddress, toBech32(engine.accounts[0]!.address)]) {
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

  it.each([
    ['dev_call', [ALICE, transfer('7'), { decod: true }], 'option.decod'],
    ['dev_simulate', [ALICE, transfer('7'), { withOutput: true }], 'withOutput'],
    ['dev_mine', [{ too: ALICE }], 'too'],
    ['chain_subscribeEvents', ['all', { fromOrder: '1' }], 'fromOrder'],
  ])('refuses an option that %s does not have, instead of ignoring it', async (method, params, name) => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { error } = JSON.parse((await rpc.handle(request))!) as Answer;
    expect(error).toMatchObject({ code: -32602, data: { received: JSON.stringify(name.replace('option.', '')) } });
    expect(error!.message).toMatch(/expected no members but .*, got "/);
    expect(engine.head.order).toBe(0n);
  });

  it('says of a function that returns values that it is no entry function, and names view', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const call = { function_id: '0x3::chain_id::chain_id' };
    for (const method of ['dev_call', 'dev_simulate'] as const) {
      await expect(rpc.request(method, [ALICE, call])).rejects.toMatchObject({
        data: { code: 'transaction-rejected' },
        message: expect.stringMatching(/not an entry function: it returns values, which view reads/),
      });
    }
  });

  it.each(['0', `${2n ** 256n - 1n}`])('an amount of coins is a u256: %s', async (amount) => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const refused = await rpc
      .request('dev_fund', [ALICE, '0x3::gas_coin::RGas', amount])
      .catch((error: Error) => error);
    expect((refused as Error).message).not.toMatch(/from 0 to/);
    const beyond = amount === '0' ? '-1' : `${2n ** 256n}`;
    await expect(rpc.request('dev_fund', [ALICE, '0x3::gas_coin::RGas', beyond])).rejects.toThrow(
      /params\[2\] amount: expected an integer/,
    );
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
    const { result } = JSON.parse((await rpc.handle(text))!) as { result: object };
    expect(result).toMatchObject({
      execution_info: { status: { type: 'moveabort' } },
      error_info: { vm_error_info: { error_message: expect.stringContaining('ErrorInsufficientBalance') } },
    });
  });

  it.each([
    [[ALICE, { ...transfer('1'), args: [] }], /args in BCS, or arguments as values, not both/],
    [[ALICE, transfer(1.5)], /params\[1\] function_call\.arguments\[1\]: expected an integer/],
    [[ALICE, transfer('ten')], /argument 1 \(u256\): expected an integer/],
    [[ALICE, { function_id: '0x3::transfer::nothing' }], /module transfer has no nothing/],
    [
      [ALICE, { function_id: '0x3::transfer::transfer_coin', args: ['0x42', '0x3e8'] }],
      /args\[1\]: expected the BCS of an argument in hex, got "0x3e8"; values go in `arguments`$/,
    ],
    [['nobody', transfer('1')], /params\[0\] sender/],
    [[ALICE, { ...transfer('1'), ty_args: [] }], /expected 1 type arguments, got 0/],
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
  it('says what dev_call would do, and writes nothing', async () => {
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
    await expect(rpc.request('dev_publish', [sender, ['./counter']])).rejects.toThrow(
      'expected the bytes of a compiled module in hex (movelet build), got "./counter"',
    );
    await expect(rpc.request('dev_publish', [sender, ['0x00']])).rejects.toMatchObject({
      message: expect.stringMatching(/^modules\[0\]: expected the magic number/),
      data: { code: 'malformed-module' },
    });
  });
});

describe('dev_fund', () => {
  it('mints, and answers with the balance that is then read', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const newcomer = `0x${'0'.repeat(60)}f00d`;
    const before = await rpc.request('chain_getBalance', [newcomer, GAS]);
    const funded = await rpc.request('dev_fund', [newcomer, GAS, '123456789012345678901234567890']);
    expect(funded.balance).toBe('123456789012345678901234567890');
    expect(BigInt(funded.supply) - BigInt(before.supply)).toBe(123456789012345678901234567890n);
    expect(await rpc.request('chain_getBalance', [newcomer, GAS])).toEqual(funded);
    const [record] = (await rpc.request('chain_getTransactionsByOrder', ['0', '1', false])).data;
    expect(record).toMatchObject({
      transaction: {
        sender: `0x${'0'.repeat(64)}`,
        action_type: 'functioncall',
        action: { function_call: { function_id: `${'0'.repeat(64)}::control::fund` } },
      },
      execution_info: { status: { type: 'executed' }, gas_used: 0 },
    });
    const { data } = await rpc.request('rooch_getTransactionsByOrder', ['0', '1', false]);
    expect(data).toMatchObject([
      {
        transaction: {
          data: {
            type: 'l2_tx',
            sequence_number: '1',
            max_gas_amount: '0',
            sender: expect.stringMatching(/^rooch1q+/),
          },
        },
      },
    ]);
    await expect(rpc.request('dev_fund', [newcomer, '0x3::coin::Coin', '1'])).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining('is no coin of this chain'),
    });
    await expect(rpc.request('dev_fund', [newcomer, GAS, '-1'])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('dev_setObject and dev_setField', () => {
  const id = `0x${'77'.repeat(32)}`;
  const type = '0x2::timestamp::Timestamp';

  it('write what is read afterwards, given as BCS or as values', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const made = await rpc.request('dev_setObject', [
      id,
      { owner: ALICE, object_type: type, value: { milliseconds: '7' } },
    ]);
    expect(made).toMatchObject({
      id,
      owner: ALICE,
      flag: 0,
      object_type: type,
      decoded_value: { value: { milliseconds: '7' } },
    });
    const written = await rpc.request('dev_setObject', [id, { owner: BOB, value: `0x08${'00'.repeat(7)}` }]);
    expect(written).toMatchObject({ owner: BOB, decoded_value: { value: { milliseconds: '8' } } });
    const { data } = await rpc.request('chain_queryObjectStates', [{ object_type: type, owner: BOB }]);
    expect(data).toMatchObject([{ object_id: id, owner: BOB, value: { value: { milliseconds: '8' } } }]);
    const field = await rpc.request('dev_setField', [
      id,
      { key_type: 'address', key: ALICE, value_type: 'vector<u64>', value: [1, '2'] },
    ]);
    expect(field).toMatchObject({
      object_type: '0x2::object::DynamicField<address, vector<u64>>',
      decoded_value: { value: { name: ALICE, value: ['1', '2'] } },
    });
    const listed = await rpc.request('chain_listStates', [`/fields/${id}`, null, null, { decode: true }]);
    expect(listed.data).toMatchObject([{ state: { id: field['id'], value: field['value'] } }]);
  });

  it.each([
    ['dev_setObject', [id, { value: { milliseconds: '7' } }], /a new object needs a type/],
    [
      'dev_setObject',
      [id, { object_type: type, value: '0x07' }],
      /value: expected the BCS of a 0x2::timestamp::Timestamp, got 1 bytes/,
    ],
    ['dev_setObject', [id, { flag: 'x' }], /params\[1\] object\.flag/],
    ['dev_setField', [ALICE, { key_type: 'u8', key: 'zz', value_type: 'u8', value: 1 }], /params\[1\] field\.key/],
    ['dev_setField', [id, { key_type: 'u8', key: 1, value_type: 'u8', value: 1 }], /does not exist/],
  ] as const)('%s refuses %#', async (name, params, message) => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    await expect(rpc.request(name, params as never)).rejects.toMatchObject({ message: expect.stringMatching(message) });
    expect(engine.head.order).toBe(0n);
  });
});

describe('dev_time, dev_setTime and dev_advanceTime', () => {
  it('move the time, which view functions and transactions see', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const now = { function_id: '0x2::timestamp::now_milliseconds', ty_args: [], args: [] };
    expect(await rpc.request('dev_setTime', ['4102444800000'])).toEqual({ now: '4102444800000' });
    expect(await rpc.request('dev_advanceTime', [1000])).toEqual({ now: '4102444801000' });
    expect(await rpc.request('dev_time')).toEqual({ now: '4102444801000' });
    expect(await rpc.request('chain_executeViewFunction', [now])).toMatchObject({
      return_values: [{ decoded_value: '4102444801000' }],
    });
    await rpc.request('dev_call', [ALICE, transfer('1')]);
    const { data } = await rpc.request('chain_queryEvents', [{ sender: ALICE }, null, '1']);
    expect(data).toMatchObject([{ created_at: 4_102_444_801_000 }]);
    await expect(rpc.request('dev_setTime', ['1'])).rejects.toMatchObject({
      message: expect.stringContaining('expected 4102444801000 or later, got 1'),
    });
  });

  it.each(['-1', '253402300800000', '18446744073709551615', '18446744073709551616', '1.5'])(
    'refuse %s milliseconds alike: the chain’s time ends with the year 9999',
    async (milliseconds) => {
      await using engine = await Engine.open();
      const rpc = createRpc(engine, { dev: true });
      const refusals = ['dev_setTime', 'dev_advanceTime'].map((method) =>
        rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [milliseconds] })),
      );
      const [set, advance] = await Promise.all(refusals);
      expect(set).toBe(advance);
      expect(JSON.parse(set!)).toMatchObject({ error: { code: -32602, data: { path: 'params[0] milliseconds' } } });
    },
  );
});

describe('dev_snapshot, dev_revert and dev_reset', () => {
  it('go back any number of times; a snapshot is not used up', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const balance = async (): Promise<string> => (await rpc.request('chain_getBalance', [BOB, GAS])).balance;
    const start = await balance();
    const first = await rpc.request('dev_snapshot');
    await rpc.request('dev_fund', [BOB, GAS, '5']);
    const second = await rpc.request('dev_snapshot');
    expect(second).not.toBe(first);
    for (let round = 0; round < 2; round++) {
      expect(await rpc.request('dev_revert', [first])).toBe(true);
      expect(await balance()).toBe(start);
      expect(await rpc.request('dev_revert', [second])).toBe(true);
      expect(await balance()).toBe((BigInt(start) + 5n).toString());
    }
    expect(await rpc.request('dev_reset')).toBe(true);
    expect([engine.head.order, await balance()]).toEqual([0n, start]);
    await rpc.request('dev_revert', [second]);
    await expect(rpc.request('dev_revert', ['99'])).rejects.toMatchObject({
      code: 2,
      message: expect.stringMatching(/^there is no snapshot 99: dev_snapshot takes one/),
      data: { code: 'not-found' },
    });
  });

  it('keep the snapshots that are used, and name one that is gone', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true, snapshotsMax: 2 });
    const [first, second] = [await rpc.request('dev_snapshot'), await rpc.request('dev_snapshot')];
    await rpc.request('dev_revert', [first]);
    await rpc.request('dev_snapshot');
    await rpc.request('dev_revert', [first]);
    await expect(rpc.request('dev_revert', [second])).rejects.toMatchObject({ data: { code: 'not-found' } });
  });

  it('are refused on a durable chain, which says what to do', async () => {
    await using engine = await Engine.open({ store: directories() });
    const rpc = createRpc(engine, { dev: true });
    for (const name of ['dev_snapshot', 'dev_reset'] as const) {
      await expect(rpc.request(name), name).rejects.toMatchObject({
        message: expect.stringContaining('fork'),
        data: { code: 'not-supported' },
      });
    }
    const { id } = await rpc.request('dev_fork');
    await rpc.request('dev_fund', [BOB, GAS, '5'], { fork: id });
    await rpc.request('dev_snapshot', [], { fork: id });
    await rpc.request('dev_reset', [], { fork: id });
    await rpc.close();
  });
});

describe('dev_fork', () => {
  it('is refused once the adapter is closed: nothing would end the fork', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    await rpc.request('dev_fork');
    const closed = rpc.close();
    await expect(rpc.request('dev_fork')).rejects.toMatchObject({ code: -32009, data: { code: 'closed' } });
    await closed;
    await rpc.close();
  });
});

describe('dev_mine', () => {
  it('mines for the first account unless told otherwise, also on another block', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine, { dev: true });
    const first = await rpc.request('dev_mine');
    expect(first).toMatchObject({
      height: 0,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      transactions: [expect.any(String)],
    });
    const second = await rpc.request('dev_mine', [{ to: DEV_ACCOUNTS[1]!.regtestAddress }]);
    expect(second['height']).toBe(1);
    const owned = await rpc.request('btc_queryUTXOs', [{ owner: DEV_ACCOUNTS[1]!.regtestAddress }]);
    expect(owned.data).toHaveLength(1);
    const spent = spend(
      [{ outpoint: { txid: (first['transactions'] as string[])[0]!, vout: 0 } }],
      [{ to: DEV_ACCOUNTS[2]!.regtestAddress, value: 1_000n }],
    );
    const third = await rpc.request('dev_mine', [
      { transactions: [toHexPrefixed(encodeBitcoinTransaction(spent))], on: '1' },
    ]);
    expect(third['transactions']).toHaveLength(2);
    await expect(rpc.request('dev_mine', [{ on: '0' }])).rejects.toMatchObject({ data: { code: 'not-supported' } });
    await expect(rpc.request('dev_mine', [{ to: 'nowhere' }])).rejects.toMatchObject({
      data: { code: 'invalid-argument' },
    });
    await expect(rpc.request('dev_mine', [{ transactions: ['00'] }])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the gate', () => {
  const names = Object.keys(devMethods).map((name) => `dev_${name}`);

  it('is shut unless asked to open, and says how to open it', async () => {
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
