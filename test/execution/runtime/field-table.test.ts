/** Fields that a session has looked up: found by the very key array and by equal bytes, few and many. */
import { describe, expect, it } from 'vitest';
import { FieldTable } from '../../../src/execution/runtime/plain-fields.ts';

/** Keys that differ only in their last byte, or only in their first. */
const key = (index: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(7);
  bytes[index % 2 === 0 ? 31 : 0] = 100 + index;
  return bytes;
};

describe('FieldTable', () => {
  it.each([1, 2, 16, 17, 18, 60])('finds each of %i fields by its array and by equal bytes, and no other', (count) => {
    const keys = Array.from({ length: count }, (_, index) => key(index));
    const table = new FieldTable(keys[0]!, 0);
    for (let index = 1; index < count; index++) table.add(keys[index]!, index);
    for (const [index, own] of keys.entries()) {
      expect(table.find(own)).toBe(index);
      expect(table.find(key(index))).toBe(index);
    }
    expect(table.find(key(count))).toBeUndefined();
    expect([...table.all()]).toEqual(keys.map((_, index) => index));
  });
});
