import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes, concatBytes, equalBytes } from '../../../src/base/bytes/bytes.ts';
import { bytesArbitrary } from '../../arbitraries/primitive.ts';

describe('order of byte strings', () => {
  it('is the order of Node, which is memcmp and then length', () => {
    const near = fc.uint8Array({ maxLength: 4, max: 2 });
    for (const bytes of [near, bytesArbitrary]) {
      fc.assert(
        fc.property(bytes, bytes, (left, right) => {
          expect(Math.sign(compareBytes(left, right))).toBe(Buffer.compare(left, right));
          expect(equalBytes(left, right)).toBe(Buffer.compare(left, right) === 0);
        }),
      );
    }
  });

  it('is unsigned, and a prefix comes first', () => {
    expect(compareBytes(Uint8Array.of(0x7f), Uint8Array.of(0x80))).toBeLessThan(0);
    expect(compareBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBeLessThan(0);
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
  });

  it('joins parts in order, into memory of its own', () => {
    fc.assert(
      fc.property(fc.array(bytesArbitrary, { maxLength: 5 }), (parts) => {
        const joined = concatBytes(...parts);
        expect(joined).toEqual(new Uint8Array(Buffer.concat(parts)));
        joined.fill(0);
        expect(joined).toHaveLength(parts.reduce((sum, part) => sum + part.length, 0));
      }),
    );
    const part = Uint8Array.of(1, 2);
    concatBytes(part).fill(0);
    expect(part).toEqual(Uint8Array.of(1, 2));
  });
});
