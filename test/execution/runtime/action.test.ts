import { beforeEach, describe, expect, it } from 'vitest';
import { encode, u64 } from '../../../src/base/bcs.ts';
import type { SessionSettings } from '../../../src/execution/runtime/session.ts';
import { addressOf, SYSTEM_ADDRESS } from '../../../src/move/address.ts';
import {
  type Action,
  namedObjectId,
  objectId,
  parseStructTag,
  parseTypeTag,
} from '../../../src/query/transaction-builder.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { statusName } from '../../../src/vm/status.ts';
import { assembleModule, assembleModuleBytes, assembleScriptBytes } from '../../vm/assemble.ts';
import { summarise } from '../../vm/machine/world.ts';
import { frameworkModule, withExterns } from './externs.ts';
import { callAll, contextOf, parseCall, SENDER, SessionWorld } from './session-world.ts';

const num = (value: bigint): Uint8Array => encode(u64, value);
const THING = encode(objectId, namedObjectId(parseStructTag('0x5e::owner::Thing')));

const OWNER = `module 0x5e::owner
  struct Thing has key, store { n: u64 }
  struct Plain has copy, drop { n: u64 }
  entry fun make(n: u64) {
    MoveLoc n; Pack Thing; Call 0x2::object::new_named_object<Thing>; Call 0x2::object::to_shared<Thing>; Ret
  }
  public entry fun add(thing: &mut 0x2::object::Object<Thing>, n: u64) {
    let place: &mut u64
    MoveLoc thing; Call 0x2::object::borrow_mut<Thing>; MutBorrowField Thing.n; StLoc place
    CopyLoc place; ReadRef; MoveLoc n; Add; MoveLoc place; WriteRef; Ret
  }
  public fun n(thing: &0x2::object::Object<Thing>): u64 {
    MoveLoc thing; Call 0x2::object::borrow<Thing>; ImmBorrowField Thing.n; ReadRef; Ret
  }
  public fun two(a: &0x2::object::Object<Thing>, b: &0x2::object::Object<Thing>) {
    MoveLoc a; Pop; MoveLoc b; Pop; Ret
  }
  public fun hidden() { Ret }
  public fun plain(p: Plain) { MoveLoc p; Pop; Ret }
  public fun generic<T: drop>(t: T) { MoveLoc t; Pop; Ret }
  public fun store<T: store>() { Ret }`;

const owner = assembleModule(withExterns(OWNER));
const lookup = (name: string): Module | undefined => (name === '0x5e::owner' ? owner : frameworkModule(name));

function script(text: string, typeArguments: readonly string[] = [], ...given: Uint8Array[]): Action {
  const code = assembleScriptBytes(text.startsWith('extern') ? text : withExterns(text, lookup));
  return { kind: 'script', code, typeArguments: typeArguments.map((tag) => parseTypeTag(tag)), arguments: given };
}

function call(name: string, ...given: Uint8Array[]): Action {
  const { module, function: fun, typeArguments } = parseCall(name);
  const id = { address: module.address, module: module.name, name: fun };
  return { kind: 'function', function: id, typeArguments, arguments: given };
}

function bundle(...texts: readonly string[]): Action {
  return { kind: 'modules', modules: texts.map((text) => assembleModuleBytes(withExterns(text))) };
}

let world: SessionWorld;

beforeEach(async () => {
  world = await SessionWorld.open(OWNER);
  world.commit([['0x5e::owner::make', num(5n)]]);
});

/** What keeps an action from being ordered: `ok`, or the status. */
function verify(action: Action, options: Partial<SessionSettings> = {}): string {
  const { results, output } = world.inSession((session) => {
    const failure = session.verify(action);
    return [failure === undefined ? 'ok' : `${statusName(failure.status)} ${failure.subStatus ?? ''}`.trim()];
  }, options);
  expect(output.changeSet.changes).toEqual([]);
  return results[0]!;
}

