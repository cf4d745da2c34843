/**
 * Index rows of fields by an integer value, for objects that are registered on chain, so that their fields can be paged
 * in the order of their values (a leaderboard, a queue).
 *
 * Parents are registered as fields of the object `0x3::indexer::FieldIndexerTablePlaceholder`, named by object id; only
 * the first FIELD_PARENTS_MAX in key order count. A parent that is no longer among them keeps its rows, which are not
 * updated: readers skip rows that do not have the field's present value. A field is indexed if its value is an unsigned
 * integer that fits a u64. The reference omits fields whose name is a struct, since it cannot separate name and value;
 * here the value is read from the end, so they are included. Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */
import { compareBytes } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { FIELD_PARENTS_MAX } from '../../base/config.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { structTag, type TypeTag } from '../../move/type-tag.ts';
import { columnKey, orderBytes } from '../../store/column.ts';
import type { Operation } from '../../store/store.ts';
import type { RowReader } from '../ledger/transactions.ts';
import type { ChangedFields, ObjectChange, StateChangeSet } from '../object/change-set.ts';
import {
  equalObjectIds,
  formatObjectId,
  namedObjectId,
  type ObjectId,
  objectId,
  objectIdBytes,
} from '../object/object-id.ts';
import { isDynamicField, type ObjectState } from '../object/object-state.ts';

/** The object whose fields name the parents. */
export const FIELD_INDEXER_ID: ObjectId = namedObjectId(
  structTag(FRAMEWORK_ADDRESS, 'indexer', 'FieldIndexerTablePlaceholder'),
);

const INTEGER_BYTES: Readonly<Partial<Record<TypeTag['kind'], number>>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
};

const NO_VALUE = new Uint8Array(0);

/** A registered parent before a change set, as the state has it. */
export interface RegisteredField {
  readonly key: Uint8Array;
  /** BCS of the dynamic field: the parent's object id, and what is stored with it. */
  readonly value: Uint8Array;
}

/** Rows for the fields that a transaction touched, given the parents that are registered after it. */
export function fieldIndexOperations(
  rows: RowReader,
  registered: readonly RegisteredField[],
  changeSet: StateChangeSet,
): Operation[] {
  if (registered.length === 0 && changedIndexer(changeSet) === undefined) return [];
  const parents = parentIds(registeredFields(registered, changeSet));
  if (parents.size === 0) return [];
  const operations: Operation[] = [];
  const walk = (changes: ChangedFields): void => {
    for (const [, change] of changes) {
      const parent = change.meta.id.slice(0, -1);
      if (isDynamicField(change.meta) && parents.has(formatObjectId(parent))) {
        operations.push(...fieldOperations(rows, change));
      } else {
        walk(change.fields);
      }
    }
  };
  walk(changeSet.changes);
  return operations;
}

/** The change to the object whose fields name the parents, if any. */
export function changedIndexer({ changes }: StateChangeSet): ObjectChange | undefined {
  for (const [, change] of changes) if (equalObjectIds(change.meta.id, FIELD_INDEXER_ID)) return change;
  return undefined;
}

/** The registered parents after a change set, derived from those before it. */
export function registeredFields(before: readonly RegisteredField[], changeSet: StateChangeSet): RegisteredField[] {
  const indexer = changedIndexer(changeSet);
  if (indexer === undefined) return [...before];
  const fields = new Map(before.map((field) => [formatObjectId([field.key]), field]));
  for (const [key, { value }] of indexer.fields) {
    if (value?.kind === 'delete') fields.delete(formatObjectId([key]));
    else if (value !== undefined) fields.set(formatObjectId([key]), { key, value: value.value });
  }
  return [...fields.values()];
}

function parentIds(registered: readonly RegisteredField[]): Set<string> {
  const counted = [...registered].sort((left, right) => compareBytes(left.key, right.key)).slice(0, FIELD_PARENTS_MAX);
  return new Set(counted.map(({ value }) => formatObjectId(objectId.read(new ByteReader(value)))));
}

/** The rows of a field with `sortKey` (8 bytes) in the index. */
export function fieldRowOperations(id: ObjectId, sortKey: Uint8Array): Operation[] {
  return [
    { type: 'put', key: columnKey('fieldSortKey', objectIdBytes(id)), value: sortKey },
    {
      type: 'put',
      key: columnKey('fieldBySortKey', objectIdBytes(id.slice(0, -1)), sortKey, id.at(-1)!),
      value: NO_VALUE,
    },
  ];
}

function fieldOperations(rows: RowReader, { meta, value }: ObjectChange): Operation[] {
  if (value === undefined) return [];
  const before = rows.get(columnKey('fieldSortKey', objectIdBytes(meta.id)));
  const old = before === undefined ? [] : fieldRowOperations(meta.id, before);
  const deletions = old.map(({ key }): Operation => ({ type: 'delete', key }));
  const sortKey = value.kind === 'delete' ? undefined : sortKeyOf(meta.objectType.typeArguments[1], value.value);
  return sortKey === undefined ? deletions : [...deletions, ...fieldRowOperations(meta.id, orderBytes(sortKey))];
}

/** The value by which a dynamic field is sorted, if it is an integer that fits a u64. */
export function fieldSortKey({ meta, value }: ObjectState): bigint | undefined {
  return sortKeyOf(meta.objectType.typeArguments[1], value);
}

function sortKeyOf(type: TypeTag | undefined, field: Uint8Array): bigint | undefined {
  const width = type === undefined ? undefined : INTEGER_BYTES[type.kind];
  if (width === undefined || field.length < width) return undefined;
  let value = 0n;
  for (let at = field.length - 1; at >= field.length - width; at--) value = (value << 8n) | BigInt(field[at]!);
  return value <= 0xffff_ffff_ffff_ffffn ? value : undefined;
}
