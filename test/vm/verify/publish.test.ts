import { describe, expect, it } from 'vitest';
import { bool, encode, map, string, struct, u8, u64, vector } from '../../../src/base/bcs.ts';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { type Module, type ModuleLookup, moduleKey, selfIdOf } from '../../../src/vm/binary/module.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import type { VerifyResult } from '../../../src/vm/verdict.ts';
import { checkCalledSignature, hasInitFunction } from '../../../src/vm/verify/entry-functions.ts';
import { encodeMetadata, type ModuleMetadata, moduleMetadata } from '../../../src/vm/verify/module-metadata.ts';
import { checkMetadataCompatibility, complexityOf, verifyPublish } from '../../../src/vm/verify/publish.ts';
import { scriptModule } from '../../../src/vm/verify/script-module.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule, assembleScript } from '../assemble.ts';

interface Noted {
  readonly privateGenerics?: Readonly<Record<string, readonly bigint[]>>;
  readonly gasFree?: Readonly<Record<string, { readonly validate: string; readonly chargePost: string }>>;
  readonly dataStructs?: readonly string[];
  readonly dataStructFunctions?: Readonly<Record<string, readonly bigint[]>>;
}

/** The metadata entry, written here by the layout of execution.md section 3.6. */
function noted(module: Module, notes: Noted): Module {
  const attributes = map(
    string,
    vector(struct<{ kind: number; args: readonly string[] }>({ kind: u8, args: vector(string) })),
  );
  const none: readonly (readonly [string, never[]])[] = [];
  const parts = [
    encode(attributes, none),
    encode(attributes, none),
    encode(map(string, vector(u64)), Object.entries(notes.privateGenerics ?? {})),
    encode(
      map(string, struct<{ validate: string; chargePost: string }>({ validate: string, chargePost: string })),
      Object.entries(notes.gasFree ?? {}),
    ),
    encode(
      map(string, bool),
      (notes.dataStructs ?? []).map((name) => [name, true] as const),
    ),
    encode(map(string, vector(u64)), Object.entries(notes.dataStructFunctions ?? {})),
  ];
  const value = Uint8Array.from(parts.flatMap((part) => [...part]));
  return { ...module, metadata: [{ key: new TextEncoder().encode('rooch::metadata_v0'), value }] };
}

function lookupOf(...modules: Module[]): ModuleLookup {
  const byKey = new Map(modules.map((module) => [moduleKey(selfIdOf(module)), module]));
  return (id) => byKey.get(moduleKey(id));
}

function outcome(verdict: VerifyResult): number | 'ok' | string {
  if (verdict.ok) return 'ok';
  return verdict.subStatus ?? verdict.message;
}

function publish(text: string, notes?: Noted, stored: ModuleLookup = () => undefined): number | 'ok' | string {
  const module = assembleModule(`module 0x42::m ${text}`);
  return outcome(verifyPublish([notes === undefined ? module : noted(module, notes)], stored));
}

describe('metadata', () => {
  const module = assembleModule('module 0x42::m');
  const entry = noted(module, {}).metadata[0]!;
  it.each<[number | 'ok', string, Module]>([
    ['ok', 'none', module],
    ['ok', 'empty maps', { ...module, metadata: [entry] }],
    [10000, 'another key', { ...module, metadata: [{ ...entry, key: Uint8Array.of(1) }] }],
    [10000, 'the key twice', { ...module, metadata: [entry, entry] }],
    [10000, 'bytes that remain', { ...module, metadata: [{ ...entry, value: Uint8Array.from([...entry.value, 0]) }] }],
    [10000, 'bytes that end early', { ...module, metadata: [{ ...entry, value: entry.value.slice(1) }] }],
  ])('%s: %s', (expected, _title, it) => {
    expect(outcome(verifyPublish([it], () => undefined))).toBe(expected);
  });
});

