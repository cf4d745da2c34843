import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readU128, readU256, writeU128, writeU256 } from '../../../src/base/bytes/bigint.ts';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { ByteWriter } from '../../../src/base/bytes/writer.ts';
import { EngineError } from '../../../src/base/error.ts';
import {
  bytesArbitrary,
  u8Arbitrary,
  u16Arbitrary,
  u32Arbitrary,
  u64Arbitrary,
  u128Arbitrary,
  u256Arbitrary,
} from '../../arbitraries/primitive.ts';
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

type Step = { readonly write: (writer: ByteWriter) => void; readonly expectRead: (reader: ByteReader) => void };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  u8Arbitrary.map((value) =>
    step(
      (w) => w.u8(value),
      (r) => r.u8(),
      value,
    ),
  ),
  u16Arbitrary.map((value) =>
    step(
      (w) => w.u16(value),
      (r) => r.u16(),
      value,
    ),
  ),
  u32Arbitrary.map((value) =>
    step(
      (w) => w.u32(value),
      (r) => r.u32(),
      value,
    ),
  ),
  u32Arbitrary.map((value) =>
    step(
      (w) => w.uleb128(value),
      (r) => r.uleb128(),
      value,
    ),
  ),
  u64Arbitrary.map((value) =>
    step(
      (w) => w.u64(value),
      (r) => r.u64(),
      value,
    ),
  ),
  u128Arbitrary.map((value) =>
    step(
      (w) => w.u128(value),
      (r) => r.u128(),
      value,
    ),
  ),
  u256Arbitrary.map((value) =>
    step(
      (w) => w.u256(value),
      (r) => r.u256(),
      value,
    ),
  ),
  bytesArbitrary.map((value) =>
    step(
      (w) => w.bytes(value),
      (r) => r.copy(value.length),
      value,
    ),
  ),
);

function step<T>(write: (writer: ByteWriter) => void, read: (reader: ByteReader) => T, value: T): Step {
  return { write, expectRead: (reader) => expect(read(reader)).toEqual(value) };
}

describe('a writer', () => {
  it('grows from any capacity, and a reader reads the same values back', () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 30 }), fc.constantFrom(0, 1, 3, 64), (steps, capacity) => {
        const writer = new ByteWriter(capacity);
        for (const { write } of steps) write(writer);
        const bytes = writer.finish();
        expect(bytes).toHaveLength(writer.length);
        const reader = new ByteReader(bytes);
        for (const { expectRead } of steps) expectRead(reader);
        reader.finish();
      }),
    );
  });

  it('writes little endian', () => {
    const writer = new ByteWriter();
    writer.u16(0x0102);
    writer.u32(0x01020304);
    writer.u64(0x0102030405060708n);
    writer.uleb128(300);
    expect(toHex(writer.finish())).toBe('0201040302010807060504030201ac02');
  });

  it('gives a copy', () => {
    const writer = new ByteWriter();
    writer.u8(1);
    writer.finish().fill(9);
    expect([...writer.finish()]).toEqual([1]);
  });

  it.each<[string, (writer: ByteWriter) => void]>([
    ['u8, got 256', (writer) => writer.u8(256)],
    ['u8, got -1', (writer) => writer.u8(-1)],
    ['u8, got 0.5', (writer) => writer.u8(0.5)],
    ['u8, got NaN', (writer) => writer.u8(Number.NaN)],
    ['u16, got 65536', (writer) => writer.u16(65536)],
    ['u32, got 4294967296', (writer) => writer.u32(4294967296)],
    ['uleb128, got 4294967296', (writer) => writer.uleb128(4294967296)],
    ['u64, got 18446744073709551616', (writer) => writer.u64(1n << 64n)],
    ['u64, got -1', (writer) => writer.u64(-1n)],
    ['u128, got -1', (writer) => writer.u128(-1n)],
    ['u256, got -1', (writer) => writer.u256(-1n)],
  ])('refuses a number that does not fit: expected a %s', (message, write) => {
    expectRefusal(() => write(new ByteWriter()), 'invalid-argument', `expected a ${message}`);
  });
});

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
