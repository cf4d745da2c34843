/**
 * Whatever takes an address, an id, a hash or a root takes it as text and as bytes: one table for all public methods. What
 * is said to anything else: test/wrong-calls.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromHex, toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { formatBitcoinHash, reveal, spend } from '../../src/bitcoin/index.ts';
import { plainJson } from '../../src/chain/value/readable.ts';
import { DEV_ACCOUNTS, Engine, GAS_COIN_TYPE, verifyStateProof } from '../../src/index.ts';
import {
  formatAddress,
  formatAddressBech32,
  formatObjectId,
  namedObjectId,
  parseAddress,
  stringFieldKey,
} from '../../src/query/transaction-builder.ts';
import { expectRefusal } from '../refusal.ts';

/** The forms that are all the same value. */
type Noun = readonly unknown[];

const owner = parseAddress(DEV_ACCOUNTS[0]!.address);
const hash = new Uint8Array(32).fill(0xab);
const id = namedObjectId(GAS_COIN_TYPE);
const ADDRESS: Noun = [
  owner,
  Buffer.from(owner),
  { address: formatAddress(owner) },
  formatAddress(owner),
  formatAddress(owner).slice(2).toUpperCase(),
  formatAddressBech32(owner),
  DEV_ACCOUNTS[0]!.regtestAddress,
];
const HASH: Noun = [hash, Buffer.from(hash), toHexPrefixed(hash), toHexPrefixed(hash).slice(2)];
const OBJECT_ID: Noun = [id, id[0], formatObjectId(id), formatObjectId(id).slice(2), '0x3::gas_coin::RGas'];
const STRUCT: Noun = [GAS_COIN_TYPE, '0x3::gas_coin::RGas', `${formatAddress(GAS_COIN_TYPE.address)}::gas_coin::RGas`];
const BITCOIN_HASH: Noun = [hash, Buffer.from(hash), formatBitcoinHash(hash)];
const OUTPOINT: Noun = [
  { txid: hash, vout: 1 },
  { txid: formatBitcoinHash(hash), vout: 1 },
  `${formatBitcoinHash(hash)}:1`,
];
const INSCRIPTION: Noun = [
  { txid: hash, index: 0 },
  { txid: formatBitcoinHash(hash), index: 0 },
  `${formatBitcoinHash(hash)}i0`,
];
const key = stringFieldKey('x');
const FIELD_KEY: Noun = [key, Buffer.from(key), toHexPrefixed(key)];

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.open();
});
afterAll(() => engine.close());

type Call = (given: never) => unknown;
const page = { limit: 1 };

/** Each public method and argument: what it is called, what it takes, and how to give it. */
const METHODS: readonly (readonly [argument: string, noun: Noun, call: Call])[] = [
  ['owner', ADDRESS, (given) => engine.balances.get(given, GAS_COIN_TYPE)],
  ['owner', ADDRESS, (given) => engine.balances.amount(given, GAS_COIN_TYPE)],
  ['owner', ADDRESS, (given) => engine.balances.list(given)],
  ['owner', ADDRESS, (given) => engine.bitcoin.addressOf(given)],
  ['filter.owner', ADDRESS, (given) => engine.bitcoin.utxos({ kind: 'owner', owner: given }, page)],
  ['filter.owner', ADDRESS, (given) => engine.bitcoin.inscriptions({ kind: 'owner', owner: given }, page)],
  ['filter.owner', ADDRESS, (given) => engine.objects.list({ kind: 'owner', owner: given }, page)],
  [
    'filter.owner',
    ADDRESS,
    (given) => engine.objects.list({ kind: 'type-and-owner', type: GAS_COIN_TYPE, owner: given }, page),
  ],
  ['filter.sender', ADDRESS, (given) => engine.events.list({ kind: 'sender', sender: given }, page)],
  ['filter.sender', ADDRESS, (given) => engine.transactions.list({ kind: 'sender', sender: given }, page)],
  ['path.account', ADDRESS, (given) => engine.states.list({ kind: 'resource', account: given }, page)],
  ['path.account', ADDRESS, (given) => engine.states.get({ kind: 'module', account: given, names: ['coin'] })],
  ['coinType', STRUCT, (given) => engine.balances.get(owner, given)],
  ['coinType', STRUCT, (given) => engine.balances.amount(owner, given)],
  ['filter.type', STRUCT, (given) => engine.objects.list({ kind: 'type', type: given }, page)],
  ['filter.type', STRUCT, (given) => engine.events.list({ kind: 'type', type: given }, page)],
  ['path.types[0]', STRUCT, (given) => engine.states.get({ kind: 'resource', account: owner, types: [given] })],
  ['id', OBJECT_ID, (given) => engine.objects.get(given)],
  ['id', OBJECT_ID, (given) => engine.proofs.object(given)],
  ['path.ids[0]', OBJECT_ID, (given) => engine.states.get({ kind: 'object', ids: [given] })],
  ['path.object', OBJECT_ID, (given) => engine.states.list({ kind: 'fields', object: given }, page)],
  ['handle', OBJECT_ID, (given) => engine.events.byHandle(given, page)],
  ['filter.handle', OBJECT_ID, (given) => engine.events.list({ kind: 'handle', handle: given }, page)],
  ['filter.ids[0]', OBJECT_ID, (given) => engine.objects.list({ kind: 'ids', ids: [given] }, page)],
  ['parents[0]', OBJECT_ID, (given) => engine.fields.list([given], page)],
  ['path.keys[0]', FIELD_KEY, (given) => engine.states.get({ kind: 'fields', object: id, keys: [given] })],
  ['hashOrOrder', HASH, (given) => engine.transactions.get(given)],
  ['filter.hashes[0]', HASH, (given) => engine.transactions.list({ kind: 'hashes', hashes: [given] }, page)],
  ['filter.hash', HASH, (given) => engine.events.list({ kind: 'transaction', hash: given }, page)],
  ['reference', BITCOIN_HASH, (given) => engine.bitcoin.block(given)],
  ['reference', BITCOIN_HASH, (given) => engine.bitcoin.header(given)],
  ['outpoint', OUTPOINT, (given) => engine.bitcoin.utxo(given)],
  ['filter.id', OUTPOINT, (given) => engine.bitcoin.utxos({ kind: 'id', id: given }, page)],
  ['id', INSCRIPTION, (given) => engine.bitcoin.inscription(given)],
  ['filter.id', INSCRIPTION, (given) => engine.bitcoin.inscriptions({ kind: 'id', id: given }, page)],
];