describe('metadata that is written', () => {
  const none = {
    privateGenerics: new Map(),
    gasFree: new Map(),
    dataStructs: new Map(),
    dataStructFunctions: new Map(),
  };
  const helpers = { validate: '0x42::m::v', chargePost: '0x42::m::c' };
  it.each<[string, Partial<ModuleMetadata>, Noted]>([
    [
      'private generics',
      { privateGenerics: new Map([['0x42::m::f', [0n, 2n]]]) },
      { privateGenerics: { '0x42::m::f': [0n, 2n] } },
    ],
    ['functions without gas', { gasFree: new Map([['0x42::m::f', helpers]]) }, { gasFree: { '0x42::m::f': helpers } }],
    ['data structs', { dataStructs: new Map([['0x42::m::D', true]]) }, { dataStructs: ['0x42::m::D'] }],
    [
      'functions of data structs',
      { dataStructFunctions: new Map([['0x42::m::f', [1n]]]) },
      { dataStructFunctions: { '0x42::m::f': [1n] } },
    ],
  ])('%s: is one entry, and read as it was', (_title, metadata, notes) => {
    const entry = encodeMetadata({ ...none, ...metadata });
    const module = assembleModule('module 0x42::m');
    expect([entry]).toEqual(noted(module, notes).metadata);
    expect(moduleMetadata({ ...module, metadata: [entry!] })).toEqual({ ...none, ...metadata });
  });

  it('is one entry for several maps', () => {
    const metadata = {
      ...none,
      gasFree: new Map([['0x42::m::f', helpers]]),
      dataStructs: new Map([['0x42::m::D', true]]),
      privateGenerics: new Map([['0x42::m::f', [0n]]]),
      dataStructFunctions: new Map([['0x42::m::f', [0n]]]),
    };
    expect(encodeMetadata(metadata)).toBeDefined();
    expect(
      encodeMetadata({ ...none, gasFree: metadata.gasFree, privateGenerics: metadata.privateGenerics }),
    ).toBeDefined();
    expect(moduleMetadata({ ...assembleModule('module 0x42::m'), metadata: [encodeMetadata(metadata)!] })).toEqual(
      metadata,
    );
  });

  it('is no entry if there is nothing to write', () => {
    expect(encodeMetadata(none)).toBeUndefined();
  });
});

describe('private generics', () => {
  const owner = noted(assembleModule('module 0x2::o public fun emit<T>() { Ret }  public fun two<A, B>() { Ret }'), {
    privateGenerics: { '0x2::o::emit': [0n], '0x2::o::two': [1n] },
  });
  const extern =
    'extern 0x2::o { struct Own fun emit<T>()  fun two<A, B>() } extern 0x2::far { struct Far  struct Bag<T> }';
  const own = 'struct S { f: u8 } struct G<T> { f: T }';
  it.each<[number | 'ok', string, string, Noted?]>([
    ['ok', 'a struct of the module', 'fun f() { Call 0x2::o::emit<S>; Ret }'],
    ['ok', 'a generic struct of the module', 'fun f() { Call 0x2::o::emit<G<u8>>; Ret }'],
    [10011, 'a struct of another module', 'fun f() { Call 0x2::o::emit<0x2::far::Far>; Ret }'],
    [10011, 'a generic struct of another module', 'fun f() { Call 0x2::o::emit<0x2::far::Bag<S>>; Ret }'],
    [10011, 'a struct of the module that owns the function', 'fun f() { Call 0x2::o::emit<0x2::o::Own>; Ret }'],
    [10011, 'the second of two calls', 'fun f() { Call 0x2::o::emit<S>; Ret } fun g() { Call 0x2::o::emit<u8>; Ret }'],
    [
      10011,
      'a call after one of another function of the module',
      'fun f() { Call 0x2::o::two<u8, S>; Call 0x2::o::emit<u8>; Ret }',
    ],
    [10011, 'a primitive', 'fun f() { Call 0x2::o::emit<u8>; Ret }'],
    [10011, 'a vector of what is its own', 'fun f() { Call 0x2::o::emit<vector<S>>; Ret }'],
    [10011, 'a type parameter', 'fun f<T>() { Call 0x2::o::emit<T>; Ret }'],
    ['ok', 'a parameter that is not private', 'fun f() { Call 0x2::o::two<u8, S>; Ret }'],
    [10011, 'the private one of two', 'fun f() { Call 0x2::o::two<S, u8>; Ret }'],
    [10001, 'an entry for no function', '', { privateGenerics: { '0x42::m::g': [0n] } }],
    [
      10010,
      'an entry for another module of the name',
      'fun g<T>() { Ret }',
      { privateGenerics: { '0x43::m::g': [0n] } },
    ],
    [10007, 'an entry for a module', 'fun g<T>() { Ret }', { privateGenerics: { '0x42::m': [0n] } }],
    [10007, 'an entry without a module', 'fun g<T>() { Ret }', { privateGenerics: { g: [0n] } }],
    [
      'ok',
      'an entry with more parts',
      'fun g<T>() { Ret } fun f() { Call g<S>; Ret }',
      { privateGenerics: { '0x42::m::g::h': [0n] } },
    ],
    [
      10010,
      'of two faults the first by name, though the bytes have the shorter name first',
      '',
      { privateGenerics: { '0x42::m::g': [0n], '0x3::other::function': [0n] } },
    ],
    [10010, 'an entry for another module', '', { privateGenerics: { '0x2::o::emit': [0n] } }],
    [10007, 'an entry that is no name', '', { privateGenerics: { g: [0n] } }],
    [
      10011,
      'its own function',
      'fun g<T>() { Ret } fun f() { Call g<u8>; Ret }',
      { privateGenerics: { '0x42::m::g': [0n] } },
    ],
    [
      10003,
      'a parameter that the function lacks',
      'fun g<T>() { Ret } fun f() { Call g<S>; Ret }',
      { privateGenerics: { '0x42::m::g': [1n] } },
    ],
    [
      10004,
      'more parameters than the function has',
      'fun g<T>() { Ret } fun f() { Call g<S>; Ret }',
      { privateGenerics: { '0x42::m::g': [0n, 0n] } },
    ],
  ])('%s: %s', (expected, _title, text, notes) => {
    expect(publish(`${extern} ${own} ${text}`, notes, lookupOf(owner))).toBe(expected);
  });
});

