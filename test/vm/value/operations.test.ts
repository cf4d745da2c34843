import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { parseTypeTag } from '../../../src/move/type-tag.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import { vectorOf } from '../../../src/vm/value/generic-operations.ts';
import type { StructInstance } from '../../../src/vm/value/struct.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import type { ArrayVector, ByteVector, VectorValue } from '../../../src/vm/value/vector.ts';
import { runs } from '../../effort.ts';
import { assembleModule } from '../assemble.ts';

const module = assembleModule(`module 0x1::m
  struct S has copy, drop, store { a: u64, b: bool, c: address }
  struct T has copy, drop, store { s: S, v: vector<u8>, w: vector<S>, x: u256 }
  struct G<X> has copy, drop, store { x: X, y: u16 }`);
const source = { load: () => module };

const TYPES = [
  ...['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address'].flatMap((kind) => [
    kind,
    `vector<${kind}>`,
    `vector<vector<${kind}>>`,
    `0x1::m::G<${kind}>`,
  ]),
  ...['0x1::m::S', '0x1::m::T', 'vector<0x1::m::T>', '0x1::m::G<0x1::m::G<vector<u16>>>', 'vector<0x1::m::G<u256>>'],
];

/** The same type on a machine that generates operations and on one that does not. */
const [generating, walking] = (['translate', 'interpret'] as const).map((engine) =>
  Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE, engine }),
) as [Machine, Machine];

function load(machine: Machine, text: string): Type {
  const type = machine.loadType(parseTypeTag(text), source);
  if ('status' in type) throw new Error(type.message);
  return type;
}

const BITS: Readonly<Record<string, bigint>> = { u8: 8n, u16: 16n, u32: 32n, u64: 64n, u128: 128n, u256: 256n };

/** Values of a type, made from a plain description that both machines can build from. */
function build(type: Type, seed: readonly number[], at = { index: 0 }): unknown {
  const next = (): number => seed[at.index++ % seed.length]!;
  const bits = BITS[type.kind];
  if (bits !== undefined) {
    const value = BigInt.asUintN(Number(bits), BigInt(next()) ** BigInt(1 + (next() % 9)) - BigInt(next() % 2));
    return bits <= 32n ? Number(value) : value;
  }
  if (type.kind === 'bool') return next() % 2 === 1;
  if (type.kind === 'address') return addressOf(next());
  if (type.kind === 'vector') {
    return vectorOf(
      type.item,
      Array.from({ length: next() % 5 }, () => build(type.item, seed, at)),
    );
  }
  return type.make(...type.fields.map((field) => build(field, seed, at)));
}

/** Sizes by the formula of execution.md 6.3, written out again: 40 each, packed elements by their width. */
function expectedSize(type: Type, value: unknown, compared: boolean): number {
  if (type.kind === 'struct') {
    return type.fields.reduce(
      (sum, field, index) => sum + expectedSize(field, (value as StructInstance).getField(index), compared),
      40,
    );
  }
  if (type.kind !== 'vector') return 40;
  const vector = value as VectorValue;
  const { kind } = type.item;
  if (kind === 'struct' || kind === 'vector') {
    let sum = 40;
    for (let index = 0; index < vector.length; index++) sum += expectedSize(type.item, vector.get(index), compared);
    return sum;
  }
  if (compared && ['u16', 'u32', 'u256'].includes(kind)) return 40 + 40 * vector.length;
  const width = kind === 'address' ? 32 : kind === 'bool' ? 1 : Number(BITS[kind]! / 8n);
  return 40 + width * vector.length;
}

describe.each([
  ['generated', generating],
  ['walking', walking],
] as const)('%s operations', (_name, machine) => {
  // A constant may hold tens of thousands of them, and a typed array for each takes most of the time of decoding it.
  it.each(['u8', 'u64'])('decode empty vectors of %s with an array that they share', (kind) => {
    const { items } = load(machine, `vector<vector<${kind}>>`).decode(Uint8Array.of(2, 0, 0)) as ArrayVector;
    const [left, right] = items as ByteVector[];
    expect(left!.items).toBe(right!.items);
  });
});

