/** The current forms, spec/rpc.md 7 to 9, under `rooch_` and under the base path `/rooch`: exact members in their order. */
import { afterAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { createRpc, type JsonValue, type MethodName } from '../../../src/server/index.ts';
import * as form from './forms.ts';
import { at, expectForm } from './forms.ts';
import { ALICE_BITCOIN, ALICE_HEX, LARGE_GAS, World } from './world.ts';

const world = await World.open();
const rpc = createRpc(world.engine);
afterAll(() => world.engine.close());

const ask = (method: MethodName, params: unknown[] = []): Promise<JsonValue> =>
  rpc.request(method, params as never, { path: '/rooch' });

const metadata = {
  id: form.objectId,
  owner: form.bech32,
  owner_bitcoin_address: form.nullable(form.bitcoinAddress),
  flag: form.integer,
  state_root: form.nullable(form.hash),
  size: form.decimal,
  created_at: form.decimal,
  updated_at: form.decimal,
  object_type: form.typeTag,
};
const display = form.nullable(form.record({ fields: form.anything }));
const stateView = (decoded: form.Form): form.Form =>
  form.record({ ...metadata, value: form.hex, decoded_value: decoded, display_fields: display });
const position = form.record({ tx_order: form.decimal, state_index: form.decimal });
const SYSTEM = 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqhxqaen';
const ACCOUNT_3 = 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqpsd68l8x';

describe('states', () => {
  it('rooch_getStates has the object state view', async () => {
    const states = await ask('rooch_getStates', ['/object/0x3', { decode: true }]);
    expectForm(states, form.array(stateView(form.decodedValue)));
    expect(at(states, 0, 'owner')).toBe(ACCOUNT_3);
    // The address text doubles as the account object id.
    expect(at(states, 0, 'object_type')).toBe('0x2::account::Account');
    expect(at(states, 0, 'value')).toBe(`0x${'3'.padStart(64, '0')}${'0'.repeat(16)}`);
    expect(await ask('rooch_getStates', ['/object/0x100'])).toEqual([null]);
    expect(await ask('rooch_getStates', ['/object'])).toEqual([]);
    expect(await ask('rooch_getStates', ['/resource/0x3'])).toEqual([]);
  });

  it('decodes as the options and the kind of path say', async () => {
    const shown = async (method: MethodName, ...params: unknown[]): Promise<JsonValue[]> => {
      const found = await ask(method, params);
      const states = Array.isArray(found) ? found : (at(found, 'data') as JsonValue[]);
      const [first] = states as JsonValue[];
      const state = method.includes('list') ? at(first!, 'state') : first!;
      return [at(state, 'decoded_value') !== null, at(state, 'display_fields') !== null];
    };
    const object = '/object/0x3';
    expect(await shown('rooch_getStates', object)).toEqual([false, false]);
    expect(await shown('rooch_getStates', object, { showDisplay: true })).toEqual([true, true]);
    expect(await shown('rooch_getStates', object, { decode: true })).toEqual([true, false]);
    const module = '/module/0x3/coin_store';
    expect(await shown('rooch_getStates', module, { showDisplay: true })).toEqual([false, false]);
    expect(await shown('rooch_getStates', module, { decode: true })).toEqual([true, false]);
    const resource = '/resource/0x3/0x3::account_coin_store::AutoAcceptCoins';
    expect(await shown('rooch_getStates', resource, { showDisplay: true })).toEqual([true, false]);
    expect(await shown('rooch_listStates', '/object', null, '1', { showDisplay: true })).toEqual([true, true]);
    expect(await shown('rooch_listStates', '/fields/0x3', null, '1', { showDisplay: true })).toEqual([false, false]);
    expect(await shown('rooch_getObjectStates', '0x3', { showDisplay: true })).toEqual([false, true]);
    expect(await shown('rooch_getObjectStates', '0x3', { decode: true })).toEqual([true, false]);
    const store = '0x2::module_store::ModuleStore';
    expect(await shown('rooch_getFieldStates', store, ['0x3'], { showDisplay: true })).toEqual([false, false]);
  });

  it('rooch_listStates has fields with their keys, ascending', async () => {
    const item = form.record({ field_key: form.hash, state: stateView(form.decodedValue) });
    const page = await ask('rooch_listStates', ['/object', null, '7', { decode: true }]);
    expectForm(page, form.pageOf(item, form.hash));
    const keys = (at(page, 'data') as JsonValue[]).map((entry) => String(at(entry, 'field_key')));
    expect(keys).toEqual([...keys].sort());
    expect(at(page, 'has_next_page')).toBe(true);
    expect(at(page, 'data', 0, 'state', 'owner_bitcoin_address')).toBeNull();
  });

  it('rooch_listStates lists no single object and no keys', async () => {
    const refused = { code: 2, message: 'List query does not support specific object id' };
    await expect(ask('rooch_listStates', ['/object/0x3'])).rejects.toMatchObject(refused);
    for (const path of ['/resource/0x3/0x3::a::B', '/module/0x3/coin', '/fields/0x3/0x1']) {
      await expect(ask('rooch_listStates', [path])).rejects.toMatchObject({
        code: 2,
        message: 'List query does not support fields',
      });
    }
    expect(await ask('rooch_listStates', ['/resource/0x999'])).toEqual({
      data: [],
      next_cursor: null,
      has_next_page: false,
    });
  });

  it('rooch_getObjectStates fills the owner, rooch_getFieldStates does not', async () => {
    const [alice] = (await ask('rooch_getObjectStates', [`${ALICE_HEX},`])) as JsonValue[];
    expectForm(alice, stateView(form.nothing));
    expect(at(alice!, 'owner_bitcoin_address')).toBe(ALICE_BITCOIN);
    expect(await ask('rooch_getObjectStates', [''])).toEqual([]);
    const fields = await ask('rooch_getFieldStates', ['0x2::module_store::ModuleStore', ['0x3', '0x999']]);
    expectForm(fields, form.array(form.nullable(stateView(form.nothing))));
    expect(at(fields, 0, 'object_type')).toBe('0x2::module_store::Package');
    expect(at(fields, 1)).toBeNull();
    expect(await ask('rooch_getFieldStates', ['0x3', []])).toEqual([]);
    const listed = await ask('rooch_listFieldStates', ['0x3', null, '10', { decode: true }]);
    expectForm(
      listed,
      form.pageOf(form.record({ field_key: form.hash, state: stateView(form.decodedValue) }), form.hash),
    );
    expect((at(listed, 'data') as JsonValue[]).length).toBe(2);
  });

  it('shows display fields by the rules on chain', async () => {
    const [state] = (await ask('rooch_getStates', [`/object/${ALICE_HEX}`, { showDisplay: true }])) as JsonValue[];
    const short = ALICE_HEX.slice(2);
    expect(at(state!, 'display_fields')).toEqual({
      fields: { name: 'An account', text: `${short} 0 {missing} ${short} ${short}` },
    });
    expect(Object.keys(at(state!, 'display_fields', 'fields') as object)).toEqual(['name', 'text']);
    const [timestamp] = (await ask('rooch_getStates', [
      '/object/0x2::timestamp::Timestamp',
      { showDisplay: true },
    ])) as JsonValue[];
    expect(at(timestamp!, 'display_fields'), 'no rules for the type').toBeNull();
  });
});

describe('balances', () => {
  it('have icon_url between symbol and decimals', async () => {
    const balance = form.record({
      coin_type: form.typeTag,
      name: form.text,
      symbol: form.text,
      icon_url: form.nullable(form.text),
      decimals: form.integer,
      supply: form.decimal,
      balance: form.decimal,
    });
    expectForm(await ask('rooch_getBalance', [ALICE_HEX, '0x3::gas_coin::RGas']), balance);
    const page = await ask('rooch_getBalances', [ALICE_HEX]);
    expectForm(page, form.pageOf(balance, form.anything));
  });
});

describe('events', () => {
  const event = (decoded: form.Form): form.Form =>
    form.record({
      event_id: form.record({ event_handle_id: form.hash, event_seq: form.decimal }),
      event_type: form.typeTag,
      event_data: form.hex,
      event_index: form.decimal,
      decoded_event_data: decoded,
    });

  it('rooch_getEventsByEventHandle has strings for numbers, and a string cursor', async () => {
    const ask1 = ['0x3::coin_store::DepositEvent', null, '1', false, { decode: true }];
    const page = await ask('rooch_getEventsByEventHandle', ask1);
    expectForm(page, form.pageOf(event(form.decodedValue), form.decimal));
    expect(at(page, 'next_cursor')).toBe('0');
    expect(at(page, 'has_next_page')).toBe(true);
    expectForm(
      await ask('rooch_getEventsByEventHandle', ['0x3::coin_store::DepositEvent']),
      form.pageOf(event(form.nothing), form.decimal),
    );
    expect(await ask('rooch_getEventsByEventHandle', ['0x3::coin_store::Nothing', '7'])).toEqual({
      data: [],
      next_cursor: '7',
      has_next_page: false,
    });
  });

  it('rooch_queryEvents has the indexed event', async () => {
    const page = await ask('rooch_queryEvents', [{ sender: ALICE_HEX }, null, '2', { decode: true }]);
    const place = form.record({ tx_order: form.decimal, event_index: form.decimal });
    const item = form.record({
      indexer_event_id: place,
      event_id: form.record({ event_handle_id: form.hash, event_seq: form.decimal }),
      event_type: form.typeTag,
      event_data: form.hex,
      tx_hash: form.hash,
      sender: form.bech32,
      created_at: form.decimal,
      decoded_event_data: form.decodedValue,
    });
    expectForm(page, form.pageOf(item, place));
  });
});

describe('transactions', () => {
  const l2 = {
    type: form.exactly('l2_tx'),
    sequence_number: form.decimal,
    sender: form.bech32,
    sender_bitcoin_address: form.nullable(form.bitcoinAddress),
    action_type: form.exactly('functioncall', 'scriptcall', 'modulebundle'),
    action: form.anything,
    raw: form.hex,
    chain_id: form.decimal,
    max_gas_amount: form.decimal,
  };
  const block = {
    type: form.exactly('l1_block'),
    chain_id: form.exactly('0'),
    block_height: form.decimal,
    block_hash: form.hash,
    bitcoin_block_hash: form.plainHash,
  };
  const l1 = {
    type: form.exactly('l1_tx'),
    chain_id: form.exactly('0'),
    block_hash: form.hash,
    bitcoin_block_hash: form.plainHash,
    txid: form.hash,
    bitcoin_txid: form.plainHash,
  };
  const item = form.record({
    transaction: form.record({
      data: form.either(form.record(l2), form.record(block), form.record(l1)),
      sequence_info: form.record({
        tx_order: form.decimal,
        tx_order_signature: form.hex,
        tx_accumulator_root: form.hash,
        tx_timestamp: form.decimal,
      }),
    }),
    execution_info: form.record({
      tx_hash: form.hash,
      state_root: form.hash,
      event_root: form.hash,
      gas_used: form.decimal,
      status: form.holding({ type: form.text }),
    }),
  });

  it('have their data and sequence info inside', async () => {
    const page = await ask('rooch_getTransactionsByOrder', [null, '200', false]);
    expectForm(page, form.pageOf(item, form.decimal));
    const [, call, , , abort] = at(page, 'data') as JsonValue[];
    expect(at(call!, 'transaction', 'data', 'sender_bitcoin_address')).toBe(ALICE_BITCOIN);
    expect(at(call!, 'transaction', 'data', 'action', 'function_call', 'function_id')).toBe(
      `0x${'3'.padStart(64, '0')}::transfer::transfer_coin`,
    );
    // Flag, signature and public key of secp256k1.
    expect(at(call!, 'transaction', 'sequence_info', 'tx_order_signature')).toMatch(/^0x01[0-9a-f]{194}$/);
    expect(at(abort!, 'execution_info', 'gas_used')).toBe(LARGE_GAS.toString());
    expect(at(abort!, 'execution_info', 'status')).toEqual({
      type: 'moveabort',
      location: '0x2::object',
      abort_code: '7',
    });
  });

  it('say correctly whether a descending page is followed by another', async () => {
    const page = await ask('rooch_getTransactionsByOrder', [null, 3, true]);
    expect([at(page, 'has_next_page'), at(page, 'next_cursor')]).toEqual([true, '6']);
    const last = await ask('rooch_getTransactionsByOrder', ['1', 3, true]);
    expect([at(last, 'has_next_page'), at(last, 'next_cursor')]).toEqual([false, '0']);
  });

  it('rooch_syncStates has change sets, oldest first', async () => {
    const change: form.Form = (value, path) =>
      form.record({
        metadata: form.record(metadata),
        value: form.either(
          form.nothing,
          form.exactly('delete'),
          form.record({ new: form.hex }),
          form.record({ modify: form.hex }),
        ),
        fields: form.array(change),
      })(value, path);
    const item = form.record({
      tx_order: form.decimal,
      state_change_set: form.record({ state_root: form.hash, global_size: form.decimal, changes: form.array(change) }),
    });
    const page = await ask('rooch_syncStates', ['all', null, '2', null]);
    expectForm(page, form.pageOf(item, form.decimal));
    expect((at(page, 'data') as JsonValue[]).map((entry) => at(entry, 'tx_order'))).toEqual(['0', '1']);
    const genesis = at(page, 'data', 0, 'state_change_set');
    const first = await ask('rooch_getTransactionsByOrder', [null, 1, false]);
    expect(at(genesis, 'state_root')).toBe(at(first, 'data', 0, 'execution_info', 'state_root'));
    const descending = await ask('rooch_syncStates', ['all', null, '2', { descending: true }]);
    expect((at(descending, 'data') as JsonValue[]).map((entry) => at(entry, 'tx_order'))).toEqual(['8', '7']);
    expect(await ask('rooch_syncStates', [{ object_i_d: '0x9999' }])).toEqual({
      data: [],
      next_cursor: null,
      has_next_page: false,
    });
    const some = await ask('rooch_syncStates', [{ object_i_d: '0x4::utxo::BitcoinUTXOStore' }, null, '1']);
    expect([at(some, 'next_cursor'), at(some, 'has_next_page')]).toEqual(['0', true]);
  });
});

describe('objects', () => {
  const item = (decoded: form.Form): form.Form =>
    form.record({
      ...metadata,
      value: form.hex,
      decoded_value: decoded,
      tx_order: form.decimal,
      state_index: form.decimal,
      display_fields: display,
    });

  it('rooch_queryObjectStates has value bytes, and decodes on demand', async () => {
    const filter = { object_type: '0x3::coin_store::CoinStore<0x3::gas_coin::RGas>' };
    const plain = await ask('rooch_queryObjectStates', [filter, null, '2']);
    expectForm(plain, form.pageOf(item(form.nothing), position));
    expect(at(plain, 'data', 0, 'tx_order')).toBe('1');
    const decoded = await ask('rooch_queryObjectStates', [filter, null, '2', { decode: true }]);
    expectForm(decoded, form.pageOf(item(form.decodedValue), position));
    const shown = await ask('rooch_queryObjectStates', [{ object_id: '0x3' }, null, '2', { showDisplay: true }]);
    expect(at(shown, 'data', 0, 'display_fields')).not.toBeNull();
    expect(at(shown, 'data', 0, 'decoded_value')).not.toBeNull();
  });

  it('an id filter answers in the order of its ids, without looking at the index', async () => {
    const ids = '0x4,0x999,0x3,0x2';
    const page = await ask('rooch_queryObjectStates', [{ object_id: ids }, { tx_order: 7, state_index: 7 }, '2']);
    expect((at(page, 'data') as JsonValue[]).map((entry) => String(at(entry, 'id')).slice(-1))).toEqual(['4', '3']);
    expect(at(page, 'next_cursor')).toEqual({ tx_order: '0', state_index: '0' });
    expect(at(page, 'has_next_page')).toBe(true);
  });

  it('filterOut inverts the type filter', async () => {
    const filter = { object_type_with_owner: { object_type: '0x2::account::Account', owner: ALICE_HEX } };
    const types = async (filterOut: boolean): Promise<JsonValue[]> =>
      (at(await ask('rooch_queryObjectStates', [filter, null, null, { filterOut }]), 'data') as JsonValue[]).map(
        (entry) => at(entry, 'object_type'),
      );
    expect(await types(false)).toEqual(['0x2::account::Account']);
    expect(await types(true)).toContain('0x3::coin_store::CoinStore<0x3::gas_coin::RGas>');
    expect(await types(true)).not.toContain('0x2::account::Account');
  });
});

describe('Bitcoin', () => {
  it('btc_queryUTXOs has seals as an object under the base path', async () => {
    const value = form.record({
      txid: form.hash,
      bitcoin_txid: form.plainHash,
      vout: form.integer,
      value: form.decimal,
      seals: form.record({ [`0x${'4'.padStart(64, '0')}::ord::Inscription`]: form.array(form.objectId) }),
    });
    const page = await ask('btc_queryUTXOs', ['all']);
    const item = form.record({ ...metadata, value, tx_order: form.decimal, state_index: form.decimal });
    expectForm(page, form.pageOf(item, position));
    expect(at(page, 'data', 0, 'owner_bitcoin_address')).toBe(ALICE_BITCOIN);
  });

  it('btc_queryInscriptions has id, location and parents', async () => {
    const value = form.record({
      id: form.text,
      location: form.record({
        output: form.record({ txid: form.plainHash, vout: form.integer }),
        offset: form.decimal,
      }),
      sequence_number: form.integer,
      inscription_number: form.integer,
      charms: form.integer,
      body: form.hex,
      content_encoding: form.nullable(form.text),
      content_type: form.nullable(form.text),
      metadata: form.hex,
      metaprotocol: form.nullable(form.text),
      parents: form.array(form.text),
      pointer: form.nullable(form.decimal),
    });
    const page = await ask('btc_queryInscriptions', ['all']);
    const item = form.record({ ...metadata, value, tx_order: form.decimal, state_index: form.decimal });
    expectForm(page, form.pageOf(item, position));
    expect(at(page, 'data', 0, 'value', 'inscription_number'), 'a cursed one counts down').toBe(-2);
    expect(at(page, 'data', 0, 'value', 'id')).toMatch(/^1f1e1d[0-9a-f]{58}i0$/);
  });

  it('finds by outpoint, inscription id and object id, and refuses an object of another type', async () => {
    const [output] = at(await ask('btc_queryUTXOs', ['all']), 'data') as JsonValue[];
    const txid = String(at(output!, 'value', 'bitcoin_txid'));
    const byOutpoint = await ask('btc_queryUTXOs', [{ out_point: { txid, vout: 1 } }]);
    expect(at(byOutpoint, 'data', 0)).toEqual({ ...(output as object), tx_order: '0', state_index: '0' });
    const byId = await ask('btc_queryUTXOs', [{ object_id: at(output!, 'id') }]);
    expect(byId).toEqual(byOutpoint);
    const inscriptions = await ask('btc_queryInscriptions', [{ inscription_id: `${txid}i0` }]);
    expect((at(inscriptions, 'data') as JsonValue[]).length).toBe(1);
    await expect(ask('btc_queryInscriptions', [{ object_id: at(output!, 'id') }])).rejects.toMatchObject({ code: 2 });
    expect((at(await ask('btc_queryUTXOs', [{ out_point: { txid, vout: 2 } }]), 'data') as JsonValue[]).length).toBe(0);
    await expect(ask('btc_broadcastTX', ['0x00'])).rejects.toMatchObject({
      code: 2,
      message: 'Bitcoin client is not configured',
    });
  });
});

describe('the rest', () => {
  it('rooch_status has its own member and the backends', async () => {
    const info = form.record({
      accumulator_root: form.hash,
      frozen_subtree_roots: form.array(form.hash),
      num_leaves: form.decimal,
      num_nodes: form.decimal,
    });
    const nothing = form.nothing;
    expectForm(
      await ask('rooch_status'),
      form.record({
        service_status: form.exactly('active'),
        rooch_status: form.record({
          sequencer_info: form.record({ last_order: form.exactly('8'), last_accumulator_info: info }),
          da_info: form.record({
            last_block_number: nothing,
            last_tx_order: nothing,
            last_block_update_time: nothing,
            last_avail_block_number: nothing,
            last_avail_tx_order: nothing,
            last_avail_block_update_time: nothing,
            avail_backends: form.array(form.anything),
          }),
          root_state: form.record({ state_root: form.hash, size: form.decimal }),
        }),
        bitcoin_status: form.record({ confirmed_block: form.anything, pending_block: form.anything }),
      }),
    );
    expect(await ask('rooch_getChainID')).toBe('4');
  });

  it('rooch_getModuleABI has functions and structs', async () => {
    const parameters = form.array(
      form.record({ constraints: form.array(form.exactly('copy', 'drop', 'store', 'key')) }),
    );
    const abi = await ask('rooch_getModuleABI', ['0x3', 'coin']);
    expectForm(
      abi,
      form.record({
        address: form.address,
        name: form.exactly('coin'),
        friends: form.array(form.text),
        functions: form.array(
          form.record({
            name: form.text,
            is_entry: form.boolean,
            type_params: parameters,
            params: form.array(form.text),
            return: form.array(form.text),
          }),
        ),
        structs: form.array(
          form.record({
            name: form.text,
            is_native: form.boolean,
            abilities: form.array(form.exactly('copy', 'drop', 'store', 'key')),
            type_params: form.array(form.record({ constraints: form.array(form.text), is_phantom: form.boolean })),
            fields: form.array(form.record({ name: form.text, type: form.text })),
          }),
        ),
      }),
    );
    const structs = at(abi, 'structs') as JsonValue[];
    expect(structs.find((entry) => at(entry, 'name') === 'CoinInfo')).toMatchObject({
      is_native: false,
      abilities: ['store', 'key'],
      type_params: [{ constraints: ['key'], is_phantom: true }],
    });
    const functions = at(abi, 'functions') as JsonValue[];
    expect(functions.find((entry) => at(entry, 'name') === 'supply_by_type')).toMatchObject({ return: ['u256'] });
    expect(await ask('rooch_getModuleABI', ['0x3', 'nothing'])).toBeNull();
    expect(await ask('rooch_getModuleABI', [DEV_ACCOUNTS[0]!.address, 'coin'])).toBeNull();
  });

  it('rooch_disassembleModule has the listing that movelet disassemble prints', async () => {
    const listing = await ask('rooch_disassembleModule', ['0x3', 'empty']);
    expect(listing).toMatch(/^version 6\nmodule 0x3::empty\n.*\npublic entry fun empty\(\) {\n {4}Ret +\/\/ 0\n}\n/s);
    expect(await ask('rooch_disassembleModule', ['0x3', 'nothing'])).toBeNull();
  });

  it('rooch_queryFields has a page number as its cursor', async () => {
    for (const params of [[], [0], ['1']]) {
      expect(await ask('rooch_queryFields', [{ object_id: '0x3' }, ...params])).toEqual({
        data: [],
        next_cursor: '1',
        has_next_page: false,
      });
    }
  });

  it('names the system and reserved accounts as the vectors do', async () => {
    const [timestamp] = (await ask('rooch_getStates', ['/object/0x2::timestamp::Timestamp'])) as JsonValue[];
    expect(at(timestamp!, 'owner')).toBe(SYSTEM);
  });
});