describe('entry functions', () => {
  const extern = `extern 0x1::string { struct String has drop } extern 0x2::object { struct Object<T> has drop  struct ObjectID has drop }
    extern 0x2::far { struct Far has drop }`;
  it.each<[number | 'ok', string, string]>([
    ['ok', 'nothing', ''],
    ['ok', 'integers and addresses', 'a: u8, b: u256, c: address, d: bool'],
    ['ok', 'vectors of vectors', 'a: vector<vector<u8>>'],
    ['ok', 'a signer first', 's: &signer, a: u8'],
    ['ok', 'a signer by value', 's: signer'],
    [
      'ok',
      'a string, an object and an object id',
      'a: 0x1::string::String, b: 0x2::object::Object<u8>, c: 0x2::object::ObjectID',
    ],
    ['ok', 'objects by reference', 'a: &0x2::object::Object<u8>, b: &mut 0x2::object::Object<u8>'],
    [11001, 'another struct', 'a: 0x2::far::Far'],
    [11001, 'a reference to another struct', 'a: &0x2::far::Far'],
    [11001, 'a reference to a primitive', 'a: &u8'],
    [11001, 'a mutable signer', 's: &mut signer'],
    [11002, 'two signers', 's: &signer, t: &signer'],
    [11003, 'a signer later', 'a: u8, s: &signer'],
    [11003, 'a signer by value later', 'a: u8, s: signer'],
    [11002, 'two signers by value', 's: signer, t: signer'],
    ['ok', 'a vector of strings', 'a: vector<0x1::string::String>'],
    [11001, 'a vector of another struct', 'a: vector<0x2::far::Far>'],
  ])('%s: %s', (expected, _title, parameters) => {
    expect(publish(`${extern} entry fun f(${parameters}) { LdU64 1; Abort }`)).toBe(expected);
  });

  it.each<[number | 'ok', string, string]>([
    [11000, 'a result', 'entry fun f(): u8 { LdU8 1; Ret }'],
    [11001, 'a type parameter', 'entry fun f<T: drop>(t: T) { Ret }'],
    ['ok', 'a result of what is no entry', 'public fun f(): u8 { LdU8 1; Ret }'],
  ])('%s: %s', (expected, _title, text) => {
    expect(publish(text)).toBe(expected);
  });
});

describe('functions that a transaction calls', () => {
  const extern = 'extern 0x1::string { struct String has drop } extern 0x2::far { struct Far has drop }';
  // At a call the numbers for results and for parameters are exchanged.
  it.each<[number | 'ok', string]>([
    ['ok', '()'],
    ['ok', '(s: &signer, a: u8, b: 0x1::string::String, c: vector<vector<u8>>)'],
    ['ok', '(a: u8, s: signer, t: signer)'],
    [11000, '(a: 0x2::far::Far)'],
    [11000, '(a: u8, b: &u8)'],
    [11001, '(): u8'],
    [11001, '(a: 0x2::far::Far): u8'],
  ])('%s: fun f%s', (expected, declaration) => {
    const module = assembleModule(`module 0x42::m ${extern} native fun f${declaration}`);
    const { parameters, returns } = module.functionHandles[0]!;
    const verdict = checkCalledSignature(module, module.signatures[parameters]!, module.signatures[returns]!);
    expect(outcome(verdict)).toBe(expected);
  });
});

