/**
 * Replays a stored change set: which tree nodes it must have created, and which it must have replaced.
 *
 * A stored change set carries the roots after the change. The roots before it are those in the state before, or the
 * empty root if an object was created anew; the resulting root shows which of the two.
 *
 * The roots do not show whether a value was written again unchanged; the times of the object do, except for one last
 * written at the time of the transaction.
 *
 * A removed object is in no later state, and the transaction may have changed it before removing it. Its change is
 * checked against the state before; its last owner and the values written to its fields could be checked only by
 * executing the transaction again.
 * Source: moveos/moveos-store/src/state_store of the reference; src/execution/runtime/session-meta.ts for what a removed object has.
 * @module
 */
import { encode } from '../../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import {
  assertPlace,
  type ChangedFields,
  type ObjectChange,
  type StateChangeSet,
} from '../../chain/object/change-set.ts';
import type { FieldKey } from '../../chain/object/field-key.ts';
import { formatObjectId, type ObjectId, ROOT_OBJECT_ID } from '../../chain/object/object-id.ts';
import { FLAG_FROZEN, FLAG_SHARED, type ObjectState, objectState } from '../../chain/object/object-state.ts';
import { type ChangedTrees, hasFields } from '../../chain/state/apply.ts';
import type { State } from '../../chain/state/state.ts';
import { isSystemAddress } from '../../move/address.ts';
import { equalStructs } from '../../move/type-tag.ts';
import { EMPTY_ROOT, noTouchedNodes, type TouchedNodes } from '../../store/tree/tree.ts';

/**
 * Applies `changeSet` to the trees of `state`, the state before it.
 * @throws {EngineError} `corrupt` if it does not lead to the roots that it names; and as State and Tree.
 */
export function replayChangeSet(state: State, changeSet: StateChangeSet): ChangedTrees {
  const replayer = new Replayer(state, lastWritten(changeSet.changes));
  const root = replayer.fields(ROOT_OBJECT_ID, state.root, changeSet.changes);
  if (!equalBytes(root, changeSet.stateRoot)) {
    throw new EngineError(
      'corrupt',
      `expected changes that lead to the state root ${toHexPrefixed(changeSet.stateRoot)}, got ${toHexPrefixed(root)}`,
    );
  }
  return { ...replayer.touched, detached: replayer.detached };
}

class Replayer {
  readonly touched: TouchedNodes = noTouchedNodes();
  readonly detached: Uint8Array[] = [];
  readonly #state: State;
  /** The time that the change set gives to the values that it writes. */
  readonly #now: bigint;

  constructor(state: State, now: bigint) {
    this.#state = state;
    this.#now = now;
  }

  fields(parent: ObjectId, root: Uint8Array, changes: ChangedFields): Uint8Array {
    let previous: FieldKey | undefined;
    const entries = Array.from(changes, ([key, change]): [FieldKey, Uint8Array | undefined] => {
      assertPlace(parent, previous, key, change);
      previous = key;
      return [key, this.#leaf(change, equalBytes(root, EMPTY_ROOT) ? undefined : this.#state.object(change.meta.id))];
    });
    return this.#state.tree.update(root, entries, this.touched).root;
  }

  #leaf(change: ObjectChange, before: ObjectState | undefined): Uint8Array | undefined {
    const { meta } = change;
    assertKind(change, before);
    if (change.value?.kind === 'delete') {
      const stood = before!;
      this.#removed(change, stood);
      if (hasFields(meta.stateRoot)) this.detached.push(stood.meta.stateRoot!);
      return undefined;
    }
    const value = change.value === undefined ? before?.value : change.value.value;
    if (value === undefined) {
      throw new EngineError('corrupt', `the changed object ${formatObjectId(meta.id)} does not exist`);
    }
    if (before !== undefined) assertTimes(change, before, this.#now);
    this.#below(change, before);
    return encode(objectState, { meta, value });
  }

  /** Checks what a removed object had last: metadata as in the state before, except for what a session may change. */
  #removed({ meta, fields }: ObjectChange, { meta: before }: ObjectState): void {
    const isCleared = hasFields(before.stateRoot) && equalRoots(meta.stateRoot, EMPTY_ROOT);
    const gained = meta.flag & ~before.flag;
    const isSettled = meta.flag === (before.flag | gained) && gained <= (FLAG_SHARED | FLAG_FROZEN);
    const isOwned = gained === 0 || isSystemAddress(meta.owner);
    const sizeMax = this.#addedFields(meta.id, fields, isCleared) + (isCleared ? 0n : before.size);
    if (
      equalRoots(meta.stateRoot, isCleared ? EMPTY_ROOT : before.stateRoot) &&
      isSettled &&
      isOwned &&
      meta.size <= sizeMax
    )
      return;
    throw new EngineError(
      'corrupt',
      `the change set gives the removed object ${formatObjectId(meta.id)} metadata that it cannot have had`,
    );
  }

