/** Values in chunks come back as they were put, whatever stands beside them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStored, ValueChunks } from '../../src/store/value-chunks.ts';

describe('values in chunks', () => {
  it('come back, in arrays of their own, across chunks and beside long ones', () => {
    const lengths = fc.array(fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 5_000 })), { maxLength: 300 });
    fc.assert(
      fc.property(lengths, (list) => {
        const chunks = new ValueChunks();
        const values = list.map((length, index) => new Uint8Array(length).fill(index));
        const stored = values.map((value) => chunks.put(value));
        for (const value of values) value.fill(0xff);
        for (const [index, length] of list.entries()) {
          const read = readStored(stored[index]!);
          expect(read).toEqual(new Uint8Array(length).fill(index));
          read.fill(0xee);
          expect(readStored(stored[index]!)).toEqual(new Uint8Array(length).fill(index));
        }
      }),
      { numRuns: 30 },
    );
  });
});
