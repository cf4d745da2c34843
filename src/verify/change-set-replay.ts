/**
 * Replaying a stored change set: the tree nodes that it must have made, and those that it must have replaced.
 *
 * A stored change set carries the roots after the change. The roots before it are those that the objects have in the
 * state before, or that of no fields where an object was made anew; which of the two is told by the root that comes out.
 * Source: spec/state.md 4.2 and 4.3.
 * @module
 */
import { encode } from '../bcs/codec.ts';
import { equalBytes } from '../bytes/compare.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { EngineError } from '../error.ts';
import type { ChangedFields, ObjectChange, StateChangeSet } from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { formatObjectId } from '../object/object-id.ts';
import { type ObjectState, objectState } from '../object/object-state.ts';
import type { State } from '../state/state.ts';
import { EMPTY_ROOT, noTouchedNodes, type TouchedNodes } from '../tree/tree.ts';

/**
 * What `changeSet` makes of the trees of `state`, the state before it.
 * @throws {EngineError} `corrupt` when it does not lead to the roots that it names; as State and Tree do.
 */
export function replayChangeSet(state: State, changeSet: StateChangeSet): TouchedNodes {
  const replayer = new Replayer(state);
  const root = replayer.fields(state.root, changeSet.changes);
  if (!equalBytes(root, changeSet.stateRoot)) {
    throw new EngineError(
      'corrupt',
      `expected changes that lead to the state root ${toHexPrefixed(changeSet.stateRoot)}, got ${toHexPrefixed(root)}`,
    );
  }
  return replayer.touched;
}

class Replayer {
  readonly touched: TouchedNodes = noTouchedNodes();
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  fields(root: Uint8Array, changes: ChangedFields): Uint8Array {
    const entries = Array.from(changes, ([key, change]): [FieldKey, Uint8Array | undefined] => [
      key,
      this.#leaf(change),
    ]);
    return this.#state.tree.update(root, entries, this.touched).root;
  }

  #leaf(change: ObjectChange): Uint8Array | undefined {
    if (change.value?.kind === 'delete') return undefined;
    const { meta } = change;
    const before = this.#state.object(meta.id);
    const value = change.value === undefined ? before?.value : change.value.value;
    if (value === undefined) {
      throw new EngineError('corrupt', `the changed object ${formatObjectId(meta.id)} does not exist`);
    }
    this.#below(change, before);
    return encode(objectState, { meta, value });
  }

  /** Replays the changes of an object's fields, on what it had or anew. */
  #below({ meta, fields }: ObjectChange, before: ObjectState | undefined): void {
    const wanted = meta.stateRoot;
    // A tree that was imported before genesis is named and not held.
    if (wanted === undefined || (fields.length === 0 && before === undefined && !equalBytes(wanted, EMPTY_ROOT)))
      return;
    const { fresh, stale } = this.touched;
    const made = { fresh: fresh.size, stale: stale.size };
    for (const root of [before?.meta.stateRoot ?? EMPTY_ROOT, EMPTY_ROOT]) {
      if (equalBytes(this.fields(root, fields), wanted)) return;
      fresh.truncate(made.fresh);
      stale.truncate(made.stale);
    }
    throw new EngineError(
      'corrupt',
      `expected changes that lead to the root ${toHexPrefixed(wanted)} of ${formatObjectId(meta.id)}`,
    );
  }
}
