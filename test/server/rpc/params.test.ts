/** Parameters, spec/rpc.md 1.5, 2, 4, 5: both number forms, null and missing, names, and what a wrong one is told. */
import { afterAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { formatAddressBech32 } from '../../../src/move/address.ts';
import { createRpc, type JsonValue, type MethodName } from '../../../src/server/index.ts';
import { at } from './forms.ts';
import { ALICE, ALICE_BITCOIN, ALICE_HEX, World } from './world.ts';

const world = await World.open();
const rpc = createRpc(world.engine);
afterAll(() => world.engine.close());

const ask = (method: MethodName, ...params: unknown[]): Promise<JsonValue> => rpc.request(method, params as never);

describe('integers', () => {
  const wire = async (limit: string): Promise<string> =>
    (await rpc.handle(
      `{"jsonrpc":"2.0","id":1,"method":"chain_getTransactionsByOrder","params":[null,${limit},false]}`,
    ))!;

  it.each(['3', '"3"', '"+3"', '"0003"', '3.0', '3e0'])('%s is three', async (limit) => {
    expect(await wire(limit)).toBe(await wire('3'));
  });

  it.each([
    '-1',
    '"-1"',
    '1.5',
    '"1.5"',
    '"3 "',
    '" 3"',
    '"0x3"',
    '"1_000"',
    '""',
    '"ten"',
    'true',
    '[]',
    '{}',
    '18446744073709551616',
    '"18446744073709551616"',
    '1e30',
  ])('%s is refused by position and name', async (limit) => {
    const { error } = JSON.parse(await wire(limit)) as { error: { code: number; message: string; data: object } };
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(/^Invalid params: params\[1\] limit: expected /);
    expect(error.data).toMatchObject({ code: 'invalid-argument', path: 'params[1] limit' });
  });

  it('that lose digits as numbers are to be sent as strings', async () => {
    const { error } = JSON.parse(await wire('9007199254740993')) as {
      error: { message: string; data: { hint: string; received: string } };
    };
    expect(error.message).toMatch(/send it as a decimal string/);
    expect(error.data).toMatchObject({ received: '9007199254740993' });
    expect(JSON.parse(await wire('"9007199254740993"'))).toHaveProperty('result');
  });

  it('of cursors may be numbers or strings', async () => {
    const filter = { tx_order_range: { from_order: '0', to_order: 9 } };
    const cursors = [
      { tx_order: 1, event_index: 1 },
      { tx_order: '1', event_index: '1' },
      { tx_order: '1', event_index: 1, more: 5 },
    ];
    const [first, ...others] = await Promise.all(cursors.map((cursor) => ask('chain_queryEvents', filter, cursor, 2)));
    for (const other of others) expect(other).toEqual(first);
    await expect(ask('chain_queryEvents', filter, { tx_order: 1 }, 2)).rejects.toMatchObject({
      code: -32602,
      data: { path: 'params[1] cursor.event_index' },
    });
    await expect(ask('chain_queryEvents', filter, '1,1', 2)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('null and missing', () => {
  it('mean that an optional parameter was not given', async () => {
    const wanted = await ask('chain_getTransactionsByOrder');
    expect(await ask('chain_getTransactionsByOrder', null, null, null)).toEqual(wanted);
    expect(await ask('chain_getTransactionsByOrder', undefined, 50, true)).toEqual(wanted);
    const states = await ask('chain_getStates', '/object/0x3');
    for (const option of [null, {}, { decode: null }, { filterOut: true }]) {
      expect(await ask('chain_getStates', '/object/0x3', option)).toEqual(states);
    }
  });

  it('are refused where a parameter is required', async () => {
    for (const params of [[], [null], [undefined]]) {
      await expect(ask('chain_getStates', ...params)).rejects.toMatchObject({
        code: -32602,
        data: { path: 'params[0] access_path' },
      });
    }
    await expect(ask('chain_queryEvents', null)).rejects.toMatchObject({ code: -32602 });
    expect(await ask('btc_queryUTXOs'), 'nothing asks for all').toEqual(await ask('btc_queryUTXOs', 'all'));
  });
});

describe('named parameters', () => {
  it('are taken by their names in both spellings', async () => {
    const wanted = await ask('chain_getEventsByEventHandle', '0x3::coin_store::DepositEvent', 3, 2, false, {
      decode: true,
    });
    const named = {
      event_handle: '0x3::coin_store::DepositEvent',
      cursor: 3,
      limit: 2,
      descending_order: false,
      event_options: { decode: true },
    };
    expect(await rpc.request('chain_getEventsByEventHandle', named)).toEqual(wanted);
    const camelCase = {
      eventHandle: named.event_handle,
      cursor: '3',
      limit: '2',
      descendingOrder: false,
      eventOptions: { decode: true },
    };
    expect(await rpc.request('chain_getEventsByEventHandle', camelCase)).toEqual(wanted);
    await expect(rpc.request('chain_getEventsByEventHandle', { limit: 2 })).rejects.toMatchObject({
      data: { path: 'params[0] event_handle' },
    });
  });

  it('that the method does not have are refused, with those that it has', async () => {
    const balance = rpc.request('chain_getBalance', { address: '0x42', coin_type: '0x3::gas_coin::RGas' });
    const names = 'the parameters are account_addr, coin_type, option';
    await expect(balance).rejects.toMatchObject({
      code: -32602,
      message: `Invalid params: there is no parameter address; ${names}`,
      data: { code: 'invalid-argument', expected: names, received: 'address' },
    });
    const misspelt = rpc.request('chain_getBalance', { account_adr: '0x42' });
    await expect(misspelt).rejects.toMatchObject({ data: { hint: "did you mean 'account_addr'?" } });
  });

  it('or positional ones are an array or an object', async () => {
    for (const params of ['5', '"text"', 'true']) {
      const text = await rpc.handle(`{"jsonrpc":"2.0","id":1,"method":"chain_getStates","params":${params}}`);
      expect(JSON.parse(text!)).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('an array or an object') },
      });
    }
  });
});

describe('options', () => {
  it('of queries are an object or a boolean', async () => {
    const filter = { tx_order_range: { from_order: 0, to_order: 9 } };
    const orders = async (option: unknown): Promise<JsonValue[]> =>
      (at(await ask('chain_queryTransactions', filter, null, 3, option), 'data') as JsonValue[]).map((entry) =>
        at(entry, 'sequence_info', 'tx_order'),
      );
    expect(await orders(true)).toEqual(['8', '7', '6']);
    expect(await orders(undefined)).toEqual(['8', '7', '6']);
    expect(await orders({})).toEqual(['8', '7', '6']);
    expect(await orders({ descending: null })).toEqual(['8', '7', '6']);
    expect(await orders(false)).toEqual(['0', '1', '2']);
    expect(await orders({ descending: false })).toEqual(['0', '1', '2']);
    for (const option of ['true', 1, [true], { descending: 'no' }, { decode: 1 }]) {
      await expect(orders(option), JSON.stringify(option)).rejects.toMatchObject({ code: -32602 });
    }
  });

  it('that are wrong inside are told by their path', async () => {
    await expect(ask('chain_getStates', '/object/0x3', { decode: 'yes' })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: params[1] state_option.decode: expected true or false, got "yes"',
      data: {
        code: 'invalid-argument',
        path: 'params[1] state_option.decode',
        expected: 'true or false',
        received: '"yes"',
      },
    });
    await expect(ask('chain_getStates', '/object/0x3', true)).rejects.toMatchObject({ code: -32602 });
  });

  it('name a state root that the chain had', async () => {
    const [genesis] = at(await ask('chain_getTransactionsByOrder', null, 1, false), 'data') as JsonValue[];
    const stateRoot = at(genesis!, 'execution_info', 'state_root');
    const utxos = '/fields/0x4::utxo::BitcoinUTXOStore';
    expect(at(await ask('rooch_listStates', utxos, null, null, { stateRoot }), 'data')).toEqual([]);
    expect((at(await ask('rooch_listStates', utxos), 'data') as JsonValue[]).length).toBe(1);
    await expect(ask('chain_getStates', '/object/0x3', { stateRoot: `0x${'1'.repeat(64)}` })).rejects.toMatchObject({
      code: 2,
      data: { code: 'not-found' },
    });
    await expect(ask('chain_getStates', '/object/0x3', { stateRoot: '0x1' })).rejects.toMatchObject({ code: -32602 });
  });

  it('names no state where an index answers, events by their handle included', async () => {
    const lists = [
      ['getBalances', '0x3', null, null],
      ['queryEvents', { sender: '0x3' }, null, null],
      ['queryTransactions', { sender: '0x3' }, null, null],
      ['queryObjectStates', { owner: '0x3' }, null, null],
      ['getEventsByEventHandle', '0x3::coin_store::DepositEvent', null, null, true],
    ] as const;
    const refused = {
      code: -32602,
      message: expect.stringContaining('comes from an index'),
      data: { code: 'not-supported' },
    };
    for (const prefix of ['chain', 'rooch'] as const) {
      for (const [name, ...params] of lists) {
        const method = `${prefix}_${name}` as const;
        await expect(ask(method, ...params, { order: '0' }), method).rejects.toMatchObject(refused);
        await expect(ask(method, ...params, { stateRoot: null }), method).resolves.toBeDefined();
      }
    }
  });
});

describe('addresses', () => {
  it('are taken in every form, under both prefixes', async () => {
    const forms = [
      ALICE_HEX,
      ALICE_HEX.slice(2),
      ALICE_HEX.toUpperCase().replace('0X', '0x'),
      formatAddressBech32(ALICE),
      ALICE_BITCOIN,
      DEV_ACCOUNTS[0]!.mainnetAddress,
    ];
    for (const method of ['chain_getBalance', 'rooch_getBalance'] as const) {
      const wanted = await ask(method, ALICE_HEX, '0x3::gas_coin::RGas');
      for (const form of forms) expect(await ask(method, form, '0x3::gas_coin::RGas'), form).toEqual(wanted);
    }
    // A Nostr key stands for its taproot address on Bitcoin's main network (spec/rpc.md 2.2).
    const npub = 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg';
    for (const form of [npub, npub.toUpperCase()]) {
      expect(await ask('chain_getBalance', form, '0x3::gas_coin::RGas'), form).toMatchObject({ balance: '0' });
    }
  });

  it.each(['', '0x', `0x${'1'.repeat(65)}`, '1234', 'rooch1qqqq', 'npub1qqqq', 'bc1qqqq', 'nonsense', 5, null, {}])(
    '%j is not an address',
    async (address) => {
      await expect(ask('chain_getBalance', address, '0x3::gas_coin::RGas')).rejects.toMatchObject({
        code: -32602,
        data: { path: 'params[0] account_addr' },
      });
    },
  );
});

describe('a word that is no address', () => {
  it.each(['alice', '1234', ''])('is answered with all the forms that there are: %j', async (given) => {
    await expect(ask('chain_getBalance', given, '0x3::gas_coin::RGas')).rejects.toMatchObject({
      message: expect.stringContaining(
        'expected an address: 0x and up to 64 hex digits, rooch1..., npub1... or a Bitcoin',
      ),
    });
  });
});

describe('types, ids and paths', () => {
  it.each([
    '0x3::gas_coin::RGas',
    ' 0x3 :: gas_coin :: RGas ',
    `0x${'3'.padStart(64, '0')}::gas_coin::RGas`,
    '0X3::gas_coin::RGas<>',
  ])('%j is the gas coin', async (type) => {
    expect(await ask('chain_getBalance', ALICE_HEX, type)).toMatchObject({ coin_type: '0x3::gas_coin::RGas' });
  });

  it.each([
    'u64',
    'vector<u8>',
    '3::gas_coin::RGas',
    '0x3::gas_coin',
    '0x3::gas_coin::RGas>',
    '0x3::gas_coin::RGas<',
    'rooch1::a::B',
    '',
  ])('%j is not a struct type', async (type) => {
    await expect(ask('chain_getBalance', ALICE_HEX, type)).rejects.toMatchObject({
      code: -32602,
      data: { path: 'params[1] coin_type' },
    });
  });

  it('filters have one key, and errors name the valid ones', async () => {
    const twoKeys = { sender: ALICE_HEX, tx_hash: `0x${'0'.repeat(64)}` };
    for (const filter of [{}, twoKeys, { nothing: 1 }, 'some', 5, [], { sender: ALICE_HEX, more: 1 }]) {
      await expect(ask('chain_queryEvents', filter), JSON.stringify(filter)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('event_type_with_sender'),
      });
    }
    await expect(ask('chain_queryEvents', { event_type: 'u8' })).rejects.toMatchObject({
      data: { path: 'params[0] filter.event_type' },
    });
    await expect(ask('chain_queryObjectStates', { object_type: 'u8' })).rejects.toMatchObject({
      data: { path: 'params[0] filter.object_type' },
    });
    await expect(
      ask('chain_queryObjectStates', { object_type_with_owner: { object_type: '0x1::a::B' } }),
    ).rejects.toMatchObject({
      data: { path: 'params[0] filter.object_type_with_owner.owner' },
    });
    await expect(ask('chain_getTransactionsByHash', [`0x${'0'.repeat(64)}`, '0x1'])).rejects.toMatchObject({
      data: { path: 'params[0] tx_hashes[1]' },
    });
  });

  it.each(['', '0x', '0x1', `0x${'0'.repeat(62)}`, `0x${'0'.repeat(66)}`, '0'.repeat(65), `0x${'g'.repeat(64)}`])(
    'a hash has 64 digits, so %j is none',
    async (hash) => {
      const refused = { code: -32602, message: expect.stringContaining('expected a hash of 64 hex digits') };
      await expect(ask('chain_getTransactionsByHash', [hash])).rejects.toMatchObject(refused);
      await expect(
        ask('chain_getBalance', ALICE_HEX, '0x3::gas_coin::RGas', { stateRoot: hash }),
      ).rejects.toMatchObject(refused);
    },
  );

  it('the filter "all" is refused by queries as the reference does, with what to do instead', async () => {
    for (const method of ['chain_queryEvents', 'rooch_queryTransactions'] as const) {
      for (const filter of ['all', { all: null }]) {
        await expect(ask(method, filter)).rejects.toMatchObject({
          code: 2,
          message: expect.stringContaining('tx_order_range'),
        });
      }
    }
  });

  it('lists are bounded', async () => {
    const ids = (count: number): string => Array.from({ length: count }, () => '0x3').join();
    expect((await ask('rooch_getStates', `/object/${ids(100)}`)) as JsonValue[]).toHaveLength(100);
    const refused = { code: 2, message: 'Too many object IDs requested. Maximum allowed: 100' };
    await expect(ask('rooch_getStates', `/object/${ids(101)}`)).rejects.toMatchObject(refused);
    await expect(ask('rooch_queryObjectStates', { object_id: ids(101) })).rejects.toMatchObject(refused);
    await expect(ask('btc_queryUTXOs', { object_id: ids(101) })).rejects.toMatchObject(refused);
    const hashes = Array.from({ length: 1001 }, () => `0x${'0'.repeat(64)}`);
    await expect(ask('chain_getTransactionsByHash', hashes)).rejects.toMatchObject({ code: -32602 });
  });

  it('what was sent is shown only in part', async () => {
    const long = 'x'.repeat(1_000_000);
    for (const params of [[long], [ALICE_HEX, long], [{ [long]: 1 }]]) {
      const error = await ask('chain_getBalance', ...params).catch(
        (thrown: { message: string; data: object }) => thrown,
      );
      expect(
        JSON.stringify([(error as { message: string }).message, (error as { data: object }).data]).length,
      ).toBeLessThan(1500);
    }
  });
});
