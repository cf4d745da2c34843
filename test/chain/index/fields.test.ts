/** Sort keys of dynamic fields: the unsigned integers at the end of their values that fit a u64. */
import { describe, expect, it } from 'vitest';
import { encode, u8, u64, u128, u256 } from '../../../src/base/bcs.ts';
import { concatBytes } from '../../../src/base/bytes/bytes.ts';
import { FIELD_INDEXER_ID, fieldIndexOperations, fieldSortKey } from '../../../src/chain/index/fields.ts';
import type { FieldChange } from '../../../src/chain/object/change-set.ts';
import { type ObjectId, objectId, objectIdBytes } from '../../../src/chain/object/object-id.ts';
import { parseStructTag } from '../../../src/move/type-tag.ts';
import { columnKey, orderBytes } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { freshMeta } from '../../forge.ts';

const PARENT: ObjectId = [new Uint8Array(32).fill(0xa1)];
const KEY = new Uint8Array(32).fill(1);
const U64_MAX = 2n ** 64n - 1n;

const metaOf = (id: ObjectId, type: string) => ({
  ...{ ...freshMeta(id, parseStructTag(type)), updatedAt: 0n },
});

/** A field whose name is the byte 9. */
const fieldOf = (type: string, value: Uint8Array) => ({
  meta: metaOf([...PARENT, KEY], `0x2::object::DynamicField<u8, ${type}>`),
  value: concatBytes(Uint8Array.of(9), value),
});

describe('the sort key of a field', () => {
  it.each([
    ['u8', encode(u8, 255), 255n],
    ['u64', encode(u64, U64_MAX), U64_MAX],
    ['u128', encode(u128, U64_MAX), U64_MAX],
    ['u128', encode(u128, U64_MAX + 1n), undefined],
    ['u256', encode(u256, U64_MAX), U64_MAX],
    ['u256', encode(u256, 2n ** 255n), undefined],
    ['bool', Uint8Array.of(1), undefined],
    ['0x1::string::String', Uint8Array.of(0), undefined],
  ])('of type %s with value %s is %s', (type, value, expected) => {
    expect(fieldSortKey(fieldOf(type, value))).toBe(expected);
  });

  it('has rows while the value fits, and none once it does not', () => {
    const store = new MemoryStore();
    const registered = [{ key: KEY, value: encode(objectId, PARENT) }];
    const write = (value: bigint | undefined): void => {
      const { meta, value: bytes } = fieldOf('u128', encode(u128, value ?? 0n));
      const written = value === undefined ? ({ kind: 'delete' } as const) : ({ kind: 'modify', value: bytes } as const);
      const field: FieldChange = [KEY, { meta, value: written, fields: [] }];
      const parent = { meta: metaOf(PARENT, '0x42::a::B'), value: undefined, fields: [field] };
      const changeSet = { stateRoot: KEY, globalSize: 0n, changes: [[PARENT[0]!, parent] as const] };
      store.apply(fieldIndexOperations(store, registered, changeSet));
    };
    const sorted = (value: bigint) => columnKey('fieldBySortKey', objectIdBytes(PARENT), orderBytes(value), KEY);
    write(U64_MAX);
    expect(store.get(sorted(U64_MAX))).toBeDefined();
    expect(store.get(columnKey('fieldSortKey', objectIdBytes([...PARENT, KEY])))).toEqual(orderBytes(U64_MAX));
    write(7n);
    expect([store.get(sorted(U64_MAX)), store.get(sorted(7n))]).toEqual([undefined, new Uint8Array(0)]);
    write(U64_MAX + 1n);
    expect(store.size).toBe(0);
    write(8n);
    expect(store.get(sorted(8n))).toBeDefined();
    write(undefined);
    expect(store.size).toBe(0);
  });

  it('has no rows under a parent that is not registered', () => {
    const { meta, value } = fieldOf('u64', encode(u64, 1n));
    const field: FieldChange = [KEY, { meta, value: { kind: 'new', value }, fields: [] }];
    const parent = { meta: metaOf(PARENT, '0x42::a::B'), value: undefined, fields: [field] };
    const changeSet = { stateRoot: KEY, globalSize: 0n, changes: [[PARENT[0]!, parent] as const] };
    expect(fieldIndexOperations(new MemoryStore(), [], changeSet)).toEqual([]);
    const other = [{ key: KEY, value: encode(objectId, FIELD_INDEXER_ID) }];
    expect(fieldIndexOperations(new MemoryStore(), other, changeSet)).toEqual([]);
  });
});
