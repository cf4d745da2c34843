import { describe, expect, it } from 'vitest';
import { bytes, type Codec, encode, string, u8, u64, u256, vector } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { MODULE_STORE_ID, MODULE_STORE_TYPE, namedObjectId } from '../../../src/chain/object/object-id.ts';
import type { ObjectType } from '../../../src/execution/runtime/field-type.ts';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';
import { address, addressOf, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';
import { Chain } from '../runtime/chain.ts';
import { hostOf, NativeWorld, pricesWith } from './native-world.ts';

const STORE: ObjectType<bigint> = { tag: MODULE_STORE_TYPE, codec: u64 };
const FEATURES: ObjectType<Uint8Array> = {
  tag: structTag(MOVEOS_STD_ADDRESS, 'features', 'FeatureStore'),
  codec: bytes,
};

const BASE = `module 0x42::base
  struct S has copy, drop { x: u64 }
  public fun n(): u64 { LdU64 1; Ret }`;
const chain = new Chain();
chain.run((runtime) => {
  runtime.add(MODULE_STORE_ID, STORE, 0n);
  runtime.modules.publish(addressOf(0x42), 'base', assembleModuleBytes(BASE));
});

const STRING = 'module 0x1::string\n  struct String has copy, drop, store { bytes: vector<u8> }';
const OF = (name: string): string => `${name}(vector<vector<u8>>, `;
const NATIVES = `
  extern 0x1::string { struct String has copy, drop, store }
  native fun module_id_inner(&vector<u8>): 0x1::string::String
  native fun module_id_from_name(address, 0x1::string::String): 0x1::string::String
  native fun sort_and_verify_modules_inner(vector<vector<u8>>, address): vector<0x1::string::String>, vector<0x1::string::String>, vector<u64>
  native fun request_init_functions(vector<0x1::string::String>)
  native fun check_compatibililty_inner(vector<u8>, vector<u8>)
  native fun ${OF('replace_address_identifiers')}vector<address>, vector<address>): vector<vector<u8>>
  native fun ${OF('replace_identifiers')}vector<0x1::string::String>, vector<0x1::string::String>): vector<vector<u8>>
  native fun ${OF('replace_addresses_constant')}vector<address>, vector<address>): vector<vector<u8>>
  native fun ${OF('replace_bytes_constant')}vector<vector<u8>>, vector<vector<u8>>): vector<vector<u8>>
  native fun ${OF('replace_u8_constant')}vector<u8>, vector<u8>): vector<vector<u8>>
  native fun ${OF('replace_u64_constant')}vector<u64>, vector<u64>): vector<vector<u8>>
  native fun ${OF('replace_u256_constant')}vector<u256>, vector<u256>): vector<vector<u8>>
`;
const world = new NativeWorld('0x2::move_module', NATIVES, [STRING], pricesWith(), () => hostOf(chain.state));
const text = (value: string): string => `{[${[...Buffer.from(value)].join(', ')}]}`;
const list = <T>(codec: Codec<T>, ...items: T[]): Uint8Array => encode(vector(codec), items);
const at = (value: number): Uint8Array => encode(address, addressOf(value));

describe('the ids of modules', () => {
  it('are the short address and the name', () => {
    const code = encode(bytes, assembleModuleBytes('module 0x42::counter'));
    expect(world.call('module_id_inner', code)).toEqual({ result: text('0x42::counter'), gas: 1000n + 20n * 13n });
    expect(world.call('module_id_from_name', at(0xa2), encode(string, 'm'))).toEqual({
      result: text('0xa2::m'),
      gas: 0n,
    });
    expect(world.call('module_id_from_name', at(0), encode(string, 'm')).result).toBe(text('0x0::m'));
    const entries = pricesWith({ 'move_module.module_id_from_name.base': 7n });
    const priced = new NativeWorld('0x2::move_module', NATIVES, [STRING], entries);
    expect(priced.call('module_id_from_name', at(0), encode(string, 'm')).gas).toBe(0n);
  });

  it('are refused for what is not a module or not a name', () => {
    expect(world.call('module_id_inner', encode(bytes, Uint8Array.of(1, 2, 3, 4)))).toEqual({
      result: 'BAD_MAGIC at move_module:0:0',
      gas: 0n,
    });
    const panicked = { result: 'ABORTED 987654321 at move_module:1:0', gas: 0n };
    expect(world.call('module_id_from_name', at(1), encode(string, '1m'))).toEqual(panicked);
    expect(world.call('module_id_from_name', at(1), Uint8Array.of(1, 0xff))).toEqual(panicked);
  });
});

describe('modules that are about to be published', () => {
  const USER = `module 0x42::user
    extern 0x42::base { fun n(): u64 }
    fun init() { Ret }
    public fun twice(): u64 { Call 0x42::base::n; LdU64 2; Mul; Ret }`;
  const TOP = `module 0x42::top
    extern 0x42::user { fun twice(): u64 }
    public fun all(): u64 { Call 0x42::user::twice; Ret }`;
  const verify = (owner: number, ...texts: string[]) => {
    const codes = texts.map((source) => assembleModuleBytes(source));
    const gas =
      100_000n + 20n * BigInt(codes.reduce((sum, code) => sum + code.length, 0)) + 10_000n * BigInt(codes.length);
    return { outcome: world.call('sort_and_verify_modules_inner', list(bytes, ...codes), at(owner)), gas };
  };

  it('are sorted after what they use, and those that have an init function are listed', () => {
    const { outcome, gas } = verify(0x42, TOP, USER);
    expect(outcome).toEqual({ result: `[${text('user')}, ${text('top')}], [${text('user')}], [1, 0]`, gas });
    const alone = verify(0x42, 'module 0x42::alone');
    expect(alone.outcome).toEqual({ result: `[${text('alone')}], [], [0]`, gas: alone.gas });
  });

  it.each<[string, number, string[], string]>([
    ['stand at another address', 0x43, [USER], 'ABORTED 1'],
    ['do not verify', 0x42, ['module 0x42::bad fun f(): u64 { LdTrue; Ret }'], 'ABORTED 2'],
    ['use what does not exist', 0x42, [TOP], 'ABORTED 2'],
    [
      'use what they may not',
      0x42,
      ['module 0x42::bad extern 0x42::base { fun n(): u8 } fun f(): u8 { Call 0x42::base::n; Ret }'],
      'ABORTED 2',
    ],
    [
      'have entry functions that return',
      0x42,
      ['module 0x42::bad entry fun f(): u64 { LdU64 1; Ret }'],
      'ABORTED 11000',
    ],
    ['have an init function for everybody', 0x42, ['module 0x42::bad public fun init() { Ret }'], 'ABORTED 12000'],
    [
      'use the global storage of old',
      0x42,
      ['module 0x42::bad struct R has key { x: u8 } fun f(a: address): bool { MoveLoc a; Exists R; Ret }'],
      'ABORTED 13000',
    ],
  ])('that %s are refused', (_, owner, texts, result) => {
    const { outcome, gas } = verify(owner, ...texts);
    expect(outcome).toEqual({ result: `${result} at move_module:2:0`, gas });
  });

  it('that depend on each other in a circle, or are not modules, fail free of charge', () => {
    const a = 'module 0x42::a extern 0x42::b { fun f() } public fun f() { Call 0x42::b::f; Ret }';
    const b = 'module 0x42::b extern 0x42::a { fun f() } public fun f() { Call 0x42::a::f; Ret }';
    const circle = { result: 'CYCLIC_MODULE_DEPENDENCY at move_module:2:0', gas: 0n };
    expect(verify(0x42, a, b).outcome).toEqual(circle);
    expect(verify(0x42, USER, USER).outcome).toEqual(circle);
    expect(world.call('sort_and_verify_modules_inner', list(bytes, Uint8Array.of()), at(1)).gas).toBe(0n);
  });
});

describe('init functions', () => {
  it('are asked for by module, and run by address and name, each once', () => {
    const ids = ['0x42::b', '0x42::a', '0x7::z', '0x42::b', `${'0'.repeat(62)}41::c`];
    expect(world.call('request_init_functions', list(string, ...ids))).toEqual({ result: '', gas: 105_000n });
    const asked = world.host.initRequests.modules.map(
      ({ address: own, name }) => `${toHex(own).replace(/^0+/, '')} ${name}`,
    );
    expect(asked).toEqual(['7 z', '41 c', '42 a', '42 b']);
  });

  it.each(['0x42', '0x42::', '42::m', '0x42::m::f', '0xzz::m', '::m'])('of %s panic', (id) => {
    const outcome = world.call('request_init_functions', list(string, id));
    expect(outcome).toEqual({ result: 'ABORTED 987654321 at move_module:3:0', gas: 0n });
  });
});

describe('upgrades', () => {
  const check = (next: string, from = world) => {
    const codes = [next, BASE].map((source) => assembleModuleBytes(source));
    const gas = 100_000n + 20n * BigInt(codes[0]!.length + codes[1]!.length);
    const { result, gas: used } = from.call('check_compatibililty_inner', ...codes.map((code) => encode(bytes, code)));
    expect(used).toBe(gas);
    return result;
  };

  it('may add, and may change what nobody sees', () => {
    expect(check(BASE)).toBe('');
    expect(check(`${BASE} public fun m(): u64 { LdU64 2; Ret }`)).toBe('');
    expect(check(BASE.replace('x: u64', 'x: u64, y: u8'))).toBe('');
  });

  it('may not take away', () => {
    expect(check(BASE.replace('public fun n', 'public fun m'))).toBe('ABORTED 3 at move_module:4:0');
    expect(check(BASE.replace('copy, drop', 'drop'))).toBe('ABORTED 3 at move_module:4:0');
    expect(check(BASE.replace('::base', '::other'))).toBe('ABORTED 3 at move_module:4:0');
  });

  it('may not take away from friends where the chain says so', () => {
    const old = `module 0x42::base friend 0x42::a`;
    const strict = new Chain();
    strict.run((runtime) => runtime.add(namedObjectId(FEATURES.tag), FEATURES, Uint8Array.of(0, 1)));
    const strictly = new NativeWorld('0x2::move_module', NATIVES, [STRING], pricesWith(), () => hostOf(strict.state));
    const codes = ['module 0x42::base', old].map((source) => encode(bytes, assembleModuleBytes(source)));
    expect(world.call('check_compatibililty_inner', ...codes).result).toBe('');
    expect(strictly.call('check_compatibililty_inner', ...codes).result).toBe('ABORTED 3 at move_module:4:0');
  });
});

describe('templates', () => {
  const TEMPLATE = `module 0x42::template
    fun constants(): u64, u8, u256, vector<u8>, address, vector<address>, vector<vector<u8>> {
      LdConst u64 0x0500000000000000; LdConst u8 0x06; LdConst u256 0x07${'00'.repeat(31)}
      LdConst vector<u8> 0x020102; LdConst address 0x${'00'.repeat(31)}42
      LdConst vector<address> 0x02${'00'.repeat(31)}42${'00'.repeat(31)}43
      LdConst vector<vector<u8>> 0x01020102
      Ret
    }`;
  const code = assembleModuleBytes(TEMPLATE);
  const price = 5000n + 20n * BigInt(code.length);
  const replace = (name: string, old: Uint8Array, next: Uint8Array): Module => {
    const { result, gas } = world.call(`replace_${name}`, list(bytes, code), old, next);
    expect(gas).toBe(price);
    return readModule(Uint8Array.from(result.slice(2, -2).split(', '), Number));
  };
  const constants = ({ constants: all }: Module): string[] => all.map(({ data }) => toHex(data));
  const original = constants(readModule(code));
  /** The constants with some of them replaced, by position. */
  const changed = (changes: Readonly<Record<number, string>>): string[] =>
    original.map((data, index) => changes[index] ?? data);

  it('get other addresses and names', () => {
    const moved = replace('address_identifiers', list(address, addressOf(0x42)), list(address, addressOf(0x99)));
    expect(moved.addresses).toEqual([addressOf(0x99)]);
    expect(constants(moved)).toEqual(original);
    const named = replace('identifiers', list(string, 'template', 'none'), list(string, 'other', 'x'));
    expect(named.identifiers).toEqual(['other', 'constants']);
  });

  it('get other constants of one type', () => {
    const addresses = replace('addresses_constant', list(address, addressOf(0x42)), list(address, addressOf(0x99)));
    const nn = `${'00'.repeat(31)}99`;
    expect(constants(addresses)).toEqual(changed({ 4: nn, 5: `02${nn}${'00'.repeat(31)}43` }));
    expect(constants(replace('u8_constant', list(u8, 6, 5), list(u8, 9, 8)))).toEqual(changed({ 1: '09' }));
    expect(constants(replace('u64_constant', list(u64, 5n), list(u64, 9n)))).toEqual(
      changed({ 0: '0900000000000000' }),
    );
    expect(constants(replace('u256_constant', list(u256, 7n), list(u256, 1n)))).toEqual(
      changed({ 2: `01${'00'.repeat(31)}` }),
    );
    const old = list(bytes, Uint8Array.of(1, 2));
    expect(constants(replace('bytes_constant', old, list(bytes, Uint8Array.of(9))))).toEqual(changed({ 3: '0109' }));
  });

  it('take the last of equal old values', () => {
    expect(constants(replace('u8_constant', list(u8, 6, 6), list(u8, 1, 2)))).toEqual(changed({ 1: '02' }));
  });

  it('are refused for lists of different lengths, invalid names and invalid bytes', () => {
    const call = (name: string, modules: Uint8Array, old: Uint8Array, next: Uint8Array) =>
      world.call(`replace_${name}`, modules, old, next);
    const one = list(bytes, code);
    expect(call('u8_constant', one, list(u8, 1), list(u8))).toEqual({
      result: 'ABORTED 4 at move_module:9:0',
      gas: 5000n,
    });
    const panicked = { result: 'ABORTED 987654321 at move_module:6:0', gas: 0n };
    expect(call('identifiers', one, list(string, 'a b'), list(string, 'b'))).toEqual(panicked);
    expect(call('u8_constant', list(bytes, Uint8Array.of()), list(u8), list(u8))).toEqual({
      result: 'BAD_MAGIC at move_module:9:0',
      gas: 0n,
    });
    const broken = assembleModuleBytes('module 0x42::m fun f(): u64 { LdConst u64 0x05; Ret }');
    expect(call('u8_constant', list(bytes, broken), list(u8), list(u8))).toEqual({
      result: 'VALUE_DESERIALIZATION_ERROR at move_module:9:0',
      gas: 0n,
    });
  });
});

describe('verifying modules', () => {
  it('is work, the same whether or not a module was verified before', () => {
    const code = assembleModuleBytes(`module 0x42::busy
      public fun f(n: u64): u64 { again: CopyLoc n; LdU64 1; Gt; BrFalse end; MoveLoc n; LdU64 1; Sub; StLoc n
        Branch again; end: MoveLoc n; Ret }`);
    const within = (microseconds: number): string =>
      new NativeWorld('0x2::move_module', NATIVES, [STRING], pricesWith(), () => ({
        ...hostOf(chain.state),
        work: new NativeWork(microseconds),
      })).call('sort_and_verify_modules_inner', list(bytes, code), at(0x42)).result;
    for (const _ of [1, 2]) {
      expect(within(1)).toMatch(/^EXECUTION_LIMIT_REACHED/);
      expect(within(1_000)).toContain(text('busy'));
    }
  });
});
