import { expect, it } from 'vitest';
import type { ObjectState } from '../../../src/chain/object/object-state.ts';
import { PendingFields } from '../../../src/chain/state/pending-meta.ts';

const keyOf = (first: number, last: number): Uint8Array => {
  const key = new Uint8Array(32).fill(7);
  key[0] = first;
  key[31] = last;
  return key;
};

const objectOf = (value: number): ObjectState => ({ meta: {} as never, value: Uint8Array.of(value) });

it('changed fields are told apart by their whole keys, whatever these have in common', () => {
  const fields = new PendingFields(new Uint8Array(32));
  const keys = [keyOf(1, 1), keyOf(2, 1), keyOf(3, 1), keyOf(1, 2)];
  const objects = keys.map((_, index) => objectOf(index));
  for (const [index, key] of keys.entries()) fields.set(key, objects[index]!);
  expect(keys.map((key) => fields.find(key.slice()))).toEqual(objects);
  expect([keyOf(4, 1), keyOf(1, 3)].map((key) => fields.find(key))).toEqual([undefined, undefined]);
  fields.set(keyOf(2, 1), null);
  const again = objectOf(9);
  fields.set(keyOf(3, 1), again);
  expect(keys.map((key) => fields.find(key))).toEqual([objects[0], null, again, objects[3]]);
});
