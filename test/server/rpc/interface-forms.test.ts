/** The forms of spec/interface.md under `chain_` and `btc_`: every member of its tables, in exactly the JSON form given. */
import { afterAll, describe, expect, it } from 'vitest';
import { createRpc, type JsonValue, type MethodName, type RpcOptions } from '../../../src/server/index.ts';
import * as form from './forms.ts';
import { at, expectForm } from './forms.ts';
import { ALICE_BITCOIN, ALICE_HEX, BOB_HEX, coinCursor, GOLD, LARGE_GAS, World } from './world.ts';

const world = await World.open();
const rpc = createRpc(world.engine);
afterAll(() => world.engine.close());

const ask = (method: MethodName, params: unknown[] = [], options?: RpcOptions): Promise<JsonValue> =>
  (options === undefined ? rpc : createRpc(world.engine, options)).request(method, params as never);

const position = (index: string): form.Form => form.record({ tx_order: form.integer, [index]: form.integer });
const objectCursor = position('state_index');

describe('chain_getChainID', () => {
  it('is a u64 string', async () => {
    expectForm(await ask('chain_getChainID'), form.decimal);
  });
});

describe('chain_status', () => {
  it('has the status record', async () => {
    const block = form.holding({ block_height: form.decimal, block_hash: form.plainHash });
    const status = await ask('chain_status');
    expectForm(
      status,
      form.holding({
        service_status: form.exactly('active'),
        chain_status: form.holding({
          sequencer_info: form.holding({
            last_order: form.exactly('8'),
            last_accumulator_info: form.holding({
              accumulator_root: form.hash,
              frozen_subtree_roots: form.array(form.hash),
              num_leaves: form.exactly('9'),
              num_nodes: form.decimal,
            }),
          }),
          da_info: form.holding({
            last_block_number: form.nothing,
            last_tx_order: form.nothing,
            last_block_update_time: form.nothing,
            last_avail_block_number: form.nothing,
            last_avail_tx_order: form.nothing,
            last_avail_block_update_time: form.nothing,
          }),
          root_state: form.holding({ state_root: form.hash, size: form.decimal }),
        }),
        bitcoin_status: form.holding({ confirmed_block: form.nullable(block), pending_block: form.nullable(block) }),
      }),
    );
    expect(at(status, 'chain_status', 'root_state', 'size')).toBe(world.engine.head.size.toString());
  });
});

const stateForm = form.holding({
  id: form.objectId,
  owner: form.address,
  owner_bitcoin_address: form.nullable(form.bitcoinAddress),
  flag: form.integer,
  state_root: form.nullable(form.hash),
  size: form.decimal,
  created_at: form.decimal,
  updated_at: form.decimal,
  object_type: form.typeTag,
  value: form.hex,
  decoded_value: form.decodedValue,
  display_fields: form.nothing,
});

describe('chain_listStates', () => {
  const cursor = form.hash;

  it('lists items of form A', async () => {
    const item = form.record({ field_key: form.hex, state: stateForm });
    const page = await ask('chain_listStates', ['/resource/0x3', null, '5', { decode: true }]);
    expectForm(page, form.pageOf(item, cursor));
    expect(at(page, 'next_cursor')).toBe(at(page, 'data', (at(page, 'data') as JsonValue[]).length - 1, 'field_key'));
    expectForm(await ask('chain_listStates', ['/object', null, 10, { decode: true }]), form.pageOf(item, cursor));
  });

  it('lists items of form B when asked for', async () => {
    const item = form.record({
      key_state: form.record({ key: form.hex, key_type: form.typeTag, decoded_key: form.text }),
      state: form.record({
        value: form.hex,
        value_type: form.typeTag,
        decoded_value: form.decodedValue,
        display_fields: form.nothing,
      }),
    });
    const page = await ask('chain_listStates', ['/resource/0x3', null, null, { decode: true }], {
      listStates: 'keyed',
    });
    expectForm(page, form.pageOf(item, cursor));
    const names = (at(page, 'data') as JsonValue[]).map((entry) => at(entry, 'key_state', 'decoded_key'));
    expect(names).toContain(`0x${'3'.padStart(64, '0')}::account_coin_store::AutoAcceptCoins`);
    const types = (at(page, 'data') as JsonValue[]).map((entry) => at(entry, 'state', 'value_type'));
    expect(types).toContain('0x3::account_coin_store::AutoAcceptCoins');
    const modules = '/object/0x2::module_store::ModuleStore';
    const children = await ask('chain_listStates', [modules, null, null, { decode: true }], { listStates: 'keyed' });
    expectForm(children, form.pageOf(item, cursor));
    const [first] = at(children, 'data') as JsonValue[];
    expect(at(first!, 'key_state', 'key_type')).toBe('0x2::object::ObjectID');
    expect(at(first!, 'key_state', 'decoded_key')).toBe(
      `0x14481947570f6c2f50d190f9a13bf549ab2f0c9debc41296cd4d506002379659${'1'.padStart(64, '0')}`,
    );
    expect(at(first!, 'state', 'value_type')).toBe('0x2::object::ObjectEntity<0x2::module_store::Package>');
  });

  it('gives no decoded value without the option', async () => {
    const page = await ask('chain_listStates', ['/resource/0x3']);
    expect(at(page, 'data', 0, 'state', 'decoded_value')).toBeNull();
  });
});

