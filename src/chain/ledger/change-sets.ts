/**
 * The change sets of the ledger's transactions.
 *
 * On a chain that keeps all history, a change set refers to the leaves that it made by their hashes, since the leaves are
 * stored anyway. On any other chain, and if it is very large, it is stored whole.
 *
 * A change set is one row, up to CHANGE_SET_PART_BYTES. A longer one is cut into parts of that length: the first is
 * stored under the order, the others under the order and their number. So a row of exactly that length is followed by
 * another part, and the last part is shorter, possibly empty. (A row that is longer than a part is a whole change set,
 * in a form that is no longer written.) Parts are encoded one at a time, so a change set of hundreds of megabytes is never
 * in memory as bytes.
 *
 * The form that refers to leaves:
 *
 * | bytes | content |
 * | --- | --- |
 * | 1 | 0; a change set stored whole begins with the length of a hash's text |
 * | 32, 8 | root after the change, number of fields of the root object |
 * | ... | changes: their number (ULEB128), then each |
 * | 8 | sequence number |
 *
 * A change is a byte (bits 0-1: its value is unchanged, new, modified or deleted; 2: it has changed fields; 3: it refers to
 * a leaf), the hash of the leaf or else its key and the BCS of metadata and value, then its changed fields as above.
 * Objects that were deleted, or rewritten with the same bytes, made no leaf.
 * @module
 */
import { bytes, bytes32, decode, u64 } from '../../base/bcs.ts';
import { joinBytes } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { CHANGE_SET_CHANGES_AT_ONCE_MAX, CHANGE_SET_PART_BYTES, DATA_FORMAT_OLDEST } from '../../base/config.ts';
import { EngineError, malformedBytes } from '../../base/error.ts';
import type { RowBatch, RowWriting } from '../../store/row-batch.ts';
import type { Operation } from '../../store/store.ts';
import type { FreshNodes } from '../../store/tree/fresh-nodes.ts';
import { Leaf } from '../../store/tree/node.ts';
import { decodeNode } from '../../store/tree/reader.ts';
import type { NodeSource } from '../../store/tree/tree.ts';
import {
  type AppliedChange,
  CHANGE_SET_DEPTH_MAX,
  type ChangedFields,
  encodeChangeSet,
  type FieldChange,
  type ObjectChange,
  type StateChangeSetExt,
  stateChangeSetExt,
  type ValueChange,
  valueKindOf,
} from '../object/change-set.ts';
import { objectMeta, objectState } from '../object/object-state.ts';
import { type RowReader, rowParts } from './transactions.ts';

/** First byte of a change set that refers to leaves. */
const REFERRING = 0;

const VALUE_BITS = 3;
const HAS_FIELDS = 4;
const REFERS = 8;
const CHANGE_BITS = VALUE_BITS | HAS_FIELDS | REFERS;

/** What happened to the value, by its two bits. */
const VALUE_KINDS: readonly (ValueChange['kind'] | undefined)[] = [undefined, 'new', 'modify', 'delete'];

/** Writes the stored form of a change set that was applied and made the nodes in `fresh`. */
function writeReferring(
  writer: ByteWriter,
  { stateChangeSet, sequenceNumber }: StateChangeSetExt,
  fresh: FreshNodes,
): void {
  writer.u8(REFERRING);
  bytes32.write(writer, stateChangeSet.stateRoot);
  u64.write(writer, stateChangeSet.globalSize);
  writeChanges(writer, stateChangeSet.changes, fresh);
  u64.write(writer, sequenceNumber);
}

const HASH_BYTES = 32;

function writeChanges(writer: ByteWriter, changes: ChangedFields, fresh: FreshNodes): void {
  writer.uleb128(changes.length);
  for (const [key, change] of changes) {
    const kind = valueKindOf(change);
    const leafAt = 'leaf' in change ? (change as AppliedChange).leaf.freshAt : -1;
    const hasFields = change.fields.length > 0;
    writer.u8(VALUE_KINDS.indexOf(kind) | (hasFields ? HAS_FIELDS : 0) | (leafAt < 0 ? 0 : REFERS));
    if (leafAt >= 0) writer.part(fresh.hashes, leafAt * HASH_BYTES, HASH_BYTES);
    else {
      writer.bytes(key);
      writeWhole(writer, change);
    }
    if (hasFields) writeChanges(writer, change.fields, fresh);
  }
}

