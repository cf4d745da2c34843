import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import {
  CHANGE_SET_DEPTH_MAX,
  encodeChangeSet,
  fieldChanges,
  type ObjectChange,
  objectChange,
  type StateChangeSet,
  stateChangeSet,
  stateChangeSetExt,
  valueChange,
} from '../../../src/chain/object/change-set.ts';
import { objectMeta, rootObjectMeta } from '../../../src/chain/object/object-state.ts';
import { addressOf } from '../../../src/move/address.ts';
import {
  fieldChangesArbitraryOf,
  objectChangeArbitraryOf,
  stateChangeSetArbitrary,
  stateChangeSetExtArbitrary,
  valueChangeArbitrary,
} from '../../arbitraries/object.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { expectRefusal } from '../../refusal.ts';
import { readValueVectors } from '../../vectors.ts';

describeCodec('Op', valueChange, valueChangeArbitrary);
describeCodec('ObjectChange', objectChange, objectChangeArbitraryOf(1));
describeCodec('changes', fieldChanges, fieldChangesArbitraryOf(2));
describeCodec('StateChangeSet', stateChangeSet, stateChangeSetArbitrary);
describeCodec('StateChangeSetExt', stateChangeSetExt, stateChangeSetExtArbitrary);

const meta = rootObjectMeta(new Uint8Array(32), 0n);
const leaf: ObjectChange = { meta, value: undefined, fields: [] };

/** A change inside a change, `depth` deep. */
function nested(depth: number): ObjectChange {
  let change = leaf;
  for (let level = 1; level < depth; level++) change = { ...leaf, fields: [[addressOf(level), change]] };
  return change;
}

const changeSetOf = (change: ObjectChange): StateChangeSet => ({
  stateRoot: new Uint8Array(32),
  globalSize: 0n,
  changes: [[addressOf(1), change]],
});

describe('change sets', () => {
  it('encode piece by piece as they do at once, however many fields an object has, in any order', () => {
    const many = (depth: number): ObjectChange => ({
      ...leaf,
      value: { kind: 'new', value: new Uint8Array(300) },
      fields: Array.from({ length: 300 }, (_, index) => [
        Uint8Array.from(addressOf((index * 7919) % 1000)),
        depth > 0 && index === 5 ? many(depth - 1) : { ...leaf, value: { kind: 'new', value: new Uint8Array(index) } },
      ]),
    });
    const changeSet = { stateChangeSet: changeSetOf(many(2)), sequenceNumber: 77n };
    const pieces = [...encodeChangeSet(changeSet)];
    expect(pieces.length).toBeGreaterThan(2);
    expect(concatBytes(...pieces)).toEqual(encode(stateChangeSetExt, changeSet));
  });

  it('number their operations as spec/state.md 4.1', () => {
    expect(toHex(encode(valueChange, { kind: 'new', value: Uint8Array.of(7) }))).toBe('000107');
    expect(toHex(encode(valueChange, { kind: 'modify', value: Uint8Array.of(7) }))).toBe('010107');
    expect(toHex(encode(valueChange, { kind: 'delete' }))).toBe('02');
  });

  it('agree with the independent model', () => {
    interface ChangeSetVector {
      readonly bcs: Uint8Array;
      readonly value: StateChangeSet;
    }
    const { changeSets } = readValueVectors<{ changeSets: readonly ChangeSetVector[] }>('random-encodings.json');
    expect(changeSets.some(({ value }) => value.changes.some(([, change]) => change.fields.length > 0))).toBe(true);
    for (const { bcs, value } of changeSets) {
      expect(toHex(encode(stateChangeSet, value))).toBe(toHex(bcs));
      expect(decode(stateChangeSet, bcs)).toEqual(value);
    }
  });

  it('are written in key order, whatever order they are given in', () => {
    const changes = [3, 1, 2].map((number) => [addressOf(number), leaf] as const);
    const read = decode(fieldChanges, encode(fieldChanges, changes));
    expect(read.map(([key]) => key)).toEqual([1, 2, 3].map(addressOf));
  });

  it('hold each key once, in order', () => {
    const twice = [1, 1].map((number) => [addressOf(number), leaf] as const);
    expectRefusal(() => encode(fieldChanges, twice), 'invalid-argument', 'one key twice');
    const entry = (number: number): Uint8Array => concatBytes(addressOf(number), encode(objectChange, leaf));
    for (const [first, second] of [
      [2, 1],
      [1, 1],
    ] as const) {
      const bytes = concatBytes(Uint8Array.of(2), entry(first), entry(second));
      expectRefusal(() => decode(fieldChanges, bytes), 'malformed-bytes', 'ascending order');
    }
  });

  it('nest as deep as object ids go, and no deeper', () => {
    const deepest = changeSetOf(nested(CHANGE_SET_DEPTH_MAX));
    expect(decode(stateChangeSet, encode(stateChangeSet, deepest))).toEqual(deepest);
    const tooDeep = changeSetOf(nested(CHANGE_SET_DEPTH_MAX + 1));
    expectRefusal(() => encode(stateChangeSet, tooDeep), 'invalid-argument', 'nested at most 16 deep');
    // Bytes that nest 100,000 deep are refused by count and not by an exhausted stack.
    const level = concatBytes(encode(objectMeta, meta), fromHex('0001'), addressOf(1));
    const bytes = concatBytes(fromHex('01'), addressOf(1), ...Array.from({ length: 100_000 }, () => level));
    expectRefusal(() => decode(fieldChanges, bytes), 'malformed-bytes', 'nested at most 16 deep');
    // A refusal leaves nothing behind: the next value of the same depth is read.
    expect(decode(stateChangeSet, encode(stateChangeSet, deepest))).toEqual(deepest);
  });
});
