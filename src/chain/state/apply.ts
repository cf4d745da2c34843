/**
 * Applying a change set: children before parents, so that a parent's leaf holds the new root of its fields.
 *
 * The result is the same change set with the roots after the change, and the tree nodes that were created and replaced.
 * Nothing is stored here. Source: moveos/moveos-store/src/state_store of the reference.
 * @module
 */

import { HEAP_BYTES_MAX, shortLivedBytes } from '../../base/bytes/arena.ts';
import { writeU64 } from '../../base/bytes/bigint.ts';
import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { uleb128Length, writeUleb128 } from '../../base/bytes/uleb128.ts';
import { assert, EngineError } from '../../base/error.ts';
import { HASH_TEXT_BYTES, leafHeadBytes, writeHashText, writeLeafHead } from '../../store/tree/node.ts';
import { EMPTY_ROOT, Leaf, noTouchedNodes, type TouchedNodes, type TreeWrite } from '../../store/tree/tree.ts';
import {
  type AppliedChange,
  assertPlace,
  type ChangedFields,
  type FieldChange,
  type ObjectChange,
  type StateChangeSet,
  type ValueChange,
} from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { formatObjectId, OBJECT_ID_DEPTH_MAX, type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import { type ObjectMeta, type ObjectState, objectTypeBytes } from '../object/object-state.ts';
import type { State } from './state.ts';

const HASH_BYTES = 32;
/** Size, created at, updated at. */
const NUMBERS_BYTES = 24;

/**
 * The leaf of an object under `key`, in short-lived memory: see `Leaf.settle`. Its bytes are those of `objectState`,
 * written in place, where the codec writes each part to a buffer of its own.
 */
export function objectLeaf(key: FieldKey, meta: ObjectMeta, value: Uint8Array, isTransient = false): Leaf {
  const { id, owner, stateRoot } = meta;
  const type = objectTypeBytes(meta.objectType);
  const rootBytes = stateRoot === undefined ? 1 : 1 + HASH_TEXT_BYTES;
  const metaBytes = 2 + (id.length + 1) * HASH_BYTES + rootBytes + NUMBERS_BYTES + type.length;
  const objectBytes = metaBytes + uleb128Length(value.length) + value.length;
  const valueAt = leafHeadBytes(objectBytes);
  const bytes = shortLivedBytes(valueAt + objectBytes);
  writeLeafHead(key, objectBytes, bytes);
  assert(id.length <= OBJECT_ID_DEPTH_MAX, 'an object id has a bounded number of parts');
  let at = valueAt;
  bytes[at++] = id.length;
  for (let index = 0; index < id.length; index++) at = put(bytes, at, id[index]!);
  at = put(bytes, at, owner);
  bytes[at] = meta.flag;
  assert(bytes[at++] === meta.flag, 'a flag is a byte');
  if (stateRoot === undefined) bytes[at++] = 0;
  else {
    bytes[at++] = 1;
    assert(stateRoot.length === HASH_BYTES, 'a root has 32 bytes');
    writeHashText(stateRoot, bytes, at);
    at += HASH_TEXT_BYTES;
  }
  at = putU64(bytes, at, meta.size);
  at = putU64(bytes, at, meta.createdAt);
  at = putU64(bytes, at, meta.updatedAt);
  bytes.set(type, at);
  bytes.set(value, writeUleb128(bytes, at + type.length, value.length));
  return new Leaf(bytes, valueAt, isTransient, key);
}

function put(bytes: Uint8Array, at: number, part: Uint8Array): number {
  assert(part.length === HASH_BYTES, 'a part of an object id has 32 bytes, and so has an owner');
  bytes.set(part, at);
  return at + HASH_BYTES;
}

function putU64(bytes: Uint8Array, at: number, value: bigint): number {
  assert(BigInt.asUintN(64, value) === value, 'a size or time of an object is a u64');
  writeU64(bytes, at, value);
  return at + 8;
}

/** The nodes of all trees; those of an object's fields come before the object's own. */
export interface AppliedChangeSet extends ChangedTrees {
  /** With the roots after the change, including the global one. */
  readonly changeSet: StateChangeSet;
}

/** The effect of a change set on the trees. */
export interface ChangedTrees extends TouchedNodes {
  /**
   * Roots of the trees of fields of removed objects, and of objects that lost all fields at once. Their nodes are not
   * among the stale ones: there may be millions.
   */
  readonly detached: readonly Uint8Array[];
}

/**
 * Applies `changeSet` to `state`.
 * @throws {EngineError} `invariant-violation` if the change set was made at another root, or changes the metadata of an
 * object that does not exist; `state-not-loaded`, `corrupt` as State does.
 */
export function applyChangeSet(state: State, changeSet: StateChangeSet): AppliedChangeSet {
  if (!equalBytes(changeSet.stateRoot, state.root)) {
    throw new EngineError(
      'invariant-violation',
      `expected a change set made at the root ${toHexPrefixed(state.root)}, got one made at ${toHexPrefixed(changeSet.stateRoot)}`,
    );
  }
  const application = new Application(state);
  const { root, changes } = application.fields(ROOT_OBJECT_ID, state.root, changeSet.changes);
  return {
    changeSet: { stateRoot: root, globalSize: changeSet.globalSize, changes: [...changes] },
    ...application.touched,
    detached: application.detached,
  };
}

/** Leaves of one tree that an update keeps in memory: more would evict what others read. */
const HELD_LEAVES_MAX = 4_096;

/** The fields of an object after a change. */
interface AppliedFields {
  readonly root: Uint8Array;
  readonly changes: ChangedFields;
}

class Application {
  readonly touched: TouchedNodes = noTouchedNodes();
  readonly detached: Uint8Array[] = [];
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** Applies `changes` to the tree of `parent` at `root`; returns the new root and the changes with their new roots. */
  fields(parent: ObjectId, root: Uint8Array, changes: ChangedFields): AppliedFields {
    if (changes.length === 0) return { root, changes };
    const isTransient = changes.length > HELD_LEAVES_MAX;
    const entries: TreeWrite[] = [];
    const applied = isTransient ? new ManyApplied(changes) : new FewApplied();
    let previous: FieldKey | undefined;
    let kept = 0;
    for (const [key, change] of changes) {
      assertPlace(parent, previous, key, change);
      previous = key;
      const { value } = change;
      if (value?.kind === 'delete') {
        entries.push([key, undefined]);
        if (hasFields(change.meta.stateRoot)) this.#detach(change);
        applied.removed(key, change);
      } else {
        if (value?.kind !== 'new') kept++;
        const made = this.#object(key, change, isTransient);
        entries.push(made.leaf);
        applied.made(key, made);
      }
    }
    const updated = this.#state.tree.update(root, entries, this.touched);
    applied.settle();
    if (isTransient && updated.overwritten > kept) {
      throw new EngineError(
        'invariant-violation',
        `expected ${kept} fields of ${formatObjectId(parent)} to exist before the change, got ${updated.overwritten}`,
      );
    }
    return { root: updated.root, changes: applied.changes };
  }

  /** The change of an object that is created or changed; its value is the stored one unless given. */
  #object(key: FieldKey, change: ObjectChange, isTransient: boolean): LeafChange {
    const { meta: before, fields: changes, value: changed } = change;
    const value = changed === undefined || changed.kind === 'delete' ? this.#stored(change).value : changed.value;
    const fields = this.fields(before.id, before.stateRoot ?? EMPTY_ROOT, changes);
    if (before.stateRoot === undefined && changed?.kind !== 'new') this.#detach(change);
    const meta = withRoot(before, fields.root);
    const leaf = objectLeaf(key, meta, value, isTransient);
    // A changed object is likely to change again soon, so it is kept as if it had been read.
    if (!isTransient && changed?.kind !== 'new') leaf.decoded = heldObject(leaf, meta, value, changed === undefined);
    return new LeafChange(change, leaf, value.length, fields, meta);
  }

  /** Detaches the object's previous tree of fields. Nodes that its new tree shares with it are created by this change. */
  #detach({ meta }: ObjectChange): void {
    const root = this.#state.object(meta.id)?.meta.stateRoot;
    if (hasFields(root)) this.detached.push(root);
  }

  #stored(change: ObjectChange): ObjectState {
    const object = this.#state.object(change.meta.id);
    if (object === undefined) {
      throw new EngineError(
        'invariant-violation',
        `expected the object ${formatObjectId(change.meta.id)}, whose metadata changes, to exist`,
      );
    }
    return object;
  }
}