/** What an action gives, then what the calls give; keeps the effects. */
function execute(action: Action, options: Partial<SessionSettings> = {}, ...calls: string[]): string[] {
  const { results, output } = world.inSession((session) => {
    const outcome = session.execute(action);
    session.releaseArguments();
    const names = calls.map((name) => [name] as const);
    return [summarise(outcome), ...(outcome.kind === 'failed' ? [] : callAll(session, names))];
  }, options);
  if (!/^[A-Z]/.test(results[0]!)) world.apply(output.changeSet);
  return [...results];
}

const thing = (): string => world.run([['0x5e::owner::n', THING]]).results[0]!;

describe('a script', () => {
  it('is verified, gets its type arguments, signer, objects and values, and its effects stay', () => {
    const add = script(
      `script<T: store>(account: &signer, thing: &mut 0x2::object::Object<0x5e::owner::Thing>, t: u8, n: u64) {
        MoveLoc t; Call 0x5e::owner::generic<u8>
        Call 0x5e::owner::store<T>
        MoveLoc account; Call 0x2::signer::address_of; Pop
        MoveLoc thing; MoveLoc n; Call 0x5e::owner::add; Ret
      }`,
      ['vector<u8>'],
      THING,
      Uint8Array.of(9),
      num(7n),
    );
    expect(verify(add)).toBe('ok');
    expect(execute(add)).toEqual(['']);
    expect(thing()).toBe('12');
  });

  it('runs as its sender', () => {
    const check = script(`script(account: signer, wanted: address) {
      ImmBorrowLoc account; Call 0x2::signer::address_of; MoveLoc wanted; Eq; BrTrue same
      LdU64 3; Abort
      same: Ret
    }`);
    const as = (wanted: Uint8Array): Action => ({ ...check, arguments: [wanted] }) as Action;
    expect(execute(as(SENDER))).toEqual(['']);
    expect(execute(as(addressOf(1)))).toEqual(['ABORTED 3 at script:0:6']);
  });

  it('fails with the location `script`, or that of what it called, and pays for what it used', () => {
    expect(execute(script('script(n: u64) { LdU64 1; MoveLoc n; Div; Pop; Ret }', [], num(0n)))).toEqual([
      'ARITHMETIC_ERROR at script:0:2',
    ]);
    const missing = 'script() { Call 0x2::object::named_object_id<0x5e::owner::Plain>; Pop; Branch 0 }';
    expect(execute(script(missing.replace('Branch 0', 'LdU64 1; Abort')))).toEqual(['ABORTED 1 at script:0:3']);
    expect(execute(script('script() { head: Branch head }'), { gasBudget: 10_000n })).toEqual([
      'OUT_OF_GAS at nowhere',
    ]);
  });

  it.each([
    ['CODE_DESERIALIZATION_ERROR', { kind: 'script', code: Uint8Array.of(1), typeArguments: [], arguments: [] }],
    ['POSITIVE_STACK_SIZE_AT_BLOCK_END', script('script() { LdU64 1; Ret }')],
    ['LINKER_ERROR', script('extern 0x7::none { fun f() } script() { Call 0x7::none::f; Ret }')],
    ['LOOKUP_FAILED', script('extern 0x5e::owner { fun none() } script() { Call 0x5e::owner::none; Ret }')],
    [
      'TYPE_MISMATCH',
      script('extern 0x5e::owner { fun hidden(u8) } script() { LdU8 1; Call 0x5e::owner::hidden; Ret }'),
    ],
    ['NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', script('script<T>() { Ret }')],
    ['CONSTRAINT_NOT_SATISFIED', script('script<T: store>() { Ret }', ['0x5e::owner::Plain'])],
    ['TYPE_RESOLUTION_FAILURE', script('script<T>() { Ret }', ['0x5e::owner::None'])],
    ['NUMBER_OF_ARGUMENTS_MISMATCH', script('script(a: u8) { MoveLoc a; Pop; Ret }')],
  ] as [string, Action][])('is refused, before it is ordered and when it runs: %s', (status, action) => {
    expect(verify(action)).toBe(status);
    expect(execute(action)).toEqual([`${status} at nowhere`]);
  });

  it.each([
    ['11000', 'a parameter of a type parameter', 'script<T: drop>(t: T) { MoveLoc t; Pop; Ret }', ['u8']],
    ['11000', 'a struct', 'script(p: 0x5e::owner::Plain) { MoveLoc p; Pop; Ret }', []],
    ['11000', 'a reference to a number', 'script(p: &u64) { MoveLoc p; Pop; Ret }', []],
    ['11002', 'two signers', 'script(a: &signer, b: &signer) { MoveLoc a; Pop; MoveLoc b; Pop; Ret }', []],
    ['11003', 'a signer behind a number', 'script(n: u64, a: &signer) { MoveLoc a; Pop; MoveLoc n; Pop; Ret }', []],
  ])('must have a signature that a transaction can serve: %s for %s', (status, _title, text, typeArguments) => {
    const given = /n: u64/.test(text) ? [num(1n)] : /signer/.test(text) ? [] : [Uint8Array.of(1)];
    expect(verify(script(text, typeArguments, ...given))).toBe(`ABORTED ${status}`);
  });

  it('calls functions that are public, entry or not, and no others', () => {
    expect(verify(script('script() { Call 0x5e::owner::hidden; Ret }'))).toBe('ok');
    expect(verify(script('script(n: u64) { MoveLoc n; Call 0x5e::owner::make; Ret }', [], num(1n)))).toBe(
      'LOOKUP_FAILED',
    );
  });
});

