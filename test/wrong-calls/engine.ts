/**
 * Wrong calls of an engine and what it gives.
 * @module
 */

import { Engine, GAS_COIN_TYPE } from '../../src/index.ts';
import { parseAddress } from '../../src/move/address.ts';
import {
  CALL,
  calls,
  DATA,
  eventFilters,
  keyPages,
  members,
  mining,
  NO_FILTER,
  OUTPUT,
  pages,
  signing,
  type Table,
  TRANSFER,
  transactionFilters,
  tries,
  type World,
} from './attempts.ts';
import { bitcoinCalls } from './bitcoin-queries.ts';
import {
  ANYTHING_ELSE,
  NO_ADDRESS,
  NO_BYTES,
  NO_FLAG,
  NO_FUNCTION,
  NO_HASH,
  NO_LIMIT,
  NO_LIST,
  NO_OBJECT,
  NO_OBJECT_ID,
  NO_OPTIONS,
  NO_ORDER,
  NO_STRUCT,
  NO_TEXT,
  NO_TYPE,
} from './values.ts';

export function engineCalls({ engine }: World): Table {
  const [alice] = engine.accounts;
  const { states, balances, transactions, events, objects, fields, dev } = engine;
  const { time } = dev;
  const _state = engine.inside.state;
  const trace = engine.tryView(CALL, { trace: true }).trace!;
  return {
    'Engine.open': [
      ...tries('options', NO_OPTIONS, (options) => Engine.open(options)),
      ...members(
        {
          clock: [null, 5n, 'now', {}, Date.now],
          store: [null, 5, '', {}, [], Date.now],
          storage: ['dir'],
          chainId: [null, 4, -1n, 1n << 64n, '4', Number.NaN],
          accountBalance: [null, 4, -1n, 1n << 253n, '4'],
          bitcoinNetwork: [null, 'mainnet', 5],
          reorganisationDepth: [null, -1, 0.5, Number.NaN, 1_001, '3'],
          history: [null, 0, -1, 0.5, 5n, 'none', Number.NaN],
          durability: [null, 'sync', 5],
          genesis: [null, 'file', {}],
          verifySignatures: [null, 'no', 0],
          gasGift: [null, 'no', 0],
          viewMsMax: [null, 0, -1, 0.5, Number.NaN, 1e18, '5'],
          ingest: [null, 5, 'yes', { checkParent: 1 }, [], { checkParents: false }],
          sequencerKey: [null, 'key', new Uint8Array(31), new Uint8Array(32)],
          treeCacheNodesMax: [null, -1, Number.NaN, '5'],
          treeCacheBytesMax: [null, -1, Number.NaN, '5'],
          log: [null, 5, 'file', {}],
        },
        (given) => Engine.open(given),
      ),
    ],
    'Engine#fork': [
      ...tries('options', NO_OPTIONS, (own) => engine.fork(own)),
      ...members({ store: ['dir'], clock: [5n, Date.now] }, (given) => engine.fork(given)),
    ],
    'Engine#prune': [
      ...tries('options', NO_OPTIONS, (options) => engine.prune(options)),
      ...tries('onProgress', [null, 5, {}], (onProgress) => engine.prune({ onProgress })),
    ],
    'Engine#waitFor': [
      ...tries('order', NO_ORDER, (order) => engine.waitFor(order)),
      ...tries('waitMs', [null, -1, 0.5, Number.NaN, '5', 1e9], (waitMs) => engine.waitFor(1n, waitMs)),
    ],
    'ChainView#view': calls('call', (call) => engine.view(call)),
    'ChainView#tryView': [
      ...calls('call', (call) => engine.tryView(call)),
      ...tries('options', NO_OPTIONS, (options) => engine.tryView(CALL, options)),
      ...tries('trace', [null, 1, 'yes'], (trace) => engine.tryView(CALL, { trace })),
    ],
    'Engine#execute': tries('signed', [...NO_OBJECT, {}, { data: DATA }, { authenticator: {} }], (signed) =>
      engine.execute(signed),
    ),
    'Engine#executeAs': [
      ...tries('sender', NO_ADDRESS, (sender) => engine.executeAs(sender, TRANSFER)),
      ...calls('action', (action) => engine.executeAs(alice!.address, action)),
      ...tries('action', [{ kind: 'fnction' }, { kind: 'modules' }, { kind: 'script', code: 'x' }], (action) =>
        engine.executeAs(alice!.address, action),
      ),
      ...tries('options', NO_OPTIONS, (options) => engine.executeAs(alice!.address, TRANSFER, options)),
      ...members({ maxGasAmount: [null, 5, '5', -1n, 1n << 64n, Number.NaN], gas: [5n] }, (given) =>
        engine.executeAs(alice!.address, TRANSFER, given),
      ),
    ],
    'Engine#publish': [
      ...tries('sender', NO_ADDRESS, (sender) => engine.publish(sender, [])),
      ...tries('modules', [undefined, ...NO_LIST, new Uint8Array(5)], (modules) => engine.publish('0x42', modules)),
      ...tries('modules[0]', NO_BYTES, (module) => engine.publish('0x42', [module])),
      ...tries('options', NO_OPTIONS, (options) => engine.publish('0x42', [new Uint8Array(5)], options)),
    ],
    'ChainView#simulate': [
      ...tries('transaction', [...NO_OBJECT, {}, []], (given) => engine.simulate(given)),
      ...tries(
        'transaction',
        [
          { ...DATA, sender: 'text' },
          { ...DATA, chainId: 4 },
          { ...DATA, action: {} },
        ],
        (given) => engine.simulate(given),
      ),
      ...tries('sender', NO_ADDRESS, (sender) => engine.simulate({ sender, action: TRANSFER })),
      ...calls('action', (action) => engine.simulate({ sender: '0x42', action })),
      ...tries('options', NO_OPTIONS, (options) =>
        engine.simulate({ sender: alice!.address, action: TRANSFER }, options),
      ),
      ...tries('trace', [null, 1, 'yes'], (trace) =>
        engine.simulate({ sender: alice!.address, action: TRANSFER }, { trace }),
      ),
    ],
    'ChainView#trace': tries(
      'transaction',
      [...NO_HASH.filter((given) => typeof given !== 'bigint'), undefined],
      (given) => engine.trace(given),
    ),
    'Trace#text': [
      ...tries('options', NO_OPTIONS, (options) => trace.text(options)),
      ...tries('all', [null, 1, 'yes'], (all) => trace.text({ all })),
    ],
    'Receipt#event': tries('type', NO_STRUCT, (type) =>
      engine.simulate({ sender: alice!.address, action: TRANSFER }).event(type),
    ),
    'Receipt#created': tries('type', NO_STRUCT, (type) =>
      engine.simulate({ sender: alice!.address, action: TRANSFER }).created(type),
    ),
    'Receipt#eventsOf': tries('type', NO_STRUCT, (type) =>
      engine.simulate({ sender: alice!.address, action: TRANSFER }).eventsOf(type),
    ),
    'object#ingest': [
      ...tries('block', NO_BYTES, (block) => engine.bitcoin.ingest(block, 0)),
      ...tries('height', [undefined, null, 5n, -1, 0.5, Number.NaN, 2 ** 53, '5', {}], (height) =>
        engine.bitcoin.ingest(new Uint8Array(81), height),
      ),
    ],
    'Engine#on': [
      ...tries('kind', [...NO_OBJECT, 'events', {}], (kind) => engine.on(kind, () => {})),
      ...tries('listener', NO_FUNCTION, (listener) => engine.on('head', listener)),
      ...eventFilters((filter) => engine.on('event', () => {}, filter)),
      ...transactionFilters((filter) => engine.on('transaction', () => {}, filter)),
    ],
    'Engine#revert': tries('snapshot', [...NO_OBJECT, {}, { order: 0n }, []], (snapshot) => engine.revert(snapshot)),
    'StateQueries#get': [
      ...tries('path', [...NO_OBJECT, {}, { kind: 'objects' }, '/x/y'], (path) => states.get(path)),
      ...tries('path.ids', NO_LIST, (ids) => states.get({ kind: 'object', ids })),
      ...tries('path.account', NO_ADDRESS, (account) => states.get({ kind: 'resource', account, types: [] })),
      ...tries('path.types[0]', NO_STRUCT, (type) => states.get({ kind: 'resource', account: '0x3', types: [type] })),
      ...tries('path.names[0]', NO_TEXT, (name) => states.get({ kind: 'module', account: '0x3', names: [name] })),
      ...tries('path.keys[0]', [undefined, ...ANYTHING_ELSE, 'x'], (key) =>
        states.get({ kind: 'fields', object: '0x3', keys: [key] }),
      ),
    ],
    'ObjectQueries#entry': [
      ...tries('holder', NO_OBJECT_ID, (id) => engine.objects.entry(id, { keyType: 'address', key: '0x3' })),
      ...tries('name', NO_OBJECT, (name) => engine.objects.entry('0x3', name)),
      ...tries('keyType', NO_TYPE, (keyType) => engine.objects.entry('0x3', { keyType, key: '0x3' })),
      ...tries('key', ANYTHING_ELSE, (key) => engine.objects.entry('0x3', { keyType: 'address', key })),
      ...tries('kye', [5], (kye) => engine.objects.entry('0x3', { keyType: 'u64', key: 5, kye } as never)),
    ],
    'ObjectQueries#get': [...tries('id', NO_OBJECT_ID, (id) => engine.objects.get(id))],
    'StateQueries#list': [
      ...tries('path', [...NO_OBJECT, {}, { kind: 'objects' }, '/x/y'], (path) => states.list(path)),
      ...keyPages((page) => states.list('/object/0x3', page)),
    ],
    'ChainView#balance': [
      ...tries('owner', NO_ADDRESS, (owner) => engine.balance(owner)),
      ...tries('coinType', NO_STRUCT.slice(1), (coinType) => engine.balance('0x3', coinType)),
    ],
    'BalanceQueries#get': [
      ...tries('owner', NO_ADDRESS, (owner) => balances.get(owner, GAS_COIN_TYPE)),
      ...tries('coinType', NO_STRUCT, (coinType) => balances.get('0x3', coinType)),
    ],
    'BalanceQueries#list': [
      ...tries('owner', NO_ADDRESS, (owner) => balances.list(owner)),
      ...keyPages((page) => balances.list('0x3', page)),
    ],
    'TransactionQueries#get': tries(
      'hashOrOrder',
      [undefined, ...NO_HASH.filter((hash) => typeof hash !== 'bigint')],
      (hash) => transactions.get(hash),
    ),
    'TransactionQueries#list': [
      ...transactionFilters((filter) => transactions.list(filter)),
      ...pages((page) => transactions.list({ kind: 'order', from: 0n, to: 5n }, page)),
    ],
    'TransactionQueries#changeSets': [
      ...pages((page) => transactions.changeSets(page)),
      ...tries('select', NO_FUNCTION.slice(1), (select) => transactions.changeSets({}, select)),
    ],
    'TransactionQueries#changeSet': tries('order', NO_ORDER, (order) => transactions.changeSet(order)),
    'TransactionQueries#missingChangeSets': pages((page) => transactions.missingChangeSets(page)),
    'EventQueries#byHandle': [
      ...tries('handle', NO_OBJECT_ID, (handle) => events.byHandle(handle)),
      ...pages((page) => events.byHandle('0x3', page)),
    ],
    'EventQueries#get': [
      ...tries('position', NO_OBJECT, (position) => events.get(position)),
      ...tries('position.order', NO_ORDER, (order) => events.get({ order, index: 0 })),
      ...tries('position.index', [undefined, null, -1, 0.5, '5', 5n], (index) => events.get({ order: 0n, index })),
    ],
    'EventQueries#list': [
      ...tries('filter', [undefined], (filter) => events.list(filter)),
      ...eventFilters((filter) => events.list(filter)),
      ...pages((page) => events.list({ kind: 'order', from: 0n, to: 5n }, page)),
    ],
    'EventQueries#ofTransaction': [
      ...tries('order', NO_ORDER, (order) => events.ofTransaction(order)),
      ...tries('from', NO_LIMIT, (from) => events.ofTransaction(0n, from)),
      ...tries('limit', NO_LIMIT, (limit) => events.ofTransaction(0n, 0, limit)),
    ],
    'ObjectQueries#list': [
      ...tries('filter', [undefined, ...NO_FILTER], (filter) => objects.list(filter)),
      ...tries('filter.type', NO_STRUCT, (type) => objects.list({ kind: 'type', type })),
      ...tries('filter.owner', NO_ADDRESS, (owner) => objects.list({ kind: 'owner', owner })),
      ...tries('filter.owner', NO_ADDRESS, (owner) =>
        objects.list({ kind: 'type-and-owner', type: '0x3::a::B', owner }),
      ),
      ...tries('filter.otherTypes', NO_FLAG, (otherTypes) =>
        objects.list({ kind: 'type-and-owner', type: '0x3::a::B', owner: '0x3', otherTypes }),
      ),
      ...tries('filter.ids', [undefined, ...NO_LIST], (ids) => objects.list({ kind: 'ids', ids })),
      ...tries('filter.ids[0]', NO_OBJECT_ID, (id) => objects.list({ kind: 'ids', ids: [id] })),
      ...tries('filter.typ', ['0x3::a::B'], (typ) => objects.list({ kind: 'owner', owner: '0x3', typ } as never)),
      ...pages((page) => objects.list({ kind: 'owner', owner: '0x3' }, page)),
    ],
    'FieldQueries#list': [
      ...tries('parents', [undefined, ...NO_LIST], (parents) => fields.list(parents)),
      ...tries('parents[0]', NO_OBJECT_ID, (parent) => fields.list([parent])),
      ...members(
        { page: [null, 5, 0n, -1n, '5', Number.NaN], limit: NO_LIMIT, descending: NO_FLAG, limt: [5] },
        (given) => fields.list([], given),
      ),
    ],
    'ChainTime#set': tries(
      'milliseconds',
      [undefined, null, -1, 0.5, Number.NaN, -1n, '5', {}, Date.now, 1n << 64n],
      (ms) => time.set(ms),
    ),
    'ChainTime#advance': tries('milliseconds', [undefined, null, -1, 0.5, Number.NaN, -1n, '5', {}, Date.now], (ms) =>
      time.advance(ms),
    ),
    'Controls#mint': [
      ...tries('account', NO_ADDRESS, (account) => dev.mint(account, 1n)),
      ...tries('coinType', NO_STRUCT.slice(1), (coin) => dev.mint('0x42', 1n, coin)),
      ...tries('amount', [undefined, null, 5, 0n, -1n, 1n << 256n, '5', Number.NaN], (amount) =>
        dev.mint('0x42', amount),
      ),
    ],
    'Controls#setBalance': [
      ...tries('account', NO_ADDRESS, (account) => dev.setBalance(account, 1n)),
      ...tries('coinType', NO_STRUCT.slice(1), (coin) => dev.setBalance('0x42', 1n, coin)),
      ...tries('amount', [undefined, null, 5, -1n, 1n << 256n, '5', Number.NaN], (amount) =>
        dev.setBalance('0x42', amount),
      ),
    ],
    'Controls#mine': [
      ...mining((options) => dev.mine(options)),
      ...members(
        { on: [null, -1, 0.5, Number.NaN, 2n ** 64n, 'x', {}], height: [null, -1, 0.5, Number.NaN, 5n, '5'] },
        (given) => dev.mine({ to: OUTPUT.to, ...given }),
      ),
    ],
    'Controls#setObject': [
      ...tries('id', NO_OBJECT_ID, (id) => dev.setObject(id, { owner: '0x3' })),
      ...tries('edit', [...NO_OBJECT, []], (edit) => dev.setObject('0x3', edit)),
      ...members(
        {
          owner: NO_ADDRESS.slice(1),
          flag: [null, -1, 0.5, 256, Number.NaN, '1'],
          type: NO_STRUCT.slice(1),
          ower: ['0x3'],
        },
        (given) => dev.setObject('0x3', given),
      ),
    ],
    'Controls#setField': [
      ...tries('id', NO_OBJECT_ID, (id) => dev.setField(id, { keyType: 'u8', key: 1, valueType: 'u8', value: 1 })),
      ...tries('edit', [...NO_OBJECT, []], (edit) => dev.setField('0x3', edit)),
      ...tries('keyType', NO_TYPE, (keyType) => dev.setField('0x3', { keyType, key: 1, valueType: 'u8', value: 1 })),
      ...tries('valueType', NO_TYPE, (valueType) =>
        dev.setField('0x3', { keyType: 'u8', key: 1, valueType, value: 1 }),
      ),
      ...tries('key', [undefined, null, 'x', -1, 256, 0.5, {}], (key) =>
        dev.setField('0x3', { keyType: 'u8', key, valueType: 'u8', value: 1 }),
      ),
      ...tries('value', [undefined, null, 'x', -1, 256, 0.5, {}], (value) =>
        dev.setField('0x3', { keyType: 'u8', key: 1, valueType: 'u8', value }),
      ),
    ],
    'Account#transaction': [
      ...calls('action', (action) => alice!.transaction(action)),
      ...tries('options', NO_OPTIONS, (options) => alice!.transaction(TRANSFER, options)),
      ...members(
        { sequenceNumber: [null, 5, -1n, '5', 1n << 64n], maxGasAmount: [null, 5, -1n, '5', 1n << 64n], gas: [5n] },
        (given) => alice!.transaction(TRANSFER, given),
      ),
    ],
    'Account#signTransaction': [
      ...calls('call', (call) => alice!.signTransaction(call)),
      ...tries('maxGasAmount', [null, 5], (maxGasAmount) => alice!.signTransaction(TRANSFER, { maxGasAmount })),
    ],
    'Account#sign': signing((data) => alice!.sign(data), parseAddress(alice!.address)),
    ...bitcoinCalls(engine),
  };
}
