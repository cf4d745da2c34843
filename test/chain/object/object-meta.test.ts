import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import {
  FLAG_FROZEN,
  FLAG_SHARED,
  isDynamicField,
  isEmbedded,
  isFrozen,
  isShared,
  type ObjectMeta,
  objectMeta,
  rootObjectMeta,
} from '../../../src/chain/object/object-state.ts';
import { addressOf, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { parseStructTag, typeTag } from '../../../src/move/type-tag.ts';
import { objectMetaArbitrary } from '../../arbitraries/object-state.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { expectRefusal } from '../../refusal.ts';

describeCodec('ObjectMeta', objectMeta, objectMetaArbitrary);

const meta: ObjectMeta = {
  ...rootObjectMeta(new Uint8Array(32), 0n),
  id: [addressOf(0x42)],
  owner: addressOf(0x42),
  flag: 0,
  objectType: parseStructTag('0x2::account::Account'),
};

describe('what follows from metadata (spec/state.md 2.4)', () => {
  it.each([
    ['an owned object', addressOf(0x42), 0, { shared: false, frozen: false, embedded: false }],
    ['an embedded object', addressOf(0), 0, { shared: false, frozen: false, embedded: true }],
    ['a shared object', addressOf(0), FLAG_SHARED, { shared: true, frozen: false, embedded: false }],
    ['a frozen object', addressOf(0), FLAG_FROZEN, { shared: false, frozen: true, embedded: false }],
    ['both', addressOf(0), FLAG_SHARED | FLAG_FROZEN, { shared: true, frozen: true, embedded: false }],
  ])('%s', (_name, owner, flag, expected) => {
    const object = { ...meta, owner, flag };
    expect({ shared: isShared(object), frozen: isFrozen(object), embedded: isEmbedded(object) }).toEqual(expected);
  });

  it.each([
    ['0x2::object::DynamicField<0x1::string::String, u8>', true],
    ['0x2::object::DynamicField<u8, 0x2::object::DynamicField<u8, u8>>', true],
    ['0x2::object::DynamicField', false],
    ['0x2::object::DynamicField<u8>', false],
    ['0x3::object::DynamicField<u8, u8>', false],
    ['0x2::table::DynamicField<u8, u8>', false],
    ['0x2::object::Root', false],
  ])('%s is a dynamic field: %s', (type, expected) => {
    expect(isDynamicField({ ...meta, objectType: parseStructTag(type) })).toBe(expected);
  });

  it('the root object is rebuilt with constants (spec/state.md 2.6)', () => {
    const root = rootObjectMeta(new Uint8Array(32).fill(7), 58n);
    expect(root).toEqual({
      id: [],
      owner: MOVEOS_STD_ADDRESS,
      flag: 1,
      stateRoot: new Uint8Array(32).fill(7),
      size: 58n,
      createdAt: 0n,
      updatedAt: 0n,
      objectType: parseStructTag('0x2::object::Root'),
    });
  });

  it('an object has a struct type and no other', () => {
    const bytes = encode(objectMeta, meta);
    const head = bytes.subarray(0, bytes.length - encode(typeTag, { kind: 'struct', struct: meta.objectType }).length);
    expectRefusal(
      () => decode(objectMeta, Uint8Array.of(...head, 1)),
      'malformed-bytes',
      'expected an object type, got u8',
    );
  });
});

describe('types of objects', () => {
  const typed = (index: number): Uint8Array =>
    encode(objectMeta, {
      ...meta,
      objectType: parseStructTag(`0x42::m${index}::T<0x1::string::String, u${8 << (index % 4)}>`),
    });

  it('are shared by the objects that are read, and are right however many there are', () => {
    const read = (index: number): ObjectMeta => decode(objectMeta, typed(index));
    // Written once, so whatever else this process knows by then, both are read from the same bytes.
    const bytes = typed(0);
    expect(decode(objectMeta, bytes).objectType).toBe(decode(objectMeta, bytes).objectType);
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 100; index++) {
        const object = read(index);
        expect(object.objectType.module).toBe(`m${index}`);
        expect(object.objectType.typeArguments[1]).toEqual({ kind: `u${8 << (index % 4)}` });
        expect(encode(objectMeta, object)).toEqual(typed(index));
      }
    }
  });
});
