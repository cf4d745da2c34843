import { describe, expect, it } from 'vitest';
import { settledTypeText } from '../../../src/compile/check/type-text.ts';
import { FRAMEWORK_PACKAGES, frameworkSources } from '../move-compiler/front-end.ts';
import { check, functionNamed } from './marked-source.ts';

const moduleOf = (members: string): string => `module a::m {\n${members}\n}`;
/** A module with structs of all kinds of abilities, and a function with this body. */
const STRUCTS = [
  'struct R { f: u64 }',
  'struct K has key { f: u64 }',
  'struct S has copy, drop { f: u64, g: bool }',
  'struct O has copy, drop { s: S }',
  'struct B<T> has copy, drop, store, key { f: T }',
  'struct P<phantom T> has copy, drop, store { f: u64 }',
  'fun r(): R { abort 0 }',
  'fun id<T>(x: T): T { x }',
  'fun copied<T: copy>(_x: &T) {}',
].join('\n');
const body = (code: string, signature = '()'): string => moduleOf(`${STRUCTS}\nfun t${signature} {\n${code}\n}`);

type Case = readonly [title: string, source: string, codes: string[]];

function cases(list: readonly Case[]): void {
  it.each(list)('%s', (_, source, codes) => {
    const { diagnostics, marked } = check(source, codes);
    expect(diagnostics).toEqual(marked);
  });
}

function accepted(list: readonly (readonly [title: string, source: string])[]): void {
  it.each(list)('%s', (_, source) => {
    expect(check(source).diagnostics).toEqual([]);
  });
}

it('of the framework are found without an error', () => {
  const [first, ...others] = FRAMEWORK_PACKAGES.flatMap(frameworkSources);
  expect(check(first!, [], others).diagnostics).toEqual([]);
});

describe('integers', () => {
  accepted([
    [
      'have the type that is expected',
      body('let a: u8 = 255; let b: u256 = (1u256 << 200); a = a + 1; b + (a as u256);'),
    ],
    ['are u64 by default', body('let a = 1; let b: u64 = a;')],
    ['are inferred from later uses', body('let a = 300; let b: u16 = a;')],
    ['are inferred through calls and vectors', body('let v = vector[1, 2]; let w: vector<u8> = id(v);')],
    ['shift by u8', body('let a: u8 = 3; let b = 1u128 << a; let c: u128 = b;')],
    ['of all widths are cast', body('((1u8 as u256) as u16);')],
  ]);
  cases([
    ['do not fit a smaller type', body('let a: u8 = ⟦256⟧;'), ['E04021']],
    ['that are inferred do not fit either', body('let a = ⟦65536⟧; let b: u16 = a;'), ['E04021']],
    ['of two types do not add', body('1u8 ⟦+⟧ 2u64;'), ['E04007']],
    ['do not shift by others', body('1u64 << ⟦2u64⟧;'), ['E04007']],
    ['are no bool', body('let a: ⟦bool⟧ = 1;'), ['E04007']],
    ['are not what bools add', body('⟦true⟧ + ⟦false⟧;'), ['E04003', 'E04003']],
    ['are not what addresses compare', body('⟦@0x1⟧ < ⟦@0x2⟧;'), ['E04003', 'E04003']],
    ['are what is cast', body('(⟦true⟧ as u8);'), ['E04003']],
    ['are what is cast to', body('(1 as ⟦bool⟧);'), ['E04003']],
    ['do not have fields', body('let a = 1; ⟦a.f⟧;'), ['E04009']],
  ]);
});

describe('operators', () => {
  accepted([
    ['compare references', body('&1 == &2; &mut 1 != &mut 2; let s = S { f: 1, g: true }; &s == &mut s;')],
    ['are long chains', body(`${'1 + '.repeat(900)}1;`)],
  ]);
  cases([
    ['of bools take no integers', body('⟦1⟧ && true; false || ⟦2⟧; !⟦3⟧;'), ['E04007', 'E04007', 'E04007']],
    ['drop what they compare', body('⟦r()⟧ == ⟦r()⟧;'), ['E05001', 'E05001']],
    ['compare no tuples', body('⟦(1, 2) == (1, 2)⟧;'), ['E04005']],
    ['compare equal types', body('1 ⟦==⟧ true;'), ['E04007']],
  ]);
});

