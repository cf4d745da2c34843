/** Change sets: nested object changes, their fields in key order. */
import fc from 'fast-check';
import { compareBytes, toHex } from '../../src/base/bytes/bytes.ts';
import type {
  FieldChanges,
  ObjectChange,
  StateChangeSet,
  StateChangeSetExt,
  ValueChange,
} from '../../src/chain/object/change-set.ts';
import { bytes32Arbitrary, bytesArbitrary } from './bytes.ts';
import { u64Arbitrary } from './integer.ts';
import { fieldKeyArbitrary } from './object-id.ts';
import { objectMetaArbitrary } from './object-state.ts';

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
