import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs/codec.ts';
import { type ObjectMeta, objectState } from '../../../src/chain/object/object-state.ts';
import { SimilarObjects } from '../../../src/chain/state/apply.ts';
import { addressOf, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';

const part = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const TYPES = ['One', 'Another'].map((name) => structTag(MOVEOS_STD_ADDRESS, 'm', name));

const metas: fc.Arbitrary<ObjectMeta> = fc.record({
  id: fc.array(fc.constantFrom(1, 2).map(part), { minLength: 1, maxLength: 2 }),
  owner: fc.constantFrom(1, 2).map(addressOf),
  flag: fc.nat(1),
  stateRoot: fc.constantFrom(undefined, part(7), part(8)),
  size: fc.bigInt(0n, 1n),
  createdAt: fc.bigInt(0n, 1n),
  updatedAt: fc.bigInt(0n, 1n),
  objectType: fc.constantFrom(...TYPES),
});

const values = fc.constantFrom(0, 1, 127, 128, 2_000).map((length) => new Uint8Array(length).fill(length));

it('encodes objects one after another as the codec does, whatever they have in common', () => {
  // Each differs from the one before in one field, or in its last part and its value alone.
  const changes = fc.array(
    fc.tuple(fc.constantFrom('id', 'owner', 'flag', 'stateRoot', 'size', 'objectType'), metas, values),
  );
  fc.assert(
    fc.property(fc.tuple(metas, changes), ([first, others]) => {
      const similar = new SimilarObjects();
      let meta = first;
      for (const [field, other, value] of others) {
        meta = { ...meta, [field]: other[field as keyof ObjectMeta] };
        expect(similar.encode(meta, value)).toEqual(encode(objectState, { meta, value }));
        meta = {
          ...meta,
          id: [...meta.id.slice(0, -1), part(9)],
          createdAt: other.createdAt,
          updatedAt: other.updatedAt,
        };
        expect(similar.encode(meta, value)).toEqual(encode(objectState, { meta, value }));
      }
    }),
  );
});
