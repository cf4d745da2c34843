/**
 * For every native, families of inputs meant to make it slow for its price: each gives arguments of about `n` bytes.
 *
 * Most are what the search of test/execution/native/cost.test.ts found worst among all that the types allow: the smallest items,
 * the deepest nesting, what is refused at its end. Natives without an argument that can be long have one input.
 * @module
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { encode } from '../../../src/base/bcs.ts';
import { type ObjectId, objectId } from '../../../src/chain/object/object-id.ts';
import { addressOf } from '../../../src/move/address.ts';
import { parseTypeTag, type TypeTag } from '../../../src/move/type-tag.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { ArrayVector, ByteVector } from '../../../src/vm/value/vector.ts';
import { assembleModule, assembleModuleBytes } from '../../vm/assemble.ts';
import { TIMESTAMP_ID } from '../runtime/chain.ts';
import type { NativeInput } from './direct-call.ts';

/** An input of about `n` bytes. */
export type Family = (n: number) => NativeInput;

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Structs whose values are the worst of their size. */
export const SHAPES: Module = assembleModule(`module 0x42::shapes
  struct One has copy, drop, store { x: u8 }
  struct Long has copy, drop, store { ${'x'.repeat(250)}: bool }
  struct Wide has copy, drop, store { ${times(60, (index) => `f${index}: u8${index === 59 ? '' : ','}`)} }
  struct Lists has copy, drop, store { ${times(60, (index) => `f${index}: vector<u8>${index === 59 ? '' : ','}`)} }
  struct Text has copy, drop, store { t: vector<u8> }
  struct List<T> has copy, drop, store { l: vector<T> }
  struct Nest<T> has copy, drop, store { a: T, b: T }`);

const fill = (n: number, byte: number): ByteVector => new ByteVector(new Uint8Array(n).fill(byte));
const text = (value: string): ByteVector => new ByteVector(Uint8Array.from(Buffer.from(value)));
const repeated = (n: number, unit: string): ByteVector => text(unit.repeat(Math.max(1, Math.floor(n / unit.length))));
/** BCS of a length. */
function uleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