describe('chain_getStates', () => {
  const entity = form.holding({
    value: form.hex,
    value_type: form.typeTag,
    decoded_value: form.record({
      abilities: form.exactly(0),
      type: form.typeTag,
      value: form.record({
        flag: form.integer,
        id: form.objectId,
        owner: form.address,
        value: form.decodedValue,
      }),
    }),
  });

  it('shows objects as entities', async () => {
    const states = await ask('chain_getStates', ['/object/0x2::timestamp::Timestamp,0x3,0x999', { decode: true }]);
    expectForm(states, form.array(form.nullable(entity)));
    const [timestamp, , absent] = states as JsonValue[];
    expect(absent).toBeNull();
    expect(at(timestamp!, 'value_type')).toBe('0x2::object::ObjectEntity<0x2::timestamp::Timestamp>');
    // ObjectID, owner, flag, u64 of milliseconds.
    const id = '3a7dfe7a9a5cd608810b5ebd60c7adf7316667b17ad5ae703af301b74310bcca';
    expect(at(timestamp!, 'value')).toBe(`0x01${id}${'0'.repeat(64)}010068e5cf8b010000`);
    expect(at(timestamp!, 'decoded_value')).toEqual({
      abilities: 0,
      type: '0x2::object::ObjectEntity<0x2::timestamp::Timestamp>',
      value: {
        flag: 1,
        id: `0x${id}`,
        owner: `0x${'0'.repeat(64)}`,
        value: { abilities: 8, type: '0x2::timestamp::Timestamp', value: { milliseconds: '1700000000000' } },
      },
    });
  });

  it('shows resources, modules and fields as their values', async () => {
    const value = form.holding({ value: form.hex, value_type: form.typeTag, decoded_value: form.decodedValue });
    const paths = ['/resource/0x3/0x3::account_coin_store::AutoAcceptCoins', '/module/0x3/coin_store'];
    for (const path of paths) expectForm(await ask('chain_getStates', [path, { decode: true }]), form.array(value));
    const [resource] = (await ask('chain_getStates', [paths[0], { decode: true }])) as JsonValue[];
    expect(at(resource!, 'value_type')).toBe('0x3::account_coin_store::AutoAcceptCoins');
    expect(at(resource!, 'value')).toMatch(/^0x01[0-9a-f]{64}$/);
  });

  it('decodes nothing without the option', async () => {
    const [state] = (await ask('chain_getStates', ['/object/0x3'])) as JsonValue[];
    expect(at(state!, 'decoded_value')).toBeNull();
    const [shown] = (await ask('chain_getStates', ['/object/0x3', { showDisplay: true }])) as JsonValue[];
    expect(at(shown!, 'decoded_value')).toBeNull();
    expect(at(shown!, 'display_fields')).not.toBeNull();
  });
});

const balance = form.holding({
  coin_type: form.typeTag,
  name: form.text,
  symbol: form.text,
  decimals: form.integer,
  supply: form.decimal,
  balance: form.decimal,
});

describe('chain_getBalance and chain_getBalances', () => {
  it('have the balance record', async () => {
    const found = await ask('chain_getBalance', [ALICE_HEX, '0x3::gas_coin::RGas']);
    expectForm(found, balance);
    expect(found).toMatchObject({ coin_type: '0x3::gas_coin::RGas', decimals: 8, balance: '99999999999995' });
  });

  it('page by the hash of the coin type, coins of the multi coin store among them', async () => {
    const page = await ask('chain_getBalances', [ALICE_HEX, null, '1000']);
    expectForm(page, form.pageOf(balance, form.hash));
    const coins = (at(page, 'data') as JsonValue[]).map((entry) => [at(entry, 'symbol'), at(entry, 'balance')]);
    expect(coins).toContainEqual(['AU', '12']);
    const first = await ask('chain_getBalances', [ALICE_HEX, null, '1']);
    expect(at(first, 'has_next_page')).toBe(true);
    const rest = await ask('chain_getBalances', [ALICE_HEX, at(first, 'next_cursor'), '1']);
    expect(at(rest, 'has_next_page')).toBe(false);
    const cursors = [at(first, 'next_cursor'), at(rest, 'next_cursor')];
    expect(cursors).toEqual([...cursors].sort());
    expect(cursors).toContain(coinCursor(GOLD));
  });

  it('are empty for an address that never appeared', async () => {
    expect(await ask('chain_getBalances', ['0x999'])).toEqual({ data: [], next_cursor: null, has_next_page: false });
    expect(await ask('chain_getBalance', ['0x999', '0x3::gas_coin::RGas'])).toMatchObject({ balance: '0' });
  });
});

