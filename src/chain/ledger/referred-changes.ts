/**
 * Change sets that refer to the leaves they made: on a chain that keeps all history, those are stored anyway, so the
 * change set names each by its hash.
 *
 * | bytes | content |
 * | --- | --- |
 * | 1 | 0; a change set that is stored whole begins with the length of a hash's text |
 * | 32, 8 | root after the change, number of fields of the root object |
 * | ... | changes: their number (ULEB128), then each |
 * | 8 | sequence number |
 *
 * A change is a byte (bits 0-1: its value is as before, new, modified or deleted; 2: there are changed fields; 3: it
 * refers to a leaf), the hash of the leaf or else its key and the BCS of metadata and of the value, then its changed
 * fields as above. Objects that were deleted, or rewritten with the same bytes, made no leaf.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { bytes, bytes32, u64 } from '../../base/bcs/primitive.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { DATA_FORMAT_OLDEST } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import type { FreshNodes } from '../../store/tree/fresh-nodes.ts';
import { Leaf } from '../../store/tree/node.ts';
import { decodeNode, type NodeSource } from '../../store/tree/reader.ts';
import {
  type AppliedChange,
  CHANGE_SET_DEPTH_MAX,
  type ChangedFields,
  type FieldChange,
  type ObjectChange,
  type StateChangeSetExt,
  type ValueChange,
  valueKindOf,
} from '../object/change-set.ts';
import { objectMeta } from '../object/object-meta.ts';
import { objectState } from '../object/object-state.ts';

/** First byte of a change set that refers to leaves. */
const REFERRING = 0;

const VALUE_BITS = 3;
const HAS_FIELDS = 4;
const REFERS = 8;
const CHANGE_BITS = VALUE_BITS | HAS_FIELDS | REFERS;

/** What happened to the value, by its two bits; undefined if nothing did. */
const VALUE_KINDS: readonly (ValueChange['kind'] | undefined)[] = [undefined, 'new', 'modify', 'delete'];

/** Writes the stored form of a change set that was applied and made the nodes in `fresh`. */
export function writeReferring(
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
    throw new EngineError('malformed-bytes', `expected object changes nested at most ${CHANGE_SET_DEPTH_MAX} deep`);
  }
  const changes: FieldChange[] = [];
  for (let left = reader.uleb128(); left > 0; left--) {
    const bits = reader.u8();
    if (bits > CHANGE_BITS) throw new EngineError('malformed-bytes', `expected the bits of a change, got ${bits}`);
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
  if (kind === 'delete') throw new EngineError('malformed-bytes', 'expected no leaf of an object that was deleted');
  const stored = nodes(hash);
  if (stored === undefined) throw new EngineError('corrupt', 'a leaf that a change set refers to is missing');
  onLeaf(stored.length);
  const leaf = decodeNode(stored, hash);
  if (!(leaf instanceof Leaf)) throw new EngineError('corrupt', 'a change set refers to a node that is no leaf');
  const { meta, value } = decode(objectState, leaf.value);
  return [leaf.key, { meta, value: kind === undefined ? undefined : { kind, value } }];
}
