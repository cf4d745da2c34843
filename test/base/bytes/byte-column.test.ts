import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteColumn } from '../../../src/base/bytes/byte-column.ts';
import { compareBytes } from '../../../src/base/bytes/bytes.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';

describe('a column of byte strings', () => {
  it('gives back what was added, as copies and as views', () => {
    const lengths = fc.constantFrom(0, 1, 32, 200, 16_384, 16_385, 70_000);
    fc.assert(
      fc.property(fc.array(lengths, { maxLength: 40 }), (all) => {
        const column = new ByteColumn();
        const added = all.map((length, index) => new Uint8Array(length).fill(index + 1));
        for (const bytes of added) {
          column.add(bytes);
          // It keeps a copy.
          bytes.fill(0);
        }
        expect(column.length).toBe(all.length);
        for (const [place, length] of all.entries()) {
          const expected = new Uint8Array(length).fill(place + 1);
          expect(column.view(place)).toEqual(expected);
          expect(column.copy(place)).toEqual(expected);
          expect(column.copy(place).buffer.byteLength).toBe(length);
        }
      }),
    );
  });

  it('orders all of them, even those that begin alike', () => {
    const beginnings = fc.constantFrom('aaaaaa', 'aaaaab', 'aaaa\u007fa', 'zzzzzz');
    const text = fc
      .tuple(beginnings, fc.string({ maxLength: 2 }))
      .map((parts) => new TextEncoder().encode(parts.join('')));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200 }), (all) => {
        const column = new ByteColumn();
        for (const bytes of all) column.add(bytes);
        const places = [...all.keys()];
        const expected = places.sort((one, other) => compareBytes(all[one]!, all[other]!) || one - other);
        expect([...column.sorted()]).toEqual(expected);
      }),
    );
  });

  it('orders more than have whole heads in a number', () => {
    const column = new ByteColumn();
    const all = Array.from({ length: 5_000 }, (_, place) => sha3(Uint8Array.of(place, place >> 8)));
    // Heads that differ in their last bit alone.
    for (const bytes of all) bytes.fill(7, 0, 5);
    for (const bytes of all) column.add(bytes);
    const sorted = [...column.sorted()].map((place) => all[place]!);
    expect(sorted).toEqual([...all].sort(compareBytes));
  });

  it('orders two by their first six bytes', () => {
    const sixBytes = fc.uint8Array({ minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.tuple(sixBytes, sixBytes), ([one, other]) => {
        const column = new ByteColumn();
        column.add(one);
        column.add(other);
        expect(Math.sign(column.head(0) - column.head(1))).toBe(Math.sign(compareBytes(one, other)));
      }),
    );
  });
});
