/**
 * For natives whose gas does not bound their time, families of inputs meant to make them slow for it: each gives
 * arguments of about `n` bytes. They are the worst that a search over what the types allow has found: the smallest
 * items, the deepest nesting, what is refused at its end.
 * @module
 */
import { addressOf } from '../../../src/move/address.ts';
import { parseTypeTag, type TypeTag } from '../../../src/move/type-tag.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { ArrayVector, ByteVector } from '../../../src/vm/value/vector.ts';
import { assembleModule, assembleModuleBytes } from '../../vm/assemble.ts';
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
  const STRING = type('0x1::string::String');
  const string = (value: ByteVector): unknown => STRING.make(value);
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
  const ofValues = (): Record<string, Family> =>
    Object.fromEntries(
      Object.entries(anyValues).map(([name, make]) => [
        name,
        (n: number) => {
          const { type: of, value } = make(n);
          return { given: [value], typeArguments: [of] };
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
  /** A length in four bytes, the highest first, after the tag that says so in CBOR or RLP. */
  const headOf = (tag: number, length: number): number[] => [
    tag,
    length >>> 24,
    (length >>> 16) & 255,
    (length >>> 8) & 255,
    length & 255,
  ];
  const cborArray = (count: number): number[] => headOf(0x9a, count);
  const rlpList = (length: number): number[] => headOf(0xfb, length);
  /** The 60 members of a wide struct after many that it does not have. */
  const wideCborMap = (n: number): ByteVector => {
    const others = Math.max(1, Math.floor(n / 4));
    const members = Array.from({ length: 60 }, (_, index) => [
      0x62 + Number(index > 9),
      ...Buffer.from(`f${index}`),
      1,
    ]);
    return bytesOf(others * 4, [0x62, 0x78, 0x78, 1], headOf(0xba, others + 60), members.flat());
  };
  const wrapped = (n: number, open: string, close: string): ByteVector =>
    text(`${open.repeat(Math.min(120, n))}${close.repeat(Math.min(120, n))}`);

  const module = (functions: number): ByteVector =>
    new ByteVector(
      assembleModuleBytes(
        `module 0x42::m ${times(functions, (index) => `public fun f${index}(x: u64): u64 { MoveLoc x; LdU64 7; Add; Ret }`)}`,
      ),
    );
  const moduleOf = (n: number): ByteVector => module(Math.max(1, Math.min(2_000, Math.floor(n / 20))));

  return {
    '0x1::string::internal_index_of': {
      'the whole text': (n) => ({ given: [fill(n, 0x61), fill(n, 0x61)] }),
      'a pattern longer than the text': (n) => ({ given: [fill(1, 0x61), fill(n, 0x61)] }),
      'half of the text': (n) => ({ given: [fill(n, 0x61), fill(n >> 1, 0x61)] }),
      'what is not there': (n) => ({ given: [fill(n, 0x61), text(`${'a'.repeat(n >> 1)}b`)] }),
      'one letter': (n) => ({ given: [fill(n, 0x61), text('b')] }),
    },
    '0x1::vector::push_back': {
      'a vector of empty vectors': (n) => ({
        given: [listOf('vector<vector<u64>>', 1, [0]), listOf('vector<u64>', n, [0])],
        typeArguments: [type('vector<vector<u64>>')],
      }),
    },
    '0x2::ability::native_get_abilities': {
      nested: (n) => ({ given: [string(text(`${'vector<'.repeat(Math.min(8, n))}u8${'>'.repeat(Math.min(8, n))}`))] }),
      spaces: (n) => ({ given: [string(text(`u8${' '.repeat(n)}`))] }),
      'many arguments': (n) => ({
        given: [string(text(`0x1::m::S<${new Array(Math.max(1, Math.min(250, n >> 2))).fill('u8').join()}>`))],
      }),
    },
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
    '0x2::bech32::decode': {
      long: (n) => ({ given: [text('bc'), text(`bc1${'q'.repeat(n)}`)] }),
      right: () => ({ given: [text('bc'), text('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')] }),
      'a long prefix': (n) => ({ given: [fill(n, 0x61), text('bc1q')] }),
    },
    '0x2::bech32::segwit_decode': {
      right: () => ({ given: [text('bc'), 0x71, text('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')] }),
      long: (n) => ({ given: [text('bc'), 0x71, text(`bc1${'q'.repeat(n)}`)] }),
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
      text: ['0x1::string::String', (n) => bytesOf(n, [0x61], headOf(0x7a, n))],
      'maps of bytes': [
        '0x2::simple_map::SimpleMap<0x1::string::String, vector<u8>>',
        (n) => bytesOf(n, [0x60, 1], headOf(0xba, Math.max(1, n >> 1))),
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
    '0x2::move_module::check_compatibililty_inner': {
      'the same module': (n) => ({ given: [moduleOf(n), moduleOf(n)] }),
    },
    '0x2::move_module::replace_identifiers': {
      'one module': (n) => ({ given: [new ArrayVector([moduleOf(n)]), new ArrayVector([]), new ArrayVector([])] }),
    },
    '0x2::rlp::to_bytes': ofValues(),
    '0x2::rlp::from_bytes': read(
      {
        bytes: ['vector<u8>', (n) => bytesOf(n, [1], headOf(0xbb, n))],
        numbers: ['vector<u64>', (n) => bytesOf(n, [1], rlpList(n))],
        'empty strings': ['vector<vector<u8>>', (n) => bytesOf(n, [0x80], rlpList(n))],
        'empty lists': ['vector<vector<vector<u8>>>', (n) => bytesOf(n, [0xc0], rlpList(n))],
        structs: ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0xc1, 1], rlpList(n & ~1 || 2))],
        'what stands behind the outermost list': ['vector<u64>', (n) => bytesOf(n, [1], rlpList(1))],
        'lists that are too short': ['vector<0x42::shapes::One>', (n) => bytesOf(n, [0xc0], rlpList(n))],
      },
      false,
    ),
    '0x3::bitcoin_address::parse': bytesOnly(
      ['letters', (n) => fill(n, 0x7a)],
      ['bech32', (n) => text(`bc1${'q'.repeat(n)}`)],
      ['ones', (n) => fill(n, 0x31)],
    ),
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
