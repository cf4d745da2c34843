/** Object ids and field keys. */
import fc from 'fast-check';
import type { FieldKey } from '../../src/chain/object/field-key.ts';
import type { ObjectId } from '../../src/chain/object/object-id.ts';
import { bytes32Arbitrary } from './bytes.ts';

export const fieldKeyArbitrary: fc.Arbitrary<FieldKey> = bytes32Arbitrary;

/** The root's, an object's, a child's, a dynamic field's of a child, and now and then a deeper one. */
export const objectIdArbitrary: fc.Arbitrary<ObjectId> = fc.oneof(
  { weight: 6, arbitrary: fc.array(bytes32Arbitrary, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(bytes32Arbitrary, { minLength: 4, maxLength: 16 }) },
);
