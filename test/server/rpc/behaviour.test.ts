/** The behavioural checks of spec/rpc.md 14, by their numbers there, but for those that current-forms.test.ts has. */
import { afterAll, describe, expect, it } from 'vitest';
import { createRpc, type JsonValue, type MethodName } from '../../../src/server/index.ts';
import { at } from './forms.ts';
import { ALICE_BITCOIN, World } from './world.ts';

const world = await World.open();
const rpc = createRpc(world.engine);
afterAll(() => world.engine.close());

const ask = (method: MethodName, ...params: unknown[]): Promise<JsonValue> => rpc.request(method, params as never);
const orders = (page: JsonValue): JsonValue[] =>
  (at(page, 'data') as JsonValue[]).map((entry) => at(entry, 'transaction', 'sequence_info', 'tx_order'));

describe('as in the reference', () => {
  it('2: a named object is found by its type and by its id', async () => {
    const byType = await ask('rooch_getStates', '/object/0x2::timestamp::Timestamp');
    expect(await ask('rooch_getStates', `/object/${at(byType, 0, 'id')}`)).toEqual(byType);
  });

  it('4: a range of orders leaves its end out, and a cursor its item', async () => {
    const filter = { tx_order_range: { from_order: 0, to_order: 2 } };
    const first = await ask('rooch_queryTransactions', filter, null, '1', { descending: true });
    expect([orders(first), at(first, 'next_cursor'), at(first, 'has_next_page')]).toEqual([['1'], '1', true]);
    const second = await ask('rooch_queryTransactions', filter, '1', '1', { descending: true });
    expect([orders(second), at(second, 'next_cursor'), at(second, 'has_next_page')]).toEqual([['0'], '0', false]);
  });

  it('a page without items repeats its cursor, from which a client continues later, and ends the walk', async () => {
    const [, last] = orders(await ask('rooch_queryTransactions', { sender: ALICE_BITCOIN }, null, '100', false)).slice(
      -2,
    );
    const empty = await ask('rooch_queryTransactions', { sender: ALICE_BITCOIN }, last, '1', false);
    expect(empty).toEqual({ data: [], next_cursor: last, has_next_page: false });
  });

  it('the root object, whose type no module defines, is decoded wherever it is asked for', async () => {
    const root = { abilities: 8, type: '0x2::object::Root', value: { dummy_field: false } };
    const options = { decode: true, showDisplay: true };
    expect(at(await ask('rooch_getStates', '/object/0x', options), 0, 'decoded_value')).toEqual(root);
    expect(at(await ask('rooch_getObjectStates', '0x', options), 0, 'decoded_value')).toEqual(root);
    const queried = await ask('rooch_queryObjectStates', { object_id: '0x' }, null, null, options);
    expect(at(queried, 'data', 0, 'decoded_value')).toEqual(root);
    expect(at(await ask('chain_queryObjectStates', { object_id: '0x' }), 'data', 0, 'value')).toEqual(root);
  });

  it('7: an account has objects and resources', async () => {
    expect((at(await ask('rooch_queryObjectStates', { owner: '0x3' }), 'data') as JsonValue[]).length).toBeGreaterThan(
      0,
    );
    const resources = at(
      await ask('rooch_listFieldStates', '0x3', null, null, { decode: true }),
      'data',
    ) as JsonValue[];
    const names = resources.map((entry) => at(entry, 'state', 'decoded_value', 'value', 'name'));
    expect(names).toContain(`0x${'3'.padStart(64, '0')}::account_coin_store::AutoAcceptCoins`);
  });

  it('8: a Bitcoin address and a Nostr key name an account', async () => {
    expect(at(await ask('rooch_getBalance', ALICE_BITCOIN, '0x3::gas_coin::RGas'), 'balance')).toBe('99999999999995');
    const npub = 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg';
    expect(at(await ask('rooch_getBalance', npub, '0x3::gas_coin::RGas'), 'balance')).toBe('0');
  });
});

describe('better than in the reference (spec/rpc.md 15)', () => {
  it('the root is an object like others', async () => {
    for (const path of ['/object/0x', '/object/0x,0x3']) {
      const [root] = (await ask('rooch_getStates', path)) as JsonValue[];
      expect(root).toMatchObject({ id: '0x', flag: 1, object_type: '0x2::object::Root' });
    }
    const [entity] = (await ask('chain_getStates', '/object/0x', { decode: true })) as JsonValue[];
    expect(at(entity!, 'value_type')).toBe('0x2::object::ObjectEntity<0x2::object::Root>');
  });

  it('a walk from a key that no longer exists misses nothing', async () => {
    const all = at(await ask('rooch_listStates', '/object', null, '100'), 'data') as JsonValue[];
    const keys = all.map((entry) => String(at(entry, 'field_key')));
    const between = `${keys[4]!.slice(0, -1)}${keys[4]!.endsWith('f') ? 'e' : 'f'}`;
    const rest = at(await ask('rooch_listStates', '/object', between, '100'), 'data') as JsonValue[];
    const expected = keys.filter((key) => key > between);
    expect(rest.map((entry) => at(entry, 'field_key'))).toEqual(expected);
  });

  it('an object id of an invalid length is refused, not cut', async () => {
    await expect(ask('rooch_getObjectStates', `0x${'1'.repeat(65)}`)).rejects.toMatchObject({ code: -32602 });
    await expect(ask('rooch_getObjectStates', `0x${'1'.repeat(127)}`)).rejects.toMatchObject({ code: -32602 });
  });

  it('descending queries of an empty table are empty pages', async () => {
    const none = { data: [], next_cursor: null, has_next_page: false };
    expect(await ask('rooch_queryTransactions', { sender: '0x987' })).toEqual(none);
    expect(await ask('rooch_queryEvents', { sender: '0x987' })).toEqual(none);
    expect(await ask('rooch_queryObjectStates', { owner: '0x987' })).toEqual(none);
  });

  it('options without a direction do not turn syncStates around', async () => {
    const page = await ask('rooch_syncStates', 'all', null, '1', { decode: true, showDisplay: true });
    expect(at(page, 'data', 0, 'tx_order')).toBe('0');
  });
});

describe('checkChangeSets', () => {
  it('finds nothing on a sound chain', async () => {
    expect(await ask('rooch_checkChangeSets')).toEqual([]);
    expect(await ask('chain_checkChangeSets', null, '3', { descending: true })).toEqual([]);
  });

  it('looks at no more orders than the reference does', async () => {
    expect(await ask('rooch_checkChangeSets', null, '18446744073709551615')).toEqual([]);
  });
});
