/** Objects as they stand in the leaves of the state tree. */
import fc from 'fast-check';
import type { ObjectMeta, ObjectState } from '../../src/chain/object/object-state.ts';
import { addressArbitrary } from './address.ts';
import { bytes32Arbitrary, bytesArbitrary } from './bytes.ts';
import { u8Arbitrary, u64Arbitrary } from './integer.ts';
import { objectIdArbitrary } from './object-id.ts';
import { structTagArbitrary } from './type-tag.ts';

export const objectMetaArbitrary: fc.Arbitrary<ObjectMeta> = fc.record({
  id: objectIdArbitrary,
  owner: addressArbitrary,
  flag: fc.oneof(fc.nat({ max: 3 }), u8Arbitrary),
  stateRoot: fc.option(bytes32Arbitrary, { nil: undefined }),
  size: u64Arbitrary,
  createdAt: u64Arbitrary,
  updatedAt: u64Arbitrary,
  objectType: structTagArbitrary,
});

export const objectStateArbitrary: fc.Arbitrary<ObjectState> = fc.record({
  meta: objectMetaArbitrary,
  value: bytesArbitrary,
});
