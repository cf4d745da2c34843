import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytes, encode, u64 } from '../../src/base/bcs.ts';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { plainJson } from '../../src/chain/value/readable.ts';
import type { ArgumentType } from '../../src/execution/runtime/call-arguments.ts';
import { DEV_ACCOUNTS, Engine, type ViewArgument, type ViewResult } from '../../src/index.ts';
import { addressOf, parseAddressHex } from '../../src/move/address.ts';
import { accountObjectId, formatAddress, objectId } from '../../src/query/transaction-builder.ts';
import { encodeArgument } from '../../src/query/view-argument.ts';
import { expectRefusal } from '../refusal.ts';
import { publish, SIGHTS } from './published.ts';

const ACCOUNT = DEV_ACCOUNTS[0]!.address;
let engine: Engine;
let rootBefore: string;

beforeAll(async () => {
  // What ends these views is their gas and their work; those that the clock ends are in test/query/deadline.test.ts.
  engine = await Engine.open({ viewMsMax: 3_600_000 });
  rootBefore = engine.head.stateRoot;
  await publish(engine, SIGHTS);
});
afterAll(() => engine.close());

const view = (name: string, given: readonly ViewArgument[] = [], ...typeArguments: string[]): ViewResult =>
  engine.tryView({ function: `0x42::sights::${name}`, typeArguments, arguments: given });
/** What was returned, as JSON. */
const shown = (result: ViewResult): unknown[] => {
  expect(result.status).toEqual({ kind: 'executed' });
  return result.values.map((value) => (value.toJSON() as { decoded: unknown }).decoded);
};

describe('a view', () => {
  it('returns values with their types, bytes and layouts', () => {
    const { status, values, gasUsed } = engine.tryView({ function: '0x3::gas_coin::balance', arguments: [ACCOUNT] });
    expect(status).toEqual({ kind: 'executed' });
    expect(values.map(({ type, decoded }) => [type, decoded])).toEqual([['u256', 100_000_000_000_000n]]);
    expect(values[0]!.bytes).toHaveLength(32);
    expect(gasUsed).toBeGreaterThan(0n);
  });

  it('returns several values, of type arguments, by reference, or none', () => {
    expect(shown(view('nothing'))).toEqual([]);
    expect(shown(view('several'))).toEqual(['1', true, ['2', '3']]);
    expect(shown(view('pair', [5], 'u64'))).toEqual([{ left: '5', right: '0x0102' }]);
    const mirrored = view('mirror', [9, '0x0102']);
    expect(shown(mirrored)).toEqual(['9', '0x0102']);
    expect(mirrored.values.map(({ type }) => type)).toEqual(['u64', 'vector<u8>']);
  });

  it('calls private functions too, with the zero address as the sender', () => {
    expect(shown(view('secret'))).toEqual(['42']);
    expect(shown(view('caller'))).toEqual([formatAddress(addressOf(0))]);
  });

  it('may emit events, which are dropped', () => {
    expect(shown(view('emit'))).toEqual([]);
  });

  it('reads an earlier root too, where modules may not be there yet', async () => {
    const call = { function: '0x42::sights::secret' };
    expectRefusal(() => engine.at(rootBefore).tryView(call), 'not-found', 'Module does not exist: 0x0000');
    expect(engine.at(rootBefore).tryView({ function: '0x3::chain_id::chain_id' }).status).toEqual({ kind: 'executed' });
    expectRefusal(() => engine.at(new Uint8Array(32)), 'not-found', 'state root');
  });

  it('sees the new module after a replacement, and the old one at an earlier root', async () => {
    await using fork = engine.fork();
    const before = fork.head.stateRoot;
    const call = { function: '0x42::base::n' };
    const caller = { function: '0x42::user::n' };
    await publish(fork, 'module 0x42::base public fun n(): u64 { LdU64 1; Ret }');
    const first = fork.head.stateRoot;
    const user = `module 0x42::user
      extern 0x42::base { fun n(): u64 }
      public fun n(): u64 { Call 0x42::base::n; LdU64 10; Mul; Ret }`;
    await publish(fork, user);
    const second = fork.head.stateRoot;
    expect([shown(fork.tryView(call)), shown(fork.tryView(caller))]).toEqual([['1'], ['10']]);
    await publish(fork, 'module 0x42::base public fun n(): u64 { LdU64 2; Ret }');
    expect([shown(fork.tryView(call)), shown(fork.tryView(caller))]).toEqual([['2'], ['20']]);
    expect([shown(fork.at(second).tryView(call)), shown(fork.at(second).tryView(caller))]).toEqual([['1'], ['10']]);
    expect(shown(fork.at(first).tryView(call))).toEqual(['1']);
    expectRefusal(() => fork.at(first).tryView(caller), 'not-found', '::user');
    expectRefusal(() => fork.at(before).tryView(call), 'not-found', '::base');
  });
});