/** Whether the tree of an object's fields has any. */
export function hasFields(root: Uint8Array | undefined): root is Uint8Array {
  return root !== undefined && !equalBytes(root, EMPTY_ROOT);
}

/** Copies field by field: a spread takes far longer. */
function withRoot(meta: ObjectMeta, stateRoot: Uint8Array): ObjectMeta {
  if (meta.stateRoot === stateRoot) return meta;
  const { id, owner, flag, size, createdAt, updatedAt, objectType } = meta;
  return { id, owner, flag, stateRoot, size, createdAt, updatedAt, objectType };
}

/** The object in a new leaf, as a state reads it. `isOwn`: whether the memory of `value` is not shared. */
function heldObject(leaf: Leaf, meta: ObjectMeta, value: Uint8Array, isOwn: boolean): ObjectState {
  if (isOwn) return { meta, value };
  return value.length <= HEAP_BYTES_MAX ? { meta, value: value.slice() } : new HeldObject(leaf, meta, value.length);
}

/** An object whose value is copied out of the leaf when it is first read. */
class HeldObject implements ObjectState {
  readonly meta: ObjectMeta;
  readonly #leaf: Leaf;
  readonly #valueBytes: number;
  #value: Uint8Array | undefined;

  constructor(leaf: Leaf, meta: ObjectMeta, valueBytes: number) {
    this.meta = meta;
    this.#leaf = leaf;
    this.#valueBytes = valueBytes;
  }