describe('chain_getEventsByEventHandle', () => {
  it('has the event record', async () => {
    const event = form.holding({
      event_id: form.record({ event_handle_id: form.hash, event_seq: form.integer }),
      event_type: form.typeTag,
      event_data: form.hex,
      event_index: form.integer,
      decoded_event_data: form.decodedValue,
    });
    const page = await ask('chain_getEventsByEventHandle', [
      '0x3::coin_store::DepositEvent',
      null,
      '2',
      false,
      { decode: true },
    ]);
    expectForm(page, form.pageOf(event, form.integer));
    expect(at(page, 'next_cursor')).toBe(1);
    expect(at(page, 'has_next_page')).toBe(true);
    expect(at(page, 'data', 0, 'event_id', 'event_handle_id')).toBe(
      '0xb853393e53406be49dfd6325e65de25eae00c348cbe0b2cec8ea56513fa2c26a',
    );
    const plain = await ask('chain_getEventsByEventHandle', ['0x3::coin_store::DepositEvent']);
    expect(at(plain, 'data', 0, 'decoded_event_data')).toBeNull();
    expect(at(plain, 'data', 0, 'event_id', 'event_seq'), 'newest first').toBe(10);
  });
});

describe('chain_queryEvents', () => {
  const event = (decoded: form.Form): form.Form =>
    form.holding({
      indexer_event_id: form.record({ tx_order: form.integer, event_index: form.integer }),
      event_id: form.record({ event_handle_id: form.hash, event_seq: form.integer }),
      event_type: form.typeTag,
      event_data: form.hex,
      tx_hash: form.hash,
      sender: form.address,
      created_at: form.integer,
      decoded_event_data: decoded,
    });

  it('has the indexed event record', async () => {
    for (const filter of [{ sender: ALICE_HEX }, { tx_order_range: { from_order: 0, to_order: 9 } }]) {
      const page = await ask('chain_queryEvents', [filter, null, '3', true]);
      expectForm(page, form.pageOf(event(form.nothing), position('event_index')));
      expect(at(page, 'data', 0, 'indexer_event_id')).toEqual({ tx_order: 1, event_index: 2 });
      const next = await ask('chain_queryEvents', [filter, at(page, 'next_cursor'), '3', true]);
      expectForm(next, form.pageOf(event(form.nothing), position('event_index')));
    }
    const decoded = await ask('chain_queryEvents', [{ sender: ALICE_HEX }, null, null, { decode: true }]);
    expectForm(decoded, form.pageOf(event(form.decodedValue), position('event_index')));
  });

  it('ends a range before its last order', async () => {
    const page = await ask('chain_queryEvents', [{ tx_order_range: { from_order: 0, to_order: 1 } }, null, '1', true]);
    expect(at(page, 'data', 0, 'indexer_event_id', 'tx_order')).toBe(0);
  });
});

const status = form.holding({ type: form.text });
const transactionOf = (action: form.Form): form.Form =>
  form.holding({
    transaction: form.holding({
      sequence_number: form.integer,
      sender: form.address,
      action_type: form.text,
      action,
      raw: form.hex,
    }),
    sequence_info: form.holding({
      tx_order: form.decimal,
      tx_order_signature: form.record({ auth_validator_id: form.decimal, payload: form.hex }),
      tx_accumulator_root: form.hash,
    }),
    execution_info: form.holding({
      tx_hash: form.hash,
      state_root: form.hash,
      event_root: form.hash,
      gas_used: form.integer,
      status,
    }),
  });

