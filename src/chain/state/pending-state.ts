/**
 * The state after transactions whose changes are not in its trees yet (pending-meta.ts).
 * @module
 */
import { assert } from '../../base/error.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { type ChangedFields, type StateChangeSet, valueKindOf } from '../object/change-set.ts';
import type { ObjectMeta } from '../object/object-state.ts';
import { PendingFields, PendingMeta, PendingTree, pendingFields } from './pending-meta.ts';
import { State } from './state.ts';

/**
 * The state after `changeSet`, which was made on `before`.
 * @param make applies the pending changes, in order, and passes their roots to `takeRoots`
 * @returns it, and the trees that get roots: in the order of the changes, each object before its fields
 */
export function pendingState(
  before: State,
  { changes, globalSize }: StateChangeSet,
  make: () => void,
): { readonly state: State; readonly trees: readonly PendingTree[] } {
  const trees: PendingTree[] = [];
  /** The tree of the fields of `parent` after these changes. */
  const treeOf = (parent: ObjectMeta, below: ChangedFields): PendingTree => {
    const fields = pendingFields(parent) ?? new PendingFields(parent.stateRoot ?? EMPTY_ROOT);
    const tree = new PendingTree(fields, make);
    trees.push(tree);
    for (const [key, { meta, value, fields: inner }] of below) {
      if (value?.kind === 'delete') fields.set(key, null);
      else {
        const bytes = value?.value ?? before.fieldOf(fields, parent.id, key)?.value;
        assert(bytes !== undefined, 'an object whose metadata changes exists');
        fields.set(key, { meta: metaAfter(meta, inner), value: bytes });
      }
    }
    return tree;
  };
  const metaAfter = (meta: ObjectMeta, below: ChangedFields): ObjectMeta => {
    if (below.length > 0) return new PendingMeta(meta, treeOf(meta, below));
    return meta instanceof PendingMeta || meta.stateRoot !== undefined ? meta : new PendingMeta(meta, EMPTY_ROOT);
  };
  const root = new PendingMeta(before.rootMeta, treeOf(before.rootMeta, changes));
  root.size = globalSize;
  return { state: new State(before.tree, root, globalSize), trees };
}

/** Sets the roots of the trees of a pending state to those of the applied change set. */
export function takeRoots(trees: readonly PendingTree[], { stateRoot, changes }: StateChangeSet): void {
  let next = 0;
  const take = (root: Uint8Array, below: ChangedFields): void => {
    trees[next++]!.root = root;
    for (const [, change] of below) {
      if (change.fields.length > 0 && valueKindOf(change) !== 'delete') take(change.meta.stateRoot!, change.fields);
    }
  };
  take(stateRoot, changes);
}