function textOf(call: Call): string {
  return /=>\s*engine\.([\s\S]*)$/.exec(String(call))?.[1] ?? '';
}

it.each(METHODS.map(([argument, noun, call]) => [argument, textOf(call), noun, call] as const))(
  '%s is the same in every form: %s',
  async (_argument, _text, same, call) => {
    const [first, ...others] = await Promise.all(same.map(async (given) => call(given as never)));
    for (const other of others) expect(plainJson(other)).toEqual(plainJson(first));
  },
);

describe('a state root', () => {
  const CALLS: readonly Call[] = [
    (root) => engine.at(root),
    (root) => engine.inside.layouts(root),
    (stateRoot) => verifyStateProof(engine.proofs.object('0x3'), stateRoot),
  ];

  it('is text or bytes', () => {
    const root = engine.head.stateRoot;
    const forms = [root, fromHex(root), Buffer.from(fromHex(root)), root.slice(2)];
    for (const call of CALLS) for (const form of forms) expect(() => call(form as never)).not.toThrow();
    expect(engine.at(root).inside.state.root).toEqual(fromHex(root));
  });

  it('that the chain never had is not found', () => {
    expect(() => engine.at(new Uint8Array(32)).inside.state).toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});

describe('a list with a hole', () => {
  const hole = new Array<never>(1);
  const two = new Array<never>(2);
  const function_ = '0x3::transfer::transfer_coin';
  const { address: sender, regtestAddress: to } = DEV_ACCOUNTS[0]!;
  const calls: readonly (readonly [argument: string, call: () => unknown])[] = [
    ['filter.hashes[0]', () => engine.transactions.list({ kind: 'hashes', hashes: hole })],
    ['filter.ids[0]', () => engine.objects.list({ kind: 'ids', ids: hole })],
    ['filter.ids[0]', () => engine.bitcoin.utxos({ kind: 'object-ids', ids: hole })],
    ['parents[0]', () => engine.fields.list(hole)],
    ['argument 0', () => engine.tryView({ function: '0x3::gas_coin::balance', arguments: hole })],
    [
      'argument 0',
      () => engine.executeAs(sender, { function: function_, typeArguments: ['0x3::gas_coin::RGas'], arguments: two }),
    ],
    ['type argument 0', () => engine.tryView({ function: '0x3::coin::name_by_type', typeArguments: hole })],
    [
      'type argument 0',
      () => engine.executeAs(sender, { function: function_, typeArguments: hole, arguments: ['0x42', 1] }),
    ],
    ['modules[0]', () => engine.publish(sender, hole)],
    ['transactions[0]', () => engine.dev.mine({ to, transactions: hole })],
    ['contents[0]', () => reveal({ txid: hash, vout: 0 }, hole, [])],
    ['inputs[0]', () => spend(hole, [])],
  ];

  it.each(calls)('is refused as %s', async (argument, call) => {
    const error: unknown = await Promise.resolve()
      .then(call)
      .then(
        (answer) => new Error(`expected a refusal, got ${JSON.stringify(answer)}`),
        (thrown: unknown) => thrown,
      );
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(argument) });
    expect(error).toMatchObject({ message: expect.stringContaining('got undefined') });
  });
});

describe('an access path', () => {
  it('is text or its parts', () => {
    const path = `/object/${formatObjectId(id)},0x3`;
    expect(engine.states.get(path)).toEqual(engine.states.get({ kind: 'object', ids: [id, '0x3'] }));
    expect(engine.states.list('/module/0x3', page).data).toEqual(
      engine.states.list({ kind: 'module', account: '0x3' }, page).data,
    );
  });

  it('that names too much is refused for that, as text and as parts', () => {
    const ids = Array<string>(101).fill('0x3');
    const paths = [`/object/${ids}`, `/fields/0x3/${ids}`, `/module/0x3/${ids.map(() => 'coin')}`];
    for (const path of [...paths, { kind: 'object', ids } as const]) {
      expectRefusal(
        () => engine.states.get(path),
        'limit-exceeded',
        'Too many object IDs requested. Maximum allowed: 100',
      );
    }
  });
});
