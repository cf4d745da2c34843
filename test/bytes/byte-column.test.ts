import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteColumn } from '../../src/bytes/byte-column.ts';
import { compareBytes } from '../../src/bytes/compare.ts';

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

  it('tells the order of two by their first six bytes', () => {
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