describe('conditions and loops', () => {
  accepted([
    ['have a type that fits both branches', body('let a = 0; let b = 1; let c: &u64 = if (true) &a else &mut b; c;')],
    [
      'never return from a branch',
      body('let a: u64 = if (true) 1 else return; let b: u64 = if (true) abort 1 else 2; a + b;'),
    ],
    ['never end without break', body('let a: u8 = loop { }; a;')],
    ['end by break', body('loop { if (true) break; continue }; while (true) { break };')],
  ]);
  cases([
    ['are bool', body('if (⟦1⟧) (); while (⟦2⟧) {};'), ['E04007', 'E04007']],
    ['have one type', body('⟦if (true) 1 else false⟧;'), ['E04007']],
    ['without else have no value', body('⟦if (true) 1⟧;'), ['E04007']],
    ['have bodies without values', body('while (true) ⟦1⟧; loop ⟦2⟧'), ['E04007', 'E04007']],
    ['are where break and continue are', body('⟦break⟧; ⟦continue⟧'), ['E04014', 'E04014']],
    ['with break have no value', body('let a: ⟦u64⟧ = loop { break };'), ['E04007']],
  ]);
});

describe('functions', () => {
  accepted([
    [
      'return what they declare',
      moduleOf('fun f(): (u64, bool) { (1, true) } fun g(): u64 { let (a, b) = f(); if (b) return a; 2 }'),
    ],
    ['take type arguments', body('id<u8>(1); id<S>(S { f: 1, g: true }); copied<u64>(&1);')],
    [
      'take mutable references for immutable ones',
      moduleOf('fun f(x: &u64): &u64 { x } fun g(x: &mut u64): &u64 { f(x) }'),
    ],
  ]);
  cases([
    [
      'return it',
      moduleOf('fun f(): u64 { ⟦true⟧ } fun g(): bool { ⟦return 1⟧ } fun h(): u8 ⟦{}⟧'),
      ['E04007', 'E04007', 'E04007'],
    ],
    ['abort with u64', body('⟦abort true⟧'), ['E04007']],
    ['have parameters of distinct names', moduleOf('fun f(a: u64, ⟦a⟧: u64) {}'), ['E02001']],
    ['have parameters that are no tuples', moduleOf('fun f(a: ⟦()⟧, b: ⟦(u8, u8)⟧) {}'), ['E04005', 'E04005']],
    ['take as many arguments', body('⟦id()⟧; ⟦id(1, 2)⟧;'), ['E04016', 'E04017']],
    ['take their types', body('⟦id<bool>(1)⟧; ⟦⟦copied(1)⟧⟧;'), ['E04007', 'E04007', 'E04010']],
    ['take as many type arguments', body('⟦id<u8, u8>(1)⟧; ⟦id<>(1)⟧;'), ['E03007', 'E03008']],
    ['take arguments with the abilities', body('⟦copied<R>(&r())⟧;'), ['E05001']],
    [
      'take no immutable reference for a mutable one',
      moduleOf('fun f(x: &mut u64) { *x = 1 } fun g(x: &u64) { ⟦f(x)⟧ }'),
      ['E04006'],
    ],
    ['have inferred type arguments', moduleOf('fun f<T>() {} fun g() { ⟦f()⟧ }'), ['E04010']],
    ['are no macros', body('⟦id!(1)⟧;'), ['E04023']],
    ['have no references as type arguments', body('⟦id(&1)⟧; ⟦id<&u8>(&1)⟧;'), ['E04004', 'E04004']],
  ]);

  it('of a script return nothing', () => {
    const { diagnostics, marked } = check('script { fun ⟦main⟧(): u64 { 1 } }', ['E04007']);
    expect(diagnostics).toEqual(marked);
  });
});

describe('visibility', () => {
  const other =
    'module a::other { friend a::m; public fun nothing() {} }' +
    '\nmodule a::closed { struct S has copy, drop { f: u64 } const C: u64 = 1; fun private() {}' +
    ' public(friend) fun friends() {} public fun make(): S { S { f: C } } }' +
    '\nmodule a::open { friend a::m; public(friend) fun friends() {} }';
  it.each<Case>([
    ['public and friend functions', 'a::other::nothing(); a::open::friends(); a::closed::make();', []],
    ['private functions', '⟦a::closed::private()⟧;', ['E04001']],
    ['functions of friends', '⟦a::closed::friends()⟧;', ['E04001']],
    ['building a struct', '⟦a::closed::S { f: 1 }⟧;', ['E04001']],
    ['taking a struct apart', 'let ⟦a::closed::S { f }⟧ = a::closed::make(); f;', ['E04001']],
    ['fields', '⟦a::closed::make().f⟧; &⟦a::closed::make().f⟧;', ['E04001', 'E04001']],
  ])('of %s', (_, code, codes) => {
    const { diagnostics, marked } = check(moduleOf(`fun t() { ${code} }`), codes, [other]);
    expect(diagnostics).toEqual(marked);
  });

  it('does not extend to scripts for friends and storage', () => {
    const script = 'script { fun main() { ⟦a::open::friends()⟧; ⟦exists<a::closed::K>(@1)⟧; } }';
    const closed =
      'module a::closed { struct K has key { f: u64 } } module a::open { public(friend) fun friends() {} }';
    const { diagnostics, marked } = check(script, ['E04001', 'E04001'], [closed]);
    expect(diagnostics).toEqual(marked);
  });
});

