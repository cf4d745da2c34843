import { describe, expect, it } from 'vitest';
import { readSource } from '../../src/compile/source.ts';
import { tokensOf } from '../../src/compile/tokens.ts';

const declared = (text: string) => readSource(text).modules.flatMap((module) => module.declarations);

describe('the tokens of a source', () => {
  it('leave out comments, which nest, and keep quoted bytes whole', () => {
    const source = 'a /* b /* c */ d */ b"// \\" /*" x"00" 0xffu8 :: // e\nf';
    expect(tokensOf(source).map(({ text }) => text)).toEqual(['a', 'b"// \\" /*"', 'x"00"', '0xffu8', '::', 'f']);
  });

  it.each([
    ['a\n/* b', 'line 2: a comment that does not end'],
    ['b"abc', 'line 1: a quotation that does not end'],
  ])('end where %j does not', (source, message) => {
    expect(() => tokensOf(source)).toThrow(message);
  });
});

describe('a source', () => {
  it('declares functions, structs and constants, whatever stands in bodies, comments and strings', () => {
    const found = declared(`
      address 0x1 { module m {
        // #[test] fun commented() {}
        spec module { fun of_spec(): u64 { 1 } }
        const TEXT: vector<u8> = b"fun quoted() {}";
        public(friend) entry fun f<phantom T: copy + drop, U>(a: &signer, b: vector<vector<U>>): (u64, T) acquires S
          { if (a < 1) { fun_call() } }
        native public fun n(x: u64);
        inline fun each(v: vector<u8>, f: |u8, u8| u8) {}
        struct S<phantom T> has key, store { x: u64 }
        #[view, test_only] public fun g() {}
      } }`);
    expect(found.map(({ kind, name, typeParameters, parameters }) => [kind, name, typeParameters, parameters])).toEqual(
      [
        ['constant', 'TEXT', [], []],
        ['function', 'f', ['T', 'U'], ['a', 'b']],
        ['function', 'n', [], ['x']],
        ['function', 'each', [], ['v', 'f']],
        ['struct', 'S', ['T'], []],
        ['function', 'g', [], []],
      ],
    );
    expect(found.at(-1)).toMatchObject({ line: 11, attributes: [{ name: 'view' }, { name: 'test_only' }] });
  });

  it('aborts with names in what `abort` and `assert!` are given', () => {
    const [m, n] = readSource(`
      module 0x1::m {
        const IN_CONSTANT: u64 = 1;
        // abort COMMENTED
        fun a(x: u64) { assert!(x < LIMIT, EBIG); assert!(f(x, INNER), 0x1::error::state(WRAPPED),); abort PLAIN }
        fun b(x: u64): u64 { if (x == MAX) abort (SHOWN) else { abort if (x > TOP) HIGH else LOW }; PASSED }
        fun c(x: E): u64 { match (x) { A => abort FIRST, B => NOT_THIS } }
        fun d() { check(x, PASSED); assert!(true, b"text)"); abort_with(NO); }
        fun e() { abort }
      }
      module 0x1::n { fun f() { assert!(a[0, 1] == b, LAST) } }`).modules;
    expect([...m!.aborts].filter((name) => name === name.toUpperCase())).toEqual([
      'EBIG',
      'WRAPPED',
      'PLAIN',
      'SHOWN',
      'TOP',
      'HIGH',
      'LOW',
      'FIRST',
    ]);
    expect([...n!.aborts]).toEqual(['LAST']);
  });

  it('has several modules, each at its address', () => {
    const { modules } = readSource(
      '#[test_only] module a::m {} module 0x2::n { use std::vector; use a::{m, o as p}; }',
    );
    expect(modules.map(({ address, name }) => `${address}::${name}`)).toEqual(['a::m', '0x2::n']);
    expect([...modules[1]!.uses]).toEqual([
      ['vector', 'std::vector'],
      ['m', 'a::m'],
      ['p', 'a::o'],
    ]);
  });

  it('has attributes that nest and have values', () => {
    const [f] = declared(
      'module 0x1::m { #[test(a = @0x1, b=@std)] #[expected_failure(abort_code = o::E, location = Self)] fun f() {} }',
    );
    expect(f?.attributes).toEqual([
      {
        name: 'test',
        value: undefined,
        items: [
          { name: 'a', value: '@0x1', items: [] },
          { name: 'b', value: '@std', items: [] },
        ],
      },
      {
        name: 'expected_failure',
        value: undefined,
        items: [
          { name: 'abort_code', value: 'o::E', items: [] },
          { name: 'location', value: 'Self', items: [] },
        ],
      },
    ]);
  });

  it.each([
    ['module 0x1::m {', 'line 1: '],
    ['module 0x1::m { fun f()', 'the source ends inside of a declaration'],
    ['module 0x1::m {\n #[test(] fun f() {} }', 'line 2: expected a name or a value in an attribute, got ]'],
    ['what', 'line 1: expected a module, a script or an address, got what'],
  ])('that cannot be read names its line: %j', (text, message) => {
    expect(() => readSource(text)).toThrow(message);
  });
});