  /**
   * Checks the changed fields of a removed object.
   * @returns how many more fields it had than before, at most: one that is removed twice is not in the change set
   */
  #addedFields(parent: ObjectId, changes: ChangedFields, isCleared: boolean): bigint {
    let added = 0n;
    let previous: FieldKey | undefined;
    for (const [key, change] of changes) {
      assertPlace(parent, previous, key, change);
      previous = key;
      const before = isCleared ? undefined : this.#state.object(change.meta.id);
      assertKind(change, before);
      if (change.value?.kind === 'new') added++;
      else if (change.value?.kind === 'delete') added--;
      if (before === undefined) this.#addedFields(change.meta.id, change.fields, true);
      // One that was removed and added again begins without a root.
      else if (change.meta.stateRoot !== undefined || change.value === undefined) {
        assertTimes(change, before, this.#now);
        this.#removed(change, before);
      }
    }
    return added;
  }

  /** Replays the changes of an object's fields, on those it had or on none. */
  #below({ meta, fields }: ObjectChange, before: ObjectState | undefined): void {
    const wanted = meta.stateRoot;
    // A tree that was imported before genesis is named, but not in the store.
    if (wanted === undefined || (fields.length === 0 && before === undefined && !equalBytes(wanted, EMPTY_ROOT)))
      return;
    const { fresh, stale } = this.touched;
    const made = { fresh: fresh.size, stale: stale.size, detached: this.detached.length };
    const stood = before?.meta.stateRoot ?? EMPTY_ROOT;
    let failure: unknown;
    for (const root of [stood, EMPTY_ROOT]) {
      try {
        if (equalBytes(this.fields(meta.id, root, fields), wanted)) {
          if (!equalBytes(root, stood)) this.detached.push(stood);
          return;
        }
        failure ??= new EngineError(
          'corrupt',
          `expected changes that lead to the root ${toHexPrefixed(wanted)} of ${formatObjectId(meta.id)}`,
        );
      } catch (error) {
        // The changes may belong to the other root.
        failure ??= error;
      }
      fresh.truncate(made.fresh);
      stale.truncate(made.stale);
      this.detached.length = made.detached;
    }
    throw failure;
  }
}

/**
 * Checks that a change is of the kind that it claims: the tree does not distinguish creating from modifying and keeps
 * nothing of what is removed, but indexes and clients rely on the kind.
 */
function assertKind({ meta, value }: ObjectChange, before: ObjectState | undefined): void {
  if (value === undefined) return;
  const id = formatObjectId(meta.id);
  if ((value.kind === 'new') !== (before === undefined)) {
    const stood = before === undefined ? 'was not there before' : 'was there before';
    throw new EngineError('corrupt', `the change set calls the object ${id} ${KINDS[value.kind]}, which ${stood}`);
  }
  if (value.kind !== 'delete' || before === undefined) return;
  const { createdAt, updatedAt, objectType } = before.meta;
  const isSame = meta.createdAt === createdAt && meta.updatedAt === updatedAt;
  if (isSame && equalStructs(meta.objectType, objectType)) return;
  throw new EngineError('corrupt', `the change set gives the removed object ${id} another type or time than it had`);
}

/** An object gets the chain's time when its value is written, and only then. */
function assertTimes({ meta, value }: ObjectChange, before: ObjectState, now: bigint): void {
  const isOfBefore = meta.updatedAt === before.meta.updatedAt;
  const isWritten = value !== undefined && value.kind !== 'delete';
  if (isWritten) {
    if (!isOfBefore || now === meta.updatedAt || !equalBytes(value.value, before.value)) return;
  } else if (isOfBefore) return;
  const [said, time] = isWritten ? ['written', 'the same'] : ['not written', 'another'];
  const id = formatObjectId(meta.id);
  throw new EngineError(
    'corrupt',
    `the change set says that the value of ${id} was ${said}, and gives it ${time} time`,
  );
}

function equalRoots(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left === undefined || right === undefined ? left === right : equalBytes(left, right);
}

/** The last time of a value that `changes` write, at any depth; 0 if they write none. */
function lastWritten(changes: ChangedFields): bigint {
  let last = 0n;
  for (const [, { meta, value, fields }] of changes) {
    const isWritten = value !== undefined && value.kind !== 'delete';
    for (const time of [isWritten ? meta.updatedAt : 0n, lastWritten(fields)]) if (time > last) last = time;
  }
  return last;
}

const KINDS = { new: 'new', modify: 'modified', delete: 'removed' } as const;