describe('a function', () => {
  it('must be entry when it runs, which nothing checks before', () => {
    expect(verify(call('0x5e::owner::hidden'))).toBe('ok');
    expect(execute(call('0x5e::owner::hidden'))).toEqual([
      'EXECUTE_ENTRY_FUNCTION_CALLED_ON_NON_ENTRY_FUNCTION at nowhere',
    ]);
    expect(verify(call('0x5e::owner::add', THING, num(1n)))).toBe('ok');
    expect(execute(call('0x5e::owner::add', THING, num(1n)))).toEqual(['']);
    expect(thing()).toBe('6');
  });

  it.each([
    ['LINKER_ERROR', '0x7::none::f'],
    ['FUNCTION_RESOLUTION_FAILURE', '0x5e::owner::none'],
    ['ABORTED 11001', '0x5e::owner::n'],
    ['ABORTED 11000', '0x5e::owner::plain'],
    ['ABORTED 11000', '0x5e::owner::generic<u8>'],
    ['NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', '0x5e::owner::generic'],
    ['NUMBER_OF_ARGUMENTS_MISMATCH', '0x5e::owner::make'],
  ])('is refused before it is ordered: %s, %s', (status, name) => {
    expect(verify(call(name))).toBe(status);
  });

  it('may be given an object twice until it runs, and a number that does not decode', () => {
    expect(verify(call('0x5e::owner::two', THING, THING))).toBe('ok');
    expect(world.run([['0x5e::owner::two', THING, THING]]).results).toEqual(['ABORTED 7 at object:0:0']);
    expect(verify(call('0x5e::owner::make', Uint8Array.of(1)))).toBe('ok');
    expect(execute(call('0x5e::owner::make', Uint8Array.of(1)))).toEqual(['FAILED_TO_DESERIALIZE_ARGUMENT at nowhere']);
    const none = encode(objectId, [new Uint8Array(32)]);
    expect(verify(call('0x5e::owner::add', none, num(1n)))).toBe('FAILED_TO_DESERIALIZE_ARGUMENT');
  });
});

const BASE = `module 0x9::base
  struct Mark has key { n: u64 }
  fun init() {
    LdU64 3; Pack Mark; Call 0x2::object::new_named_object<Mark>; Call 0x2::object::to_shared<Mark>; Ret
  }
  public fun n(): u64 { LdU64 1; Ret }`;