describe('a script as a module', () => {
  const SELF = 'ff'.repeat(32);
  it('has its function alone, public and entry', () => {
    const script = assembleScript(
      'extern 0x1::m { struct S has drop fun f<T>(T) } script<T: drop>(x: T, y: 0x1::m::S) { MoveLoc x; Call 0x1::m::f<T>; Ret }',
    );
    const module = scriptModule(script);
    expect(verifyModule(module)).toEqual({ ok: true });
    expect(selfIdOf(module)).toEqual({ address: fromHex(SELF), name: '<SELF>' });
    expect(module).toMatchObject({
      structDefinitions: [],
      structInstantiations: [],
      fieldHandles: [],
      fieldInstantiations: [],
    });
    expect(module.friends).toEqual([]);
    const [definition, ...others] = module.functionDefinitions;
    expect(others).toEqual([]);
    expect(definition).toMatchObject({ visibility: 1, isEntry: true, acquires: [], code: script.code });
    expect(module.functionHandles[definition!.handle]).toMatchObject({
      module: module.selfHandle,
      parameters: script.parameters,
      typeParameters: script.typeParameters,
    });
    expect(module.signatures[module.functionHandles[definition!.handle]!.returns]).toEqual([]);
  });

  it('has no entry twice', () => {
    const script = assembleScript(`extern 0x${SELF}::other { fun f() } script() { Call 0x${SELF}::other::f; Ret }`);
    const module = scriptModule(script);
    expect(module.addresses).toEqual(script.addresses);
    expect(module.signatures).toEqual(script.signatures);
    expect(module.identifiers).toEqual([...script.identifiers, '<SELF>']);
    expect(module.moduleHandles).toEqual([
      ...script.moduleHandles,
      { address: script.moduleHandles[0]!.address, name: script.identifiers.length },
    ]);
    const named = { ...script, identifiers: script.identifiers.map((name) => (name === 'other' ? '<SELF>' : name)) };
    expect(scriptModule(named)).toMatchObject({
      identifiers: named.identifiers,
      moduleHandles: script.moduleHandles,
      selfHandle: 0,
    });
  });
});

describe('init', () => {
  it.each<[number | 'ok', string, string]>([
    ['ok', 'without parameters', 'fun init() { Ret }'],
    ['ok', 'with a signer', 'fun init(s: &signer) { Ret }'],
    [12000, 'public', 'public fun init() { Ret }'],
    [12000, 'for friends', 'public(friend) fun init() { Ret }'],
    [12001, 'entry', 'entry fun init() { Ret }'],
    [12002, 'with a number', 'fun init(a: u8) { Ret }'],
    [10004, 'with two signers', 'fun init(s: &signer, t: &signer) { Ret }'],
  ])('%s: %s', (expected, _title, text) => {
    expect(publish(text)).toBe(expected);
  });

  it('is found if the module has it', () => {
    expect(hasInitFunction(assembleModule('module 0x1::m fun init() { Ret }'))).toBe(true);
    expect(hasInitFunction(assembleModule('module 0x1::m fun start() { Ret }'))).toBe(false);
  });
});

describe('global storage', () => {
  const resource = 'struct R has key { f: u8 } struct Q<T: store> has key { f: T }';
  it.each([
    'fun f(a: address): bool { MoveLoc a; Exists R; Ret }',
    'fun f(a: address): R acquires R { MoveLoc a; MoveFrom R; Ret }',
    'fun f(s: &signer, r: R) { MoveLoc s; MoveLoc r; MoveTo R; Ret }',
    'fun f(a: address) acquires R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }',
    'fun f(a: address) acquires R { MoveLoc a; MutBorrowGlobal R; Pop; Ret }',
    'fun f(a: address): bool { MoveLoc a; Exists Q<u8>; Ret }',
  ])('is banned: %s', (text) => {
    expect(publish(`${resource} ${text}`)).toBe(13000);
  });
});

