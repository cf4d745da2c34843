/**
 * Applying a change set: children before parents, so that a parent's leaf holds the new root of its fields.
 *
 * The result is the same change set with the roots after the change, and the tree nodes that were made and replaced.
 * Nothing is stored here. Source: spec/state.md 4.2.
 * @module
 */
import { encodeShortLived } from '../bcs/codec.ts';
import { compareBytes, equalBytes } from '../bytes/compare.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { EngineError } from '../error.ts';
import type { FieldChanges, ObjectChange, StateChangeSet } from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { equalObjectIds, formatObjectId, type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import { type ObjectState, objectState } from '../object/object-state.ts';
import { EMPTY_ROOT, type FreshNode, type TreeEntry } from '../tree/tree.ts';
import type { State } from './state.ts';

export interface AppliedChangeSet {
  /** With the roots after the change, the global one included. */
  readonly changeSet: StateChangeSet;
  /** Nodes of the new trees that were made by this change. */
  readonly fresh: readonly FreshNode[];
  /** Hashes of the nodes that they replace. */
  readonly stale: readonly Uint8Array[];
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
    fresh: application.fresh,
    stale: application.stale,
  };
}

class Application {
  readonly fresh: FreshNode[] = [];
  readonly stale: Uint8Array[] = [];
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** Updates the tree of `parent` at `root` by `changes`; gives its new root and the changes with their new roots. */
  fields(parent: ObjectId, root: Uint8Array, changes: FieldChanges): { root: Uint8Array; changes: FieldChanges } {
    if (changes.length === 0) return { root, changes };
    assertPlaces(parent, changes);
    const entries: TreeEntry[] = [];
    const applied = changes.map(([key, change]) => {
      const result = this.#object(change);
      entries.push([key, result.leaf, result.object]);
      return [key, result.change] as const;
    });
    const update = this.#state.tree.update(root, entries);
    for (const node of update.fresh) this.fresh.push(node);
    for (const hash of update.stale) this.stale.push(hash);
    return { root: update.root, changes: applied };
  }

  /**
   * A deleted object leaves no leaf; its own tree stays behind unreachable. One that was there before comes with its
   * leaf as it is read: what changed once is likely to change soon again.
   */
  #object(change: ObjectChange): {
    leaf: Uint8Array | undefined;
    object: ObjectState | undefined;
    change: ObjectChange;
  } {
    if (change.value?.kind === 'delete') return { leaf: undefined, object: undefined, change };
    const value = change.value === undefined ? this.#stored(change).value : change.value.value;
    const fields = this.fields(change.meta.id, change.meta.stateRoot ?? EMPTY_ROOT, change.fields);
    const meta = { ...change.meta, stateRoot: fields.root };
    const object: ObjectState = { meta, value };
    return {
      leaf: encodeShortLived(objectState, object),
      object: change.value?.kind === 'new' ? undefined : object,
      change: { meta, value: change.value, fields: fields.changes },
    };
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
    const { id } = meta;
    const isOwn = id.length === parent.length + 1 && equalBytes(id[parent.length]!, key);
    if (!isOwn || !equalObjectIds(id.slice(0, -1), parent)) {
      throw misplaced(
        `a change of ${formatObjectId(id)} stands below ${formatObjectId(parent)} at ${toHexPrefixed(key)}`,
      );
    }
    if (previous !== undefined && compareBytes(previous, key) >= 0) {
      throw misplaced(`the changes below ${formatObjectId(parent)} do not ascend at ${toHexPrefixed(key)}`);
    }
    previous = key;
  }
}

function misplaced(message: string): EngineError {
  return new EngineError('invariant-violation', message);
}
