import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { VALUE_NODES_MAX } from '../../src/base/config.ts';
import { EngineError } from '../../src/base/error.ts';
import {
  annotate,
  countStructs,
  type FieldLayout,
  type Layout,
  type MoveValue,
  type StructLayout,
  VALUE_DEPTH_MAX,
} from '../../src/move/layout.ts';
import { type PrimitiveKind, parseStructTag } from '../../src/move/type-tag.ts';
import { type EncodedValue, encodedValueArbitrary, encodeMoveValue } from '../arbitraries/move-value.ts';
import { bytesArbitrary } from '../arbitraries/primitive.ts';
import { runs } from '../effort.ts';
import { expectRefusal } from '../refusal.ts';

const vector = (item: Layout): Layout => ({ kind: 'vector', item });
const struct = (type: string, ...fields: (readonly [string, Layout])[]): StructLayout => ({
  kind: 'struct',
  tag: parseStructTag(type),
  abilities: 7,
  fields: fields.map(([name, layout]): FieldLayout => ({ name, layout })),
});
const of = (kind: PrimitiveKind): Layout => ({ kind });

describe('annotated values', () => {
  it('are what was encoded', () => {
    fc.assert(
      fc.property(encodedValueArbitrary, ({ layout, value, bytes }) => {
        expect(annotate(layout, bytes)).toEqual(value);
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('of other bytes encode to those bytes, or are refused', () => {
    const expectTotal = ({ layout }: EncodedValue, bytes: Uint8Array): void => {
      let value: MoveValue;
      try {
        value = annotate(layout, bytes);
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== 'malformed-bytes') throw error;
        return;
      }
      expect(toHex(encodeMoveValue(value))).toBe(toHex(bytes));
    };
    fc.assert(
      fc.property(encodedValueArbitrary, bytesArbitrary, fc.nat(), fc.nat({ max: 255 }), (encoded, noise, at, byte) => {
        expectTotal(encoded, noise);
        const changed = Uint8Array.from(encoded.bytes);
        if (changed.length > 0) changed[at % changed.length] = byte;
        expectTotal(encoded, changed);
        expectTotal(encoded, encoded.bytes.subarray(0, at % (encoded.bytes.length + 1)));
        expectTotal(encoded, concatBytes(encoded.bytes, Uint8Array.of(byte)));
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it.each<[string, Layout, string, MoveValue]>([
    // spec/rpc.md 7.6 and spec/state.md 2.10.
    ['bytes', vector(of('u8')), '020102', { kind: 'bytes', value: Uint8Array.of(1, 2) }],
    ['no bytes', vector(of('u8')), '00', { kind: 'bytes', value: new Uint8Array(0) }],
    ['an empty vector keeps its item type', vector(of('bool')), '00', { kind: 'vector', item: of('bool'), items: [] }],
    ['a u16, little endian', of('u16'), '0102', { kind: 'u16', value: 0x0201 }],
    ['a u64', of('u64'), 'ffffffffffffffff', { kind: 'u64', value: 2n ** 64n - 1n }],
  ])('%s', (_name, layout, hex, value) => {
    expect(annotate(layout, fromHex(hex))).toEqual(value);
  });

  it('have the fields of a struct in declaration order', () => {
    const account = struct('0x2::account::Account', ['addr', of('address')], ['sequence_number', of('u64')]);
    const value = annotate(account, fromHex(`${'0'.repeat(63)}30200000000000000`));
    expect(value).toMatchObject({
      kind: 'struct',
      layout: account,
      fields: [{ kind: 'address' }, { kind: 'u64', value: 2n }],
    });
  });

  it('are bounded in depth', () => {
    const nested = (depth: number): Layout => (depth === 0 ? of('bool') : vector(nested(depth - 1)));
    const bytes = (depth: number): Uint8Array => new Uint8Array(depth + 1).fill(1);
    expect(annotate(nested(VALUE_DEPTH_MAX - 1), bytes(VALUE_DEPTH_MAX - 1)).kind).toBe('vector');
    expectRefusal(
      () => annotate(nested(VALUE_DEPTH_MAX), bytes(VALUE_DEPTH_MAX)),
      'limit-exceeded',
      'at most 128 levels',
    );
  });

  it('are bounded in parts, whatever count the bytes claim', () => {
    expectRefusal(() => annotate(vector(of('u16')), fromHex('ffffffff0f0000')), 'malformed-bytes');
    expectRefusal(() => annotate(vector(of('u8')), fromHex('ffffffff0f0000')), 'malformed-bytes');
    // A struct without fields takes no bytes; no compiler makes one, and no count of them may fill memory.
    const hollow = vector(struct('0x1::m::Hollow'));
    expectRefusal(() => annotate(hollow, fromHex('ffffffff0f')), 'limit-exceeded', `${VALUE_NODES_MAX} parts`);
  });

  it('share no memory with the bytes', () => {
    const layout = struct('0x1::m::S', ['owner', of('address')], ['data', vector(of('u8'))]);
    const bytes = Buffer.from(`${'11'.repeat(32)}03aabbcc`, 'hex');
    const value = annotate(layout, bytes);
    const before = toHex(encodeMoveValue(value));
    bytes.fill(0);
    expect(toHex(encodeMoveValue(value))).toBe(before);
  });
});

describe('the number of structs in a value (spec/rpc.md 7.3)', () => {
  const point = struct('0x1::m::Point', ['x', of('u8')]);
  const line = struct('0x1::m::Line', ['points', vector(point)]);
  const page = struct('0x1::m::Page', ['lines', vector(line)], ['origin', point]);

  it.each<[string, Layout, string, number]>([
    ['a number', of('u8'), '07', 0],
    ['bytes', vector(of('u8')), '020102', 0],
    ['a struct', point, '07', 1],
    ['an empty vector of structs', vector(point), '00', 0],
    ['a vector of structs', vector(point), '03010203', 3],
    ['a struct that holds some', line, '03010203', 4],
    ['nested vectors: length times the first element', page, '02020102010309', 2 * 3 + 1 + 1],
  ])('%s', (_name, layout, hex, count) => {
    expect(countStructs(annotate(layout, fromHex(hex)))).toBe(count);
  });
});
