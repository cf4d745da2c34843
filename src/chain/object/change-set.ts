/**
 * Change sets: all object changes of one execution, nested by object.
 *
 * An execution yields a change set whose metadata has the *old* roots of the objects' trees. Applying it (state/apply)
 * yields the same changes with the new roots; that form is stored, indexed and shown.
 * Source: moveos/moveos-types/src/state.rs of the reference.
 *
 * The key of a change is the last part of its object's id. The changes below an object ascend by key, so they are numbered
 * in stored order.
 * @module
 */
import {
  bytes,
  type Codec,
  encode,
  hashText,
  lazy,
  map,
  option,
  payload,
  struct,
  u64,
  unit,
  variant,
} from '../../base/bcs.ts';
import { compareBytes, equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import type { ByteReader } from '../../base/bytes/reader.ts';
import { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError, invalidArgument, malformedBytes } from '../../base/error.ts';
import { type FieldKey, fieldKey } from './field-key.ts';
import { formatObjectId, type ObjectId } from './object-id.ts';
import { type ObjectMeta, objectMeta } from './object-state.ts';

/** Nesting of object changes in one change set; follows from OBJECT_ID_DEPTH_MAX. */
export const CHANGE_SET_DEPTH_MAX = 16;

/** What happened to an object's value; the tree treats `new` and `modify` alike. */
export type ValueChange =
  | { readonly kind: 'new'; readonly value: Uint8Array }
  | { readonly kind: 'modify'; readonly value: Uint8Array }
  | { readonly kind: 'delete' };

/** How one object changed, with the changes of its fields. */
export interface ObjectChange {
  readonly meta: ObjectMeta;
  /** Undefined if only metadata or fields changed. */
  readonly value: ValueChange | undefined;
  readonly fields: ChangedFields;
}

/** An applied change, with the new leaf. */
export interface AppliedChange extends ObjectChange {
  readonly leaf: AppliedLeaf;
  /** Where the BCS of the metadata begins and ends (exclusive) in the leaf; that of the value, with its length, follows. */
  readonly metaStart: number;
  readonly metaEnd: number;
  /** What happened to the value. */
  readonly valueKind: ValueChange['kind'] | undefined;
}

/** The leaf that a change made: it ends with the BCS of the object. */
interface AppliedLeaf {
  /** Do not keep it. */
  readonly briefBytes: Uint8Array;
  /** Its index among the nodes that the change set made; -1 if the object was the same before. */
  readonly freshAt: number;
}

/** What happened to the value of an object. For an applied change, this does not build the value. */
export function valueKindOf(change: ObjectChange | AppliedChange): ValueChange['kind'] | undefined {
  return 'leaf' in change ? change.valueKind : change.value?.kind;
}

/** Changes by field key; the codec sorts them by key. */
export type FieldChanges = readonly FieldChange[];

export type FieldChange = readonly [key: FieldKey, change: ObjectChange];

/**
 * The same, as an iterable. If a transaction changes thousands of fields, changes are built during iteration and not kept:
 * all of them together take several times the memory of what they are built from.
 */
export interface ChangedFields extends Iterable<FieldChange> {
  readonly length: number;
  /** Set if the keys are known to ascend. */
  readonly isSorted?: boolean;
}

/** Everything that a transaction changed, as a tree of objects and fields. */
export interface StateChangeSet {
  /** Root of the global tree: before the change in an execution's output, after it once applied. */
  readonly stateRoot: Uint8Array;
  /** Number of fields of the root object after the change. */
  readonly globalSize: bigint;
  readonly changes: FieldChanges;
}

const valueBytes: Codec<{ readonly value: Uint8Array }> = struct<{ readonly value: Uint8Array }>({ value: bytes });

export const valueChange: Codec<ValueChange> = variant<ValueChange>('Op', [
  payload<ValueChange, 'new'>('new', valueBytes),
  payload<ValueChange, 'modify'>('modify', valueBytes),
  unit<ValueChange, 'delete'>('delete'),
]);

const changedValue: Codec<ValueChange | undefined> = option(valueChange);

/**
 * The type is recursive: without a bound, a few bytes per level would exhaust the stack. Each level `depth` has a
 * codec, made on first use; the one below the last accepts no change.
 */
function objectChangeAt(depth: number): Codec<ObjectChange> {
  if (depth > CHANGE_SET_DEPTH_MAX) return tooDeep;
  const fields = fieldChangesAt(depth);
  const { read } = struct<ObjectChange>({ meta: objectMeta, value: changedValue, fields });
  return {
    read,
    write: (writer, change) => {
      writeObject(writer, change);
      fields.write(writer, change.fields);
    },
  };
}

/**
 * Writes metadata and value. The new leaf holds both, and copying them takes a tenth of the time of encoding them
 * again.
 */
function writeObject(writer: ByteWriter, change: ObjectChange | AppliedChange): void {
  if (!('leaf' in change)) {
    objectMeta.write(writer, change.meta);
    changedValue.write(writer, change.value);
    return;
  }
  const { leaf, metaStart, metaEnd, valueKind } = change;
  const bytes = leaf.briefBytes;
  writer.bytes(bytes.subarray(metaStart, metaEnd));
  if (valueKind === 'new' || valueKind === 'modify') {
    writer.u8(SOME);
    writer.u8(valueKind === 'new' ? NEW : MODIFY);
    writer.bytes(bytes.subarray(metaEnd));
  } else {
    changedValue.write(writer, change.value);
  }
}

/** The tags before a value from a leaf: the option's, and the variant's. */
const [SOME, NEW] = encode(changedValue, { kind: 'new', value: new Uint8Array(0) }) as unknown as [number, number];
const MODIFY = encode(changedValue, { kind: 'modify', value: new Uint8Array(0) })[1]!;

/** Writes iterables, reads arrays. */
interface FieldsCodec {
  readonly write: (writer: ByteWriter, changes: ChangedFields) => void;
  readonly read: (reader: ByteReader) => FieldChanges;
}

function fieldChangesAt(depth: number): FieldsCodec {
  const change = lazy(() => objectChangeAt(depth + 1));
  const anyOrder = map(fieldKey, change);
  return { read: anyOrder.read, write: (writer, changes) => writeChanges(writer, changes, change, anyOrder) };
}

/** The same bytes as the codec of maps, which encodes and sorts the keys: needless for raw keys that already ascend. */
function writeChanges(
  writer: ByteWriter,
  changes: ChangedFields,
  change: Codec<ObjectChange>,
  anyOrder: Codec<FieldChanges>,
): void {
  if (!isAscending(changes)) {
    anyOrder.write(writer, [...changes]);
    return;
  }
  writer.uleb128(changes.length);
  for (const [key, value] of changes) {
    fieldKey.write(writer, key);
    change.write(writer, value);
  }
}

function isAscending(changes: ChangedFields): boolean {
  if (changes.isSorted === true) return true;
  let previous: FieldKey | undefined;
  for (const [key] of changes) {
    if (previous !== undefined && compareBytes(previous, key) >= 0) return false;
    previous = key;
  }
  return true;
}

const TOO_DEEP = `expected object changes nested at most ${CHANGE_SET_DEPTH_MAX} deep`;

const tooDeep: Codec<ObjectChange> = {
  write: () => {
    throw invalidArgument(TOO_DEEP);
  },
  read: () => {
    throw malformedBytes(TOO_DEEP);
  },
};

export const fieldChanges: Codec<FieldChanges> = fieldChangesAt(0);

/** An object's change in BCS. */
export const objectChange: Codec<ObjectChange> = objectChangeAt(1);

/** A change set in BCS. */
export const stateChangeSet: Codec<StateChangeSet> = struct<StateChangeSet>({
  stateRoot: hashText,
  globalSize: u64,
  changes: fieldChanges,
});

/** A stored change set with the sender's sequence number (0 for Bitcoin's transactions). */
export interface StateChangeSetExt {
  readonly stateChangeSet: StateChangeSet;
  readonly sequenceNumber: bigint;
}

export const stateChangeSetExt: Codec<StateChangeSetExt> = struct<StateChangeSetExt>({
  stateChangeSet,
  sequenceNumber: u64,
});

/** The bytes of `stateChangeSetExt`, piece by piece, for a change set of any size: only one piece is in memory. */
export function* encodeChangeSet({
  stateChangeSet: changeSet,
  sequenceNumber,
}: StateChangeSetExt): Iterable<Uint8Array> {
  const writer = new ByteWriter(2 * CHANGE_SET_PIECE_BYTES);
  hashText.write(writer, changeSet.stateRoot);
  u64.write(writer, changeSet.globalSize);
  yield* encodeChanges(writer, changeSet.changes, 0);
  u64.write(writer, sequenceNumber);
  yield writer.finish();
}

/** Bytes after which a piece ends. */
const CHANGE_SET_PIECE_BYTES = 65_536;

/** An object with more fields is written in several pieces. */
const FIELDS_AT_ONCE_MAX = 256;

/** Leaves the rest of the last piece in `writer`. */
function* encodeChanges(writer: ByteWriter, changes: ChangedFields, depth: number): Iterable<Uint8Array> {
  const sorted = isAscending(changes) ? changes : [...changes].sort(([left], [right]) => compareBytes(left, right));
  const whole = objectChangeAt(depth + 1);
  writer.uleb128(sorted.length);
  for (const [key, change] of sorted) {
    fieldKey.write(writer, key);
    if (change.fields.length <= FIELDS_AT_ONCE_MAX) whole.write(writer, change);
    else {
      writeObject(writer, change);
      yield* encodeChanges(writer, change.fields, depth + 1);
    }
    if (writer.length < CHANGE_SET_PIECE_BYTES) continue;
    yield writer.finish();
    writer.clear();
  }
}

/**
 * Checks a change of a field of `parent` that follows the change of `previous`.
 * @throws {EngineError} `invariant-violation`
 */
export function assertPlace(
  parent: ObjectId,
  previous: FieldKey | undefined,
  key: FieldKey,
  { meta }: ObjectChange,
): void {
  if (!isChild(meta.id, parent, key)) {
    throw misplaced(
      `a change of ${formatObjectId(meta.id)} stands below ${formatObjectId(parent)} at ${toHexPrefixed(key)}`,
    );
  }
  if (previous !== undefined && compareBytes(previous, key) >= 0) {
    throw misplaced(`the changes below ${formatObjectId(parent)} do not ascend at ${toHexPrefixed(key)}`);
  }
}

/** Whether `id` is the id of the field `key` of `parent`. Most ids share the arrays that they are compared with. */
function isChild(id: ObjectId, parent: ObjectId, key: FieldKey): boolean {
  const depth = parent.length;
  if (id.length !== depth + 1 || !isSame(id[depth]!, key)) return false;
  for (let index = 0; index < depth; index++) if (!isSame(id[index]!, parent[index]!)) return false;
  return true;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left === right || equalBytes(left, right);
}

function misplaced(message: string): EngineError {
  return new EngineError('invariant-violation', message);
}