const USER = `module 0x9::user
  extern 0x9::base { fun n(): u64 }
  public fun n(): u64 { Call 0x9::base::n; LdU64 10; Mul; Ret }`;

describe('a bundle of modules', () => {
  const system = { context: contextOf(addressOf(9)) };

  it('is published with what it needs, and new modules are initialised', () => {
    expect(verify(bundle(BASE, USER), system)).toBe('ok');
    expect(execute(bundle(BASE, USER), system, '0x9::user::n')).toEqual(['', '10']);
    expect(world.state.object(namedObjectId(parseStructTag('0x9::base::Mark')))?.value).toEqual(num(3n));
    expect(world.state.module(addressOf(9), 'user')).toEqual(assembleModuleBytes(USER));
  });

  it('replaces modules, whose users then run the new ones, and initialises nothing again', () => {
    execute(bundle(BASE, USER), system);
    const next = BASE.replace('LdU64 1; Ret', 'LdU64 4; Ret');
    expect(verify(bundle(next), system)).toBe('ok');
    // A second `init` would find its named object there.
    expect(execute(bundle(next), system, '0x9::user::n')).toEqual(['', '40']);
  });

  it('is for the system', () => {
    expect(verify(bundle(BASE))).toBe('INVALID_MODULE_PUBLISHER');
    expect(verify(bundle(BASE), { context: contextOf(SYSTEM_ADDRESS) })).toBe('INVALID_MODULE_PUBLISHER');
    expect(verify(bundle(BASE), { context: contextOf(addressOf(10)) })).toBe('ok');
    expect(verify(bundle(BASE), { context: contextOf(addressOf(11)) })).toBe('INVALID_MODULE_PUBLISHER');
    expect(execute(bundle(BASE))).toEqual(['MODULE_ADDRESS_DOES_NOT_MATCH_SENDER at nowhere']);
  });

  it.each([
    ['BAD_MAGIC', { kind: 'modules', modules: [Uint8Array.of(1)] }],
    ['LINKER_ERROR', bundle(USER, BASE)],
    ['POSITIVE_STACK_SIZE_AT_BLOCK_END', bundle('module 0x9::m fun f() { LdU64 1; Ret }')],
    ['LOOKUP_FAILED', bundle(BASE.replace('fun n', 'fun other'), USER)],
  ] as [string, Action][])('is refused, before it is ordered and when it is published: %s', (status, action) => {
    expect(verify(action, system)).toBe(status);
    expect(execute(action, system)).toEqual([`${status} at nowhere`]);
  });

  it('must satisfy what the chain asks at publish', () => {
    const entry = 'module 0x9::m entry fun f(): u64 { LdU64 1; Ret }';
    expect(verify(bundle(entry), system)).toBe('ABORTED 11000');
    expect(verify(bundle('module 0x9::m public fun init() { Ret }'), system)).toBe('ABORTED 12000');
    const global = 'module 0x9::m struct R has key { n: u8 } fun f(a: address): bool { MoveLoc a; Exists R; Ret }';
    expect(verify(bundle(global), system)).toBe('ABORTED 13000');
  });

  it('may not take away what others use, nor hold a name twice', () => {
    execute(bundle(BASE, USER), system);
    const less = BASE.replace('public fun n', 'public fun m');
    expect(execute(bundle(less), system)).toEqual(['BACKWARD_INCOMPATIBLE_MODULE_UPDATE at nowhere']);
    const twice = bundle('module 0x9::m', 'module 0x9::m public fun f() { Ret }');
    expect(execute(twice, system)).toEqual(['DUPLICATE_MODULE_NAME at nowhere']);
  });

  it('fails where an init function fails', () => {
    const failing = 'module 0x9::failing fun init() { LdU64 8; Abort }';
    expect(execute(bundle(failing), system)).toEqual(['ABORTED 8 at failing:0:1']);
  });
});
