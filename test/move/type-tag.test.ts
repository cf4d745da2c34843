import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { addressOf } from '../../src/move/address.ts';
import {
  canonicalStruct,
  canonicalType,
  canonicalTypeBytes,
  displayStruct,
  displayType,
  equalTypes,
  parseStructTag,
  parseTypeTag,
  type StructTag,
  structTag,
  structTagCodec,
  structType,
  TYPE_TAG_NODES_MAX,
  type TypeTag,
  typeKey,
  typeTag,
  typeTags,
  vectorTag,
} from '../../src/move/type-tag.ts';
import { nestedVector, PRIMITIVE_KINDS, structTagArbitrary, typeTagArbitrary } from '../arbitraries/type-tag.ts';
import { describeCodec } from '../base/bcs/codec-laws.ts';
import { runs } from '../effort.ts';
import { expectRefusal } from '../refusal.ts';
import { readValueVectors } from '../vectors.ts';

describeCodec('TypeTag', typeTag, typeTagArbitrary);
describeCodec('StructTag', structTagCodec, structTagArbitrary);
describeCodec('type arguments', typeTags, fc.array(typeTagArbitrary, { maxLength: 3 }));

const U8: TypeTag = { kind: 'u8' };
const STRING = structTag(addressOf(1), 'string', 'String');
const full = (address: string): string => `0x${address.padStart(64, '0')}`;

describe('the bytes of types', () => {
  // spec/state.md 1.4.
  it.each([
    ['bool', 0],
    ['u8', 1],
    ['u64', 2],
    ['u128', 3],
    ['address', 4],
    ['signer', 5],
    ['u16', 8],
    ['u32', 9],
    ['u256', 10],
  ] as const)('%s is %i', (kind, number) => {
    expect([...encode(typeTag, { kind })]).toEqual([number]);
  });

  it('agree with the independent model, and so do the canonical texts', () => {
    interface TypeVector {
      readonly bcs: Uint8Array;
      readonly canonical: string;
      readonly value: TypeTag;
    }
    const { typeTags: vectors } = readValueVectors<{ typeTags: readonly TypeVector[] }>('random-encodings.json');
    expect(vectors.length).toBeGreaterThan(20);
    for (const { bcs, canonical, value } of vectors) {
      expect(toHex(encode(typeTag, value))).toBe(toHex(bcs));
      expect(decode(typeTag, bcs)).toEqual(value);
      expect(canonicalType(value)).toBe(canonical);
      // Names of the model may begin with an underscore, which the text form does not read.
      if (!canonical.includes('::_')) expect(parseTypeTag(canonical)).toEqual(value);
    }
  });

  it('nest as deep as the reference reads, and no deeper', () => {
    const nestedStruct = (depth: number, inner: TypeTag): TypeTag =>
      depth === 0 ? inner : structType(structTag(addressOf(1), 'm', 'S', [nestedStruct(depth - 1, inner)]));
    for (const nest of [nestedVector, (depth: number) => nestedStruct(depth, U8)]) {
      const deepest = nest(8);
      expect(decode(typeTag, encode(typeTag, deepest))).toEqual(deepest);
      expectRefusal(() => encode(typeTag, nest(9)), 'invalid-argument', 'at most 8 nested');
    }
    const bytesOf = (depth: number): Uint8Array => new Uint8Array([...new Uint8Array(depth).fill(6), 1]);
    expect(decode(typeTag, bytesOf(8))).toEqual(nestedVector(8));
    for (const depth of [9, 10, 1_000_000]) {
      expectRefusal(() => decode(typeTag, bytesOf(depth)), 'malformed-bytes', 'at most 8 nested vectors and structs');
    }
    // The struct of a bare struct tag does not count.
    const bare = structTag(addressOf(1), 'm', 'S', [nestedVector(8)]);
    expect(decode(structTagCodec, encode(structTagCodec, bare))).toEqual(bare);
    expectRefusal(() => encode(typeTag, structType(bare)), 'invalid-argument');
    const tooDeep = new Uint8Array([7, ...encode(structTagCodec, bare)]);
    expectRefusal(() => decode(typeTag, tooDeep), 'malformed-bytes', 'at most 8 nested');
    expect(parseStructTag(canonicalStruct(bare))).toEqual(bare);
    expectRefusal(() => parseTypeTag(canonicalStruct(bare)), 'invalid-argument', 'at most 8 nested');
  });

  it('are one object as long as equal ones are read in a row', () => {
    const bytes = encode(structTagCodec, STRING);
    expect(decode(structTagCodec, bytes)).toBe(decode(structTagCodec, bytes.slice()));
  });

  it('are refused if fewer arguments follow than they count', () => {
    const bytes = encode(structTagCodec, STRING);
    const claimed = new Uint8Array([...bytes.subarray(0, -1), 0xff, 0xff, 0xff, 0xff, 0x0f]);
    expectRefusal(() => decode(structTagCodec, claimed), 'malformed-bytes');
  });

  it('give equal keys to equal types and to no others', () => {
    fc.assert(
      fc.property(typeTagArbitrary, typeTagArbitrary, (left, right) => {
        expect(typeKey(left) === typeKey(right)).toBe(canonicalType(left) === canonicalType(right));
        expect(equalTypes(left, right)).toBe(canonicalType(left) === canonicalType(right));
        expect(equalTypes(left, structuredClone(left))).toBe(true);
        expect(typeKey(left)).toBe(typeKey(structuredClone(left)));
      }),
    );
  });
});