describe('transactions', () => {
  const page = form.pageOf(transactionOf(form.anything), form.integer);

  it('have the transaction record, by order, by hash and by filter', async () => {
    const byOrder = await ask('chain_getTransactionsByOrder', [null, null]);
    expectForm(byOrder, page);
    expect((at(byOrder, 'data') as JsonValue[]).map((entry) => at(entry, 'sequence_info', 'tx_order'))).toEqual([
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    const hashes = (at(byOrder, 'data') as JsonValue[]).map((entry) => at(entry, 'execution_info', 'tx_hash'));
    expectForm(await ask('chain_getTransactionsByHash', [hashes]), form.array(transactionOf(form.anything)));
    const queried = await ask('chain_queryTransactions', [{ tx_hashes: hashes.slice(0, 3) }, null, '2', true]);
    expectForm(queried, page);
    expect(at(queried, 'next_cursor')).toBe(7);
    expect(await ask('chain_getTransactionsByHash', [[`0x${'0'.repeat(64)}`]])).toEqual([null]);
  });

  it('show a function call with its full function id', async () => {
    const [call] = at(await ask('chain_getTransactionsByOrder', [0, 1, false]), 'data') as JsonValue[];
    const fields = { function_id: form.functionId, ty_args: form.array(form.typeTag), args: form.array(form.hex) };
    expectForm(call, transactionOf(form.record({ function_call: form.record(fields) })));
    expect(at(call!, 'transaction', 'action_type')).toBe('functioncall');
    expect(at(call!, 'transaction', 'action', 'function_call', 'function_id')).toBe(
      `${'3'.padStart(64, '0')}::transfer::transfer_coin`,
    );
    expect(at(call!, 'transaction', 'sender')).toBe(ALICE_HEX);
    expect(at(call!, 'execution_info', 'gas_used')).toBe(1234);
    expect(at(call!, 'execution_info', 'status')).toEqual({ type: 'executed' });
  });

  it('show Bitcoin entries as transactions of the system', async () => {
    const [block, transaction] = at(
      await ask('chain_getTransactionsByOrder', ['1', '2', false]),
      'data',
    ) as JsonValue[];
    const system = { sequence_number: 0, sender: `0x${'0'.repeat(64)}` };
    expect(at(block!, 'transaction')).toMatchObject({ ...system, action_type: 'l1block' });
    expectForm(
      at(block!, 'transaction', 'action'),
      form.record({
        l1_block: form.record({
          chain_id: form.exactly('0'),
          block_height: form.exactly('203'),
          block_hash: form.hash,
          bitcoin_block_hash: form.plainHash,
        }),
      }),
    );
    expect(at(transaction!, 'transaction')).toMatchObject({ ...system, action_type: 'l1transaction' });
    expectForm(
      at(transaction!, 'transaction', 'action'),
      form.record({
        l1_transaction: form.record({
          chain_id: form.exactly('0'),
          block_hash: form.hash,
          bitcoin_block_hash: form.plainHash,
          txid: form.hash,
          bitcoin_txid: form.plainHash,
        }),
      }),
    );
    // BCS: chain id, length and bytes of the hash, length and bytes of the txid.
    expect(at(transaction!, 'transaction', 'raw')).toMatch(/^0x0{16}20[0-9a-f]{64}20000102030405[0-9a-f]{52}$/);
  });

  it('show every outcome, and integers beyond 2^53 with all their digits', async () => {
    const found = at(await ask('chain_getTransactionsByOrder', [3, 4, false]), 'data') as JsonValue[];
    expect(found.map((entry) => at(entry, 'execution_info', 'status'))).toEqual([
      { type: 'moveabort', location: `${'2'.padStart(64, '0')}::object`, abort_code: '7' },
      { type: 'executionfailure', location: 'script', function: 3, code_offset: 12 },
      { type: 'outofgas' },
      { type: 'miscellaneouserror' },
    ]);
    expect(at(found[0]!, 'execution_info', 'gas_used')).toBe(LARGE_GAS);
    const wire = await rpc.handle(
      '{"jsonrpc":"2.0","id":1,"method":"chain_getTransactionsByOrder","params":[3,1,false]}',
    );
    expect(wire).toContain('"gas_used":9007199254740993,');
    expect(found.map((entry) => at(entry, 'transaction', 'action_type'))).toEqual([
      'scriptcall',
      'modulebundle',
      'scriptcall',
      'scriptcall',
    ]);
    expect(at(found[0]!, 'transaction', 'action')).toEqual({
      script_call: { code: '0xa1', ty_args: [], args: ['0x01'] },
    });
    expect(at(found[1]!, 'transaction', 'action')).toEqual({ module_bundle: ['0xa11c'] });
  });

  it('show genesis with an empty signature', async () => {
    const [genesis] = at(await ask('chain_getTransactionsByOrder', [null, 1, false]), 'data') as JsonValue[];
    expect(at(genesis!, 'sequence_info', 'tx_order_signature')).toEqual({ auth_validator_id: '1', payload: '0x' });
  });
});

describe('chain_queryObjectStates', () => {
  const item = form.holding({
    object_id: form.objectId,
    owner: form.address,
    flag: form.integer,
    value: form.decodedValue,
    object_type: form.typeTag,
    key_type: form.nothing,
    size: form.integer,
    tx_order: form.integer,
    state_index: form.integer,
    created_at: form.integer,
    updated_at: form.integer,
  });

  it('has the object state record for every filter, and a decoded value with decode false too', async () => {
    const coinStore = '0x3::coin_store::CoinStore<0x3::gas_coin::RGas>';
    const filters = [
      { object_type: coinStore, owner: ALICE_HEX },
      { object_type: coinStore },
      { owner: ALICE_HEX },
      { object_id: '0x3' },
      { object_type_with_owner: { object_type: coinStore, owner: ALICE_HEX } },
    ];
    for (const filter of filters) {
      for (const option of [{ decode: false, descending: true }, true, false, null]) {
        const page = await ask('chain_queryObjectStates', [filter, null, '10', option]);
        expectForm(page, form.pageOf(item, objectCursor));
        expect((at(page, 'data') as JsonValue[]).length).toBeGreaterThan(0);
      }
    }
  });

  it('takes a boolean as descending', async () => {
    const filter = { object_type: '0x3::coin_store::CoinStore' };
    const orders = async (option: unknown): Promise<JsonValue[]> =>
      (at(await ask('chain_queryObjectStates', [filter, null, '100', option]), 'data') as JsonValue[]).map(
        (entry) => `${at(entry, 'tx_order')},${at(entry, 'state_index')}`,
      );
    const descending = await orders(true);
    expect(descending.slice(0, 2)).toEqual(['1,1', '1,0']);
    expect(await orders(false)).toEqual([...descending].reverse());
    expect(await orders({ descending: false })).toEqual(await orders(false));
    expect(await orders(null)).toEqual(descending);
  });
});

describe('btc_queryUTXOs and btc_queryInscriptions', () => {
  const common = {
    object_id: form.objectId,
    owner: form.address,
    owner_bitcoin_address: form.nullable(form.bitcoinAddress),
    flag: form.integer,
    object_type: form.typeTag,
    tx_order: form.integer,
    state_index: form.integer,
    created_at: form.integer,
    updated_at: form.integer,
  };

  it('have the UTXO record', async () => {
    const value = form.holding({
      txid: form.hash,
      bitcoin_txid: form.plainHash,
      vout: form.integer,
      value: form.integer,
      seals: form.text,
    });
    for (const filter of [{ owner: ALICE_BITCOIN }, null, 'all', { all: null }]) {
      const page = await ask('btc_queryUTXOs', [filter, null, '10', true]);
      expectForm(page, form.pageOf(form.holding({ ...common, value }), objectCursor));
      const [output] = at(page, 'data') as JsonValue[];
      expect(at(output!, 'owner_bitcoin_address')).toBe(ALICE_BITCOIN);
      expect(at(output!, 'object_type')).toBe('0x4::utxo::UTXO');
      const txid = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
      const reversed = Buffer.from(txid, 'hex').reverse().toString('hex');
      expect(at(output!, 'value')).toMatchObject({ txid: `0x${txid}`, bitcoin_txid: reversed, value: 5_000_000_000 });
      expectForm(JSON.parse(String(at(output!, 'value', 'seals'))), form.record({ data: form.array(form.anything) }));
    }
  });

  it('have the inscription record', async () => {
    const value = form.holding({
      txid: form.hash,
      bitcoin_txid: form.plainHash,
      index: form.integer,
      body: form.hex,
      content_encoding: form.nullable(form.text),
      content_type: form.text,
      metadata: form.hex,
      metaprotocol: form.nullable(form.text),
      parent: form.nullable(form.text),
      pointer: form.nullable(form.integer),
    });
    const page = await ask('btc_queryInscriptions', [null, null, '10', true]);
    expectForm(page, form.pageOf(form.holding({ ...common, value }), objectCursor));
    const [first] = at(page, 'data') as JsonValue[];
    expect(at(first!, 'value')).toMatchObject({ body: '0x6869', metadata: '0x', content_type: 'text/plain', index: 0 });
    expect(at(first!, 'owner_bitcoin_address'), 'an owner without a known Bitcoin address').toBeNull();
  });

  it('are empty for somebody who has none', async () => {
    for (const method of ['btc_queryUTXOs', 'btc_queryInscriptions'] as const) {
      expect(await ask(method, [{ owner: BOB_HEX }, null, '10', true])).toEqual({
        data: [],
        next_cursor: null,
        has_next_page: false,
      });
    }
  });
});