describe('the results of a view', () => {
  it('are JavaScript values, and a failure is thrown with its status and place', () => {
    expect(engine.view({ function: '0x3::chain_id::chain_id' })).toEqual([4n]);
    const failing = { function: '0x42::sights::stop' };
    const { status, failure } = engine.tryView(failing);
    const details: unknown = { status: plainJson(status), failure: plainJson(failure) };
    expect(() => engine.view(failing)).toThrow(
      expect.objectContaining({ code: 'view-failed', message: failure!.message, details }),
    );
    expectRefusal(() => engine.view({ function: '0x42::sights::write' }), 'view-failed', 'changes the state');
  });
});

describe('a view that fails', () => {
  const location = '0x42::sights';

  it('reports abort, code and module', () => {
    const { status, values, gasUsed } = view('stop');
    expect(status).toEqual({ kind: 'move-abort', location, code: 7n });
    expect(JSON.stringify(status)).toContain('"code":"7"');
    expect(values).toEqual([]);
    expect(gasUsed).toBe(440n);
  });

  it('says where code went wrong', () => {
    expect(view('overflow').status).toEqual({
      kind: 'execution-failure',
      location,
      function: 13,
      codeOffset: 1,
      statusCode: 4017,
    });
    expect(view('beyond').status).toMatchObject({ kind: 'execution-failure', codeOffset: 4, statusCode: 4018 });
  });

  it('ends when its gas does', () => {
    const { status, gasUsed, failure } = view('forever');
    expect(status).toEqual({ kind: 'execution-failure', location, function: 15, codeOffset: 0, statusCode: 4002 });
    expect(gasUsed).toBe(5_000_000_000n);
    expect(failure?.message).toBe('OUT_OF_GAS in 0x42::sights::forever at offset 0: the gas budget is used up');
  });

  it('names the same instruction when it is traced', () => {
    const call = { function: '0x42::sights::forever' };
    const { status, trace } = engine.tryView(call, { trace: true });
    expect(status).toEqual(view('forever').status);
    expect(trace?.failure?.callStack).toMatchObject([{ function: 'forever', codeOffset: 0 }]);
  });

  it('is refused what only transactions may do', () => {
    expect(view('write').status).toMatchObject({
      kind: 'error',
      statusCode: 0,
      message: expect.stringContaining('changes the state'),
    });
    expect(view('fresh').status).toMatchObject({
      kind: 'error',
      statusCode: 0,
      message: expect.stringContaining('makes fresh ids'),
    });
    expect(
      shown(engine.tryView({ function: '0x2::object::exists_object', arguments: ['0x42::sights::Mark'] })),
    ).toEqual([false]);
  });

  it('names what is wrong with the call', () => {
    expect(view('unknown').status).toMatchObject({ kind: 'error', statusCode: 1091 });
    expect(view('pair', [1]).status).toMatchObject({ kind: 'error', statusCode: 1076 });
    expect(view('secret', [1]).status).toMatchObject({
      kind: 'error',
      statusCode: 1098,
      message: 'expected 0 arguments (), got 1',
    });
    expect(view('same', [{ bcs: Uint8Array.of(1) }]).status).toMatchObject({
      kind: 'error',
      statusCode: 1100,
      message: expect.stringContaining('argument 0 (0x42::sights::Wide)'),
    });
    // Signers are filled in before what the caller gives, wherever they are among the parameters.
    expect(view('between', [1, 2]).status).toMatchObject({
      kind: 'error',
      statusCode: 1100,
      message: expect.stringContaining(
        "parameter 1 (u64), which receives the sender's address because a signer comes after it: got 32 bytes",
      ),
    });
    const missing = { bcs: encode(objectId, accountObjectId(addressOf(0x999))) };
    expect(view('owner', [missing]).status).toMatchObject({ kind: 'error', statusCode: 1100 });
    expectRefusal(() => view('pair', [1], 'u65'), 'invalid-argument', 'type argument 0');
    expectRefusal(() => engine.tryView({ function: 'sights::pair' }), 'invalid-argument', 'function: expected');
    expectRefusal(() => engine.tryView({ function: '0x43::sights::pair' }), 'not-found', 'Module does not exist: 0x');
  });

  it('may not ask natives for more work than a view is allowed', () => {
    const compress = (rounds: string): ViewResult =>
      view('compress', [rounds, ...[64, 128, 16, 1].map((size) => `0x${'00'.repeat(size)}`)]);
    expect(compress('0x00000fff').status).toEqual({ kind: 'executed' });
    expectRefusal(() => compress('0xffffffff'), 'limit-exceeded', /VIEW_NATIVE_WORK_MAX/);
    const pairs = (count: number): ViewResult => view('pairing', [`0x${'00'.repeat(192 * count)}`]);
    expect(pairs(10).status).toEqual({ kind: 'executed' });
    expectRefusal(() => pairs(1_500), 'limit-exceeded', /VIEW_NATIVE_WORK_MAX/);
  });
});