/** Families by native; the types are those of the framework and of SHAPES. */
export function worstInputs(
  typeOf: (tag: TypeTag) => Type,
): Readonly<Record<string, Readonly<Record<string, Family>>>> {
  const type = (name: string): Type => typeOf(parseTypeTag(name));
  const [U8, U64, STRING] = ['u8', 'u64', '0x1::string::String'].map(type) as [Type, Type, Type];
  const OBJECT_ID = type('0x2::object::ObjectID');
  const HANDLE = type('0x2::object::Object<0x2::timestamp::Timestamp>');
  const TIME = type('0x2::timestamp::Timestamp');
  const string = (value: ByteVector): unknown => STRING.make(value);
  const idOf = (value: ObjectId): unknown => OBJECT_ID.decode(encode(objectId, value));
  /** `count` equal items, given as their BCS. */
  const listOf = (item: string, count: number, bytes: readonly number[]): unknown => {
    const whole = new Uint8Array(uleb(count).length + count * bytes.length);
    whole.set(uleb(count));
    for (let index = 0, at = uleb(count).length; index < count; index++, at += bytes.length) whole.set(bytes, at);
    return type(`vector<${item}>`).decode(whole);
  };
  const bytesOnly = (...families: readonly [string, (n: number) => ByteVector][]): Record<string, Family> =>
    Object.fromEntries(families.map(([name, make]) => [name, (n: number) => ({ given: [make(n)] })]));
  const anyBytes = bytesOnly(
    ['zeros', (n) => fill(n, 0)],
    ['0xff', (n) => fill(n, 0xff)],
    ['letters', (n) => fill(n, 0x61)],
  );

  /** Values of many kinds, for natives that take any. */
  const values: Readonly<Record<string, (n: number) => { type: Type; value: unknown }>> = Object.fromEntries(
    (
      [
        ['a number', 'u64', 0, [255, 255, 255, 255, 255, 255, 255, 255]],
        ['bytes', 'u8', 1, [0xff]],
        ['booleans', 'bool', 1, [1]],
        ['small numbers', 'u64', 8, [0, 0, 0, 0, 0, 0, 0, 0]],
        ['large numbers', 'u64', 8, new Array(8).fill(0xff)],
        ['u128', 'u128', 16, new Array(16).fill(0xff)],
        ['u256', 'u256', 32, new Array(32).fill(0xff)],
        ['addresses', 'address', 32, new Array(32).fill(0x5a)],
        ['empty vectors', 'vector<u8>', 1, [0]],
        ['empty vectors of vectors', 'vector<vector<u8>>', 1, [0]],
        ['vectors of one byte', 'vector<u8>', 2, [1, 0xff]],
        ['structs of one byte', '0x42::shapes::One', 1, [7]],
        ['structs with long names', '0x42::shapes::Long', 1, [1]],
        ['wide structs', '0x42::shapes::Wide', 60, new Array(60).fill(1)],
        ['empty texts', '0x1::string::String', 1, [0]],
        ['texts of a quote', '0x1::string::String', 2, [1, 0x22]],
        ['control characters', '0x1::string::String', 9, [8, 1, 1, 1, 1, 1, 1, 1, 1]],
        ['no options', '0x1::option::Option<u64>', 1, [0]],
        ['options', '0x1::option::Option<u8>', 2, [1, 1]],
        ['pairs of lists', '0x42::shapes::Nest<0x42::shapes::List<u8>>', 2, [0, 0]],
        ['object ids', '0x2::object::ObjectID', 1, [0]],
        ['decimals', '0x2::decimal_value::DecimalValue', 33, [...new Array(32).fill(0x7f), 30]],
        ['empty maps of bytes', '0x2::simple_map::SimpleMap<0x1::string::String, vector<u8>>', 1, [0]],
        ['maps of bytes', '0x2::simple_map::SimpleMap<0x1::string::String, vector<u8>>', 5, [1, 1, 0x61, 1, 0x31]],
      ] as const
    ).map(([name, item, size, bytes]) => [
      name,
      (n: number) =>
        size === 0
          ? { type: type(item), value: new Cell(type(item).decode(Uint8Array.from(bytes))) }
          : { type: type(`vector<${item}>`), value: listOf(item, Math.max(1, Math.floor(n / size)), bytes) },
    ]),
  );
  const textOfStrings = (n: number, unit: readonly number[]): { type: Type; value: unknown } => {
    const count = Math.max(1, Math.floor(n / unit.length));
    const whole = new ByteVector(Uint8Array.from({ length: count * unit.length }, (_, at) => unit[at % unit.length]!));
    return { type: STRING, value: string(whole) };
  };
  const anyValues: Readonly<Record<string, (n: number) => { type: Type; value: unknown }>> = {
    ...values,
    'one text': (n) => textOfStrings(n, [0x61]),
    'one text of control characters': (n) => textOfStrings(n, [1]),
    'one text of wide characters': (n) => textOfStrings(n, [0xf0, 0x9f, 0x98, 0x80]),
  };
  const ofValues = (before: readonly unknown[] = []): Record<string, Family> =>
    Object.fromEntries(
      Object.entries(anyValues).map(([name, make]) => [
        name,
        (n: number) => {
          const { type: of, value } = make(n);
          return { given: [...before, value], typeArguments: [of] };
        },
      ]),
    );
  const optionOf = (item: string): Type => type(`0x1::option::Option<${item}>`);
  const read = (
    unit: Readonly<Record<string, readonly [item: string, make: (n: number) => ByteVector]>>,
    isOption = true,
  ) =>
    Object.fromEntries(
      Object.entries(unit).map(([name, [item, make]]): [string, Family] => [
        name,
        (n) => ({ given: [make(n)], typeArguments: [type(item)], returns: isOption ? [optionOf(item)] : [type(item)] }),
      ]),
    );
  const bytesOf = (
    length: number,
    unit: readonly number[],
    head: readonly number[] = [],
    tail: readonly number[] = [],
  ) => {
    const count = Math.max(1, Math.floor(length / unit.length));
    const whole = new Uint8Array(head.length + count * unit.length + tail.length);
    whole.set(head);
    for (let index = 0, at = head.length; index < count; index++, at += unit.length) whole.set(unit, at);
    whole.set(tail, head.length + count * unit.length);
    return new ByteVector(whole);
  };
  /** A CBOR or RLP list head for that many bytes. */
  const cborArray = (count: number): number[] => [
    0x9a,
    count >>> 24,
    (count >>> 16) & 255,
    (count >>> 8) & 255,
    count & 255,
  ];
  const rlpList = (length: number): number[] => [
    0xfb,
    length >>> 24,
    (length >>> 16) & 255,
    (length >>> 8) & 255,
    length & 255,
  ];
  /** The 60 members of a wide struct after many that it does not have. */
  const wideCborMap = (n: number): ByteVector => {
    const others = Math.max(1, Math.floor(n / 4));
    const count = others + 60;
    const head = [0xba, count >>> 24, (count >>> 16) & 255, (count >>> 8) & 255, count & 255];
    const members = Array.from({ length: 60 }, (_, index) => [
      0x62 + Number(index > 9),
      ...Buffer.from(`f${index}`),
      1,
    ]);
    return bytesOf(others * 4, [0x62, 0x78, 0x78, 1], head, members.flat());
  };
  const wrapped = (n: number, open: string, close: string): ByteVector =>
    text(`${open.repeat(Math.min(120, n))}${close.repeat(Math.min(120, n))}`);

  const simple = (...given: readonly unknown[]): Record<string, Family> => ({ 'the only kind': () => ({ given }) });
  const vectors = (make: (n: number) => readonly unknown[]): Record<string, Family> =>
    Object.fromEntries(
      (
        [
          ['bytes', 'u8', 1],
          ['numbers', 'u64', 8],
          ['u256', 'u256', 32],
          ['vectors', 'vector<u8>', 1],
          ['structs', '0x42::shapes::One', 1],
        ] as const
      ).map(([name, item, size]): [string, Family] => [
        name,
        (n) => ({
          given: [listOf(item, Math.floor(n / size) + 1, new Array(size).fill(0)), ...make(n)],
          typeArguments: [type(item)],
        }),
      ]),
    );
  const element = (n: number): readonly [string, unknown, string] => [
    'list',
    listOf('u64', Math.floor(n / 8) + 1, new Array(8).fill(1)),
    'vector<u64>',
  ];

  const module = (functions: number): ByteVector =>
    new ByteVector(
      assembleModuleBytes(
        `module 0x42::m ${times(functions, (index) => `public fun f${index}(x: u64): u64 { MoveLoc x; LdU64 7; Add; Ret }`)}`,
      ),
    );
  const moduleOf = (n: number): ByteVector => module(Math.max(1, Math.min(2_000, Math.floor(n / 20))));
  const modules = (n: number): ArrayVector => new ArrayVector([moduleOf(n)]);
  const none = new ArrayVector([]);
  const replacing = (given: unknown): Record<string, Family> => ({
    'one module': (n) => ({ given: [modules(n), given, given] }),
  });
  const bitcoinAddress = type('0x3::bitcoin_address::BitcoinAddress');
  const key33 = new ByteVector(
    Uint8Array.from(Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex')),
  );
  const g1 = bls12_381.G1.Point.BASE.toBytes(true);
  const g2 = bls12_381.G2.Point.BASE.toBytes(true);
  const handle = (): unknown => HANDLE.decode(encode(objectId, TIMESTAMP_ID));
  const T = { typeArguments: [TIME], returns: [HANDLE] };
  const object = (...given: readonly unknown[]): Record<string, Family> => ({
    'one object': () => ({ ...T, given: [idOf(TIMESTAMP_ID), ...given] }),
  });
  const lent = (...given: readonly unknown[]): Record<string, Family> => ({
    'one object': () => ({ ...T, given: [handle(), ...given] }),
  });
  const field = (...given: readonly unknown[]): Record<string, Family> => ({
    'one field': () => ({ ...T, given: [idOf([]), TIMESTAMP_ID[0]!, ...given] }),
  });

  return {
    '0x1::bcs::to_bytes': ofValues(),
    '0x1::debug::print': simple(new Cell(5n)),
    '0x1::debug::print_stack_trace': simple(),
    '0x1::hash::sha2_256': anyBytes,
    '0x1::hash::sha3_256': anyBytes,
    '0x1::signer::borrow_address': simple(new (type('signer').structClass)(addressOf(1))),
    '0x1::string::internal_check_utf8': bytesOnly(
      ['letters', (n) => fill(n, 0x61)],
      ['wide characters', (n) => repeated(n, '😀')],
      ['two bytes each', (n) => repeated(n, 'é')],
      ['wrong at the end', (n) => bytesOf(n, [0x61], [], [0xff])],
    ),
    '0x1::string::internal_is_char_boundary': { 'in the middle': (n) => ({ given: [fill(n, 0x61), BigInt(n >> 1)] }) },
    '0x1::string::internal_sub_string': {
      whole: (n) => ({ given: [fill(n, 0x61), 0n, BigInt(n)] }),
      nothing: (n) => ({ given: [fill(n, 0x61), 0n, 0n] }),
    },
    '0x1::string::internal_index_of': {
      'the whole text': (n) => ({ given: [fill(n, 0x61), fill(n, 0x61)] }),
      'a pattern longer than the text': (n) => ({ given: [fill(1, 0x61), fill(n, 0x61)] }),
      'half of the text': (n) => ({ given: [fill(n, 0x61), fill(n >> 1, 0x61)] }),
      'what is not there': (n) => ({ given: [fill(n, 0x61), text(`${'a'.repeat(n >> 1)}b`)] }),
      'one letter': (n) => ({ given: [fill(n, 0x61), text('b')] }),
    },
    '0x1::type_name::get': {
      'a small type': () => ({ given: [], typeArguments: [U64], returns: [type('0x1::type_name::TypeName')] }),
      'nested types': (n) => ({
        given: [],
        typeArguments: [type(nest(Math.min(4, Math.floor(Math.log2(n + 1) / 2))))],
        returns: [type('0x1::type_name::TypeName')],
      }),
    },
    '0x1::vector::empty': { bytes: () => ({ given: [], typeArguments: [U8] }) },
    '0x1::vector::length': vectors(() => []),
    '0x1::vector::borrow': vectors(() => [0n]),
    '0x1::vector::borrow_mut': vectors(() => [0n]),
    '0x1::vector::push_back': {
      'a number': (n) => ({
        given: [listOf('u64', Math.floor(n / 8), new Array(8).fill(1)), 5n],
        typeArguments: [U64],
      }),
      'a vector': (n) => ({
        given: [listOf('vector<u64>', 1, [0]), element(n)[1]],
        typeArguments: [type(element(n)[2])],
      }),
      'a vector of empty vectors': (n) => ({
        given: [listOf('vector<vector<u64>>', 1, [0]), listOf('vector<u64>', n, [0])],
        typeArguments: [type('vector<vector<u64>>')],
      }),
    },
    '0x1::vector::native_append': {
      numbers: (n) => ({
        given: [listOf('u64', 1, new Array(8).fill(1)), listOf('u64', Math.floor(n / 8) + 1, new Array(8).fill(1))],
        typeArguments: [U64],
      }),
      bytes: (n) => ({ given: [fill(1, 1), fill(n, 1)], typeArguments: [U8] }),
      structs: (n) => ({
        given: [listOf('0x42::shapes::One', 1, [1]), listOf('0x42::shapes::One', n, [1])],
        typeArguments: [type('0x42::shapes::One')],
      }),
    },
    '0x1::vector::pop_back': vectors(() => []),
    '0x1::vector::destroy_empty': vectors(() => []),
    '0x1::vector::swap': vectors(() => [0n, 0n]),
    '0x2::ability::native_get_abilities': {
      nested: (n) => ({ given: [string(text(`${'vector<'.repeat(Math.min(8, n))}u8${'>'.repeat(Math.min(8, n))}`))] }),
      spaces: (n) => ({ given: [string(text(`u8${' '.repeat(n)}`))] }),
      'many arguments': (n) => ({
        given: [string(text(`0x1::m::S<${new Array(Math.max(1, Math.min(250, n >> 2))).fill('u8').join()}>`))],
      }),
    },
    '0x2::account::create_signer': { 'the only kind': () => ({ given: [addressOf(1)], returns: [type('signer')] }) },
    '0x2::base58::encoding': anyBytes,
    '0x2::base58::checksum_encoding': Object.fromEntries(
      Object.entries(anyBytes).map(([name, make]) => [name, (n: number) => ({ given: [...make(n).given, 0] })]),
    ),
    '0x2::base58::decoding': bytesOnly(
      ['z', (n) => fill(n, 0x7a)],
      ['1', (n) => fill(n, 0x31)],
      ['wrong at the end', (n) => bytesOf(n, [0x7a], [], [0x30])],
    ),
    '0x2::base58::checksum_decoding': {
      z: (n) => ({ given: [fill(n, 0x7a), 0] }),
      '1': (n) => ({ given: [fill(n, 0x31), 0] }),
    },
    '0x2::base64::encode': anyBytes,
    '0x2::base64::decode': bytesOnly(
      ['letters', (n) => fill(n - (n % 4) || 4, 0x41)],
      ['padded', (n) => bytesOf(n - (n % 4), [0x41], [], [0x41, 0x41, 0x3d, 0x3d])],
      ['wrong at the end', (n) => bytesOf(n, [0x41], [], [0x21])],
    ),
    '0x2::bcs::native_from_bytes': read({
      bytes: ['vector<u8>', (n) => bytesOf(n, [1], uleb(n))],
      booleans: ['vector<bool>', (n) => bytesOf(n, [1], uleb(n))],
      'small numbers': ['vector<u64>', (n) => bytesOf(n & ~7 || 8, new Array(8).fill(0), uleb(Math.max(1, n >> 3)))],
      u256: ['vector<u256>', (n) => bytesOf(n & ~31 || 32, new Array(32).fill(9), uleb(Math.max(1, n >> 5)))],
      'empty vectors': ['vector<vector<u8>>', (n) => bytesOf(n, [0], uleb(n))],
      structs: ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0], uleb(n))],
      texts: ['vector<0x1::string::String>', (n) => bytesOf(n, [0], uleb(n))],
      options: ['vector<0x1::option::Option<u8>>', (n) => bytesOf(n, [0], uleb(n))],
      'too short': ['vector<vector<u8>>', (n) => bytesOf(n, [0], uleb(n + 1))],
    }),
    '0x2::bech32::encode': {
      'without a checksum': (n) => ({ given: [0, text('bc'), fill(n, 0xff)] }),
      'with a checksum': (n) => ({ given: [173, text('bc'), fill(n, 0xff)] }),
    },
    '0x2::bech32::segwit_encode': {
      taproot: () => ({ given: [text('bc'), 1, fill(32, 7)] }),
      long: (n) => ({ given: [text('bc'), 1, fill(n, 7)] }),
    },
    '0x2::bech32::decode': {
      long: (n) => ({ given: [text('bc'), text(`bc1${'q'.repeat(n)}`)] }),
      right: () => ({ given: [text('bc'), text('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')] }),
      'a long prefix': (n) => ({ given: [fill(n, 0x61), text('bc1q')] }),
    },
    '0x2::bech32::segwit_decode': {
      right: () => ({ given: [text('bc'), 0x71, text('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')] }),
      long: (n) => ({ given: [text('bc'), 0x71, text(`bc1${'q'.repeat(n)}`)] }),
    },
    '0x2::bls12381::bls12381_min_sig_verify': {
      'well-formed, wrong': (n) => ({ given: [new ByteVector(g1), new ByteVector(g2), fill(n, 1)] }),
    },
    '0x2::bls12381::bls12381_min_pk_verify': {
      'well-formed, wrong': (n) => ({ given: [new ByteVector(g2), new ByteVector(g1), fill(n, 1)] }),
    },
    '0x2::cbor::native_from_cbor': read({
      numbers: ['vector<u64>', (n) => bytesOf(n, [1], cborArray(n))],
      'empty vectors': ['vector<vector<u8>>', (n) => bytesOf(n, [0x40], cborArray(n))],
      structs: ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0x81, 1], cborArray(Math.max(1, n >> 1)))],
      maps: ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0xa1, 0x61, 0x78, 1], cborArray(Math.max(1, n >> 2)))],
      'maps of other members': ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0xa0], cborArray(n))],
      'a map of many other members': ['0x42::shapes::Wide', wideCborMap],
      'what does not fit at its end': ['vector<u64>', (n) => bytesOf(n, [1], cborArray(n + 1), [0x40])],
      'deep arrays': ['u64', (n) => bytesOf(n, [0x81])],
      'endless arrays': ['u64', (n) => bytesOf(n, [0x9f])],
      floats: ['u64', (n) => bytesOf(n, [0xf9, 0, 1], cborArray(Math.max(1, Math.floor(n / 3))))],
      'large floats': [
        'u64',
        (n) => bytesOf(n, [0xfb, 1, 2, 3, 4, 5, 6, 7, 8], cborArray(Math.max(1, Math.floor(n / 9)))),
      ],
      tags: ['u64', (n) => bytesOf(n, [0xc2, 0x40], cborArray(Math.max(1, n >> 1)))],
      'bytes in pieces': ['vector<u8>', (n) => bytesOf(n, [0x40], [0x5f], [0xff])],
      text: [
        '0x1::string::String',
        (n) => bytesOf(n, [0x61], [0x7a, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]),
      ],
      'maps of bytes': [
        '0x2::simple_map::SimpleMap<0x1::string::String, vector<u8>>',
        (n) => bytesOf(n, [0x60, 1], [0xba, ...cborArray(Math.max(1, n >> 1)).slice(1)]),
      ],
      'wide structs from maps': [
        'vector<0x42::shapes::Wide>',
        (n) => {
          const map = [
            0xb8,
            60,
            ...Array.from({ length: 60 }, (_, at) => [
              ...(59 - at < 10 ? [0x62] : [0x63]),
              ...Buffer.from(`f${59 - at}`),
              1,
            ]).flat(),
          ];
          const count = Math.max(1, Math.floor(n / map.length));
          return bytesOf(count * map.length, map, cborArray(count));
        },
      ],
    }),
    '0x2::cbor::native_to_cbor': ofValues(),
    '0x2::event::native_emit': ofValues(),
    '0x2::event::native_emit_with_handle': ofValues([idOf([addressOf(0x77)])]),
    '0x2::evm::ec_recover': {
      right: () => ({
        given: ['456e9aea5e197a1f1af7a3e85a3207a2', '00', '9242685bf161793cc25603c231bc2f56', 'x'].map((_, at) =>
          at === 1 ? bytesOf(32, [0], [], []) : fill(32, at + 1),
        ),
      }),
      'a signature': () => ({
        given: [
          new ByteVector(
            Uint8Array.from(Buffer.from('456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3', 'hex')),
          ),
          bytesOf(31, [0], [], [28]),
          new ByteVector(
            Uint8Array.from(Buffer.from('9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608', 'hex')),
          ),
          new ByteVector(
            Uint8Array.from(Buffer.from('4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada', 'hex')),
          ),
        ],
      }),
    },
    '0x2::evm::modexp': {
      'long exponents': (n) => modexp(32, Math.min(n, 4_000), 32),
      'long moduli': (n) => modexp(Math.min(n, 4_000), 1, Math.min(n, 4_000)),
      'all long': (n) => modexp(Math.min(n, 900), Math.min(n, 900), Math.min(n, 900)),
      'even moduli': (n) => modexp(Math.min(n, 900), Math.min(n, 900), Math.min(n, 900), 0x80),
    },
    '0x2::evm::ec_add': simple(
      bytesOf(31, [0], [], [1]),
      bytesOf(31, [0], [], [2]),
      bytesOf(31, [0], [], [1]),
      bytesOf(31, [0], [], [2]),
    ),
    '0x2::evm::ec_mul': simple(bytesOf(31, [0], [], [1]), bytesOf(31, [0], [], [2]), fill(32, 0xff)),
    '0x2::evm::ec_pairing': {
      zeros: (n) => ({ given: [fill(192 * Math.max(1, Math.min(40, Math.floor(n / 192))), 0)] }),
      points: (n) => ({ given: [pairs(Math.max(1, Math.min(20, Math.floor(n / 192))))] }),
      'not of a curve': (n) => ({ given: [fill(192 * Math.max(1, Math.floor(n / 192)), 1)] }),
    },
    '0x2::evm::blake2f': {
      rounds: (n) => ({
        given: [
          new ByteVector(Uint8Array.of(0, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)),
          fill(64, 1),
          fill(128, 2),
          fill(16, 0),
          fill(1, 1),
        ],
      }),
    },
    '0x2::evm::point_evaluation': simple(fill(32, 1), fill(32, 2), fill(32, 3), new ByteVector(g1), new ByteVector(g1)),
    '0x2::groth16::prepare_verifying_key_internal': {
      points: (n) => ({
        given: [0, verifyingKey(Math.max(1, Math.min(256, Math.floor(n / 48))), g1, g2)],
        returns: [type('0x2::groth16::PreparedVerifyingKey')],
      }),
    },
    '0x2::groth16::verify_groth16_proof_internal': {
      'a wrong proof': () => ({
        given: [
          0,
          verifyingKey(2, g1, g2),
          fill(576, 1),
          new ByteVector(g2),
          new ByteVector(g2),
          fill(32, 1),
          new ByteVector(Uint8Array.from([...g1, ...g2, ...g1])),
        ],
      }),
    },
    '0x2::hash::keccak256': anyBytes,
    '0x2::hash::blake2b256': anyBytes,
    '0x2::hash::ripemd160': anyBytes,
    '0x2::json::native_from_json': read({
      text: ['0x1::string::String', (n) => text(`"${'a'.repeat(n)}"`)],
      escapes: ['0x1::string::String', (n) => text(`"${'\\n'.repeat(n >> 1)}"`)],
      'escaped characters': ['0x1::string::String', (n) => text(`"${'\\u00e9'.repeat(Math.ceil(n / 6))}"`)],
      'pairs of escapes': ['0x1::string::String', (n) => text(`"${'\\ud83d\\ude00'.repeat(Math.ceil(n / 12))}"`)],
      numbers: ['0x42::shapes::List<u64>', (n) => text(`{"l":[${new Array(Math.max(1, n >> 1)).fill('1').join()}]}`)],
      'a long number': ['0x42::shapes::List<u64>', (n) => text(`{"l":[${'9'.repeat(n)}]}`)],
      'long numbers': [
        '0x42::shapes::List<u64>',
        (n) =>
          text(
            `{"l":[${new Array(Math.max(1, Math.ceil(n / 41))).fill('1234567890.123456789e-12345678901234567').join()}]}`,
          ),
      ],
      'empty arrays': [
        '0x42::shapes::List<vector<u8>>',
        (n) => text(`{"l":[${new Array(Math.max(1, Math.ceil(n / 3))).fill('[]').join()}]}`),
      ],
      'empty objects': [
        '0x42::shapes::List<0x42::shapes::List<u8>>',
        (n) => text(`{"l":[${new Array(Math.max(1, Math.ceil(n / 3))).fill('{}').join()}]}`),
      ],
      'lists for nothing': [
        '0x42::shapes::List<0x42::shapes::Lists>',
        (n) => text(`{"l":[${new Array(Math.max(1, n >> 1)).fill('1').join()}]}`),
      ],
      'a decimal with spaces': ['0x2::decimal_value::DecimalValue', (n) => text(`"1${' '.repeat(n)}1"`)],
      'members that nobody asks for': [
        '0x42::shapes::List<u8>',
        (n) => text(`{${Array.from({ length: Math.max(1, Math.ceil(n / 10)) }, (_, at) => `"${at}":1`).join()}}`),
      ],
      'the same member': [
        '0x42::shapes::List<u8>',
        (n) => text(`{${new Array(Math.max(1, Math.ceil(n / 6))).fill('"a":1').join()}}`),
      ],
      'deep arrays': ['0x42::shapes::List<u8>', (n) => wrapped(n, '[', ']')],
      spaces: ['0x42::shapes::List<u8>', (n) => text(`{${' '.repeat(n)}}`)],
      'a map of texts': [
        '0x2::simple_map::SimpleMap<0x1::string::String, 0x1::string::String>',
        (n) => text(`{${Array.from({ length: Math.max(1, Math.ceil(n / 12)) }, (_, at) => `"${at}":[{}]`).join()}}`),
      ],
      'a decimal': ['0x2::decimal_value::DecimalValue', (n) => text(`"0.${'1'.repeat(n)}"`)],
      'an object id': ['0x2::object::ObjectID', (n) => text(`"0x${'ab'.repeat(n >> 1)}"`)],
      addresses: [
        '0x42::shapes::List<address>',
        (n) => text(`{"l":[${new Array(Math.max(1, Math.ceil(n / 66))).fill(`"rooch1${'q'.repeat(58)}"`).join()}]}`),
      ],
    }),
    '0x2::json::native_to_json': ofValues(),
    '0x2::move_module::module_id_inner': { 'one module': (n) => ({ given: [moduleOf(n)], returns: [STRING] }) },
    '0x2::move_module::module_id_from_name': {
      'a long name': (n) => ({ given: [addressOf(1), string(fill(n, 0x61))], returns: [STRING] }),
    },
    '0x2::move_module::sort_and_verify_modules_inner': {
      'one module': (n) => verifying([moduleOf(n)]),
      'a module that keeps the verifier busy': (n) => verifying([busyModule(n)]),
      'many modules': (n) =>
        verifying(
          Array.from(
            { length: Math.min(64, Math.max(1, n >> 7)) },
            (_, at) => new ByteVector(assembleModuleBytes(`module 0x42::m${at}`)),
          ),
        ),
    },
    '0x2::move_module::request_init_functions': {
      ids: (n) => ({
        given: [new ArrayVector(Array.from({ length: Math.max(1, n >> 4) }, (_, at) => string(text(`0x42::m${at}`))))],
      }),
    },
    '0x2::move_module::check_compatibililty_inner': {
      'the same module': (n) => ({ given: [moduleOf(n), moduleOf(n)] }),
    },
    '0x2::move_module::replace_address_identifiers': replacing(none),
    '0x2::move_module::replace_addresses_constant': replacing(none),
    '0x2::move_module::replace_identifiers': replacing(none),
    '0x2::move_module::replace_bytes_constant': replacing(none),
    '0x2::move_module::replace_u8_constant': replacing(fill(0, 0)),
    '0x2::move_module::replace_u64_constant': replacing(type('vector<u64>').decode(Uint8Array.of(0))),
    '0x2::move_module::replace_u256_constant': replacing(type('vector<u256>').decode(Uint8Array.of(0))),
    '0x2::rlp::to_bytes': ofValues(),
    '0x2::rlp::from_bytes': read(
      {
        bytes: ['vector<u8>', (n) => bytesOf(n, [1], [0xbb, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255])],
        numbers: ['vector<u64>', (n) => bytesOf(n, [1], rlpList(n))],
        'empty strings': ['vector<vector<u8>>', (n) => bytesOf(n, [0x80], rlpList(n))],
        'empty lists': ['vector<vector<vector<u8>>>', (n) => bytesOf(n, [0xc0], rlpList(n))],
        structs: ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0xc1, 1], rlpList(n & ~1 || 2))],
        'what stands behind the outermost list': ['vector<u64>', (n) => bytesOf(n, [1], rlpList(1))],
        'lists that are too short': ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0xc0], rlpList(n))],
      },
      false,
    ),
    '0x2::signer::module_signer': {
      'the only kind': () => ({ given: [], typeArguments: [STRING], returns: [type('signer')] }),
    },
    '0x2::test_helper::destroy': { 'a vector': (n) => ({ given: [fill(n, 1)], typeArguments: [type('vector<u8>')] }) },
    '0x2::tx_context::borrow_inner': {
      'the only kind': () => ({ given: [], returns: [{ item: type('0x2::tx_context::TxContext') } as Type] }),
    },
    '0x2::tx_context::borrow_mut_inner': {
      'the only kind': () => ({ given: [], returns: [{ item: type('0x2::tx_context::TxContext') } as Type] }),
    },
    '0x2::type_info::type_of': {
      'a small type': () => ({ given: [], typeArguments: [STRING], returns: [type('0x2::type_info::TypeInfo')] }),
      'nested types': (n) => ({
        given: [],
        typeArguments: [type(nest(Math.min(4, Math.floor(Math.log2(n + 1) / 2))))],
        returns: [type('0x2::type_info::TypeInfo')],
      }),
    },
    ...Object.fromEntries(
      ['owner', 'size', 'created_at', 'updated_at', 'flag'].map((what) => [
        `0x2::object::native_object_${what}`,
        object(),
      ]),
    ),
    '0x2::object::native_borrow_object': {
      'one object': () => ({ ...T, given: [idOf(TIMESTAMP_ID)], returns: [{ item: HANDLE } as Type] }),
    },
    '0x2::object::native_borrow_mut_object': {
      'one object': () => ({ ...T, given: [idOf(TIMESTAMP_ID)], returns: [{ item: HANDLE } as Type] }),
    },
    '0x2::object::native_take_object': object(),
    '0x2::object::native_clear_fields': object(),
    '0x2::object::native_transfer_object': lent(addressOf(1)),
    '0x2::object::native_to_shared_object': lent(),
    '0x2::object::native_to_frozen_object': lent(),
    '0x2::object::native_borrow_field': field(),
    '0x2::object::native_borrow_mut_field': field(),
    '0x2::object::native_contains_field': field(),
    '0x2::object::native_contains_field_with_value_type': field(),
    '0x2::object::native_remove_field': field(),
    '0x2::object::native_add_field': {
      'one field': () => ({ ...T, given: [idOf([]), addressOf(0x77), TIME.decode(new Uint8Array(8))] }),
      'a large value': (n) => ({
        typeArguments: [type('0x42::shapes::List<vector<u8>>')],
        returns: [HANDLE],
        given: [idOf([]), addressOf(0x77), type('0x42::shapes::List<vector<u8>>').make(listOf('vector<u8>', n, [0]))],
      }),
    },
    '0x2::object::native_list_field_keys': {
      keys: (n) => ({
        given: [idOf([]), type('0x1::option::Option<address>').decode(Uint8Array.of(0)), BigInt(n)],
        returns: [type('vector<address>')],
      }),
    },
    '0x3::ed25519::verify': {
      'well-formed, wrong': (n) => ({
        given: [
          fill(64, 1),
          new ByteVector(
            Uint8Array.from(Buffer.from('5866666666666666666666666666666666666666666666666666666666666666', 'hex')),
          ),
          fill(n, 1),
        ],
      }),
    },
    '0x3::ecdsa_k1::ecrecover': {
      sha256: (n) => ({ given: [bytesOf(64, [1], [], [0]), fill(n, 1), 1] }),
      keccak256: (n) => ({ given: [bytesOf(64, [1], [], [0]), fill(n, 1), 0] }),
    },
    '0x3::ecdsa_k1::decompress_pubkey': { 'a key': () => ({ given: [key33] }) },
    '0x3::ecdsa_k1::verify': {
      sha256: (n) => ({ given: [fill(64, 1), key33, fill(n, 1), 1] }),
      keccak256: (n) => ({ given: [fill(64, 1), key33, fill(n, 1), 0] }),
    },
    '0x3::ecdsa_r1::native_verify': {
      'a key': (n) => ({
        given: [
          fill(64, 1),
          new ByteVector(
            Uint8Array.from(Buffer.from('036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296', 'hex')),
          ),
          fill(n, 1),
        ],
      }),
    },
    '0x3::rs256::native_verify': {
      'a large modulus': (n) => ({
        given: [fill(512, 1), fill(512, 0xff), fill(Math.min(512, Math.max(3, n)), 0xff), fill(n, 1)],
      }),
      'a large exponent': (n) => ({ given: [fill(256, 1), fill(256, 0xff), fill(Math.max(3, n), 0xff), fill(1, 1)] }),
      'all large': (n) => ({ given: [fill(n, 1), fill(n, 0xff), fill(n, 0xff), fill(1, 1)] }),
    },
    '0x3::rs256::native_verify_prehash': {
      'a large modulus': (n) => ({
        given: [fill(512, 1), fill(512, 0xff), fill(Math.min(512, Math.max(3, n)), 0xff), fill(32, 1)],
      }),
      'all large': (n) => ({ given: [fill(n, 1), fill(n, 0xff), fill(n, 0xff), fill(32, 1)] }),
    },
    '0x3::bitcoin_address::parse': bytesOnly(
      ['letters', (n) => fill(n, 0x7a)],
      ['bech32', (n) => text(`bc1${'q'.repeat(n)}`)],
      ['ones', (n) => fill(n, 0x31)],
    ),
    '0x3::bitcoin_address::verify_bitcoin_address_with_public_key': {
      'a key': () => ({
        given: [bitcoinAddress.make(bytesOf(32, [7], [2, 1])), key33],
        parameters: [{ item: bitcoinAddress } as Type],
      }),
      'a long address': (n) => ({
        given: [bitcoinAddress.make(bytesOf(n, [7], [2, 1])), key33],
        parameters: [{ item: bitcoinAddress } as Type],
      }),
    },
    '0x3::bitcoin_address::derive_bitcoin_taproot_address': {
      'a key': () => ({
        given: [key33, type('0x1::option::Option<address>').decode(Uint8Array.from([1, ...new Array(32).fill(3)]))],
        returns: [bitcoinAddress],
      }),
    },
    '0x4::ord::from_witness': Object.fromEntries(
      (
        [
          ['empty envelopes', [0x00, 0x63, 0x03, 0x6f, 0x72, 0x64, 0x68]],
          ['begun envelopes', [0x00, 0x63]],
          ['envelopes in envelopes', [0x00, 0x63, 0x03, 0x6f, 0x72, 0x64]],
          ['empty pushes', [0x00]],
          ['tags', [0x01, 0x01, 0x00]],
        ] as const
      ).map(([name, unit]): [string, Family] => [
        name,
        (n) => ({
          given: [
            type('0x4::types::Witness').make(
              new ArrayVector([
                name === 'tags' ? bytesOf(n, unit, [0x00, 0x63, 0x03, 0x6f, 0x72, 0x64], [0x68]) : bytesOf(n, unit),
                bytesOf(32, [3], [0xc0]),
              ]),
            ),
          ],
          returns: [type('vector<0x4::ord::Envelope<0x4::ord::InscriptionRecord>>')],
        }),
      ]),
    ),
  };

  function verifying(codes: readonly ByteVector[]): NativeInput {
    return {
      given: [new ArrayVector([...codes]), addressOf(0x42)],
      returns: [type('vector<0x1::string::String>'), type('vector<0x1::string::String>'), type('vector<u64>')],
    };
  }

  function nest(levels: number): string {
    return levels <= 0 ? 'u8' : `0x42::shapes::Nest<${nest(levels - 1)}>`;
  }
}