describe('functions without gas', () => {
  const notes = (validate: string): Noted => ({ gasFree: { '0x42::m::f': { validate, chargePost: '0x42::m::g' } } });
  it.each<[number, string, string, string]>([
    [10001, 'a function that does not exist', '', '0x42::m::v'],
    [10001, 'a validator that does not exist', 'fun f() { Ret }', '0x42::m::v'],
    [10003, 'a validator without parameters', 'fun f() { Ret } fun v(): bool { LdTrue; Ret }', '0x42::m::v'],
    [10004, 'a validator with two of everything', 'fun f() { Ret } native fun v(a: u8, b: u8): u8, u8', '0x42::m::v'],
    [10003, 'a validator without results', 'fun f() { Ret } native fun v(a: u8)', '0x42::m::v'],
    [10005, 'a validator with two parameters', 'fun f() { Ret } native fun v(a: u8, b: u8): bool', '0x42::m::v'],
    [10005, 'a validator with two results', 'fun f() { Ret } native fun v(a: u8): bool, bool', '0x42::m::v'],
    [10001, 'a validator of another module', 'fun f() { Ret } native fun v(a: u8): bool', '0x43::m::v'],
    [10001, 'a validator without a module', 'fun f() { Ret } native fun v(a: u8): bool', 'v'],
    [10005, 'any other', 'fun f() { Ret } native fun v(a: u8): bool', '0x42::m::v'],
  ])('%s: %s', (expected, _title, text, validate) => {
    expect(publish(text, notes(validate))).toBe(expected);
  });
});