describe.each(TYPES)('values of %s', (text) => {
  const types = [load(generating, text), load(walking, text)] as const;
  const seeds = fc.array(fc.nat(300), { minLength: 12, maxLength: 40 });

  it('copy, compare, measure, write and read the same, generated or not', () => {
    fc.assert(
      fc.property(seeds, seeds, (seed, otherSeed) => {
        const results = types.map((type) => {
          const { copy, equals, size, comparedSize, assign } = type.operations;
          const value = build(type, seed);
          const other = build(type, otherSeed);
          expect(size(value)).toBe(expectedSize(type, value, false));
          expect(comparedSize(value)).toBe(expectedSize(type, value, true));
          const bytes = type.encode(value);
          expect(type.encode(copy(value))).toEqual(bytes);
          expect(equals(value, copy(value))).toBe(true);
          const decoded = type.decode(bytes);
          expect(type.encode(decoded)).toEqual(bytes);
          expect(type.decode(Uint8Array.from([...bytes, 0]))).toBeUndefined();
          expect(type.decode(bytes.subarray(0, bytes.length - 1))).toBeUndefined();
          const otherBytes = type.encode(other);
          const isEqual = equals(value, other);
          expect(isEqual).toBe(Buffer.from(bytes).equals(otherBytes));
          if (type.isContainer) {
            const target = copy(value);
            assign(target, copy(other));
            expect(type.encode(target)).toEqual(otherBytes);
            expect(type.encode(value)).toEqual(bytes);
          }
          return [bytes, isEqual, size(other)];
        });
        expect(results[0]).toEqual(results[1]);
      }),
      { numRuns: runs(20, 60) },
    );
  });

  it('know their owner in every container when they were decoded with one', () => {
    for (const type of types) {
      const bytes = type.encode(build(type, [3, 1, 4, 1, 5, 9, 2, 6]));
      for (let round = 0; round < 20; round++) {
        const owner = { dirty: false };
        const value = type.decode(bytes, owner);
        const visit = (inner: Type, part: unknown): void => {
          if (!inner.isContainer) return;
          expect((part as { owner: unknown }).owner).toBe(owner);
          const parts = inner.kind === 'struct' ? inner.fields.length : (part as VectorValue).length;
          for (let index = 0; index < parts; index++) {
            if (inner.kind === 'struct') visit(inner.fields[index]!, (part as StructInstance).getField(index));
            else visit(inner.item, (part as VectorValue).get(index));
          }
        };
        visit(type, value);
        const copied = type.operations.copy(value);
        if (type.isContainer) expect((copied as { owner: unknown }).owner).toBeNull();
        expect(owner.dirty).toBe(false);
      }
    }
  });
});

it('makes no room for more elements than there are bytes', () => {
  const type = load(generating, 'vector<vector<u64>>');
  for (let round = 0; round < 30; round++) {
    expect(type.decode(Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]))).toBeUndefined();
  }
});

it.each([
  ['generated', generating],
  ['walked', walking],
] as const)('writes to a long decoded byte vector without changing anything else, %s', (_name, machine) => {
  const type = load(machine, 'vector<vector<u8>>');
  const long = vectorOf(load(machine, 'u8'), new Array(300).fill(7));
  const bytes = type.encode(vectorOf(load(machine, 'vector<u8>'), [long, long]));
  for (let round = 0; round < 30; round++) {
    const read = (): VectorValue[] => (type.decode(bytes) as unknown as { items: VectorValue[] }).items;
    const [first, second] = read() as [VectorValue, VectorValue];
    first.set(0, 1);
    first.push(2);
    second.swap(0, 1);
    expect([first.length, first.get(0), first.get(300), second.get(0)]).toEqual([301, 1, 2, 7]);
    second.pop();
    second.push(3);
    expect(read().every((vector) => vector.length === 300 && vector.get(0) === 7 && vector.get(299) === 7)).toBe(true);
  }
});