  get value(): Uint8Array {
    this.#value ??= this.#leaf.tail(this.#valueBytes);
    return this.#value;
  }
}

/** Collects the changes with their new roots as they are applied. */
interface Applied {
  readonly changes: ChangedFields;
  removed(key: FieldKey, change: ObjectChange): void;
  made(key: FieldKey, change: LeafChange): void;
  /** Called once the leaves are hashed and in the tree. */
  settle(): void;
}

class FewApplied implements Applied {
  readonly changes: FieldChange[] = [];

  removed(key: FieldKey, change: ObjectChange): void {
    this.changes.push([key, change]);
  }

  made(key: FieldKey, change: LeafChange): void {
    this.changes.push([key, change]);
  }

  settle(): void {
    for (const [, change] of this.changes) if (change instanceof LeafChange) change.leaf.settle();
  }
}

const NO_FIELDS: AppliedFields = { root: EMPTY_ROOT, changes: [] };

/** For thousands of changes: keeps only the leaf of each, and rebuilds the applied change from the original one. */
class ManyApplied implements Applied, ChangedFields {
  readonly length: number;
  readonly isSorted = true;
  readonly #before: ChangedFields;
  readonly #leaves: (Leaf | undefined)[] = [];
  readonly #valueBytes: number[] = [];
  /** By position, for objects with changed fields or a tree of fields. */
  readonly #fields = new Map<number, AppliedFields>();

  constructor(before: ChangedFields) {
    this.length = before.length;
    this.#before = before;
  }

  get changes(): ChangedFields {
    return this;
  }

  removed(): void {
    this.#leaves.push(undefined);
    this.#valueBytes.push(0);
  }

  made(_: FieldKey, { leaf, valueBytes, below }: LeafChange): void {
    if (below.changes.length > 0 || !equalBytes(below.root, EMPTY_ROOT)) this.#fields.set(this.#leaves.length, below);
    this.#leaves.push(leaf);
    this.#valueBytes.push(valueBytes);
  }

  settle(): void {
    // The leaves are read once more, when the change set is written, and then dropped.
  }

  *[Symbol.iterator](): Generator<FieldChange, void, undefined> {
    let place = 0;
    for (const before of this.#before) {
      const leaf = this.#leaves[place];
      if (leaf === undefined) yield before;
      else {
        const [key, change] = before;
        const fields = this.#fields.get(place) ?? NO_FIELDS;
        yield [key, new LeafChange(change, leaf, this.#valueBytes[place]!, fields)];
      }
      place++;
    }
  }
}

/** A change with the new root of the object's fields. Rarely read members are built when they are read. */
class LeafChange implements AppliedChange {
  readonly leaf: Leaf;
  /** The length of the object's value, which ends the leaf. */
  readonly valueBytes: number;
  readonly below: AppliedFields;
  readonly valueKind: ValueChange['kind'] | undefined;
  readonly #before: ObjectMeta;
  #meta: ObjectMeta | undefined;
  #value: ValueChange | undefined;

  constructor(before: ObjectChange, leaf: Leaf, valueBytes: number, below: AppliedFields, meta?: ObjectMeta) {
    this.leaf = leaf;
    this.valueBytes = valueBytes;
    this.below = below;
    this.valueKind = before.value?.kind;
    this.#before = before.meta;
    this.#meta = meta;
  }

  get meta(): ObjectMeta {
    this.#meta ??= withRoot(this.#before, this.below.root);
    return this.#meta;
  }

  /** A copy, since receipts keep the change: the buffer in which the value was built is not retained. */
  get value(): ValueChange | undefined {
    const { valueKind: kind } = this;
    if (kind === undefined || kind === 'delete') return undefined;
    this.#value ??= { kind, value: this.leaf.tail(this.valueBytes) };
    return this.#value;
  }

  get fields(): ChangedFields {
    return this.below.changes;
  }

  get metaStart(): number {
    return this.leaf.valueAt;
  }

  get metaEnd(): number {
    return this.leaf.length - this.valueBytes - uleb128Length(this.valueBytes);
  }
}
