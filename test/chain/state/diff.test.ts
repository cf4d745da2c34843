/** What differs between two states, object by object. */
import { expect, it } from 'vitest';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { type ObjectChange, type ObjectId, parseStructTag } from '../../../src/chain/codecs.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { stateDifferences } from '../../../src/chain/state/diff.ts';
import { State } from '../../../src/chain/state/state.ts';
import { addressOf } from '../../../src/move/address.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { freshMeta } from '../../forge.ts';
import { hex } from '../../store/tree/world.ts';

const key = (number: number): Uint8Array => sha3(Uint8Array.of(number));
const pathOf = (id: ObjectId): string => id.map(hex).join('/');

const nodes = new Map<string, Uint8Array>();
const tree = new Tree((hash) => nodes.get(hex(hash)), new NodeCache({ nodesMax: 4 }));

/** Objects by number, each with a value, and its fields likewise. */
type Objects = Readonly<Record<number, readonly [value: number, fields?: Objects]>>;

function changesOf(parent: ObjectId, objects: Objects): FieldChanges {
  return Object.entries(objects)
    .map(([number, [value, fields = {}]]): [Uint8Array, ObjectChange] => {
      const id = [...parent, key(Number(number))];
      const meta = {
        ...freshMeta(id, parseStructTag('0x42::a::B')),
        owner: addressOf(1),
        createdAt: 1n,
        updatedAt: 1n,
      };
      return [id.at(-1)!, { meta, value: { kind: 'new', value: Uint8Array.of(value) }, fields: changesOf(id, fields) }];
    })
    .sort(([left], [right]) => Buffer.compare(left, right));
}

function stateOf(objects: Objects): State {
  const changes = changesOf([], objects);
  const empty = new State(tree, EMPTY_ROOT, 0n);
  const applied = applyChangeSet(empty, { stateRoot: EMPTY_ROOT, globalSize: 0n, changes });
  for (const { hash, bytes } of applied.fresh) nodes.set(hex(hash), bytes);
  return new State(tree, applied.changeSet.stateRoot, 0n);
}

const same: Objects = { 30: [1], 31: [2] };
const before: Objects = {
  1: [1, { 10: [1], 11: [2], 12: [3] }],
  2: [2],
  3: [3, same],
  4: [4, { 40: [1, { 41: [1] }] }],
  5: [5],
};
// 1: fields change, one goes, one comes. 2 goes. 3 stays. 4 goes with all below it. 5 has another value. 6 comes with fields.
const after: Objects = {
  1: [1, { 10: [9], 12: [3], 13: [4] }],
  3: [3, same],
  5: [6],
  6: [6, { 60: [1], 61: [2] }],
};

type Found = readonly [path: string, before: number | undefined, after: number | undefined];

function found(beyond?: ObjectId): Found[] {
  return [...stateDifferences(stateOf(before), stateOf(after), beyond)].map((difference) => {
    const { meta } = (difference.after ?? difference.before)!;
    return [pathOf(meta.id), difference.before?.value[0], difference.after?.value[0]];
  });
}

const expected: readonly (readonly [id: readonly number[], before: number | undefined, after: number | undefined])[] = [
  [[1], 1, 1],
  [[1, 10], 1, 9],
  [[1, 11], 2, undefined],
  [[1, 13], undefined, 4],
  [[2], 2, undefined],
  [[4], 4, undefined],
  [[4, 40], 1, undefined],
  [[4, 40, 41], 1, undefined],
  [[5], 5, 6],
  [[6], undefined, 6],
  [[6, 60], undefined, 1],
  [[6, 61], undefined, 2],
];
const sorted = expected
  .map(([id, ...values]): [ObjectId, ...typeof values] => [id.map(key), ...values])
  .sort(([left], [right]) => (pathOf(left) < pathOf(right) ? -1 : 1));

it('two states differ in the objects that changed, came or went, each before its fields', () => {
  expect(found()).toEqual(sorted.map(([id, ...values]) => [pathOf(id), ...values]));
  expect([...stateDifferences(stateOf(before), stateOf(before))]).toEqual([]);
});

it('the differences go on after any object, there or not', () => {
  for (const beyond of [...sorted.map(([id]) => id), [key(3)], [key(1), key(99)], [key(98), key(1)]]) {
    const rest = sorted.filter(([id]) => pathOf(id) > pathOf(beyond));
    expect(found(beyond)).toEqual(rest.map(([id, ...values]) => [pathOf(id), ...values]));
  }
});
