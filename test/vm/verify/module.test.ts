import { describe, expect, it } from 'vitest';
import type { Module } from '../../../src/vm/binary/module.ts';
import * as token from '../../../src/vm/binary/signature-token.ts';
import { type StatusName, statusName } from '../../../src/vm/status.ts';
import type { IndexKind, VerifyLocation } from '../../../src/vm/verdict.ts';
import { StepMeter } from '../../../src/vm/verify/step-meter.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule } from '../assemble.ts';
import { cases } from './cases.ts';

function statusOf(module: Module, stepsMax?: number): string {
  const verdict = verifyModule(module, new StepMeter(stepsMax));
  return verdict.ok ? 'ok' : statusName(verdict.statusCode);
}

const BASE = assembleModule(`
  module 0x1::m
  struct S has copy, drop { f: u64 }
  struct Box<T> has drop { value: T }
  fun f<T>(x: u64): u64 { let y: T  MoveLoc x; LdConst u64 0x0100000000000000; Pop; Call g; Ret }
  fun g(x: u64): u64 { MoveLoc x; Ret }
  fun h(b: &Box<u8>): &u8 { MoveLoc b; ImmBorrowField Box<u8>.value; Ret }
  fun i(b: Box<u8>) { MoveLoc b; Unpack Box<u8>; Pop; Ret }`);

describe('bounds', () => {
  it.each<[StatusName, string, (module: Module) => Partial<Module>]>([
    ['NO_MODULE_HANDLES', 'a module without itself', () => ({ moduleHandles: [] })],
    ['INDEX_OUT_OF_BOUNDS', 'its own handle', () => ({ selfHandle: 1 })],
    ['INDEX_OUT_OF_BOUNDS', 'an address', () => ({ moduleHandles: [{ address: 1, name: 0 }] })],
    ['INDEX_OUT_OF_BOUNDS', 'an identifier', () => ({ moduleHandles: [{ address: 0, name: 99 }] })],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a struct handle of a type',
      () => ({ signatures: [[token.structOf(9)], ...BASE.signatures] }),
    ],
    [
      'NUMBER_OF_TYPE_ARGUMENTS_MISMATCH',
      'a generic struct without arguments',
      () => ({ signatures: [...BASE.signatures, [token.structOf(1)]] }),
    ],
    [
      'NUMBER_OF_TYPE_ARGUMENTS_MISMATCH',
      'a plain struct with arguments',
      () => ({ signatures: [...BASE.signatures, [token.structOf(0, [token.U8])]] }),
    ],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a signature of a function',
      (m) => ({ functionHandles: [{ ...m.functionHandles[0]!, returns: 99 }] }),
    ],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a type parameter of a signature',
      (m) => ({ functionHandles: m.functionHandles.map((it) => ({ ...it, typeParameters: [] })) }),
    ],
    ['INDEX_OUT_OF_BOUNDS', 'a field', () => ({ fieldHandles: [{ struct: 0, field: 1 }] })],
    ['INDEX_OUT_OF_BOUNDS', 'a friend', () => ({ friends: [{ address: 7, name: 0 }] })],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a struct of an instantiation',
      () => ({ structInstantiations: [{ generic: 9, typeArguments: 0 }] }),
    ],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a function of an instantiation',
      () => ({ functionInstantiations: [{ generic: 9, typeArguments: 0 }] }),
    ],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a field of an instantiation',
      () => ({ fieldInstantiations: [{ generic: 9, typeArguments: 0 }] }),
    ],
    [
      'INDEX_OUT_OF_BOUNDS',
      'a type parameter of a field',
      () => ({ structDefinitions: [{ handle: 0, fields: [{ name: 0, type: token.typeParameter(0) }] }] }),
    ],
    [
      'INDEX_OUT_OF_BOUNDS',
      'an acquired struct',
      (m) => ({ functionDefinitions: [{ ...m.functionDefinitions[0]!, acquires: [9] }] }),
    ],
  ])('%s: %s', (status, _title, change) => {
    expect(statusOf({ ...BASE, ...change(BASE) })).toBe(status);
  });

  it.each<[string, number, number]>([
    ['a local', 0x0a, 2],
    ['a constant', 0x07, 1],
    ['a jump', 0x05, 99],
    ['a function', 0x11, 9],
    ['a struct', 0x12, 9],
    ['a field', 0x10, 9],
    ['a function instantiation', 0x38, 9],
    ['a struct instantiation', 0x39, 9],
    ['a field instantiation', 0x37, 9],
    ['a signature', 0x41, 99],
  ])('INDEX_OUT_OF_BOUNDS: %s of an instruction, with its place', (_title, op, operand) => {
    const [first, ...rest] = BASE.functionDefinitions;
    const code = {
      ...first!.code!,
      instructions: [
        { op: 0x28, operand: 0, literal: 0n },
        { op, operand, literal: 0n },
      ],
    };
    const verdict = verifyModule({ ...BASE, functionDefinitions: [{ ...first!, code }, ...rest] });
    expect(verdict).toMatchObject({ ok: false, statusCode: 1001, location: { functionIndex: 0, codeOffset: 1 } });
  });

  it('TOO_MANY_LOCALS: 256 parameters and locals', () => {
    const locals = (count: number): string => Array.from({ length: count }, (_, i) => `let l${i}: u8`).join('\n');
    expect(statusOf(assembleModule(`module 0x1::m fun f(a: u8) { ${locals(254)} Ret }`))).toBe('ok');
    expect(statusOf(assembleModule(`module 0x1::m fun f(a: u8) { ${locals(255)} Ret }`))).toBe('TOO_MANY_LOCALS');
  });
});

