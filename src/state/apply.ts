/**
 * Applying a change set: children before parents, so that a parent's leaf holds the new root of its fields.
 *
 * The result is the same change set with the roots after the change, and the tree nodes that were made and replaced.
 * Nothing is stored here. Source: spec/state.md 4.2.
 * @module
 */
import { encodeInPlace } from '../bcs/codec.ts';
import { compareBytes, equalBytes } from '../bytes/compare.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { uleb128Length } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';
import type { AppliedChange, FieldChanges, ObjectChange, StateChangeSet } from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { formatObjectId, type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import { type ObjectState, objectState } from '../object/object-state.ts';
import { EMPTY_ROOT, Leaf, noTouchedNodes, type TouchedNodes, type TreeWrite } from '../tree/tree.ts';
import type { State } from './state.ts';

/** The nodes are those of all trees, that of an object's fields before that of the object. */
export interface AppliedChangeSet extends TouchedNodes {
  /** With the roots after the change, the global one included. */
  readonly changeSet: StateChangeSet;
}

/**
 * Applies `changeSet` to `state`.
 * @throws {EngineError} `invariant-violation` when the change set was made at another root, or changes the metadata of
 * an object that does not exist; `state-not-loaded`, `corrupt` as State does.
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
    changeSet: { stateRoot: root, globalSize: changeSet.globalSize, changes },
    ...application.touched,
  };
}

/** Leaves of one tree that an update leaves in memory at most: more would push out what others read. */
const HELD_LEAVES_MAX = 4_096;

class Application {
  readonly touched: TouchedNodes = noTouchedNodes();
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** Updates the tree of `parent` at `root` by `changes`; gives its new root and the changes with their new roots. */
  fields(parent: ObjectId, root: Uint8Array, changes: FieldChanges): { root: Uint8Array; changes: FieldChanges } {
    if (changes.length === 0) return { root, changes };
    assertPlaces(parent, changes);
    const entries: TreeWrite[] = [];
    const applied: (readonly [FieldKey, ObjectChange])[] = [];
    for (const [key, change] of changes) {
      if (change.value?.kind === 'delete') {
        // It leaves no leaf; its own tree stays behind unreachable.
        entries.push([key, undefined]);
        applied.push([key, change]);
      } else {
        const { leaf, change: own } = this.#object(key, change, changes.length > HELD_LEAVES_MAX);
        entries.push([key, leaf]);
        applied.push([key, own]);
      }
    }
    return { root: this.#state.tree.update(root, entries, this.touched).root, changes: applied };
  }

  /** The leaf of an object that is made or stays, and its change with the new root of its fields. */
  #object(key: FieldKey, change: ObjectChange, isTransient: boolean): { leaf: Leaf; change: AppliedChange } {
    const stored =
      change.value !== undefined && 'value' in change.value ? change.value.value : this.#stored(change).value;
    const fields = this.fields(change.meta.id, change.meta.stateRoot ?? EMPTY_ROOT, change.fields);
    const meta = { ...change.meta, stateRoot: fields.root };
    const leaf = Leaf.of(key, encodeInPlace(objectState, { meta, value: stored }), isTransient);
    const { bytes, valueAt: metaStart } = leaf;
    const valueAt = bytes.length - stored.length;
    const own = bytes.subarray(valueAt);
    // What changed once is likely to change soon again, so it is kept as it would be read.
    if (change.value?.kind !== 'new' && !isTransient) leaf.decoded = { meta, value: own } satisfies ObjectState;
    const metaEnd = valueAt - uleb128Length(stored.length);
    // Receipts keep the change: it holds the value where the leaf has it, not the memory that it was made in.
    const value = change.value?.kind === 'delete' ? change.value : change.value && { ...change.value, value: own };
    return { leaf, change: { meta, value, fields: fields.changes, bytes, metaStart, metaEnd } };
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

/** Each change stands under the last part of its object's id, and they ascend: what is numbered is what is stored. */
function assertPlaces(parent: ObjectId, changes: FieldChanges): void {
  let previous: FieldKey | undefined;
  for (const [key, { meta }] of changes) {
    if (!isChild(meta.id, parent, key)) {
      throw misplaced(
        `a change of ${formatObjectId(meta.id)} stands below ${formatObjectId(parent)} at ${toHexPrefixed(key)}`,
      );
    }
    if (previous !== undefined && compareBytes(previous, key) >= 0) {
      throw misplaced(`the changes below ${formatObjectId(parent)} do not ascend at ${toHexPrefixed(key)}`);
    }
    previous = key;
  }
}

/** Whether `id` is that of the field `key` of `parent`. Most ids are made of the very arrays that they are compared with. */
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
