/**
 * Applying a change set: children before parents, so that a parent's leaf holds the new root of its fields.
 *
 * The result is the same change set with the roots after the change, and the tree nodes that were created and replaced.
 * Nothing is stored here. Source: moveos/moveos-store/src/state_store of the reference.
 * @module
 */
import { encodeInPlace } from '../bcs/codec.ts';
import { equalBytes } from '../bytes/compare.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { uleb128Length } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';
import { assertPlace } from '../object/change-place.ts';
import type {
  AppliedChange,
  ChangedFields,
  FieldChange,
  ObjectChange,
  StateChangeSet,
  ValueChange,
} from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { formatObjectId, type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import type { ObjectMeta } from '../object/object-meta.ts';
import { type ObjectState, objectState } from '../object/object-state.ts';
import { EMPTY_ROOT, Leaf, noTouchedNodes, type TouchedNodes, type TreeWrite } from '../tree/tree.ts';
import { SimilarObjects } from './similar-objects.ts';
import type { State } from './state.ts';

/** The nodes of all trees; those of an object's fields come before the object's own. */
export interface AppliedChangeSet extends ChangedTrees {
  /** With the roots after the change, including the global one. */
  readonly changeSet: StateChangeSet;
}

/** What a change set makes of the trees. */
export interface ChangedTrees extends TouchedNodes {
  /**
   * Roots of the trees that were the fields of removed objects, and of those that lost all fields at once. Their nodes are
   * not among the stale ones: there may be millions.
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

/** The most leaves of one tree that an update keeps in memory: more would push out what others read. */
const HELD_LEAVES_MAX = 4_096;

class Application {
  readonly touched: TouchedNodes = noTouchedNodes();
  readonly detached: Uint8Array[] = [];
  readonly #state: State;
  readonly #similar = new SimilarObjects();

  constructor(state: State) {
    this.#state = state;
  }

  /** Applies `changes` to the tree of `parent` at `root`; returns its new root and the changes with their new roots. */
  fields(parent: ObjectId, root: Uint8Array, changes: ChangedFields): { root: Uint8Array; changes: ChangedFields } {
    if (changes.length === 0) return { root, changes };
    const isTransient = changes.length > HELD_LEAVES_MAX;
    const entries: TreeWrite[] = [];
    const applied = isTransient ? new ManyApplied(changes) : new FewApplied();
    let previous: FieldKey | undefined;
    let added = 0;
    for (const [key, change] of changes) {
      assertPlace(parent, previous, key, change);
      previous = key;
      const { value } = change;
      if (value?.kind === 'new') added++;
      if (value?.kind === 'delete') {
        entries.push([key, undefined]);
        if (hasFields(change.meta.stateRoot)) this.#detach(change);
        applied.removed(key, change);
      } else {
        const made = this.#object(key, change, value?.value, isTransient);
        entries.push(isTransient ? made.leaf : [key, made.leaf]);
        applied.made(key, change, made);
      }
    }
    const updated = this.#state.tree.update(root, entries, this.touched);
    if (isTransient && updated.overwritten > changes.length - added) {
      throw new EngineError(
        'invariant-violation',
        `expected ${added} fields of ${formatObjectId(parent)} to be new, but some of them exist`,
      );
    }
    return { root: updated.root, changes: applied.changes };
  }

  /** The leaf of an object that is created or changed; its value is the stored one unless given. */
  #object(key: FieldKey, change: ObjectChange, given: Uint8Array | undefined, isTransient: boolean): AppliedObject {
    const { meta: before } = change;
    const value = given ?? this.#stored(change).value;
    const fields = this.fields(before.id, before.stateRoot ?? EMPTY_ROOT, change.fields);
    if (before.stateRoot === undefined && change.value?.kind !== 'new') this.#detach(change, fields.root);
    const meta = { ...before, stateRoot: fields.root };
    const bytes = isTransient ? this.#similar.encode(meta, value) : encodeInPlace(objectState, { meta, value });
    return { leaf: Leaf.of(key, bytes, isTransient), valueBytes: value.length, fields };
  }

  /** The tree of an object's fields in the state before is no longer a part of the state; `after` is the new one. */
  #detach({ meta }: ObjectChange, after: Uint8Array = EMPTY_ROOT): void {
    const root = this.#state.object(meta.id)?.meta.stateRoot;
    if (hasFields(root) && !equalBytes(root, after)) this.detached.push(root);
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

/** The result of a change to an object that is created or changed. */
interface AppliedObject {
  readonly leaf: Leaf;
  /** The bytes of the object's value, with which the leaf ends. */
  readonly valueBytes: number;
  readonly fields: { readonly root: Uint8Array; readonly changes: ChangedFields };
}

/** Collects the changes with their new roots as they are applied. */
interface Applied {
  readonly changes: ChangedFields;
  removed(key: FieldKey, change: ObjectChange): void;
  made(key: FieldKey, change: ObjectChange, made: AppliedObject): void;
}

class FewApplied implements Applied {
  readonly changes: FieldChange[] = [];

  removed(key: FieldKey, change: ObjectChange): void {
    this.changes.push([key, change]);
  }

  made(key: FieldKey, before: ObjectChange, made: AppliedObject): void {
    const change = appliedChange(before, made);
    this.changes.push([key, change]);
    // What has changed is likely to change again soon, so it is kept as if it had been read.
    if (change.value?.kind === 'new') return;
    const value = change.value?.kind === 'modify' ? change.value.value : appliedValue(made);
    made.leaf.decoded = { meta: change.meta, value } satisfies ObjectState;
  }
}

const NO_FIELDS: AppliedObject['fields'] = { root: EMPTY_ROOT, changes: [] };

/**
 * For thousands of changes: only the leaf of each is kept, and the applied change is rebuilt from the original one when
 * needed.
 */
class ManyApplied implements Applied, ChangedFields {
  readonly length: number;
  readonly isSorted = true;
  readonly #before: ChangedFields;
  readonly #leaves: (Leaf | undefined)[] = [];
  readonly #valueBytes: number[] = [];
  /** Only for objects with changed fields or a tree of fields, by position. */
  readonly #fields = new Map<number, AppliedObject['fields']>();

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

  made(_: FieldKey, __: ObjectChange, { leaf, valueBytes, fields }: AppliedObject): void {
    if (fields.changes.length > 0 || !equalBytes(fields.root, EMPTY_ROOT))
      this.#fields.set(this.#leaves.length, fields);
    this.#leaves.push(leaf);
    this.#valueBytes.push(valueBytes);
  }

  *[Symbol.iterator](): Generator<FieldChange, void, undefined> {
    let place = 0;
    for (const before of this.#before) {
      const leaf = this.#leaves[place];
      if (leaf === undefined) yield before;
      else {
        const [key, change] = before;
        const fields = this.#fields.get(place) ?? NO_FIELDS;
        yield [key, new LeafChange(change, { leaf, valueBytes: this.#valueBytes[place]!, fields })];
      }
      place++;
    }
  }
}

/** As `appliedChange`, with parts that are built when they are read. */
class LeafChange implements AppliedChange {
  readonly bytes: Uint8Array;
  readonly metaStart: number;
  readonly metaEnd: number;
  readonly #before: ObjectChange;
  readonly #made: AppliedObject;
  #meta: ObjectMeta | undefined;

  constructor(before: ObjectChange, made: AppliedObject) {
    const { leaf, valueBytes } = made;
    this.bytes = leaf.bytes;
    this.metaStart = leaf.valueAt;
    this.metaEnd = leaf.bytes.length - valueBytes - uleb128Length(valueBytes);
    this.#before = before;
    this.#made = made;
  }

  get meta(): ObjectMeta {
    this.#meta ??= { ...this.#before.meta, stateRoot: this.#made.fields.root };
    return this.#meta;
  }

  get value(): ValueChange | undefined {
    return appliedValueChange(this.#before, this.#made);
  }

  get valueKind(): ValueChange['kind'] | undefined {
    return this.#before.value?.kind;
  }

  get fields(): ChangedFields {
    return this.#made.fields.changes;
  }
}

/** A change with the new root of the object's fields. */
function appliedChange(change: ObjectChange, made: AppliedObject): AppliedChange {
  const { leaf, valueBytes, fields } = made;
  const { bytes, valueAt: metaStart } = leaf;
  const value = appliedValueChange(change, made);
  const meta = { ...change.meta, stateRoot: fields.root };
  const metaEnd = bytes.length - valueBytes - uleb128Length(valueBytes);
  return { meta, value, valueKind: value?.kind, fields: fields.changes, bytes, metaStart, metaEnd };
}

/**
 * Receipts keep the change, so its value is a view of the leaf and does not retain the buffer in which it was built.
 */
function appliedValueChange({ value }: ObjectChange, made: AppliedObject): ValueChange | undefined {
  return value === undefined || value.kind === 'delete' ? value : { kind: value.kind, value: appliedValue(made) };
}

/** The value of an object, as a view of its leaf. */
function appliedValue({ leaf: { bytes }, valueBytes }: AppliedObject): Uint8Array {
  return bytes.subarray(bytes.length - valueBytes);
}