describe('duplication', () => {
  const twice = <T>(items: readonly T[]): T[] => [...items, items[0]!];
  it.each<[StatusName, string, Partial<Module>]>([
    ['DUPLICATE_ELEMENT', 'an identifier', { identifiers: twice(BASE.identifiers) }],
    ['DUPLICATE_ELEMENT', 'an address', { addresses: twice(BASE.addresses) }],
    ['DUPLICATE_ELEMENT', 'a constant', { constants: twice(BASE.constants) }],
    ['DUPLICATE_ELEMENT', 'a signature', { signatures: twice(BASE.signatures) }],
    ['DUPLICATE_ELEMENT', 'a module handle', { moduleHandles: twice(BASE.moduleHandles) }],
    ['DUPLICATE_ELEMENT', 'a friend', { friends: [BASE.moduleHandles[0]!, BASE.moduleHandles[0]!] }],
    ['DUPLICATE_ELEMENT', 'a struct handle', { structHandles: twice(BASE.structHandles) }],
    ['DUPLICATE_ELEMENT', 'a function handle', { functionHandles: twice(BASE.functionHandles) }],
    ['DUPLICATE_ELEMENT', 'a struct instantiation', { structInstantiations: twice(BASE.structInstantiations) }],
    ['DUPLICATE_ELEMENT', 'a field handle', { fieldHandles: twice(BASE.fieldHandles) }],
    ['DUPLICATE_ELEMENT', 'a field instantiation', { fieldInstantiations: twice(BASE.fieldInstantiations) }],
    ['DUPLICATE_ELEMENT', 'a struct definition', { structDefinitions: twice(BASE.structDefinitions) }],
    ['DUPLICATE_ELEMENT', 'a function definition', { functionDefinitions: twice(BASE.functionDefinitions) }],
    [
      'UNIMPLEMENTED_HANDLE',
      'a struct that is not defined',
      {
        structDefinitions: BASE.structDefinitions.slice(1),
        fieldHandles: [],
        fieldInstantiations: [],
        structInstantiations: [],
        functionDefinitions: BASE.functionDefinitions.map((it) => ({ ...it, code: undefined })),
      },
    ],
    [
      'UNIMPLEMENTED_HANDLE',
      'a function that is not defined',
      { functionDefinitions: BASE.functionDefinitions.slice(0, 3) },
    ],
    [
      'INVALID_MODULE_HANDLE',
      'definitions of another module',
      { moduleHandles: [...BASE.moduleHandles, { address: 0, name: 1 }], selfHandle: 1 },
    ],
  ])('%s: %s', (status, _title, change) => {
    expect(statusOf({ ...BASE, ...change })).toBe(status);
  });

  it.each([
    ['ZERO_SIZED_STRUCT', 'a struct without fields', 'struct E {}'],
    ['DUPLICATE_ELEMENT', 'two fields of one name', 'struct E { f: u8, f: u64 }'],
  ])('%s: %s', (status, _title, text) => {
    expect(statusOf(assembleModule(`module 0x1::m ${text}`))).toBe(status);
  });
});

