import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import {
  dynamicFieldType,
  FLAG_FROZEN,
  FLAG_SHARED,
  isDynamicField,
  isEmbedded,
  isFrozen,
  isShared,
  rootObjectMeta,
} from '../../../src/chain/object/object-state.ts';
import { addressOf, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { canonicalStruct, displayStruct, parseStructTag, parseTypeTag, typeTag } from '../../../src/move/type-tag.ts';
import {
  formatObjectId,
  type ObjectMeta,
  type ObjectState,
  objectMeta,
  objectState,
} from '../../../src/query/transaction-builder.ts';
import { objectMetaArbitrary, objectStateArbitrary } from '../../arbitraries/object.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { taggedPair } from '../../base/tagged-pair.ts';
import { expectRefusal } from '../../refusal.ts';
import { readValueVectors, readVectors } from '../../vectors.ts';

describeCodec('ObjectState', objectState, objectStateArbitrary);

interface StateModel {
  readonly live_single_leaf: {
    readonly field_key: string;
    readonly object_state_bcs: string;
    readonly value_hash: string;
    readonly leaf_hash_eq_parent_state_root: string;
  };
  readonly live_main_account_0x3: {
    readonly fields: readonly {
      readonly key: string;
      readonly type: string;
      readonly object_state_bcs: string;
      readonly value_hash: string;
      readonly leaf_hash: string;
    }[];
    readonly state_root: string;
  };
  readonly genesis_test: { readonly timestamp_leaf: { readonly key: string; readonly object_state_bcs: string } };
}

const { live_single_leaf, live_main_account_0x3, genesis_test } = readVectors<StateModel>('state-model.json');

/** A leaf of a field tree: key, canonical type, leaf hash and bytes. */
interface Leaf {
  readonly key: string;
  readonly type: string;
  readonly leafHash: string;
  readonly state: string;
}

/** Fails unless the leaf decodes, is of the type and key it should be, encodes to the same bytes and hashes right. */
function expectLeaf({ key, type, leafHash, state }: Leaf): ObjectState {
  const object = decode(objectState, fromHex(state));
  expect(canonicalStruct(object.meta.objectType)).toBe(type);
  expect(parseStructTag(displayStruct(object.meta.objectType))).toEqual(object.meta.objectType);
  expect(toHexPrefixed(object.meta.id.at(-1)!)).toBe(key);
  const bytes = encode(objectState, object);
  expect(toHexPrefixed(bytes)).toBe(state);
  expect(toHexPrefixed(taggedPair(fromHex(key), taggedHash(bytes)))).toBe(leafHash);
  return object;
}

describe('objects of live networks', () => {
  it('the single field of spec/state.md 11.3, down to the published root', () => {
    const object = expectLeaf({
      key: live_single_leaf.field_key,
      type: canonicalStruct(
        dynamicFieldType(
          parseTypeTag('0x1::string::String'),
          parseTypeTag('0x3::oracle::StoredData<0x2::decimal_value::DecimalValue>'),
        ),
      ),
      leafHash: live_single_leaf.leaf_hash_eq_parent_state_root,
      state: live_single_leaf.object_state_bcs,
    });
    expect(toHexPrefixed(taggedHash(encode(objectState, object)))).toBe(live_single_leaf.value_hash);
    expect(object.meta).toMatchObject({ flag: 0, size: 0n, createdAt: 1738672336241n, updatedAt: 1738672336241n });
    expect(object.meta.id).toHaveLength(2);
    expect(Buffer.from(object.value.subarray(1, 7)).toString()).toBe('BTCUSD');
  });

  it('the two fields of spec/state.md 11.2, up to the published root', () => {
    const leaves = live_main_account_0x3.fields.map((field) => {
      expectLeaf({ key: field.key, type: field.type, leafHash: field.leaf_hash, state: field.object_state_bcs });
      expect(toHexPrefixed(taggedHash(fromHex(field.object_state_bcs)))).toBe(field.value_hash);
      return fromHex(field.leaf_hash);
    });
    expect(toHexPrefixed(taggedPair(leaves[0]!, leaves[1]!))).toBe(live_main_account_0x3.state_root);
  });

  it('the timestamp of the test network (spec/state.md 11.6)', () => {
    const { key, object_state_bcs } = genesis_test.timestamp_leaf;
    const object = decode(objectState, fromHex(object_state_bcs));
    expect(toHexPrefixed(encode(objectState, object))).toBe(object_state_bcs);
    expect(formatObjectId(object.meta.id)).toBe(key);
    expect(displayStruct(object.meta.objectType)).toBe('0x2::timestamp::Timestamp');
    expect(object.meta.flag).toBe(1);
    expect(Buffer.from(object.meta.stateRoot!).toString('latin1')).toBe('SPARSE_MERKLE_PLACEHOLDER_HASH\0\0');
    expect(new DataView(object.value.buffer).getBigUint64(0, true)).toBe(object.meta.createdAt);
  });

  it('objects of every kind in the test network after genesis (spec/state.md 11.9, 11.10)', () => {
    const { leaves } = readVectors<{ leaves: readonly Leaf[] }>('genesis-objects.json');
    expect(leaves.length).toBeGreaterThan(50);
    for (const leaf of leaves) expectLeaf(leaf);
  });
});

const shared = process.env['MOVELET_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url));
const genesisFile = `${shared}/data/test-network-genesis.json`;
const skipped = existsSync(genesisFile) ? '' : ' (skipped: ../shared is missing)';

describe.skipIf(skipped !== '')(`the whole test network after genesis${skipped}`, () => {
  interface Trees {
    readonly trees: readonly {
      readonly leaves: readonly {
        readonly key: string;
        readonly object_type: string;
        readonly leaf_hash: string;
        readonly object_state_bcs?: string;
      }[];
    }[];
  }

  it('has only leaves that decode and encode to their hashes', () => {
    const { trees } = JSON.parse(readFileSync(genesisFile, 'utf8')) as Trees;
    const leaves = trees.flatMap((tree) => tree.leaves).filter((leaf) => leaf.object_state_bcs !== undefined);
    expect(leaves.length).toBeGreaterThan(80);
    for (const { key, object_type, leaf_hash, object_state_bcs } of leaves) {
      expectLeaf({ key, type: object_type, leafHash: leaf_hash, state: object_state_bcs! });
    }
  });
});

describe('objects of the independent model', () => {
  interface ObjectVector {
    readonly bcs: Uint8Array;
    readonly metaBcs: Uint8Array;
    readonly leafHash: Uint8Array | readonly [];
    readonly value: { readonly meta: ObjectMeta; readonly value: Uint8Array };
  }

  it('have the same bytes and leaf hashes', () => {
    const { objects } = readValueVectors<{ objects: readonly ObjectVector[] }>('random-encodings.json');
    expect(objects.length).toBeGreaterThan(10);
    for (const { bcs, metaBcs, leafHash, value } of objects) {
      expect(toHex(encode(objectState, value))).toBe(toHex(bcs));
      expect(toHex(encode(objectMeta, value.meta))).toBe(toHex(metaBcs));
      expect(decode(objectState, bcs)).toEqual(value);
      const key = value.meta.id.at(-1);
      if (key !== undefined) expect(taggedPair(key, taggedHash(bcs))).toEqual(leafHash);
    }
  });
});

describe('the type of a dynamic field', () => {
  it('is 0x2::object::DynamicField of name and value', () => {
    expect(displayStruct(dynamicFieldType({ kind: 'u8' }, parseTypeTag('0x3::m::V')))).toBe(
      '0x2::object::DynamicField<u8, 0x3::m::V>',
    );
  });
});

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
