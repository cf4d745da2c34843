import { describe, expect, it } from 'vitest';
import { type Module, type ModuleLookup, moduleKey, selfIdOf } from '../../../src/vm/binary/module.ts';
import { StatusCode, type StatusName, statusName } from '../../../src/vm/status.ts';
import type { VerifyResult } from '../../../src/vm/verdict.ts';
import { dependencyOrder, verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { checkCompatibility } from '../../../src/vm/verify/compatibility.ts';
import { verifyDependencies } from '../../../src/vm/verify/dependencies.ts';
import { assembleModule, assembleScript } from '../assemble.ts';
import { cases } from './cases.ts';

function lookupOf(modules: readonly Module[]): ModuleLookup {
  const byKey = new Map(modules.map((module) => [moduleKey(selfIdOf(module)), module]));
  return (id) => byKey.get(moduleKey(id));
}

function statusOf(verdict: VerifyResult): string {
  return verdict.ok ? 'ok' : statusName(verdict.statusCode);
}

const LIBRARY = assembleModule(`
  module 0x1::library
  friend 0x1::friend
  struct Coin<phantom T> has store { value: u64 }
  struct Pair<T: copy> has copy, drop { value: T }
  public fun open(coin: &Coin<u8>): u64 { LdU64 1; Ret }
  public fun generic<T: copy>(t: T): Pair<T> { LdU64 1; Abort }
  struct Two<A: copy, phantom B> has drop { f: A }
  public(friend) fun inner() { Ret }
  fun hidden() { Ret }
  entry fun main() { Ret }
  public fun swap<A, B>(a: A, b: B): B, A { MoveLoc b; MoveLoc a; Ret }
  public fun unused<A, B: copy>() { Ret }
  public fun far(far: &0x2::far::Far) { Ret }
  extern 0x2::far { struct Far has drop }`);

describe('what a module expects of others', () => {
  const coin = 'struct Coin<phantom T> has store';
  it.each(
    cases(`
    ok: what is there | ${coin} fun open(&Coin<u8>): u64
    ok: fewer abilities | struct Coin<phantom T>
    ok: a parameter that is not phantom | struct Coin<T> has store
    ok: a stronger constraint | struct Coin<phantom T: copy> has store
    TYPE_MISMATCH: more abilities | struct Coin<phantom T> has store, copy
    TYPE_MISMATCH: fewer type parameters | struct Coin has store
    TYPE_MISMATCH: a phantom that is none | struct Pair<phantom T: copy> has drop
    TYPE_MISMATCH: a weaker constraint | struct Pair<T> has drop
    LOOKUP_FAILED: another struct | struct Cash has store
    LOOKUP_FAILED: another function | fun shut()
    LOOKUP_FAILED: a private function | fun hidden()
    LOOKUP_FAILED: a private entry function | fun main()
    LOOKUP_FAILED: a function for friends | fun inner()
    TYPE_MISMATCH: another parameter | ${coin} fun open(&Coin<u64>): u64
    TYPE_MISMATCH: another number of parameters | fun open(): u64
    TYPE_MISMATCH: another result | ${coin} fun open(&Coin<u8>): u8
    TYPE_MISMATCH: a weaker constraint of a function | struct Pair<T: copy> has copy, drop fun generic<T>(T): Pair<T>
    ok: a stronger constraint of a function | struct Pair<T: copy> has copy, drop fun generic<T: copy drop>(T): Pair<T>
    TYPE_MISMATCH: a weaker constraint of the first of two parameters | struct Two<A, phantom B: drop> has drop
    TYPE_MISMATCH: the first of two parameters phantom | struct Two<phantom A: copy, phantom B> has drop
    ok: two parameters | struct Two<A: copy, B> has drop
    TYPE_MISMATCH: parameters that change places | fun swap<A, B>(A, B): A, B
    ok: parameters in their places | fun swap<A, B>(A, B): B, A
    TYPE_MISMATCH: fewer type parameters of a function | fun unused<A>()
    TYPE_MISMATCH: more type parameters of a function | fun unused<A, B: copy, C>()
    TYPE_MISMATCH: a weaker constraint of the second parameter of a function | fun unused<A: copy, B>()
    ok: the same type parameters of a function | fun unused<A, B: copy>()
    TYPE_MISMATCH: a value for a reference | ${coin} fun open(Coin<u8>): u64
    LOOKUP_FAILED: a struct that it names only | struct Far has drop fun far(&Far)
  `),
  )('%s: %s', (status, _title, text) => {
    const module = assembleModule(`module 0x1::user extern 0x1::library { ${text} }`);
    expect(statusOf(verifyDependencies(module, lookupOf([LIBRARY])))).toBe(status);
  });

  it('the structs of its functions are those of the module that defines them', () => {
    const user = (owner: string): Module =>
      assembleModule(`module 0x1::user extern ${owner} { struct Far has drop }
        extern 0x1::library { fun far(&${owner}::Far) }`);
    const modules = ['0x2::far', '0x3::far'].map((name) =>
      assembleModule(`module ${name} struct Far has drop { f: u8 }`),
    );
    expect(statusOf(verifyDependencies(user('0x2::far'), lookupOf([LIBRARY, ...modules])))).toBe('ok');
    expect(statusOf(verifyDependencies(user('0x3::far'), lookupOf([LIBRARY, ...modules])))).toBe('TYPE_MISMATCH');
  });

  it('private functions are not for friends', () => {
    for (const name of ['hidden', 'main']) {
      const module = assembleModule(`module 0x1::friend extern 0x1::library { fun ${name}() }`);
      expect(verifyDependencies(module, lookupOf([LIBRARY]))).toMatchObject({
        statusCode: StatusCode.LOOKUP_FAILED,
        location: { table: 'functionHandle', index: 0 },
      });
    }
  });

  it('functions for friends are for friends, and never for scripts', () => {
    const text = 'extern 0x1::library { fun inner() }';
    expect(statusOf(verifyDependencies(assembleModule(`module 0x1::friend ${text}`), lookupOf([LIBRARY])))).toBe('ok');
    expect(statusOf(verifyDependencies(assembleModule(`module 0x2::friend ${text}`), lookupOf([LIBRARY])))).toBe(
      'LOOKUP_FAILED',
    );
    const script = assembleScript(`${text} script() { Call 0x1::library::inner; Ret }`);
    expect(statusOf(verifyDependencies(script, lookupOf([LIBRARY])))).toBe('LOOKUP_FAILED');
  });

  it('modules that it names exist', () => {
    const module = assembleModule('module 0x1::user extern 0x1::nobody { }');
    expect(verifyDependencies(module, lookupOf([LIBRARY]))).toMatchObject({
      statusCode: 1021,
      location: { table: 'moduleHandle', index: 1 },
    });
  });

  describe('before version 5, entry functions are called by entry functions only', () => {
    const of = (version: number, text: string): Module => ({ ...assembleModule(`version 5 ${text}`), version });
    const refused = 'CALLED_SCRIPT_VISIBLE_FROM_NON_SCRIPT_VISIBLE';
    it.each<[StatusName | 'ok', number, string]>([
      [refused, 4, 'fun f() { Nop; Call e; Ret } public entry fun e() { Ret }'],
      ['ok', 5, 'fun f() { Nop; Call e; Ret } public entry fun e() { Ret }'],
      ['ok', 6, 'fun f() { Nop; Call e; Ret } public entry fun e() { Ret }'],
      ['ok', 4, 'public entry fun f() { Nop; Call e; Ret } public entry fun e() { Ret }'],
      ['ok', 4, 'fun f() { Nop; Call e; Ret } public fun e() { Ret } entry fun g() { Ret }'],
      ['ok', 4, 'fun f() { Nop; Ret } public entry fun e() { Ret } native fun g()'],
      // The second local has the number that the second function has.
      ['ok', 4, 'fun f(a: u8, b: u8) { CopyLoc b; Pop; Ret } public entry fun e() { Ret }'],
      [refused, 4, 'fun f() { Nop; Call e<u8>; Ret } public entry fun e<T>() { Ret } fun g<T>() { Ret }'],
      ['ok', 4, 'fun f() { Nop; Call g<u8>; Ret } public entry fun e<T>() { Ret } fun g<T>() { Ret }'],
    ])('%s: version %i: %s', (status, version, text) => {
      const verdict = verifyDependencies(of(version, `module 0x1::m ${text}`), () => undefined);
      expect(statusOf(verdict)).toBe(status);
      if (!verdict.ok) expect(verdict.location).toEqual({ functionIndex: 0, codeOffset: 1 });
    });

    it.each<[StatusName | 'ok', number, number, string]>([
      [refused, 4, 4, 'e'],
      ['ok', 4, 5, 'e'],
      ['ok', 5, 4, 'e'],
      ['ok', 4, 4, 'p'],
    ])('%s: a caller of version %i, a callee of version %i: %s', (status, caller, callee, name) => {
      const library = of(callee, 'module 0x1::library public entry fun e() { Ret } public fun p() { Ret }');
      const extern = `extern 0x1::library { fun ${name}() }`;
      const user = of(caller, `module 0x1::user ${extern} fun f() { Call 0x1::library::${name}; Ret }`);
      expect(statusOf(verifyDependencies(user, lookupOf([library])))).toBe(status);
      const script = assembleScript(`version 5 ${extern} script() { Call 0x1::library::${name}; Ret }`);
      expect(statusOf(verifyDependencies({ ...script, version: caller }, lookupOf([library])))).toBe('ok');
    });
  });
});

describe('modules published together', () => {
  const module = (name: string, uses: readonly string[] = [], friends: readonly string[] = []): Module =>
    assembleModule(
      `module 0x1::${name} ${friends.map((it) => `friend 0x1::${it}`).join(' ')} ${uses.map((it) => `extern 0x1::${it} { }`).join(' ')}`,
    );
  const none: ModuleLookup = () => undefined;

  it('come in an order in which none needs a later one', () => {
    const modules = [module('c', ['b', 'a']), module('a'), module('b', ['a']), module('d')];
    const order = dependencyOrder(modules)!;
    expect([...order].sort()).toEqual([0, 1, 2, 3]);
    expect(order.indexOf(1)).toBeLessThan(order.indexOf(2));
    expect(order.indexOf(2)).toBeLessThan(order.indexOf(0));
  });

  it.each<[string, Module[], number[]]>([
    ['the last of them first if none needs another', [module('x'), module('y'), module('z')], [2, 1, 0]],
    ['by name among those that a module needs', [module('c', ['b', 'a']), module('b'), module('a')], [1, 2, 0]],
    [
      'by address before the name',
      ['0x3::c', '0x2::a', '0x1::b'].map((name) =>
        assembleModule(`module ${name} ${name === '0x3::c' ? 'extern 0x2::a { } extern 0x1::b { }' : ''}`),
      ),
      [1, 2, 0],
    ],
    [
      'by way of a module between them',
      [module('d', ['b', 'c']), module('c', ['a']), module('b', ['a']), module('a')],
      [3, 1, 2, 0],
    ],
  ])("come in the order of petgraph's toposort: %s", (_title, modules, order) => {
    expect(dependencyOrder(modules)).toEqual(order);
  });

  it('have no order if they form a circle or repeat a name', () => {
    expect(dependencyOrder([module('a', ['b']), module('b', ['a'])])).toBeUndefined();
    expect(dependencyOrder([module('a'), module('a')])).toBeUndefined();
  });

  it.each<[StatusName | 'ok', string, Module[], Module[]]>([
    ['ok', 'a chain', [module('a'), module('b', ['a'])], []],
    ['ok', 'a user of a published module', [module('b', ['a'])], [module('a')]],
    ['LINKER_ERROR', 'a dependency that does not exist', [module('b', ['a'])], []],
    ['LINKER_ERROR', 'a friend that does not exist', [module('b', [], ['a'])], []],
    ['ok', 'a friend later in the bundle', [module('a', [], ['b']), module('b', ['a'])], []],
    [
      'CYCLIC_MODULE_DEPENDENCY',
      'an upgrade that closes a circle',
      [module('a', ['b'])],
      [module('a'), module('b', ['a'])],
    ],
    [
      'CYCLIC_MODULE_FRIENDSHIP',
      'friends in a circle',
      [module('a', [], ['b'])],
      [module('a'), module('b', [], ['a'])],
    ],
    [
      'INVALID_FRIEND_DECL_WITH_MODULES_IN_DEPENDENCIES',
      'a friend that is a dependency',
      [module('a', ['b'], ['b'])],
      [module('b')],
    ],
    ['MISSING_DEPENDENCY', 'a native struct', [assembleModule('module 0x1::n native struct N has drop')], []],
    [
      'POSITIVE_STACK_SIZE_AT_BLOCK_END',
      'code that is not sound',
      [assembleModule('module 0x1::n fun f() { LdTrue; Ret }')],
      [],
    ],
    [
      'TYPE_MISMATCH',
      'a new version that its bundle no longer fits',
      [
        assembleModule('module 0x1::a public fun f() { Ret }'),
        assembleModule('module 0x1::b extern 0x1::a { fun f(): u8 }'),
      ],
      [assembleModule('module 0x1::a public fun f(): u8 { LdU8 1; Ret }')],
    ],
  ])('%s: %s', (status, _title, bundle, published) => {
    expect(statusOf(verifyBundle(bundle, published.length > 0 ? lookupOf(published) : none))).toBe(status);
  });

  it('are refused if what they use no longer links with what it uses', () => {
    const at = (address: string) => ({
      sound: assembleModule(`module ${address}::a public fun f() { Ret } public fun g() { Ret }`),
      changed: assembleModule(`module ${address}::a public fun f(): u8 { LdU8 1; Ret }`),
      user: assembleModule(
        `module ${address}::b extern ${address}::a { fun f() } public fun h() { Call ${address}::a::f; Ret }`,
      ),
    });
    const { sound, changed, user } = at('0x42');
    const top = assembleModule('module 0x43::top extern 0x42::b { fun h() } fun t() { Call 0x42::b::h; Ret }');
    for (const [a, status] of [
      [sound, 'ok'],
      [changed, 'TYPE_MISMATCH'],
      [sound, 'ok'],
      [changed, 'TYPE_MISMATCH'],
    ] as const) {
      expect(statusOf(verifyBundle([top], lookupOf([a, user])))).toBe(status);
    }
    // Public functions of the framework never change.
    const framework = at('0x1');
    const above = assembleModule('module 0x43::top extern 0x1::b { fun h() } fun t() { Call 0x1::b::h; Ret }');
    expect(statusOf(verifyBundle([above], lookupOf([framework.changed, framework.user])))).toBe('ok');
    // What is published together was just linked.
    expect(statusOf(verifyBundle([sound, user, top], () => undefined))).toBe('ok');
  });

  it('are refused if a module below what they use is gone', () => {
    const user = assembleModule('module 0x42::b extern 0x42::a { }');
    const top = assembleModule('module 0x43::top extern 0x42::b { }');
    expect(verifyBundle([top], lookupOf([user]))).toMatchObject({ statusCode: StatusCode.MISSING_DEPENDENCY });
  });

  it('are refused if a friend of a friend is gone', () => {
    const friend = assembleModule('module 0x42::b friend 0x42::c');
    const top = assembleModule('module 0x42::top friend 0x42::b');
    expect(verifyBundle([top], lookupOf([friend]))).toMatchObject({ statusCode: StatusCode.MISSING_DEPENDENCY });
    expect(statusOf(verifyBundle([top, assembleModule('module 0x42::c')], lookupOf([friend])))).toBe('ok');
  });

  it('may have structs, but no native ones', () => {
    const bundle = [assembleModule('module 0x1::n struct S has drop { f: u8 } native struct N has drop')];
    expect(verifyBundle(bundle, none)).toMatchObject({
      statusCode: StatusCode.MISSING_DEPENDENCY,
      location: { table: 'structDefinition', index: 1 },
    });
    expect(statusOf(verifyBundle([assembleModule('module 0x1::n struct S has drop { f: u8 }')], none))).toBe('ok');
  });

  it('are refused with the names of modules as Move writes them', () => {
    const [a, b] = [module('a'), module('b', ['a'])];
    const told = (bundle: readonly Module[], published: ModuleLookup) => {
      const verdict = verifyBundle(bundle, published);
      return verdict.ok ? undefined : verdict.message.replace(/ \(\w+\)$/, '');
    };
    expect(told([b], none)).toBe('module 0x1::a does not exist');
    expect(told([module('b', [], ['a'])], none)).toBe('module 0x1::a does not exist');
    expect(told([module('a', ['b'])], lookupOf([a, b]))).toBe('module 0x1::a reaches itself');
    // Depth first, in the order in which modules name others.
    expect(told([module('a', ['b'])], lookupOf([module('b', ['a', 'c'])]))).toBe('module 0x1::a reaches itself');
    expect(told([module('a', ['b'])], lookupOf([module('b', ['c', 'a'])]))).toBe('module 0x1::c does not exist');
    expect(told([module('a', ['b'], ['b'])], lookupOf([module('b')]))).toBe(
      'module 0x1::b is both a dependency and a friend',
    );
  });
});

describe('what the next version may change', () => {
  const friends = { checksFriends: true };
  const noFriends = { checksFriends: false };
  it.each<['yes' | 'no', string, string, string]>([
    ['yes', 'nothing', 'struct S { f: u8 } public fun f() { Ret }', 'struct S { f: u8 } public fun f() { Ret }'],
    ['yes', 'add', '', 'struct S { f: u8 } public fun f() { Ret }'],
    ['no', 'remove a struct', 'struct S { f: u8 }', ''],
    ['yes', 'change fields', 'struct S { f: u8 }', 'struct S { f: u64, g: u8 }'],
    ['yes', 'add an ability', 'struct S { f: u8 }', 'struct S has copy { f: u8 }'],
    ['no', 'remove an ability', 'struct S has copy { f: u8 }', 'struct S { f: u8 }'],
    ['no', 'add a type parameter', 'struct S { f: u8 }', 'struct S<T> { f: T }'],
    ['yes', 'loosen a constraint', 'struct S<T: copy> { f: T }', 'struct S<T> { f: T }'],
    ['no', 'tighten a constraint', 'struct S<T> { f: T }', 'struct S<T: copy> { f: T }'],
    ['yes', 'make a parameter phantom', 'struct S<T> { f: u8 }', 'struct S<phantom T> { f: u8 }'],
    ['no', 'make a phantom parameter real', 'struct S<phantom T> { f: u8 }', 'struct S<T> { f: u8 }'],
    ['no', 'remove a public function', 'public fun f() { Ret }', ''],
    ['yes', 'remove a private function', 'fun f() { Ret }', ''],
    ['no', 'remove a private entry function', 'entry fun f() { Ret }', ''],
    ['no', 'hide a public function', 'public fun f() { Ret }', 'fun f() { Ret }'],
    ['yes', 'show a private function', 'fun f() { Ret }', 'public fun f() { Ret }'],
    ['no', 'take entry away', 'entry fun f() { Ret }', 'fun f() { Ret }'],
    ['yes', 'give entry', 'public fun f() { Ret }', 'public entry fun f() { Ret }'],
    ['no', 'change a parameter', 'public fun f(a: u8) { Ret }', 'public fun f(a: u64) { Ret }'],
    ['no', 'change a result', 'public native fun f(): u8', 'public native fun f(): u64'],
    [
      'no',
      'change a struct to one of the same position',
      'struct A { f: u8 } public native fun f(): A',
      'struct B { f: u8 } struct A { f: u8 } public native fun f(): B',
    ],
    [
      'yes',
      'move a struct',
      'struct A { f: u8 } public native fun f(): A',
      'struct B { f: u8 } struct A { f: u8 } public native fun f(): A',
    ],
    ['yes', 'loosen a constraint of a function', 'public native fun f<T: copy>()', 'public native fun f<T>()'],
    ['no', 'tighten a constraint of a function', 'public native fun f<T>()', 'public native fun f<T: copy>()'],
    ['no', 'remove a type parameter of a function', 'public native fun f<A, B>()', 'public native fun f<A>()'],
    ['no', 'add a type parameter to a function', 'public native fun f<A>()', 'public native fun f<A, B>()'],
    ['no', 'tighten the second constraint', 'public native fun f<A, B>()', 'public native fun f<A, B: copy>()'],
    ['no', 'make a public function one for friends', 'public fun f() { Ret }', 'public(friend) fun f() { Ret }'],
    ['yes', 'make a function for friends public', 'public(friend) fun f() { Ret }', 'public fun f() { Ret }'],
    ['no', 'hide a function for friends', 'public(friend) fun f() { Ret }', 'fun f() { Ret }'],
    ['no', 'hide a public entry function', 'public entry fun f() { Ret }', 'entry fun f() { Ret }'],
    ['yes', 'keep an entry function', 'entry fun f() { Ret }', 'entry fun f() { Ret }'],
    ['yes', 'show an entry function to friends', 'entry fun f() { Ret }', 'public(friend) entry fun f() { Ret }'],
    ['yes', 'change a private function', 'fun f(a: u8) { Ret }', 'fun f(a: u64) { Ret }'],
    ['no', 'change a private entry function', 'entry fun f(a: u8) { Ret }', 'entry fun f(a: u64) { Ret }'],
  ])('%s: %s', (answer, _title, old, next) => {
    const verdict = checkCompatibility(
      assembleModule(`module 0x1::m ${old}`),
      assembleModule(`module 0x1::m ${next}`),
      friends,
    );
    expect(statusOf(verdict)).toBe(answer === 'yes' ? 'ok' : 'BACKWARD_INCOMPATIBLE_MODULE_UPDATE');
  });

  it('friend functions and friends count only where the chain says so', () => {
    const old = assembleModule('module 0x1::m friend 0x1::a public(friend) fun f() { Ret }');
    for (const text of ['friend 0x1::a', 'public(friend) fun f() { Ret }', 'friend 0x1::a fun f() { Ret }']) {
      const next = assembleModule(`module 0x1::m ${text}`);
      expect(checkCompatibility(old, next, noFriends).ok).toBe(true);
      expect(checkCompatibility(old, next, friends).ok).toBe(false);
    }
    const shown = assembleModule('module 0x1::m public fun f() { Ret }');
    expect(checkCompatibility(shown, assembleModule('module 0x1::m'), noFriends).ok).toBe(false);
    const entry = assembleModule('module 0x1::m public(friend) entry fun f() { Ret }');
    expect(checkCompatibility(entry, assembleModule('module 0x1::m'), noFriends).ok).toBe(false);
  });

  it('entry cannot be gained between versions before 5', () => {
    const [plain, entry] = ['public fun f() { Ret }', 'public entry fun f() { Ret }'].map((text) =>
      assembleModule(`version 5 module 0x1::m ${text}`),
    ) as [Module, Module];
    const gain = (before: number, after: number): boolean =>
      checkCompatibility({ ...plain, version: before }, { ...entry, version: after }, friends).ok;
    expect([gain(4, 4), gain(4, 5), gain(5, 4), gain(5, 5)]).toEqual([false, true, true, true]);
    expect(checkCompatibility({ ...plain, version: 4 }, { ...plain, version: 4 }, friends).ok).toBe(true);
  });

  it('friends: only those that are missing are told', () => {
    const verdict = checkCompatibility(
      assembleModule('module 0x1::m friend 0x1::a friend 0x1::b'),
      assembleModule('module 0x1::m friend 0x1::c friend 0x1::a'),
      friends,
    );
    expect(verdict).toMatchObject({ message: expect.stringMatching(/^friend b is missing/) });
  });

  it('not the name', () => {
    const renamed = checkCompatibility(assembleModule('module 0x1::m'), assembleModule('module 0x1::n'), friends);
    expect(renamed).toMatchObject({ message: expect.stringMatching(/^the name changed from m to n/) });
    const verdict = checkCompatibility(assembleModule('module 0x1::m'), assembleModule('module 0x2::n'), friends);
    expect(verdict).toMatchObject({ ok: false, message: expect.stringContaining('the address changed') });
  });
});