describe('types in their places', () => {
  const far = 'extern 0x2::far { struct Far<phantom T> has store  struct Near<T: copy> has copy, drop, store }';
  it.each(
    cases(`
    INVALID_SIGNATURE_TOKEN: a reference in a field | struct E { f: &u64 }
    INVALID_SIGNATURE_TOKEN: a vector of references | native fun f(x: vector<&u64>)
    INVALID_SIGNATURE_TOKEN: a reference to a reference | native fun f(x: &&u64)
    INVALID_SIGNATURE_TOKEN: a reference as argument of a struct | struct E<T> { f: T } native fun f(x: E<&u8>)
    CONSTRAINT_NOT_SATISFIED: an argument that lacks an ability | struct H { f: u8 } native fun f(x: 0x2::far::Near<H>)
    CONSTRAINT_NOT_SATISFIED: a parameter that lacks an ability | native fun f<T>(x: 0x2::far::Near<T>)
    ok: a parameter that has it | native fun f<T: copy>(x: 0x2::far::Near<T>)
    CONSTRAINT_NOT_SATISFIED: a field whose argument lacks an ability | struct E<T> { f: 0x2::far::Near<T> }
    CONSTRAINT_NOT_SATISFIED: a signer where copy is asked | native fun f(x: 0x2::far::Near<signer>)
    FIELD_MISSING_TYPE_ABILITY: a field that cannot be copied | struct H { f: u8 } struct E has copy { f: H }
    FIELD_MISSING_TYPE_ABILITY: a resource with a field that cannot be stored
      struct H { f: u8 } struct E has key { f: H }
    FIELD_MISSING_TYPE_ABILITY: a signer in a stored struct | struct E has store { f: signer }
    ok: a field of a parameter | struct E<T> has copy { f: T }
    INVALID_PHANTOM_TYPE_PARAM_POSITION: a phantom as a field | struct E<phantom T> { f: T }
    INVALID_PHANTOM_TYPE_PARAM_POSITION: a phantom as an element | struct E<phantom T> { f: vector<T> }
    INVALID_PHANTOM_TYPE_PARAM_POSITION: a phantom as an argument that is none
      struct E<phantom T: copy> { f: 0x2::far::Near<T> }
    ok: a phantom as a phantom argument | struct E<phantom T> { f: 0x2::far::Far<T> }
    RECURSIVE_STRUCT_DEFINITION: a struct in itself | struct E { f: E }
    RECURSIVE_STRUCT_DEFINITION: a struct in a vector of itself | struct E { f: vector<E> }
    RECURSIVE_STRUCT_DEFINITION: two structs in each other | struct A { f: B } struct B { f: A }
    RECURSIVE_STRUCT_DEFINITION: a struct as an argument of its field | struct B<T> { f: T } struct E { f: B<E> }
    RECURSIVE_STRUCT_DEFINITION: a generic struct in itself | struct E<T> { f: vector<E<T>>, g: T }
    ok: a struct twice | struct A { f: u8 } struct B { f: A, g: A }
    ok: an argument that has the ability | struct H has copy { f: u8 } native fun f(x: 0x2::far::Near<H>)
    CONSTRAINT_NOT_SATISFIED: a vector of what lacks the ability
      struct H { f: u8 } native fun f(x: 0x2::far::Near<vector<H>>)
    CONSTRAINT_NOT_SATISFIED: a vector of a parameter that lacks it
      native fun f<T: drop>(x: 0x2::far::Near<vector<T>>)
    ok: a vector of a parameter that has it | native fun f<T: copy>(x: 0x2::far::Near<vector<T>>)
    CONSTRAINT_NOT_SATISFIED: a result that lacks it | native fun f<T>(): 0x2::far::Near<T>
    CONSTRAINT_NOT_SATISFIED: one of two parameters
      native fun f<A: copy, B>(a: 0x2::far::Near<A>, b: 0x2::far::Near<B>)
    CONSTRAINT_NOT_SATISFIED: a parameter that lacks the first of two abilities
      struct D<T: drop> { f: T } native fun f<T: drop>(a: 0x2::far::Near<T>, b: D<T>)
    CONSTRAINT_NOT_SATISFIED: a parameter that lacks the second of two abilities
      struct D<T: drop> { f: T } native fun f<T: copy>(a: 0x2::far::Near<T>, b: D<T>)
    ok: a parameter that has both | struct D<T: drop> { f: T } native fun f<T: copy drop>(a: 0x2::far::Near<T>, b: D<T>)
    CONSTRAINT_NOT_SATISFIED: a parameter that lacks the first ability of one struct
      struct D<A: drop, B: copy> { f: A, g: B } native fun f<T: copy>(d: D<T, T>)
    ok: a parameter that has both abilities of one struct
      struct D<A: drop, B: copy> { f: A, g: B } native fun f<T: copy drop>(d: D<T, T>)
    ok: a phantom argument that lacks what the struct has
      struct H { f: u8 } struct E has store { f: 0x2::far::Far<H> }
    FIELD_MISSING_TYPE_ABILITY: a generic field whose argument cannot be stored
      struct H { f: u8 } struct G<T> has store { f: T } struct E has key { f: G<H> }
    ok: a generic field whose argument can be stored | struct G<T> has store { f: T } struct E has key { f: G<u8> }
    FIELD_MISSING_TYPE_ABILITY: a vector of what cannot be dropped
      struct H { f: u8 } struct E has drop { f: vector<H> }
    FIELD_MISSING_TYPE_ABILITY: the second field | struct H { f: u8 } struct E has drop { f: u8, g: H }
    INVALID_PHANTOM_TYPE_PARAM_POSITION: a phantom in the second field | struct E<phantom T> { f: u8, g: T }
    ok: a phantom among parameters of a function | struct E<phantom T> { f: u8 } native fun f<T>(x: T, e: E<T>)
  `),
  )('%s: %s', (status, _title, text) => {
    expect(statusOf(assembleModule(`module 0x1::m ${far} ${text}`))).toBe(status);
  });

  const near = `struct Near<T: copy> has drop { f: T } struct K<phantom P, T> has key { f: T }
    struct H { f: u8 } native fun g<T: copy>()`;
  it.each<[StatusName | 'ok', string, string, VerifyLocation?]>([
    ['CONSTRAINT_NOT_SATISFIED', 'a local', 'fun f<T>() { let x: Near<T> Ret }', { table: 'signature' }],
    ['ok', 'a local of a parameter with the ability', 'fun f<T: copy>() { let x: Near<T> Ret }'],
    // The stack is looked at later: where the types are right, it is what is wrong.
    ...[
      'Call g<T>',
      'Pack Near<T>',
      'Unpack Near<T>',
      'ImmBorrowField Near<T>.f',
      'VecLen Near<T>',
      'VecPack Near<T> 1',
    ].flatMap((code): [StatusName, string, string, VerifyLocation?][] => [
      ['CONSTRAINT_NOT_SATISFIED', code, `fun f<T>() { Nop; ${code}; Ret }`, { functionIndex: 1, codeOffset: 1 }],
      [
        code.startsWith('Call') ? 'EXTRANEOUS_ACQUIRES_ANNOTATION' : 'NEGATIVE_STACK_SIZE_WITHIN_BLOCK',
        `${code} where T has the ability`,
        `fun f<T: copy>() acquires K { Nop; ${code}; Ret }`,
      ],
    ]),
    ...['Exists', 'MoveFrom', 'MoveTo', 'ImmBorrowGlobal', 'MutBorrowGlobal'].flatMap(
      (op): [StatusName, string, string, VerifyLocation?][] => [
        [
          'CONSTRAINT_NOT_SATISFIED',
          `${op} without key`,
          `fun f() { ${op} Near<u8>; Ret }`,
          { table: 'structInstantiation', index: 0 },
        ],
        [
          'CONSTRAINT_NOT_SATISFIED',
          `${op} of what cannot be stored`,
          `fun f() { ${op} K<u8, H>; Ret }`,
          { table: 'signature' },
        ],
        [
          'CONSTRAINT_NOT_SATISFIED',
          `${op} of a parameter without store`,
          `fun f<T>() { Nop; ${op} K<u8, T>; Ret }`,
          { codeOffset: 1 },
        ],
        [
          'NEGATIVE_STACK_SIZE_WITHIN_BLOCK',
          `${op} of a parameter with store`,
          `fun f<T: store>() { ${op} K<u8, T>; Ret }`,
        ],
        ['NEGATIVE_STACK_SIZE_WITHIN_BLOCK', `${op} with any phantom`, `fun f<T>() { ${op} K<T, u8>; Ret }`],
      ],
    ),
    ['ok', 'a resource that cannot be stored, packed', 'fun f(h: H): K<u8, H> { MoveLoc h; Pack K<u8, H>; Ret }'],
    [
      'CONSTRAINT_NOT_SATISFIED',
      'a resource that cannot be stored, after it was packed',
      'fun f(h: H): K<u8, H> { MoveLoc h; Pack K<u8, H>; Ret } fun e() { Exists K<u8, H>; Ret }',
    ],
  ])('%s: %s', (status, _title, text, location = {}) => {
    const verdict = verifyModule(assembleModule(`module 0x1::m ${near} ${text}`));
    expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(status);
    if (!verdict.ok) expect(verdict.location).toMatchObject(location);
  });

  it.each<[StatusName, string, (m: Module) => Partial<Module>, VerifyLocation]>([
    [
      'INVALID_SIGNATURE_TOKEN',
      'a signature',
      (m) => ({ signatures: [...m.signatures, [token.vectorToken(token.referenceTo(token.U8))]] }),
      { table: 'signature' },
    ],
    ...(['functionInstantiations', 'structInstantiations', 'fieldInstantiations'] as const).flatMap(
      (table): [StatusName, string, (m: Module) => Partial<Module>, VerifyLocation][] => {
        const kind = table.slice(0, -1) as IndexKind;
        const added = (types: token.SignatureToken[]) => (m: Module) => {
          const [generic] = { functionInstantiations: [0], structInstantiations: [1], fieldInstantiations: [0] }[table];
          return {
            signatures: [...m.signatures, types],
            [table]: [...m[table], { generic: generic!, typeArguments: m.signatures.length }],
          };
        };
        const location = { table: kind, index: BASE[table].length };
        return [
          ['INVALID_SIGNATURE_TOKEN', `${kind}: a reference`, added([token.referenceTo(token.BOOL)]), location],
          ['NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', `${kind}: two arguments`, added([token.BOOL, token.BOOL]), location],
          [
            'NUMBER_OF_TYPE_ARGUMENTS_MISMATCH',
            `${kind}: no argument`,
            added([token.BOOL, token.U8, token.U16]),
            location,
          ],
        ];
      },
    ),
  ])('%s: what no code names: %s', (status, _title, change, location) => {
    const verdict = verifyModule({ ...BASE, ...change(BASE) });
    expect(verdict).toMatchObject({ ok: false, location });
    expect(verdict.ok || statusName(verdict.statusCode)).toBe(status);
  });

  it('the place of a fault is the entry that names the type', () => {
    const place = (text: string) => verifyModule(assembleModule(`module 0x1::m ${far} ${text}`));
    expect(place('native fun e() native fun f<T>(x: 0x2::far::Near<T>)')).toMatchObject({
      location: { table: 'functionHandle', index: 1 },
    });
    expect(place('struct A { f: u8 } struct E<T> { f: 0x2::far::Near<T> }')).toMatchObject({
      location: { table: 'structDefinition', index: 1 },
    });
  });

  it('a vector instruction names one type', () => {
    const module = assembleModule('module 0x1::m fun f(v: &vector<u8>, w: u8) { MoveLoc v; VecLen u8; Pop; Ret }');
    const of = (signature: number): Module => ({
      ...module,
      functionDefinitions: module.functionDefinitions.map((it) => ({
        ...it,
        code: {
          ...it.code!,
          instructions: it.code!.instructions.map((item) =>
            item.op === 0x41 ? { ...item, operand: signature } : item,
          ),
        },
      })),
    });
    const two = module.functionHandles[0]!.parameters;
    const verdict = verifyModule(of(two));
    expect(verdict).toMatchObject({ location: { functionIndex: 0, codeOffset: 1 } });
    expect(statusOf(of(two))).toBe('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH');
    expect(statusOf(of(module.functionHandles[0]!.returns))).toBe('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH');
  });

  it('more than 256 type parameters are an internal error of the reference', () => {
    const signatures = [...BASE.signatures, [token.typeParameter(256)]];
    expect(statusOf({ ...BASE, signatures })).toBe('UNKNOWN_INVARIANT_VIOLATION_ERROR');
    expect(statusOf({ ...BASE, signatures: [...BASE.signatures, [token.typeParameter(255)]] })).toBe('ok');
    const vector = [...BASE.signatures, [token.vectorToken(token.typeParameter(256))]];
    expect(statusOf({ ...BASE, signatures: vector })).toBe('UNKNOWN_INVARIANT_VIOLATION_ERROR');
    const parameters = (count: number): string => Array.from({ length: count }, (_, i) => `T${i}`).join(', ');
    for (const text of ['native fun f<$>()', 'struct E<$> { f: T0 }']) {
      const declared = (count: number): Module =>
        assembleModule(`module 0x1::m ${text.replace('$', parameters(count))} native fun g<T>()`);
      expect(statusOf(declared(257))).toBe('UNKNOWN_INVARIANT_VIOLATION_ERROR');
      expect(statusOf(declared(256))).toBe('ok');
    }
  });
});

