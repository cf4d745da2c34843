/**
 * Tables are derived by hand from the order in which the reference's assembler enters things
 * (`compile_module` of `move-ir-to-bytecode/src/compiler.rs`).
 */
import { describe, expect, it } from 'vitest';
import { readModule, readScript } from '../../../src/vm/binary/read.ts';
import { moduleMetadata } from '../../../src/vm/verify/module-metadata.ts';
import { codesOfMembers, emitted, instructionsOf, instructionText, VECTOR } from './compiled.ts';

const B = `module b::other {
  struct Coin has store { value: u64 }
  struct Key<phantom T> has copy, drop { id: u8 }
  public fun mint(value: u64): Coin { Coin { value } }
  public fun key<T>(id: u8): Key<T> { Key { id } }
}`;

const A = `module a::m {
  use b::other::{Self, Coin};
  friend a::third;
  struct Purse has key { coin: Coin, number: u8 }
  struct Empty has copy, drop {}
  const Z: u64 = 7;
  const A: u64 = 9;
  const B: u64 = 7;
  public fun put(to: &signer) { move_to(to, Purse { coin: other::mint(Z), number: 1 }) }
  fun empty(): Empty { Empty {} }
  fun number(p: &mut Purse): &mut u8 { &mut p.number }
  public(friend) entry fun zero(): u64 { let Empty {} = empty(); A }
}`;

describe('the tables of a module', () => {
  const output = emitted([A, 'module a::third {}'], [B]);
  const module = readModule(output.modules.find(({ declaration }) => declaration.identity.name === 'm')!.bytes);

  it('name friends, the module itself, imports, structs, functions, fields, and what code uses, in that order', () => {
    expect(module.identifiers).toEqual([
      ...['third', 'm', 'other'],
      ...['Empty', 'Purse'],
      ...['empty', 'number', 'put', 'zero'],
      ...['dummy_field', 'coin', 'Coin', 'mint'],
    ]);
    expect(module.addresses.map((address) => address.at(-1))).toEqual([0xa, 0xb]);
    expect(module.moduleHandles).toEqual([
      { address: 0, name: 1 },
      { address: 1, name: 2 },
    ]);
    expect(module.friends).toEqual([{ address: 0, name: 0 }]);
  });

  it('have each signature once: parameters before results, locals and type arguments as they come', () => {
    // (), (Empty), (&mut Purse), (&mut u8), (&signer), (u64) of zero's result, (Coin) of mint's.
    expect(module.signatures.map((signature) => signature.length)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    const handles = module.functionHandles.map(({ parameters, returns }) => [parameters, returns]);
    expect(handles).toEqual([
      [0, 1],
      [2, 3],
      [4, 0],
      [0, 5],
      [5, 6],
    ]);
  });

  it('have constants in the order of their names, equal ones once', () => {
    expect(module.constants.map(({ data }) => data[0])).toEqual([9, 7]);
  });

  it('give a struct without fields one', () => {
    expect(module.structDefinitions[0]!.fields).toHaveLength(1);
    const { code } = module.functionDefinitions[3]!;
    expect(code!.instructions.map(instructionText)).toEqual(['Call 0', 'Unpack 0', 'Pop', 'LdConst 0', 'Ret']);
  });

  it('say who may call a function', () => {
    const seen = module.functionDefinitions.map(({ visibility, isEntry }) => [visibility, isEntry]);
    expect(seen).toEqual([
      [0, false],
      [0, false],
      [1, false],
      [3, true],
    ]);
  });
});

describe('imports', () => {
  it('stay where the optimiser removed what needed them', () => {
    // The branch is never taken and goes; the type of its local has been seen by then.
    const text = `module a::m {
      fun f() { if (1 == 2) { let k = b::other::key<u8>(1); let _ = copy k; let _ = k; } }
    }`;
    const [made] = emitted([text], [B]).modules;
    expect(made!.module.identifiers).toEqual(['m', 'other', 'f']);
    expect(made!.module.moduleHandles).toHaveLength(2);
    expect(made!.module.structHandles).toEqual([]);
  });
});

describe('vectors', () => {
  it('have instructions in place of calls', () => {
    const text = 'use std::vector; fun f(v: &mut vector<u8>): u64 { vector::push_back(v, 1); vector::length(v) }';
    // Signatures: parameters, result, locals (none), element.
    expect(instructionsOf(text)).toEqual([
      ...['CopyLoc 0', 'LdU8 1', 'VecPushBack 3'],
      ...['MoveLoc 0', 'FreezeRef', 'VecLen 3', 'Ret'],
    ]);
  });

  it('of values that are known are constants', () => {
    const [made] = emitted(['module a::m { fun f(): vector<vector<u16>> { vector[vector[1], vector[]] } }']).modules;
    expect([...made!.module.constants[0]!.data]).toEqual([2, 1, 1, 0, 0]);
  });

  it('of bytes may be longer than the instruction count allows', () => {
    const text = `module a::m { fun f(): vector<u8> { x"${'07'.repeat(70_000)}" } }`;
    const [made] = emitted([text]).modules;
    expect(made!.module.constants[0]!.data).toHaveLength(70_003);
  });
});

describe('places', () => {
  it('are those of what an instruction comes from', () => {
    const text = 'module a::m {\n  fun f(x: u64): u64 {\n    let y = x + 1;\n    y * y\n  }\n}';
    const [made] = emitted([text]).modules;
    const places = made!.functions[0]!.code.map(({ start, end }) => text.slice(start, end));
    expect(places).toEqual(['x', '1', '+', 'y', 'y', 'y', '*', 'y * y']);
    expect(made!.functions[0]!.locals.map(({ name }) => name)).toEqual(['y']);
  });
});

describe('metadata', () => {
  it('has what the attributes of the chain say', () => {
    const text = `module a::m {
      #[data_struct] struct S has copy, drop { a: u64 }
      #[private_generics(U)] public fun f<T, U>() {}
      #[data_struct(T)] public fun g<T: drop>(_t: T) {}
    }`;
    const metadata = moduleMetadata(emitted([text]).modules[0]!.module);
    expect(metadata).toEqual({
      privateGenerics: new Map([['0xa::m::f', [1n]]]),
      gasFree: new Map(),
      dataStructs: new Map([['0xa::m::S', true]]),
      dataStructFunctions: new Map([['0xa::m::g', [0n]]]),
    });
  });
});

describe('the verifier', () => {
  it('refuses a function whose code that acquires a resource never runs, as the network does', () => {
    const text = 'struct R has key {}\nfun f() acquires R {\n  if (false) { borrow_global<R>(@1); }\n}';
    expect(codesOfMembers(text)).toEqual(['ICE12002 3:5']);
  });
});

describe('scripts', () => {
  it('have a function without a handle', () => {
    const text =
      'script { const C: u64 = 3; fun main<T: drop>(v: vector<T>) { assert!(std::vector::is_empty(&v), C) } }';
    const [made] = emitted([text], [VECTOR]).scripts;
    const script = readScript(made!.bytes);
    expect(script.typeParameters).toHaveLength(1);
    expect(script.functionHandles).toHaveLength(1);
    expect(script.code.instructions.map(instructionText)).toEqual([
      'ImmBorrowLoc 0',
      'CallGeneric 0',
      'BrFalse 4',
      'Branch 6',
      'LdConst 0',
      'Abort',
      'Ret',
    ]);
  });
});
