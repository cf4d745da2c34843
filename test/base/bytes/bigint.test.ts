import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readU128, readU256, writeU128, writeU256 } from '../../../src/base/bytes/bigint.ts';
import { EngineError } from '../../../src/base/error.ts';
import { u128Arbitrary, u256Arbitrary } from '../../arbitraries/integer.ts';
import { expectRefusal } from '../../refusal.ts';

const FORMS = [
  { name: 'u128', width: 16, read: readU128, write: writeU128, values: u128Arbitrary },
  { name: 'u256', width: 32, read: readU256, write: writeU256, values: u256Arbitrary },
];

describe.each(FORMS)('$name', ({ name, width, read, write, values }) => {
  it('is little endian, at any place of a larger buffer', () => {
    fc.assert(
      fc.property(values, fc.nat({ max: 9 }), (value, at) => {
        const bytes = new Uint8Array(width + 9).fill(0xee);
        write(bytes, at, value);
        const expected = Array.from({ length: width }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
        expect([...bytes.subarray(at, at + width)]).toEqual(expected);
        expect([...bytes.subarray(0, at), ...bytes.subarray(at + width)].every((byte) => byte === 0xee)).toBe(true);
        expect(read(bytes, at)).toBe(value);
        expect(read(bytes.subarray(at), 0)).toBe(value);
      }),
    );
  });

  it('refuses what does not fit', () => {
    const bytes = new Uint8Array(width);
    for (const value of [-1n, 1n << BigInt(8 * width)]) {
      expectRefusal(() => write(bytes, 0, value), 'invalid-argument', `expected a ${name}, got ${value}`);
    }
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });

  it('reads and writes nothing outside the buffer', () => {
    const bytes = new Uint8Array(width);
    for (const at of [-1, 1, width, 1000]) {
      expectRefusal(() => read(bytes, at), 'malformed-bytes', `expected ${width} bytes at byte ${at}`);
      expect(() => write(bytes, at, 1n)).toThrow(EngineError);
    }
  });
});