describe('the text forms of types', () => {
  // spec/rpc.md 5.1, spec/state.md 1.5.
  const dynamicField = structTag(addressOf(2), 'object', 'DynamicField', [
    structType(STRING),
    structType(structTag(addressOf(3), 'account_coin_store', 'AutoAcceptCoins')),
  ]);

  it('display: short addresses and a space after the comma', () => {
    expect(displayStruct(dynamicField)).toBe(
      '0x2::object::DynamicField<0x1::string::String, 0x3::account_coin_store::AutoAcceptCoins>',
    );
    expect(displayType(structType(structTag(addressOf(0), 'm', 'S')))).toBe('0x0::m::S');
  });

  it('canonical: full addresses and no space', () => {
    expect(canonicalStruct(dynamicField)).toBe(
      `${full('2')}::object::DynamicField<${full('1')}::string::String,${full('3')}::account_coin_store::AutoAcceptCoins>`,
    );
    expect(new TextDecoder().decode(canonicalTypeBytes(structType(dynamicField)))).toBe(canonicalStruct(dynamicField));
    expect(
      canonicalStruct(
        structTag(addressOf(3), 'coin_store', 'CoinStore', [structType(structTag(addressOf(3), 'gas_coin', 'RGas'))]),
      ),
    ).toBe(`${full('3')}::coin_store::CoinStore<${full('3')}::gas_coin::RGas>`);
  });

  it.each(PRIMITIVE_KINDS)('%s and vectors of it', (kind) => {
    expect(displayType({ kind })).toBe(kind);
    expect(canonicalType(vectorTag(vectorTag({ kind })))).toBe(`vector<vector<${kind}>>`);
    expect(parseTypeTag(kind)).toEqual({ kind });
    expect(parseTypeTag(`vector<${kind}>`)).toEqual(vectorTag({ kind }));
  });

  it('are read back, whatever white space stands between tokens', () => {
    fc.assert(
      fc.property(typeTagArbitrary, fc.stringMatching(/^[ \t\n\f\r]{0,3}$/), (tag, space) => {
        for (const text of [canonicalType(tag), displayType(tag)]) {
          expect(parseTypeTag(text)).toEqual(tag);
          const spaced = text.replace(/ /g, '').replace(/::|[<>,]/g, (token) => space + token + space);
          expect(parseTypeTag(space + spaced + space)).toEqual(tag);
        }
      }),
    );
  });
});