describe('structs', () => {
  accepted([
    [
      'are built and taken apart',
      body('let S { f, g: _ } = S { g: true, f: 1 }; f; let B { f: x } = B { f: 1u8 }; x + 2;'),
    ],
    [
      'are taken apart behind references',
      body('let s = S { f: 1, g: true }; let S { f, g } = &mut s; *f = 2; *g = false; let S { f, g: _ } = &s; *f;'),
    ],
    ['are assigned to patterns', body('let a; S { f: a, g: _ } = S { f: 1, g: true }; a;')],
    [
      'have fields that are read, borrowed and assigned',
      body(
        'let o = O { s: S { f: 1, g: true } }; o.s.f = o.s.f + 1; let x = &mut o.s; x.g = false; let y: &u64 = &o.s.f; *y;',
      ),
    ],
    [
      'have phantom parameters',
      moduleOf('struct A<phantom T> { f: u64 } struct B<phantom T> { f: A<T> } struct C<T> { f: vector<T> }'),
    ],
  ]);
  cases([
    ['have all their fields', body('⟦S { f: 1 }⟧; let ⟦S { f }⟧ = S { f: 1, g: true }; f;'), ['E04016', 'E04016']],
    ['have no others', body('⟦S { f: 1, g: true, h: 2 }⟧; ⟦S { f: 1, g: true }.h⟧;'), ['E03010', 'E03010']],
    ['have fields of their types', body('S { f: ⟦true⟧, g: ⟦1⟧ };'), ['E04007', 'E04007']],
    [
      'are what fields are taken of',
      body('⟦true.f⟧; ⟦vector[1].f⟧; let x; ⟦x.f⟧; x = S { f: 1, g: true };'),
      ['E04009', 'E04009', 'E04010'],
    ],
    [
      'are copied only if they can be',
      moduleOf('struct R { f: u64 } struct Q { r: R } fun t(q: &Q): R { ⟦q.r⟧ }'),
      ['E05001'],
    ],
    [
      'are matched by patterns of their own',
      body('let ⟦S { f, g }⟧ = O { s: S { f: 1, g: true } }; f; g;'),
      ['E04007'],
    ],
    [
      'have fields with the abilities they need',
      moduleOf('struct R {} struct A has copy { r: ⟦R⟧ } struct K has key { r: ⟦R⟧ }'),
      ['E05001', 'E05001'],
    ],
    [
      'have fields that are values',
      moduleOf('struct A { f: ⟦&u64⟧, g: ⟦()⟧, h: ⟦(u8, u8)⟧ }'),
      ['E04004', 'E04004', 'E04004'],
    ],
    ['have fields that are no functions', moduleOf('struct A { f: ⟦|u64|u64⟧ }'), ['E04024']],
    [
      'use phantoms as phantoms',
      moduleOf('struct A<phantom T> { f: ⟦T⟧ } struct V<phantom T> { f: vector<⟦T⟧> }'),
      ['E02013', 'E02013'],
    ],
    [
      'say what could be a phantom',
      moduleOf('struct A<⟦T⟧> { f: u64 } struct P<phantom T> { f: u64 } struct C<⟦T⟧> { f: P<T> }'),
      ['W09006', 'W02014'],
    ],
    [
      'meet the constraints of types in fields',
      moduleOf('struct D<T: drop> { f: T } struct A<T> { f: ⟦D<T>⟧ }'),
      ['E05001'],
    ],
    [
      'do not contain themselves',
      moduleOf('struct A { a: ⟦A⟧ } struct X { y: vector<⟦Y⟧> } struct Y { x: X }'),
      ['E04018', 'E04018'],
    ],
  ]);

  it('of native modules are not built', () => {
    const { diagnostics, marked } = check(moduleOf('native struct N has drop; fun t() { ⟦N {}⟧; }'), ['E04015']);
    expect(diagnostics).toEqual(marked);
  });
});