describe('constants', () => {
  const constant = (type: token.SignatureToken, data: number[]): Module => ({
    ...BASE,
    constants: [...BASE.constants, { type, data: Uint8Array.from(data) }],
  });
  it.each<[StatusName | 'ok', string, token.SignatureToken, number[]]>([
    ['ok', 'a bool', token.BOOL, [1]],
    ['MALFORMED_CONSTANT_DATA', 'a bool of 2', token.BOOL, [2]],
    ['MALFORMED_CONSTANT_DATA', 'a short integer', token.U64, [1, 2]],
    ['MALFORMED_CONSTANT_DATA', 'bytes that remain', token.U8, [1, 2]],
    ['ok', 'a u256', token.U256, new Array(32).fill(255)],
    ['ok', 'a vector of vectors', token.vectorToken(token.vectorToken(token.U8)), [2, 1, 7, 0]],
    ['ok', 'a vector of two bytes each', token.vectorToken(token.U16), [2, 1, 1, 2, 2]],
    ['ok', 'a vector of bools', token.vectorToken(token.BOOL), [2, 0, 1]],
    ['MALFORMED_CONSTANT_DATA', 'a vector with a bool of 2', token.vectorToken(token.BOOL), [2, 0, 2]],
    ['MALFORMED_CONSTANT_DATA', 'a vector that ends early', token.vectorToken(token.U16), [2, 1, 1, 2]],
    ['MALFORMED_CONSTANT_DATA', 'a length in a longer form', token.vectorToken(token.U8), [0x80, 0]],
    ['MALFORMED_CONSTANT_DATA', 'a length of billions', token.vectorToken(token.BOOL), [0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['INVALID_CONSTANT_TYPE', 'a signer', token.SIGNER, new Array(32).fill(0)],
    ['INVALID_CONSTANT_TYPE', 'a struct', token.structOf(0), [0]],
    ['INVALID_CONSTANT_TYPE', 'a type parameter', token.typeParameter(0), [0]],
    ['INVALID_CONSTANT_TYPE', 'a reference', token.referenceTo(token.U8), [0]],
  ])('%s: %s', (status, _title, type, data) => {
    expect(statusOf(constant(type, data))).toBe(status);
  });
});

describe('friends', () => {
  it.each(
    cases(`
    INVALID_FRIEND_DECL_WITH_SELF: itself | friend 0x1::m
    INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS: another address | friend 0x2::m
    ok: a neighbour | friend 0x1::n
  `),
  )('%s: %s', (status, _title, text) => {
    expect(statusOf(assembleModule(`module 0x1::m ${text} struct S { f: u8 }`))).toBe(status);
  });
});

describe('hostile sizes', () => {
  it('a type of eight million nodes in a module of 50 kB is judged in a hundred thousand steps', () => {
    const list = (item: (index: number) => string): string => Array.from({ length: 200 }, (_, i) => item(i)).join(', ');
    const bytes = `W<${list(() => 'u8')}>`;
    const module = assembleModule(`module 0x1::m
      struct W<${list((i) => `T${i}`)}> has drop { f: u8 }
      struct V<T> has drop { w: W<${list(() => 'T')}> }
      native fun make<T>(): V<T>
      fun g() { Call make<W<${list(() => bytes)}>>; Unpack V<W<${list(() => bytes)}>>; Pop; Ret }`);
    expect(statusOf(module, 100_000)).toBe('ok');
  });

  it('a body of 60,000 instructions is judged in a million steps', () => {
    const text = `module 0x1::m fun f(x: u64) { ${'ImmBorrowLoc x; Pop; '.repeat(30_000)} Ret }`;
    expect(statusOf(assembleModule(text), 1_000_000)).toBe('ok');
  });

  it('a program that would take minutes is refused as the reference would refuse it with its meter on', () => {
    const parameters = Array.from({ length: 60 }, (_, i) => `p${i}: &mut u64`).join(', ');
    const locals = Array.from({ length: 180 }, (_, i) => `let r${i}: &u64`).join('\n');
    const fill = Array.from({ length: 180 }, (_, i) => `CopyLoc p0; FreezeRef; StLoc r${i}`).join('\n');
    const heads = Array.from({ length: 400 }, (_, i) => `n${i}: Nop`).join('\n');
    const loops = Array.from(
      { length: 400 },
      (_, i) => `CopyLoc p${i % 60}; FreezeRef; StLoc r${(i * 13) % 180}; LdTrue; BrTrue n${399 - i}`,
    ).join('\n');
    const text = `module 0x1::m fun f(${parameters}) { ${locals} ${fill} ${heads} ${loops} Ret }`;
    expect(verifyModule(assembleModule(text), new StepMeter(500_000))).toMatchObject({
      statusCode: 1075,
      message: expect.stringContaining('too complex'),
    });
  });
});