describe('data structs', () => {
  const names = (...structs: string[]): Noted => ({ dataStructs: structs.map((name) => `0x42::m::${name}`) });
  const far = noted(
    assembleModule('module 0x2::far struct Data has copy, drop { f: u8 } struct Other has copy, drop { f: u8 }'),
    {
      dataStructs: ['0x2::far::Data'],
    },
  );
  const extern = `extern 0x2::far { struct Data has copy, drop  struct Other has copy, drop }
    extern 0x1::option { struct Option<T> has copy, drop }`;
  const nested = (levels: number): string => {
    const structs = Array.from(
      { length: levels },
      (_, i) => `struct D${i} has copy, drop { f: ${i === 0 ? 'u8' : `D${i - 1}`} }`,
    );
    return structs.join(' ');
  };
  const allOf = (levels: number): Noted => names(...Array.from({ length: levels }, (_, i) => `D${i}`));
  it.each<[number | 'ok', string, string, Noted]>([
    [
      'ok',
      'primitives, vectors and options',
      'struct D has copy, drop { a: u8, b: vector<address>, c: 0x1::option::Option<u64> }',
      names('D'),
    ],
    [
      'ok',
      'another of the module',
      'struct E has copy, drop { f: u8 } struct D has copy, drop { f: E }',
      names('D', 'E'),
    ],
    ['ok', 'one of another module', 'struct D has copy, drop { f: 0x2::far::Data }', names('D')],
    [10015, 'a struct that is none', 'struct D has copy, drop { f: 0x2::far::Other }', names('D')],
    [10012, 'without drop', 'struct D has copy { f: u8 }', names('D')],
    [10013, 'without copy', 'struct D has drop { f: u8 }', names('D')],
    [
      10012,
      'with one of the module without drop',
      'struct E has copy { f: u8 } struct D has copy, drop { f: E }',
      names('D'),
    ],
    [10016, 'with a type parameter', 'struct D<T> has copy, drop { f: u8 }', names('D')],
    [10014, 'a generic struct', 'struct G<T> has copy, drop { f: T } struct D has copy, drop { f: G<u8> }', names('D')],
    [10014, 'a signer', 'struct D has copy, drop { f: signer }', names('D')],
    [10020, 'native', 'native struct D has copy, drop', names('D')],
    ['ok', 'fifteen levels deep', nested(15), allOf(15)],
    [10019, 'seventeen levels deep', nested(17), allOf(17)],
    ['ok', 'sixteen levels deep', nested(16), allOf(16)],
    [
      'ok',
      'fifteen vectors deep',
      `struct D has copy, drop { f: ${'vector<'.repeat(15)}u8${'>'.repeat(15)} }`,
      names('D'),
    ],
    [
      10019,
      'sixteen vectors deep',
      `struct D has copy, drop { f: ${'vector<'.repeat(16)}u8${'>'.repeat(16)} }`,
      names('D'),
    ],
    [
      10019,
      'of vectors and structs',
      `${nested(8)} struct D has copy, drop { f: ${'vector<'.repeat(8)}D7${'>'.repeat(8)} }`,
      names('D'),
    ],
    [
      'ok',
      'of one vector less',
      `${nested(8)} struct D has copy, drop { f: ${'vector<'.repeat(7)}D7${'>'.repeat(7)} }`,
      names(...'01234567'.split('').map((n) => `D${n}`), 'D'),
    ],
    [
      10019,
      'with a deep field after another',
      `${nested(16)} struct D has copy, drop { e: u8, f: vector<D15> }`,
      names('D'),
    ],
    [
      10019,
      'of vectors in a generic struct',
      `struct G<T> has copy, drop { f: ${'vector<'.repeat(14)}T${'>'.repeat(14)} } struct D has copy, drop { f: G<vector<u8>> }`,
      names('D'),
    ],
    // Not too deep, and so refused as a generic struct.
    [
      10014,
      'of a vector less in a generic struct',
      `struct G<T> has copy, drop { f: ${'vector<'.repeat(13)}T${'>'.repeat(13)} } struct D has copy, drop { f: G<vector<u8>> }`,
      names('D'),
    ],
    [
      10019,
      'of generic structs in each other',
      `struct G<T> has copy, drop { f: ${'vector<'.repeat(6)}T${'>'.repeat(6)} } struct H<T> has copy, drop { f: G<G<T>> } struct D has copy, drop { f: H<vector<u8>> }`,
      names('D'),
    ],
    [
      10014,
      'of generic structs in each other, a vector less',
      `struct G<T> has copy, drop { f: ${'vector<'.repeat(5)}T${'>'.repeat(5)} } struct H<T> has copy, drop { f: G<G<T>> } struct D has copy, drop { f: H<vector<u8>> }`,
      names('D'),
    ],
    [10015, 'a vector of a struct that is none', 'struct D has copy, drop { f: vector<0x2::far::Other> }', names('D')],
    [
      10015,
      'an option of a struct that is none',
      'struct D has copy, drop { f: 0x1::option::Option<0x2::far::Other> }',
      names('D'),
    ],
    [
      10012,
      'with a second field without drop',
      'struct E has copy { f: u8 } struct D has copy, drop { a: u8, f: E }',
      names('D'),
    ],
    [10019, 'in itself', 'struct D has copy, drop { f: vector<D> }', names('D')],
    [10002, 'that does not exist', '', names('D')],
    [10010, 'of another module', '', { dataStructs: ['0x2::far::Data'] }],
    [10006, 'without a name', '', { dataStructs: ['D'] }],
    [10006, 'without a module', 'struct D has copy, drop { f: u8 }', { dataStructs: ['0x42::D'] }],
    [10010, 'of another module of the name', 'struct D has copy, drop { f: u8 }', { dataStructs: ['0x43::m::D'] }],
  ])('%s: %s', (expected, _title, text, notes) => {
    expect(publish(`${extern} ${text}`, notes, lookupOf(far))).toBe(expected);
  });

  const decode = noted(assembleModule('module 0x2::bcs public fun decode<T>() { Ret }'), {
    dataStructFunctions: { '0x2::bcs::decode': [0n] },
  });
  const call = (type: string): string =>
    `${extern} extern 0x2::bcs { fun decode<T>() } struct D has copy, drop { f: u8 } struct N has copy, drop { f: u8 }
     struct G<T> has copy, drop { f: T } fun f<T>() { Call 0x2::bcs::decode<${type}>; Ret }`;
  it.each<[number | 'ok', string]>([
    ['ok', 'u64'],
    ['ok', 'address'],
    ['ok', 'D'],
    ['ok', '0x2::far::Data'],
    ['ok', '0x1::option::Option<D>'],
    ['ok', '0x1::option::Option<0x1::option::Option<u8>>'],
    [10008, 'N'],
    [10008, '0x2::far::Other'],
    [10008, '0x1::option::Option<N>'],
    [10009, 'vector<u8>'],
    [10009, 'signer'],
    [10009, 'T'],
    [10016, 'G<u8>'],
  ])('%s: a call with %s', (expected, type) => {
    expect(publish(call(type), names('D'), lookupOf(far, decode))).toBe(expected);
  });

  it.each<[number, string, string, Readonly<Record<string, readonly bigint[]>>]>([
    [10018, 'no parameter', 'fun g<T>() { Ret }', { '0x42::m::g': [] }],
    [10001, 'no function', '', { '0x42::m::g': [0n] }],
    [10010, 'a function of another module', '', { '0x2::bcs::decode': [0n] }],
    [10003, 'a parameter that is not there', 'fun g<T>() { Ret } fun f() { Call g<u8>; Ret }', { '0x42::m::g': [9n] }],
    [10004, 'too many parameters', 'fun g<T>() { Ret } fun f() { Call g<u8>; Ret }', { '0x42::m::g': [0n, 0n] }],
  ])('%s: an entry for %s', (expected, _title, text, dataStructFunctions) => {
    expect(publish(text, { dataStructFunctions })).toBe(expected);
  });

  it('are as deep as what they hold of other modules', () => {
    const deep = (levels: number): Module =>
      noted(
        assembleModule(
          `module 0x42::a ${nested(levels)} struct V has copy, drop { f: ${'vector<'.repeat(15)}u8${'>'.repeat(15)} }`,
        ),
        names(...Array.from({ length: levels }, (_, i) => `D${i}`)),
      );
    const own = noted(
      assembleModule(
        'module 0x42::b extern 0x42::a { struct D15 has copy, drop } struct E has copy, drop { f: 0x42::a::D15 }',
      ),
      { dataStructs: ['0x42::b::E'] },
    );
    const listed = (module: Module): Module =>
      noted(module, { dataStructs: Array.from({ length: 16 }, (_, i) => `0x42::a::D${i}`) });
    // D15 is sixteen levels deep, and so E is seventeen: published before, or with it.
    expect(outcome(verifyPublish([own], lookupOf(listed(deep(16)))))).toBe(10019);
    expect(outcome(verifyPublish([listed(deep(16)), own], () => undefined))).toBe(10019);
    // A struct that nobody knows has no depth, and is not in any metadata.
    expect(outcome(verifyPublish([own], () => undefined))).toBe(10015);
  });

  it('from an earlier module of the bundle count', () => {
    const first = noted(assembleModule('module 0x42::a struct D has copy, drop { f: u8 }'), {
      dataStructs: ['0x42::a::D'],
    });
    const second = noted(
      assembleModule(
        'module 0x42::b extern 0x42::a { struct D has copy, drop } struct E has copy, drop { f: 0x42::a::D }',
      ),
      {
        dataStructs: ['0x42::b::E'],
      },
    );
    expect(outcome(verifyPublish([first, second], () => undefined))).toBe('ok');
    expect(outcome(verifyPublish([second], () => undefined))).toBe(10015);
  });
});