describe('references', () => {
  accepted([
    ['are read and assigned through', body('let a = 1; let r = &mut a; *r = *r + 1; *&mut a = 2;')],
    ['are borrowed of anything', body('&1; &mut id(2); &S { f: 1, g: true }.f;')],
    ['are frozen', body('let a = 1; let r: &u64 = freeze(&mut a); *r;')],
  ]);
  cases([
    ['are what is dereferenced', body('⟦⟦*1⟧⟧;'), ['E04007', 'E04010']],
    ['read what can be copied', body('⟦⟦*&r()⟧⟧;'), ['E05001', 'E05001']],
    ['are assigned through if mutable', body('*⟦&1⟧ = 2;'), ['E04006']],
    ['drop what they overwrite', body('*⟦&mut r()⟧ = r();'), ['E05001']],
    ['do not point to references or tuples', body('⟦& &1⟧; ⟦&()⟧;'), ['E04004', 'E04004']],
    [
      'of fields are mutable if their owner is',
      body('let s = &S { f: 1, g: true }; ⟦&mut s.f⟧; ⟦s.f⟧ = 1;'),
      ['E07001', 'E07001'],
    ],
  ]);
});

describe('variables', () => {
  accepted([
    ['are declared before they have a value', body('let a; let b: u8; a = 1; b = a; b;')],
    ['are declared in groups', body('let (a, b, _) = (1, true, @0x1); (a, b) = (2, false); a; b;')],
    ['may shadow', body('let a = 1; let a = a == 1; let _b: bool = a;')],
  ]);
  cases([
    ['need a type', body('let ⟦a⟧;'), ['E04010']],
    ['are as many as values', body('let ⟦(a, b)⟧ = (1, 2, 3); let ⟦c⟧ = (); '), ['E04007', 'E04005']],
    ['have distinct names in a group', body('let (a, ⟦a⟧) = (1, 2);'), ['E02001']],
    ['are assigned once in a group', body('let a; (a, ⟦a⟧) = (1, 2);'), ['E02001']],
    ['keep their type', body('let a = 1u8; ⟦a⟧ = 2u64;'), ['E04007']],
    [
      'that are ignored can be dropped',
      body('let ⟦_⟧ = r(); ⟦r()⟧; let S { f: _, g: _ } = S { f: 1, g: true };'),
      ['E05001', 'E05001'],
    ],
    [
      'are copied if they can be',
      body('let a = r(); let b = ⟦copy a⟧; let R { f: _ } = a; let R { f: _ } = b;'),
      ['E05001'],
    ],
    ['have types that end', moduleOf('fun t() { let a = ⟦vector[]⟧; ⟦a⟧ = vector[a]; }'), ['E04010', 'E04008']],
  ]);
});

describe('vectors', () => {
  accepted([
    [
      'have elements of one type',
      body('let v = vector[1, 2]; let w: vector<u8> = v; w == vector<u8>[]; vector[vector[true]];'),
    ],
  ]);
  cases([
    ['have one', body('⟦vector[1, true]⟧; ⟦vector<bool>[1]⟧;'), ['E04007', 'E04007']],
    ['have values', body('⟦vector[&1]⟧; ⟦vector<&u8>[]⟧;'), ['E04004', 'E04004']],
    ['need a type', body('⟦vector[]⟧;'), ['E04010']],
  ]);
});

