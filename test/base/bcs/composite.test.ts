import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytes,
  type Codec,
  decode,
  encode,
  lazy,
  map,
  option,
  pair,
  payload,
  repeated,
  string,
  struct,
  u8,
  u16,
  u64,
  unit,
  type Variant,
  variant,
  vector,
} from '../../../src/base/bcs.ts';
import { compareBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { bytesArbitrary, u8Arbitrary, u16Arbitrary, u64Arbitrary } from '../../arbitraries/primitive.ts';
import { expectRefusal } from '../../refusal.ts';
import { describeCodec } from './codec-laws.ts';

interface Person {
  readonly name: string;
  readonly age: number;
  readonly nick: string | undefined;
}

const person: Codec<Person> = struct<Person>({ name: string, age: u8, nick: option(string) });
const personArbitrary: fc.Arbitrary<Person> = fc.record({
  name: fc.string(),
  age: u8Arbitrary,
  nick: fc.option(fc.string(), { nil: undefined }),
});

type Shape =
  | { readonly kind: 'point' }
  | { readonly kind: 'circle'; readonly radius: number }
  | { readonly kind: 'path'; readonly steps: readonly Uint8Array[] };

const shape: Codec<Shape> = variant<Shape>('Shape', [
  unit<Shape, 'point'>('point'),
  payload<Shape, 'circle'>('circle', struct({ radius: u16 })),
  payload<Shape, 'path'>('path', struct({ steps: vector(bytes) })),
]);
const shapeArbitrary: fc.Arbitrary<Shape> = fc.oneof(
  fc.constant<Shape>({ kind: 'point' }),
  u16Arbitrary.map((radius): Shape => ({ kind: 'circle', radius })),
  fc.array(bytesArbitrary, { maxLength: 4 }).map((steps): Shape => ({ kind: 'path', steps })),
);

/** Entries in the order of their encoded keys: by length of the text first. */
const mapArbitrary: fc.Arbitrary<readonly (readonly [string, number])[]> = fc
  .dictionary(fc.string(), u8Arbitrary, { noNullPrototype: true })
  .map((record) =>
    Object.entries(record).sort(([left], [right]) => compareBytes(encode(string, left), encode(string, right))),
  );

interface List {
  readonly head: number;
  readonly tail: List | undefined;
}
const list: Codec<List> = struct<List>({ head: u8, tail: option(lazy(() => list)) });
const listArbitrary: fc.Arbitrary<List> = fc
  .array(u8Arbitrary, { minLength: 1, maxLength: 20 })
  .map((items) => items.reduceRight<List | undefined>((tail, head) => ({ head, tail }), undefined)!);

describeCodec('a struct', person, personArbitrary);
describeCodec('a vector', vector(u64), fc.array(u64Arbitrary, { maxLength: 40 }));
describeCodec('an option', option(bytes), fc.option(bytesArbitrary, { nil: undefined }));
describeCodec('a pair', pair(bytes, u16), fc.tuple(bytesArbitrary, u16Arbitrary));
describeCodec('a variant', shape, shapeArbitrary);
describeCodec('a map', map(string, u8), mapArbitrary);
describeCodec('a recursive type', list, listArbitrary);

describe('the examples of the BCS specification', () => {
  // https://github.com/diem/bcs#detailed-specifications: option, vector, map (keys "e" "a" "c" as byte strings).
  it('an option', () => {
    expect(toHex(encode(option(u8), 8))).toBe('0108');
    expect(toHex(encode(option(u8), undefined))).toBe('00');
  });

  it('a vector', () => {
    expect(toHex(encode(vector(u16), [1, 2]))).toBe('0201000200');
    expect(
      toHex(
        encode(
          vector(u8),
          Array.from({ length: 9487 }, () => 0),
        ),
      ).slice(0, 4),
    ).toBe('8f4a');
  });

  it('a map', () => {
    const utf8 = new TextEncoder();
    const entries = (['eb', 'ab', 'cd'] as const).map(
      (two) => [utf8.encode(two.charAt(0)), utf8.encode(two.charAt(1))] as const,
    );
    const hex = '03016101620163016401650162';
    expect(toHex(encode(map(bytes, bytes), entries))).toBe(hex);
    expect(decode(map(bytes, bytes), fromHex(hex)).map(([key]) => Buffer.from(key).toString())).toEqual([
      'a',
      'c',
      'e',
    ]);
  });
});

describe('refusals of composites', () => {
  it('a count that the rest cannot hold, before anything is read', () => {
    for (const codec of [vector(u64), map(u64, u64)] as Codec<unknown>[]) {
      expectRefusal(() => decode(codec, fromHex('ffffffff0f0000')), 'malformed-bytes', 'got a count of 4294967295');
      expectRefusal(() => decode(codec, fromHex('0300')), 'malformed-bytes', 'expected at most 1 items at byte 0');
    }
  });

  it('an option tag that is neither 0 nor 1', () => {
    expectRefusal(() => decode(option(u8), fromHex('0201')), 'malformed-bytes', 'expected an option tag of 0 or 1');
  });

  it('an unknown variant, read or written', () => {
    expectRefusal(() => decode(shape, fromHex('03')), 'malformed-bytes', 'Shape has no variant number 3');
    expectRefusal(() => decode(shape, fromHex('ffffffff0f')), 'malformed-bytes', 'Shape has no variant');
    expectRefusal(() => encode(shape as Codec<Variant>, { kind: 'cube' }), 'invalid-argument', 'of kind cube');
  });

  it('map keys out of order or repeated, read or written', () => {
    const codec = map(u8, u8);
    expectRefusal(() => decode(codec, fromHex('0202000100')), 'malformed-bytes', 'ascending order at byte 3');
    expectRefusal(() => decode(codec, fromHex('0201000100')), 'malformed-bytes', 'ascending order');
    expectRefusal(
      () =>
        encode(codec, [
          [1, 0],
          [1, 1],
        ]),
      'invalid-argument',
      'one key twice',
    );
  });

  it('orders a map by encoded bytes, not by value: 256 stands before 1 in little endian', () => {
    const entries = [
      [1, 7],
      [256, 8],
    ] as const;
    expect(toHex(encode(map(u16, u8), entries))).toBe('02000108010007');
  });
});

describe('a repeated value', () => {
  it('is the value read last as long as the same bytes follow', () => {
    const once = option(bytes);
    const again = repeated(once);
    const item = fc.option(fc.uint8Array({ maxLength: 80 }), { nil: undefined });
    const few = fc.array(fc.tuple(fc.nat(3), fc.boolean()), { maxLength: 12 });
    const property = fc.property(fc.array(item, { minLength: 4, maxLength: 4 }), few, (values, places) => {
      for (const [place, isCut] of places) {
        const encoded = encode(again, values[place]);
        expect(toHex(encoded)).toBe(toHex(encode(once, values[place])));
        if (isCut) expectRefusal(() => decode(again, encoded.subarray(0, -1)), 'malformed-bytes');
        else expect(decode(again, encoded)).toEqual(values[place]);
      }
    });
    fc.assert(property);
    const long = encode(again, new Uint8Array(40).fill(7));
    expect(decode(again, long)).toBe(decode(again, long.slice()));
  });
});
