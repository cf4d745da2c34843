/** Leaves that are written straight to their place are those that the codec makes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { objectLeaf } from '../../../src/chain/state/apply.ts';
import { type ObjectState, objectState } from '../../../src/query/transaction-builder.ts';
import { Leaf } from '../../../src/store/tree/node.ts';
import { objectStateArbitrary } from '../../arbitraries/object.ts';
import { bytes32Arbitrary } from '../../arbitraries/primitive.ts';
import { hex } from '../../store/tree/world.ts';

const KEY = new Uint8Array(32).fill(0xa7);

function expectSame(key: Uint8Array, object: ObjectState): void {
  const made = objectLeaf(key, object.meta, object.value);
  const expected = Leaf.of(key, encode(objectState, object));
  expect(hex(made.bytes)).toBe(hex(expected.bytes));
  expect(made.valueAt).toBe(expected.valueAt);
  expect(hex(made.key)).toBe(hex(key));
}

describe('the leaf of an object', () => {
  it('has the bytes of the codec', () => {
    fc.assert(fc.property(bytes32Arbitrary, objectStateArbitrary, expectSame));
  });

  it('has them even if a length takes another byte', () => {
    const [object] = fc.sample(objectStateArbitrary, { numRuns: 1, seed: 1 }) as [ObjectState];
    const { length } = objectLeaf(KEY, object.meta, new Uint8Array(0));
    for (const bytes of [0, 1, 127, 128, 16_383 - length, 16_383, 16_384, 100_000]) {
      for (const value of [bytes - 2, bytes - 1, bytes, bytes + 1].filter((count) => count >= 0)) {
        expectSame(KEY, { meta: object.meta, value: new Uint8Array(value).fill(3) });
      }
    }
  });

  it('refuses what does not fit its place', () => {
    const [{ meta, value }] = fc.sample(objectStateArbitrary, { numRuns: 1, seed: 2 }) as [ObjectState];
    const wrong: Partial<ObjectState['meta']>[] = [
      { id: [new Uint8Array(31)] },
      { id: new Array<Uint8Array>(17).fill(KEY) },
      { owner: new Uint8Array(33) },
      { flag: 256 },
      { stateRoot: new Uint8Array(0) },
      { size: -1n },
      { createdAt: 2n ** 64n },
      { updatedAt: 2n ** 64n },
    ];
    for (const part of wrong) expect(() => objectLeaf(KEY, { ...meta, ...part }, value)).toThrow();
  });
});