describe('global storage', () => {
  accepted([
    [
      'is of the module',
      moduleOf(
        'struct K has key, drop { f: u64 } fun t(s: &signer) acquires K { move_to(s, K { f: 1 }); borrow_global<K>(@1).f; ' +
          'borrow_global_mut<K>(@1).f = 2; if (exists<K>(@1)) { move_from<K>(@1); }; }',
      ),
    ],
    [
      'is acquired by callers too',
      moduleOf(
        'struct K has key { f: u64 } fun f(): u64 acquires K { borrow_global<K>(@1).f } fun g() acquires K { f(); }',
      ),
    ],
  ]);
  cases([
    ['needs key', body('⟦exists<S>(@1)⟧; ⟦borrow_global<u64>(@1)⟧;'), ['E05001', 'E05001']],
    ['takes addresses and signers', body('⟦exists<K>(1)⟧; ⟦move_to(&@1, K { f: 1 })⟧;'), ['E04007', 'E04007']],
    ['is not generic', moduleOf('fun t<T: key>() { ⟦exists<T>(@1)⟧; }'), ['E04009']],
    [
      'is acquired',
      moduleOf(
        'struct K has key { f: u64 } fun f() { ⟦borrow_global<K>(@1)⟧; } fun g() acquires K { borrow_global<K>(@1); } fun h() { ⟦g()⟧ }',
      ),
      ['E04020', 'E04020'],
    ],
    [
      'is not acquired in vain',
      moduleOf('struct K has key { f: u64 } fun f() acquires ⟦K⟧ { exists<K>(@1); }'),
      ['E02002'],
    ],
  ]);

  it('is not of another module', () => {
    const other = 'module a::other { struct K has key { f: u64 } }';
    const { diagnostics, marked } = check(moduleOf('fun t() { ⟦exists<a::other::K>(@1)⟧; }'), ['E04001'], [other]);
    expect(diagnostics).toEqual(marked);
  });
});

describe('constants', () => {
  accepted([
    [
      'are numbers, bools, addresses and vectors',
      moduleOf(
        'const A: u8 = 1 + 2; const B: vector<vector<u8>> = vector[b"a", x"00"]; const C: address = @0x1; const D: bool = !true; const E: u64 = { 1 << 3 };',
      ),
    ],
  ]);
  cases([
    [
      'are nothing else',
      moduleOf('struct S has copy, drop {} const A: ⟦S⟧ = ⟦S {}⟧; const C: ⟦signer⟧ = ⟦abort 0⟧;'),
      ['E04012', 'E04013', 'E04012', 'E04013'],
    ],
    [
      'are of simple expressions',
      moduleOf(
        'fun f(): u64 { 1 } const X: u64 = 1; const A: u64 = ⟦f()⟧; const B: u64 = ⟦if (true) 1 else 2⟧; const C: u64 = ⟦X⟧;',
      ),
      ['E04013', 'E04013', 'E04013'],
    ],
    ['have the declared type', moduleOf('const A: ⟦u8⟧ = true; const B: u8 = ⟦256⟧;'), ['E04007', 'E04021']],
  ]);

  it('are used in their own module only', () => {
    const other = 'module a::other { const C: u64 = 1; }';
    const { diagnostics, marked } = check(moduleOf('fun t(): u64 { ⟦a::other::C⟧ }'), ['E04001'], [other]);
    expect(diagnostics).toEqual(marked);
  });
});

describe('type arguments', () => {
  accepted([
    ['of recursive calls may stay', moduleOf('fun f<T>() { f<T>(); g<u64>() } fun g<T>() { f<vector<u8>>() }')],
  ]);
  cases([
    ['do not grow in a call of itself', moduleOf('fun f<T>() { ⟦f<vector<T>>()⟧ }'), ['E04019']],
    [
      'do not grow in a circle of calls',
      moduleOf('struct B<T> { f: T } fun f<T>() { g<T>() } fun g<T>() { ⟦f<B<T>>()⟧ }'),
      ['E04019'],
    ],
  ]);
});

describe('sizes', () => {
  it('of inferred types are bounded', () => {
    const lets = Array.from({ length: 40 }, (_, at) => `let x${at + 1} = pair(x${at});`).join(' ');
    const source = moduleOf(
      `struct P<A, B> has copy, drop { a: A, b: B } fun pair<T: copy + drop>(x: T): P<T, T> { P { a: copy x, b: x } } fun t() { let x0 = 1; ${lets} }`,
    );
    const codes = check(source).diagnostics.map((text) => text.slice(0, 6));
    expect(new Set(codes)).toEqual(new Set(['E04008']));
  });

  it('of literals of vectors are not', () => {
    const source = moduleOf(`fun t(): vector<u8> { vector[${'1, '.repeat(20_000)}2] }`);
    expect(check(source).diagnostics).toEqual([]);
  });
});

it('the typed tree has the types that were inferred', () => {
  const { program } = check(
    moduleOf('fun t(v: &vector<u8>, n: u16) { let a = 1; let b = vector[n, 2]; let (c, d) = (v, a); c; d; b; }'),
  );
  const items = functionNamed(program, 't').body!.items.flatMap((item) =>
    item.kind === 'bind' ? item.patterns.types : [],
  );
  expect(items.map(settledTypeText)).toEqual(['u64', 'vector<u16>', '&vector<u8>', 'u64']);
});
