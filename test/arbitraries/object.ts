/** Objects as they stand in the leaves of the state tree. */
import fc from 'fast-check';
import { compareBytes, toHex } from '../../src/base/bytes/bytes.ts';
import type { FieldChanges, StateChangeSetExt } from '../../src/chain/object/change-set.ts';
import type {
  AccessPath,
  FieldKey,
  ObjectChange,
  ObjectId,
  ObjectMeta,
  ObjectState,
  StateChangeSet,
  ValueChange,
} from '../../src/query/transaction-builder.ts';
import {
  addressArbitrary,
  bytes32Arbitrary,
  bytesArbitrary,
  nameArbitrary,
  u8Arbitrary,
  u64Arbitrary,
} from './primitive.ts';
import { structTagArbitrary } from './type-tag.ts';

export const fieldKeyArbitrary: fc.Arbitrary<FieldKey> = bytes32Arbitrary;

/** The root's, an object's, a child's, a dynamic field's of a child, and now and then a deeper one. */
export const objectIdArbitrary: fc.Arbitrary<ObjectId> = fc.oneof(
  { weight: 6, arbitrary: fc.array(bytes32Arbitrary, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(bytes32Arbitrary, { minLength: 4, maxLength: 16 }) },
);

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

export const valueChangeArbitrary: fc.Arbitrary<ValueChange> = fc.oneof(
  bytesArbitrary.map((value): ValueChange => ({ kind: 'new', value })),
  bytesArbitrary.map((value): ValueChange => ({ kind: 'modify', value })),
  fc.constant<ValueChange>({ kind: 'delete' }),
);

/** Changes nested at most `depth` deep, sorted by key and without a key twice, as the codec writes them. */
export function fieldChangesArbitraryOf(depth: number): fc.Arbitrary<FieldChanges> {
  if (depth === 0) return fc.constant([]);
  return fc
    .uniqueArray(fc.tuple(fieldKeyArbitrary, objectChangeArbitraryOf(depth - 1)), {
      maxLength: 3,
      selector: ([key]) => toHex(key),
    })
    .map((entries) => entries.sort(([left], [right]) => compareBytes(left, right)));
}

/** A change whose fields' changes nest at most `depth` deep. */
export function objectChangeArbitraryOf(depth: number): fc.Arbitrary<ObjectChange> {
  return fc.record({
    meta: objectMetaArbitrary,
    value: fc.option(valueChangeArbitrary, { nil: undefined }),
    fields: fieldChangesArbitraryOf(depth),
  });
}

export const stateChangeSetArbitrary: fc.Arbitrary<StateChangeSet> = fc.record({
  stateRoot: bytes32Arbitrary,
  globalSize: u64Arbitrary,
  changes: fieldChangesArbitraryOf(2),
});

export const stateChangeSetExtArbitrary: fc.Arbitrary<StateChangeSetExt> = fc.record({
  stateChangeSet: stateChangeSetArbitrary,
  sequenceNumber: u64Arbitrary,
});

const listOf = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<readonly T[] | undefined> =>
  fc.option(fc.array(item, { minLength: 1, maxLength: 3 }), { nil: undefined });

export const accessPathArbitrary: fc.Arbitrary<AccessPath> = fc.oneof(
  listOf(objectIdArbitrary).map((ids): AccessPath => ({ kind: 'object', ids })),
  fc
    .tuple(addressArbitrary, listOf(structTagArbitrary))
    .map(([account, types]): AccessPath => ({ kind: 'resource', account, types })),
  fc
    .tuple(addressArbitrary, listOf(nameArbitrary))
    .map(([account, names]): AccessPath => ({ kind: 'module', account, names })),
  fc
    .tuple(objectIdArbitrary, listOf(fieldKeyArbitrary))
    .map(([object, keys]): AccessPath => ({ kind: 'fields', object, keys })),
);
