import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bool,
  bytes,
  bytes32,
  type Codec,
  decode,
  encode,
  fixedBytes,
  hashText,
  string,
  u8,
  u16,
  u32,
  u64,
  u128,
  u256,
} from '../../../src/base/bcs.ts';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import {
  bytes32Arbitrary,
  bytesArbitrary,
  u8Arbitrary,
  u16Arbitrary,
  u32Arbitrary,
  u64Arbitrary,
  u128Arbitrary,
  u256Arbitrary,
} from '../../arbitraries/primitive.ts';
import { expectRefusal } from '../../refusal.ts';
import { describeCodec } from './codec-laws.ts';

const wellFormed = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', minLength: 40 }));

describeCodec('u8', u8, u8Arbitrary);
describeCodec('u16', u16, u16Arbitrary);
describeCodec('u32', u32, u32Arbitrary);
describeCodec('u64', u64, u64Arbitrary);
describeCodec('u128', u128, u128Arbitrary);
describeCodec('u256', u256, u256Arbitrary);
describeCodec('bool', bool, fc.boolean());
describeCodec('bytes', bytes, bytesArbitrary);
describeCodec('bytes32', bytes32, bytes32Arbitrary);
describeCodec('string', string, wellFormed);
describeCodec('hashText', hashText, bytes32Arbitrary);

describe('the examples of the BCS specification', () => {
  // https://github.com/diem/bcs#detailed-specifications
  function example<T>(name: string, codec: Codec<T>, value: T, hex: string): void {
    it(name, () => {
      expect(toHex(encode(codec, value))).toBe(hex);
      expect(decode(codec, fromHex(hex))).toEqual(value);
    });
  }
  example('true', bool, true, '01');
  example('false', bool, false, '00');
  example('a u8', u8, 1, '01');
  example('a u16', u16, 4660, '3412');
  example('a u32', u32, 305419896, '78563412');
  example('a u64', u64, 1311768467750121216n, '00efcdab78563412');
  example('text', string, 'çå∞≠¢õß∂ƒ∫', '18c3a7c3a5e2889ee289a0c2a2c3b5c39fe28882c692e288ab');
});

describe('refusals of primitives', () => {
  it.each(['02', '80', 'ff'])('a bool of %s', (hex) => {
    expectRefusal(() => decode(bool, fromHex(hex)), 'malformed-bytes', 'expected a bool of 0 or 1');
  });

  it.each([
    ['a lone continuation', '0180'],
    ['an overlong slash', '02c0af'],
    ['a surrogate', '03eda080'],
    ['a cut sequence', '02e282'],
    ['beyond U+10FFFF', '04f4908080'],
  ])('text of %s', (_name, hex) => {
    expectRefusal(() => decode(string, fromHex(hex)), 'malformed-bytes', 'expected UTF-8');
  });

  it('text that has no UTF-8 form is not written', () => {
    for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800']) {
      expectRefusal(() => encode(string, text), 'invalid-argument', 'lone surrogate');
    }
    expect(toHex(encode(string, '\ud83d\ude00'))).toBe('04f09f9880');
  });

  it('keeps a byte order mark as a character', () => {
    expect(decode(string, fromHex('03efbbbf'))).toBe('\ufeff');
  });

  it('trailing bytes', () => {
    expectRefusal(() => decode(u8, fromHex('0100')), 'malformed-bytes', 'expected the end at byte 1');
  });

  it('a length other than the fixed one', () => {
    expectRefusal(() => encode(fixedBytes(3), fromHex('0102')), 'invalid-argument', 'expected 3 bytes, got 2');
    expectRefusal(() => encode(bytes32, new Uint8Array(31)), 'invalid-argument', 'expected 32 bytes, got 31');
    expectRefusal(() => encode(hashText, new Uint8Array(33)), 'invalid-argument', 'expected 32 bytes, got 33');
  });
});

describe('the textual hash (spec/state.md 1.3)', () => {
  const digits = '00112233445566778899aabbccddeeff'.repeat(2);
  const written = (text: string): Uint8Array => encode(string, text);

  it('is 67 bytes: a length, 0x and 64 lower-case digits', () => {
    const encoded = encode(hashText, fromHex(digits));
    expect(encoded).toHaveLength(67);
    expect(Buffer.from(encoded).toString('latin1')).toBe(`B0x${digits}`);
  });

  // The reference's library also reads the first two; nothing writes them, and one hash has one encoding here.
  it.each([
    ['no prefix', digits],
    ['upper case', `0x${digits.toUpperCase()}`],
    ['an upper-case prefix', `0X${digits}`],
    ['a digit too few', `0x${digits.slice(1)}`],
    ['a byte too many', `0x${digits}00`],
    ['no digits', `0x${'g'.repeat(64)}`],
    ['a space', ` 0x${digits.slice(1)}`],
    ['a line end', `0x${digits}\n`],
    ['nothing', ''],
  ])('refuses %s', (_name, text) => {
    expectRefusal(() => decode(hashText, written(text)), 'malformed-bytes', 'expected a hash of 0x and 64 lower-case');
  });
});