describe('complexity', () => {
  it('counts nodes and names as the chain does', () => {
    // Signatures: () and (S): 8 + 1 ("S") + 1 ("m"). Function handle: 1 + 1 and its two signatures, 0 and 10.
    // Struct handle: 1 + 1. Locals of the body: (). Field: one node.
    const module = assembleModule('module 0x1::m struct S { f: u8 } fun f(): S { LdU8 1; Pack S; Ret }');
    expect(complexityOf(module, 1e9)).toBe(10 + (2 + 10) + 2 + 1);
  });

  it('counts the arguments of instantiations where they stand and where they are used', () => {
    const module = assembleModule(`module 0x1::m struct B<T> { f: vector<T> } fun f<T>(b: B<T>) {
      MoveLoc b; Unpack B<T>; VecUnpack T 0; Ret } fun g(b: &B<u8>) { MoveLoc b; ImmBorrowField B<u8>.f; Pop; Call f<u8>; Ret }`);
    // Signatures: (B<T>): 8 + 2 + 8; (): 0; (T): 8; (&B<u8>): 8 + 10 + 8; (u8): 8.
    const signatures = 18 + 8 + 26 + 8;
    // Of the struct (T), of the field (u8), of the function (u8).
    const instantiations = 8 + 8 + 8;
    const handles = 2 + 18 + (2 + 26) + 2;
    // Unpack and VecUnpack of f; the field and the call of g.
    const code = 8 + 8 + (8 + 8);
    expect(complexityOf(module, 1e9)).toBe(signatures + instantiations + handles + code + 2);
    // Counting may stop above the bound.
    expect(complexityOf(module, 10)).toBeGreaterThan(10);
  });

  it('is bounded by size', () => {
    const wide = `W<${Array.from({ length: 100 }, () => 'u64').join(', ')}>`;
    const parameters = Array.from({ length: 100 }, (_, i) => `T${i}`).join(', ');
    const calls = (count: number): string => `struct W<${parameters}> has drop { f: u8 } native fun g<T>()
      fun f() { ${`Call g<${wide}>; `.repeat(count)} Ret }`;
    expect(publish(calls(1))).toBe('ok');
    expect(publish(calls(100))).toContain('TOO_MANY_TYPE_NODES');
  });

  it('may be 2048 and five for each byte, and no more', () => {
    const wide = `W<${Array.from({ length: 100 }, () => 'u64').join(', ')}>`;
    const parameters = Array.from({ length: 100 }, (_, i) => `T${i}`).join(', ');
    /** A `Nop` takes one byte, and five from what is above the budget; a longer name of a struct takes four. */
    const module = (name: string, nops: number): Module =>
      assembleModule(`module 0x42::m struct W<${parameters}> has drop { f: u8 } struct ${name} { f: u8 }
        native fun g<T>() fun f() { ${`Call g<${wide}>; `.repeat(4)} ${'Nop; '.repeat(nops)} Ret }`);
    const above = (name: string, nops: number): number => {
      const it = module(name, nops);
      return complexityOf(it, 1e9) - (2048 + 5 * writeModule(it).length);
    };
    const refused = (name: string, nops: number): boolean => !verifyPublish([module(name, nops)], () => undefined).ok;
    const found = [1, 2, 3, 4, 5].map((length) => {
      const name = 'S'.repeat(length);
      let nops = 0;
      while (above(name, nops) > 4) nops += Math.max(1, Math.floor(above(name, nops) / 5) - 1);
      return [above(name, nops), refused(name, nops), refused(name, nops + 1)];
    });
    // One of five lengths meets the budget exactly.
    expect(found.map(([left]) => left).sort()).toEqual([0, 1, 2, 3, 4]);
    for (const [left, isRefused, isNextRefused] of found) {
      expect(isRefused).toBe(left !== 0);
      expect(isNextRefused).toBe(false);
    }
  });
});