/** Three numbers of bytes, all 0xff. */
function modexp(base: number, exponent: number, modulus: number, last = 0xff): NativeInput {
  const length = (value: number): ByteVector => {
    const bytes = new Uint8Array(32);
    new DataView(bytes.buffer).setUint32(28, value);
    return new ByteVector(bytes);
  };
  const odd = new Uint8Array(modulus).fill(0xff);
  odd[modulus - 1] = last;
  return {
    given: [
      length(base),
      length(exponent),
      length(modulus),
      fill(base, 0xff),
      fill(exponent, 0xff),
      new ByteVector(odd),
    ],
  };
}

const G2_OF_BN254 =
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa';

function pairs(count: number): ByteVector {
  const one = Buffer.from(`${'00'.repeat(31)}01${'00'.repeat(31)}02${G2_OF_BN254}`, 'hex');
  return new ByteVector(Uint8Array.from(Buffer.concat(new Array(count).fill(one))));
}

function verifyingKey(points: number, g1: Uint8Array, g2: Uint8Array): ByteVector {
  const count = Buffer.alloc(8);
  count.writeUInt32LE(points);
  return new ByteVector(Uint8Array.from(Buffer.concat([g1, g2, g2, g2, count, ...new Array(points).fill(g1)])));
}

/** Locals that become available one after the other, after back edges: many rounds of the analyses. */
function busyModule(n: number): ByteVector {
  const locals = Math.max(2, Math.min(255, n >> 3));
  return new ByteVector(
    assembleModuleBytes(`module 0x42::m fun two(): bool, u8 { LdTrue; LdU8 0; Ret }
      fun f() { ${times(locals, (index) => `let l${index}: u8`).replaceAll(' let', '\n let')}
        top: ${times(locals - 1, (index) => `LdTrue; BrTrue on${index}; Ret; on${index}: LdTrue; BrTrue top;`)}
        ${times(locals, (index) => `Call two; StLoc l${index}; BrTrue top;`)} Ret }`),
  );
}