describe('reading types', () => {
  const S = structTag(addressOf(1), 'm', 'S');
  const generic = (...typeArguments: TypeTag[]): TypeTag => structType({ ...S, typeArguments });

  it.each<[string, TypeTag]>([
    ['0X1::m::S', structType(S)],
    [`${full('1')}::m::S`, structType(S)],
    ['0x01::m::S', structType(S)],
    ['0x1 :: m :: S', structType(S)],
    ['0x1::m::S<>', structType(S)],
    ['0x1::m::S< >', structType(S)],
    ['0x1::m::S<u8,>', generic(U8)],
    ['0x1::m::S<u8 , u8 , >', generic(U8, U8)],
    ['0x1::m::S<0x1::m::S<u8>,vector<u8>>', generic(generic(U8), vectorTag(U8))],
    ['\tvector\n<\ru8\f> ', vectorTag(U8)],
    ['0xaB::m::S', structType(structTag(addressOf(0xab), 'm', 'S'))],
    ['0x1::u8::vector', structType(structTag(addressOf(1), 'u8', 'vector'))],
    ['0x1::m_1::S_', structType(structTag(addressOf(1), 'm_1', 'S_'))],
  ])('%j', (text, tag) => {
    expect(parseTypeTag(text)).toEqual(tag);
  });

  it.each([
    ['', 'expected a type at position 0 of the type, got the end'],
    ['  ', 'expected a type at position 2 of the type, got the end'],
    ['u7', 'expected a primitive type, vector<T> or 0x<address>::<module>::<name> at position 0 of the type, got "u7"'],
    ['struct', 'expected a primitive type'],
    ['String', 'expected a primitive type'],
    ['Bool', 'expected a primitive type'],
    ['std::string::String', 'expected a primitive type'],
    [`${'1'.repeat(64)}::m::S`, 'expected a primitive type'],
    ['1::m::S', 'expected a primitive type'],
    ['rooch1qqq::m::S', 'expected a primitive type'],
    ['vector', 'expected "<" at position 6 of the type, got the end'],
    ['vector<>', 'expected vector to have one type argument at position 0'],
    ['vector<u8,u8>', 'expected vector to have one type argument at position 0'],
    ['u8<u8>', 'expected the end of the type at position 2'],
    ['u8 u8', 'expected the end of the type at position 3'],
    ['u8,', 'expected the end of the type at position 2'],
    ['0x', 'expected an address of 0x and 1 to 64 hex digits at position 0'],
    ['0xg::m::S', 'expected an address of 0x and 1 to 64 hex digits at position 0'],
    [`0x${'0'.repeat(65)}::m::S`, 'expected an address of 0x and 1 to 64 hex digits at position 0'],
    ['0x1', 'expected "::" at position 3 of the type, got the end'],
    ['0x1:m::S', 'expected "::" at position 3'],
    ['0x1::', 'expected an identifier at position 5'],
    ['0x1::m', 'expected "::" at position 6'],
    ['0x1::m::', 'expected an identifier at position 8'],
    ['0x1::1m::S', 'expected an identifier at position 5 of the type, got "1m::S"'],
    ['0x1::_m::S', 'expected an identifier at position 5'],
    ['0x1::m::S::T', 'expected the end of the type at position 9'],
    [`0x1::m::${'S'.repeat(256)}`, 'expected an identifier of at most 255 characters at position 8'],
    ['0x1::m::S<', 'expected a type at position 10 of the type, got the end'],
    ['0x1::m::S<u8', 'expected "," or ">" at position 12'],
    ['0x1::m::S<,>', 'expected a type at position 10'],
    ['0x1::m::S<u8,,u8>', 'expected a type at position 13'],
    ['0x1::m::S<u8 u8>', 'expected "," or ">" at position 13'],
    ['0x1::m::S<u8>>', 'expected the end of the type at position 13'],
    ['0x1::m::S\u00a0', 'expected the end of the type at position 9'],
    ['0x1::m::S\v', 'expected the end of the type at position 9'],
    ['&u8', 'expected a type at position 0'],
    ['0x1::é::S', 'expected an identifier at position 5'],
  ])('refuses %j', (text, message) => {
    const error = expectRefusal(() => parseTypeTag(text), 'invalid-argument');
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(250);
  });

  it('insists on a struct where one is required', () => {
    expect(parseStructTag('0x1::m::S')).toEqual(S satisfies StructTag);
    for (const text of ['u8', 'vector<0x1::m::S>', 'address']) {
      expectRefusal(
        () => parseStructTag(text),
        'invalid-argument',
        'expected a struct type <address>::<module>::<name>',
      );
    }
  });

  it('is bounded in depth and in width, in little time', () => {
    const nested = (depth: number): string => `${'vector<'.repeat(depth)}u8${'>'.repeat(depth)}`;
    expect(parseTypeTag(nested(8))).toEqual(nestedVector(8));
    expectRefusal(
      () => parseTypeTag(nested(9)),
      'invalid-argument',
      'at most 8 nested vectors and structs at position 56',
    );
    expectRefusal(() => parseTypeTag(nested(200_000)), 'invalid-argument', 'at most 8 nested');
    const wide = (width: number): string => `0x1::m::S<${Array.from({ length: width }, () => 'u8').join(',')}>`;
    expect(parseTypeTag(wide(TYPE_TAG_NODES_MAX - 1)).kind).toBe('struct');
    expectRefusal(() => parseTypeTag(wide(TYPE_TAG_NODES_MAX)), 'invalid-argument', 'at most 256 parts');
  });

  it('answers any text with a type or an invalid-argument', () => {
    const token = fc.constantFrom(
      '0x1',
      '::',
      'm',
      'S',
      '<',
      '>',
      ',',
      ' ',
      'vector',
      'u8',
      'address',
      '_',
      '0x',
      ':',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(token, { maxLength: 12 }).map((all) => all.join('')),
          fc.string(),
        ),
        (text) => {
          let tag: TypeTag;
          try {
            tag = parseTypeTag(text);
          } catch (error) {
            expect((error as { code?: string }).code).toBe('invalid-argument');
            return;
          }
          expect(parseTypeTag(displayType(tag))).toEqual(tag);
        },
      ),
      { numRuns: runs(666, 2_000) },
    );
  });
});