describe('metadata of the next version', () => {
  const module = assembleModule('module 0x42::m fun g<T>() { Ret } struct D has copy, drop { f: u8 }');
  const next = assembleModule('module 0x42::m fun g<T>() { Ret } fun h<T>() { Ret } struct D has copy, drop { f: u8 }');
  const zero = { '0x42::m::g': [0n] };
  it.each<[number | 'ok', string, Noted, Noted]>([
    [
      'ok',
      'the same',
      { privateGenerics: zero, dataStructs: ['0x42::m::D'] },
      { privateGenerics: zero, dataStructs: ['0x42::m::D'] },
    ],
    [13001, 'a data struct removed', { dataStructs: ['0x42::m::D'] }, {}],
    ['ok', 'a data struct added', {}, { dataStructs: ['0x42::m::D'] }],
    [13003, 'a function removed', { dataStructFunctions: zero }, {}],
    [13004, 'a function changed', { dataStructFunctions: zero }, { dataStructFunctions: { '0x42::m::g': [1n] } }],
    [13008, 'a function that existed added', {}, { dataStructFunctions: zero }],
    ['ok', 'a new function added', {}, { dataStructFunctions: { '0x42::m::h': [0n] } }],
    [13005, 'private generics removed', { privateGenerics: zero }, {}],
    [13006, 'private generics changed', { privateGenerics: zero }, { privateGenerics: { '0x42::m::g': [0n, 0n] } }],
    [13009, 'private generics of a function that existed', {}, { privateGenerics: zero }],
    ['ok', 'private generics of a new function', {}, { privateGenerics: { '0x42::m::h': [0n] } }],
  ])('%s: %s', (expected, _title, before, after) => {
    expect(outcome(checkMetadataCompatibility(noted(module, before), noted(next, after)))).toBe(expected);
  });

  it('must be well formed on both sides', () => {
    const broken = {
      ...module,
      metadata: [{ key: new TextEncoder().encode('rooch::metadata_v0'), value: Uint8Array.of(9) }],
    };
    expect(outcome(checkMetadataCompatibility(broken, module))).toBe(10000);
    expect(outcome(checkMetadataCompatibility(module, broken))).toBe(10000);
  });
});