function writeWhole(writer: ByteWriter, change: ObjectChange | AppliedChange): void {
  if ('leaf' in change) {
    const { metaStart, metaEnd, valueKind } = change;
    const leaf = change.leaf.briefBytes;
    writer.bytes(leaf.subarray(metaStart, valueKind === undefined ? metaEnd : leaf.length));
    return;
  }
  objectMeta.write(writer, change.meta);
  if (change.value !== undefined && change.value.kind !== 'delete') bytes.write(writer, change.value.value);
}

/** Whether a stored change set refers to leaves. */
export function isReferring(row: Uint8Array): boolean {
  return row[0] === REFERRING;
}

/** The data format that first stored change sets in the form of this row. */
export function changeSetFormat(row: Uint8Array): number {
  return isReferring(row) ? 3 : DATA_FORMAT_OLDEST;
}

/**
 * Reads a change set that refers to leaves.
 * @param onLeaf called with the length of each leaf, before it is decoded.
 * @throws {EngineError} `malformed-bytes`, and `corrupt` for a leaf that is missing or invalid.
 */
export function decodeReferring(
  row: Uint8Array,
  nodes: NodeSource,
  onLeaf: (length: number) => void,
): StateChangeSetExt {
  const reader = new ByteReader(row, 1);
  const stateRoot = bytes32.read(reader);
  const globalSize = u64.read(reader);
  const changes = readChanges(reader, { nodes, onLeaf }, 0);
  const sequenceNumber = u64.read(reader);
  reader.finish();
  return { stateChangeSet: { stateRoot, globalSize, changes }, sequenceNumber };
}

interface Leaves {
  readonly nodes: NodeSource;
  readonly onLeaf: (length: number) => void;
}

function readChanges(reader: ByteReader, leaves: Leaves, depth: number): FieldChange[] {
  if (depth > CHANGE_SET_DEPTH_MAX) {
    throw malformedBytes(`expected object changes nested at most ${CHANGE_SET_DEPTH_MAX} deep`);
  }
  const changes: FieldChange[] = [];
  for (let left = reader.uleb128(); left > 0; left--) {
    const bits = reader.u8();
    if (bits > CHANGE_BITS) throw malformedBytes(`expected the bits of a change, got ${bits}`);
    const kind = VALUE_KINDS[bits & VALUE_BITS];
    const [key, change] = (bits & REFERS) === 0 ? readWhole(reader, kind) : readLeaf(reader, kind, leaves);
    const fields = (bits & HAS_FIELDS) === 0 ? [] : readChanges(reader, leaves, depth + 1);
    changes.push([key, { ...change, fields }]);
  }
  return changes;
}

type OwnChange = readonly [key: Uint8Array, change: Omit<ObjectChange, 'fields'>];

function readWhole(reader: ByteReader, kind: ValueChange['kind'] | undefined): OwnChange {
  const key = bytes32.read(reader);
  const meta = objectMeta.read(reader);
  if (kind === undefined) return [key, { meta, value: undefined }];
  return [key, { meta, value: kind === 'delete' ? { kind } : { kind, value: bytes.read(reader) } }];
}

function readLeaf(reader: ByteReader, kind: ValueChange['kind'] | undefined, { nodes, onLeaf }: Leaves): OwnChange {
  const hash = bytes32.read(reader);
  if (kind === 'delete') throw malformedBytes('expected no leaf of an object that was deleted');
  const stored = nodes(hash);
  if (stored === undefined) throw new EngineError('corrupt', 'a leaf that a change set refers to is missing');
  onLeaf(stored.length);
  const leaf = decodeNode(stored, hash);
  if (!(leaf instanceof Leaf)) throw new EngineError('corrupt', 'a change set refers to a node that is no leaf');
  const { meta, value } = decode(objectState, leaf.value);
  return [leaf.key, { meta, value: kind === undefined ? undefined : { kind, value } }];
}

/** The longest stored change set that a query reads, in bytes; in memory it takes ten times as much. */
export const CHANGE_SET_READ_BYTES_MAX = 67_108_864;

/**
 * Writes the rows of a change set; one for all but the largest.
 * @param fresh the nodes that it made, to refer to them if they are kept.
 */
