/** A leaf is the same in both of its forms: with the bytes in which it was made, and once it is settled. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Leaf } from '../../../src/store/tree/node.ts';
import { bytesArbitrary } from '../../arbitraries/primitive.ts';
import { anyKey, hex } from './world.ts';

/** The leaf in every form: with bytes of its own, made for an object, settled, settled and read again. */
function formsOf(key: Uint8Array, value: Uint8Array): Leaf[] {
  const { bytes, valueAt } = Leaf.of(key, value);
  const forms = [undefined, key.slice(), key.slice(), key.slice()].map((own) => new Leaf(bytes, valueAt, false, own));
  for (const leaf of forms.slice(2)) leaf.settle();
  void forms[3]!.bytes;
  return forms;
}

describe('a leaf', () => {
  it('reads the same in each form', () => {
    fc.assert(
      fc.property(anyKey, anyKey, bytesArbitrary, fc.nat({ max: 63 }), (key, other, value, depth) => {
        const stored = hex(Leaf.of(key, value).bytes);
        const common = [...key].flatMap((byte, index) => [(byte ^ other[index]!) >> 4, (byte ^ other[index]!) & 15]);
        for (const leaf of formsOf(key, value)) {
          expect(hex(leaf.key)).toBe(hex(key));
          expect(leaf.nibble(depth)).toBe(Number.parseInt(hex(key)[2 + depth]!, 16));
          const first = common.findIndex((difference) => difference !== 0);
          expect(leaf.commonNibbles(other)).toBe(first < 0 ? 64 : first);
          expect(leaf.commonNibbles(key.slice())).toBe(64);
          expect(leaf.length).toBe(stored.length / 2 - 1);
          expect(hex(leaf.tail(value.length))).toBe(hex(value));
          expect(hex(leaf.briefBytes)).toBe(stored);
          expect(leaf.holds(value)).toBe(true);
          expect(hex(leaf.value)).toBe(hex(value));
          expect(hex(leaf.bytes)).toBe(stored);
        }
      }),
    );
  });

  it('is equal to the same leaf in any form, and to no other', () => {
    fc.assert(
      fc.property(anyKey, bytesArbitrary, fc.nat(), (key, value, place) => {
        const changed = value.slice();
        if (changed.length > 0) changed[place % changed.length]! ^= 1;
        const otherKey = key.slice();
        otherKey[place % 32]! ^= 1;
        for (const [index, leaf] of formsOf(key, value).entries()) {
          expect(leaf.equals(formsOf(key, value)[place % 4]!)).toBe(true);
          expect(leaf.equals(formsOf(otherKey, value)[index]!)).toBe(false);
          expect(leaf.compareKey(formsOf(key, value)[place % 4]!)).toBe(0);
          const order = Buffer.compare(key, otherKey);
          expect(Math.sign(leaf.compareKey(formsOf(otherKey, value)[place % 4]!))).toBe(order);
          if (changed.length === 0) continue;
          expect(leaf.equals(formsOf(key, changed)[place % 4]!)).toBe(false);
          expect(leaf.holds(changed)).toBe(false);
        }
        expect(formsOf(key, value)[1]!.holds(Uint8Array.of(...value, 0))).toBe(false);
      }),
    );
  });

  it('keeps nothing of the memory in which it was made once it is settled', () => {
    const key = new Uint8Array(32).fill(1);
    const { bytes: made, valueAt } = Leaf.of(key, new Uint8Array(300).fill(2));
    const leaf = new Leaf(made, valueAt, false, key);
    leaf.settle();
    made.fill(9);
    expect(leaf.value).toEqual(new Uint8Array(300).fill(2));
    expect(leaf.bytes.buffer.byteLength, 'memory of its own').toBe(leaf.length);
    expect(leaf.briefBytes, 'bytes that are there are not made again').toBe(leaf.bytes);
  });
});
