import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { EngineError } from '../../../src/base/error.ts';
import { bytesArbitrary } from '../../arbitraries/bytes.ts';
import { expectRefusal } from '../../refusal.ts';

const COUNTING = Uint8Array.from({ length: 64 }, (_, index) => index + 1);

/** Every read, and how many bytes it takes. */
const READS: readonly (readonly [string, number, (reader: ByteReader) => unknown, unknown])[] = [
  ['u8', 1, (reader) => reader.u8(), 0x01],
  ['u16', 2, (reader) => reader.u16(), 0x0201],
  ['u32', 4, (reader) => reader.u32(), 0x04030201],
  ['u64', 8, (reader) => reader.u64(), 0x0807060504030201n],
  ['u128', 16, (reader) => reader.u128(), 0x100f0e0d0c0b0a090807060504030201n],
  ['u256', 32, (reader) => reader.u256(), 0x201f1e1d1c1b1a191817161514131211100f0e0d0c0b0a090807060504030201n],
  ['view', 5, (reader) => reader.view(5), Uint8Array.of(1, 2, 3, 4, 5)],
  ['copy', 5, (reader) => reader.copy(5), Uint8Array.of(1, 2, 3, 4, 5)],
  ['uleb128', 1, (reader) => reader.uleb128(), 1],
];

describe.each(READS)('reading %s', (_name, width, read, expected) => {
  it('gives the value and moves past it', () => {
    const reader = new ByteReader(COUNTING);
    expect(read(reader)).toEqual(expected);
    expect(reader.offset).toBe(width);
    expect(reader.remaining).toBe(COUNTING.length - width);
  });

  it('stops at the end it was given, and stays there', () => {
    for (let length = 0; length < width; length++) {
      const reader = new ByteReader(COUNTING, 0, length);
      expectRefusal(() => read(reader), 'malformed-bytes', `got ${length} before the end`);
      expect(reader.remaining).toBe(length);
    }
  });

  it('reads a window of a larger buffer', () => {
    const shifted = new Uint8Array([9, 9, 9, ...COUNTING]);
    expect(read(new ByteReader(shifted, 3))).toEqual(expected);
    expect(read(new ByteReader(shifted.subarray(3)))).toEqual(expected);
    expect(read(new ByteReader(Buffer.from(COUNTING)))).toEqual(expected);
  });
});

describe('a reader', () => {
  it('shares memory with views only, whatever it reads from', () => {
    for (const bytes of [Uint8Array.of(1, 2, 3, 4), Buffer.from([1, 2, 3, 4])]) {
      const copy = new ByteReader(bytes).copy(4);
      const view = new ByteReader(bytes).view(4);
      bytes.fill(7);
      expect([...copy]).toEqual([1, 2, 3, 4]);
      expect([...view]).toEqual([7, 7, 7, 7]);
      expect(copy.constructor).toBe(Uint8Array);
      expect(view.constructor).toBe(Uint8Array);
    }
  });

  it('insists that everything be read', () => {
    const reader = new ByteReader(Uint8Array.of(1, 2));
    reader.u8();
    expectRefusal(() => reader.finish(), 'malformed-bytes', 'expected the end at byte 1, got 1 more bytes');
    reader.u8();
    reader.finish();
  });

  it('takes only a window inside its bytes', () => {
    for (const [start, end] of [
      [-1, 2],
      [0, 3],
      [2, 1],
      [3, 3],
    ] as const) {
      expectRefusal(() => new ByteReader(Uint8Array.of(1, 2), start, end), 'invariant-violation', 'inside its bytes');
    }
  });

  it('refuses a length far beyond the end without reserving it', () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < 100; round++) {
      expectRefusal(() => new ByteReader(COUNTING).copy(0xffff_ffff), 'malformed-bytes', 'expected 4294967295 bytes');
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });
});

describe('uleb128', () => {
  // The examples of the BCS specification (github.com/diem/bcs, "ULEB128-Encoded Integers"), and the bounds.
  it.each([
    ['00', 0],
    ['01', 1],
    ['7f', 127],
    ['8001', 128],
    ['8f4a', 9487],
    ['808001', 16384],
    ['80808001', 2097152],
    ['8080808001', 268435456],
    ['ffffffff0f', 0xffff_ffff],
  ])('reads %s', (hex, expected) => {
    const reader = new ByteReader(fromHex(hex));
    expect(reader.uleb128()).toBe(expected);
    reader.finish();
  });

  it.each([
    ['8000', 'a second byte for nothing'],
    ['808000', 'two bytes for nothing'],
    ['ff8000', 'a last byte for nothing'],
    ['8080808000', 'four bytes for nothing'],
    ['8080808010', '2^32'],
    ['ffffffff10', 'more than 2^32'],
    ['ffffffff8f00', 'a sixth byte'],
    ['ffffffffff01', 'a sixth byte'],
  ])('refuses %s: %s', (hex) => {
    expectRefusal(
      () => new ByteReader(fromHex(hex)).uleb128(),
      'malformed-bytes',
      'expected a canonical uleb128 number below 2^32 at byte 0',
    );
  });

  it('refuses a number that goes on past the end', () => {
    expectRefusal(() => new ByteReader(fromHex('8080')).uleb128(), 'malformed-bytes');
  });

  it('never throws anything but malformed-bytes', () => {
    fc.assert(
      fc.property(bytesArbitrary, (bytes) => {
        const reader = new ByteReader(bytes);
        try {
          while (reader.remaining > 0) expect(reader.uleb128()).toBeLessThan(2 ** 32);
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError);
          expect((error as EngineError).code).toBe('malformed-bytes');
        }
      }),
    );
  });
});