describe('arguments of views', () => {
  it('are encoded by the Move types of the parameters', () => {
    expect(shown(view('numbers', [255, 65_535, '4294967295', 2n ** 64n - 1n, 0, 2n ** 256n - 1n]))).toEqual([
      String(2n ** 256n - 1n),
    ]);
    expect(shown(view('maybe', [7]))).toEqual(['7']);
    expect(view('maybe', [null]).status).toMatchObject({ kind: 'move-abort' });
    expect(view('maybe', [undefined]).status).toMatchObject({ kind: 'move-abort' });
    expect(shown(view('lists', [['0x01', Uint8Array.of(2), [3, 4]], [ACCOUNT, addressOf(5)], [true]]))).toEqual(['3']);
    expect(shown(view('owner', [ACCOUNT]))).toEqual([ACCOUNT]);
    expect(shown(view('owner', [[parseAddressHex(ACCOUNT)]]))).toEqual([ACCOUNT]);
    expect(shown(view('id', ['0x3::chain_id::ChainID']))).toEqual([
      '0xec610c175ebc424209b0c657851deb77b52ce5f0699b719c77d6a58b89c9bc22',
    ]);
    expect(view('plain', [{ constructor: 5 }]).values.map(({ bytes }) => toHexPrefixed(bytes))).toEqual(['0x0500']);
    const wide = { a: 1, b: '2', c: '0x3', d: 'four', e: [{ left: 5, right: '0x06' }] };
    expect(shown(view('same', [wide]))).toEqual([
      { a: 1, b: '2', c: formatAddress(addressOf(3)), d: 'four', e: [{ left: '5', right: '0x06' }] },
    ]);
    expect(shown(view('mirror', [{ bcs: encode(u64, 3n) }, { bcs: encode(bytes, Uint8Array.of(1)) }]))).toEqual([
      '3',
      '0x01',
    ]);
  });

  const refused: readonly [string, readonly ViewArgument[], string][] = [
    ['numbers', [256], 'argument 0 (u8): expected an integer from 0 to 255'],
    ['numbers', [1.5], 'argument 0 (u8)'],
    ['numbers', [-1n], 'argument 0 (u8)'],
    [
      'numbers',
      [0, 0, 0, 2 ** 53],
      'argument 3 (u64): expected a bigint or a decimal string, since a number of 2^53 or more is not exact, got 9007199254740992',
    ],
    ['numbers', [0, 0, 0, -(2 ** 60)], 'argument 3 (u64): expected'],
    ['numbers', [0, 0, 0, 0.5], 'argument 3 (u64): expected an integer'],
    ['numbers', [0, 0, 0, 'x'], 'argument 3 (u64)'],
    ['numbers', [0, 0, 0, 0, 2n ** 128n], 'argument 4 (u128)'],
    ['lists', ['0x01'], 'argument 0 (vector<vector<u8>>): expected an array, got "0x01"'],
    ['lists', [['01']], 'argument 0[0] (vector<u8>): expected bytes, or hex with 0x, got "01"'],
    ['lists', [[[256]]], 'argument 0[0][0] (u8)'],
    ['lists', [['0x0']], 'argument 0[0] (vector<u8>): expected an even number'],
    [
      'lists',
      [[], [5]],
      'argument 1[0] (address): expected an address (0x and up to 64 hex digits, rooch1..., a Bitcoin address, or 32 bytes), got 5',
    ],
    ['lists', [[], ['0xzz']], 'argument 1[0] (address): expected an address'],
    ['lists', [[], [], [1]], 'argument 2[0] (bool): expected true or false, got 1'],
    ['lists', [[], [], [1n]], 'argument 2[0] (bool): expected true or false, got 1n'],
    ['maybe', ['x'], 'argument 0 (u64)'],
    ['owner', [5], 'argument 0 (0x2::object::Object<0x2::account::Account>): expected an object id'],
    ['owner', ['0xzz'], 'argument 0 (0x2::object::Object<0x2::account::Account>): expected an object id'],
    ['same', [{ a: 1, z: 2 }], 'argument 0 (0x42::sights::Wide): expected an object with a, b, c, d, e, got an object'],
    ['same', [{ a: 1 }], 'argument 0.b (u128): expected an integer'],
    [
      'same',
      [{ a: 1, b: 2, c: '0x1', d: 'a\ud800' }],
      'argument 0.d (0x1::string::String): expected text without lone surrogates',
    ],
    ['same', [{ a: 1, b: 2, c: '0x1', d: 4 }], 'argument 0.d (0x1::string::String): expected text, got 4'],
    ['numbers', new Array(6), 'argument 0 (u8): expected an integer from 0 to 255'],
    ['lists', [[], [], new Array(1)], 'argument 2[0] (bool): expected true or false, got undefined'],
    ['id', [new Array(1)], 'argument 0 (0x2::object::ObjectID): expected an object id as text or its 32-byte parts'],
    ['plain', [{}], 'argument 0.constructor (u8): expected an integer from 0 to 255'],
  ];

  it('that do not fit are refused by name and type', () => {
    for (const [name, given, message] of refused) {
      const error = expectRefusal(() => view(name, given), 'invalid-argument', '');
      expect(error.message).toContain(message);
    }
  });
});

// Such a struct is decoded to the form that stands for the BCS of any value: docs/testing-contracts.md says what to give.
describe('a struct whose only field is bcs: vector<u8>', () => {
  const vector = { kind: 'vector', isReference: false, item: { kind: 'u8', isReference: false } };
  const struct = {
    module: { address: new Uint8Array(32), name: 'm' },
    name: 'S',
    typeArguments: [],
    fieldNames: ['bcs'],
  };
  const type = { kind: 'struct', isReference: false, struct, fields: [vector] } as unknown as ArgumentType;

  it.each<[string, ViewArgument]>([
    ['its own BCS', { bcs: Uint8Array.of(2, 7, 8) }],
    ['its field as hex text', { bcs: '0x0708' }],
    ['its field as an array', { bcs: [7, 8] }],
    ['the BCS of its field', { bcs: { bcs: Uint8Array.of(2, 7, 8) } }],
  ])('is given as %s', (_what, value) => {
    expect(encodeArgument(type, value, 'argument 0')).toEqual(Uint8Array.of(2, 7, 8));
  });
});