export function* writeChangeSet(
  batch: RowBatch,
  order: bigint,
  changeSet: StateChangeSetExt,
  fresh?: FreshNodes,
): RowWriting {
  let pieces: Iterable<Uint8Array>;
  const count = countChanges(changeSet.stateChangeSet.changes, 0);
  if (count > CHANGE_SET_CHANGES_AT_ONCE_MAX) pieces = encodeChangeSet(changeSet);
  else {
    beginPart(batch, order, 0);
    const start = batch.writer.length;
    if (fresh === undefined) stateChangeSetExt.write(batch.writer, changeSet);
    else writeReferring(batch.writer, changeSet, fresh);
    if (batch.writer.length - start < CHANGE_SET_PART_BYTES) {
      batch.end();
      return;
    }
    pieces = [batch.takeBack()];
  }
  let index = 0;
  for (const value of partsOf(pieces)) {
    beginPart(batch, order, index++);
    batch.writer.bytes(value);
    batch.end();
    if (batch.isFull) yield;
  }
}

function beginPart(batch: RowBatch, order: bigint, index: number): void {
  batch.put('changeSet');
  batch.writer.u64BigEndian(order);
  if (index > 0) batch.writer.u32BigEndian(index);
  batch.value(true);
}

/**
 * The change set of the transaction at `order`, with the roots after it.
 * @param nodes has the leaves to which it refers.
 * @param bytesMax the longest change set to read, in bytes, including those leaves.
 * @throws {EngineError} `corrupt` if one of its rows is missing or does not decode; `limit-exceeded`.
 */
export function readChangeSet(rows: RowReader, nodes: NodeSource, order: bigint, bytesMax?: number): StateChangeSetExt {
  return readSizedChangeSet(rows, nodes, order, bytesMax).changeSet;
}

/** As `readChangeSet`, with the length in bytes of what was read. */
export function readSizedChangeSet(
  rows: RowReader,
  nodes: NodeSource,
  order: bigint,
  bytesMax: number = Number.POSITIVE_INFINITY,
): { readonly changeSet: StateChangeSetExt; readonly length: number } {
  const parts: Uint8Array[] = [];
  let length = 0;
  const count = (more: number): void => {
    length += more;
    if (length <= bytesMax) return;
    throw new EngineError(
      'limit-exceeded',
      `the change set of order ${order} is longer than the ${bytesMax} bytes that are read at once (CHANGE_SET_READ_BYTES_MAX)`,
      { details: { order: String(order) } },
    );
  };
  for (const { value } of rowParts(rows, 'changeSet', order, CHANGE_SET_PART_BYTES)) {
    count(value.length);
    parts.push(value);
  }
  const name = `the changeSet row at order ${order}`;
  const [first] = parts;
  if (first === undefined) throw new EngineError('corrupt', `${name} is missing`);
  const row = parts.length === 1 ? first : joinBytes(parts);
  try {
    const changeSet = isReferring(row) ? decodeReferring(row, nodes, count) : decode(stateChangeSetExt, row);
    return { changeSet, length };
  } catch (cause) {
    if (cause instanceof EngineError && cause.code === 'limit-exceeded') throw cause;
    throw new EngineError('corrupt', `${name} does not decode`, { cause });
  }
}

/** How many rows hold the change set of `order`. */
export function countChangeSetParts(rows: RowReader, order: bigint): number {
  return changeSetDeletions(rows, order).length;
}

/** The operations that delete the change set of `order`, if it is stored. */
export function changeSetDeletions(rows: RowReader, order: bigint): Operation[] {
  return Array.from(rowParts(rows, 'changeSet', order, CHANGE_SET_PART_BYTES), ({ key }) => ({ type: 'delete', key }));
}

/** Cuts the concatenation of `pieces` into parts; the last is shorter than the others. */
function* partsOf(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let part: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    let rest = piece;
    while (length + rest.length >= CHANGE_SET_PART_BYTES) {
      const taken = CHANGE_SET_PART_BYTES - length;
      yield joinBytes([...part, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      part = [];
      length = 0;
    }
    part.push(rest);
    length += rest.length;
  }
  yield part.length === 1 ? part[0]! : joinBytes(part);
}

/** The number of changes at all depths, added to `before`; counting ends at CHANGE_SET_CHANGES_AT_ONCE_MAX. */
function countChanges(changes: ChangedFields, before: number): number {
  let count = before + changes.length;
  if (count > CHANGE_SET_CHANGES_AT_ONCE_MAX) return count;
  for (const [, { fields }] of changes) count = countChanges(fields, count);
  return count;
}
