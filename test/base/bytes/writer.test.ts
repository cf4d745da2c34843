import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { ByteWriter } from '../../../src/base/bytes/writer.ts';
import { bytesArbitrary } from '../../arbitraries/bytes.ts';
import {
  u8Arbitrary,
  u16Arbitrary,
  u32Arbitrary,
  u64Arbitrary,
  u128Arbitrary,
  u256Arbitrary,
} from '../../arbitraries/integer.ts';
import { expectRefusal } from '../../refusal.ts';

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
