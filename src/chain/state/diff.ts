/**
 * Differences between two states: objects and fields, at all depths.
 *
 * Both trees are walked together. If an object's own tree has the same root in both, nothing below it is read.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import type { ObjectMeta } from '../object/object-meta.ts';
import type { ObjectState } from '../object/object-state.ts';
import { readLeaf, type State } from './state.ts';

/** An object or field that differs between the states, or is in only one of them. */
export interface ObjectDifference {
  readonly before: ObjectState | undefined;
  readonly after: ObjectState | undefined;
}

/**
 * Objects and fields that differ, by ascending id: an object before its fields. An object that is in only one state
 * comes with all of its fields. An object that differs only in its fields is included, since its leaf holds their root.
 * @param beyond objects up to this id are left out, and not read. Default: none.
 * @throws {EngineError} `state-not-loaded` if fields differ that a partial chain does not hold, `corrupt`.
 */
export function* stateDifferences(
  before: State,
  after: State,
  beyond: ObjectId = ROOT_OBJECT_ID,
): Generator<ObjectDifference, void, undefined> {
  yield* fieldDifferences(before, before.rootMeta, after, after.rootMeta, beyond);
}

/** The same for the fields of one object; `beyond` is what follows that object's id. */
export function* fieldDifferences(
  before: State,
  beforeMeta: ObjectMeta | undefined,
  after: State,
  afterMeta: ObjectMeta | undefined,
  beyond: ObjectId = ROOT_OBJECT_ID,
): Generator<ObjectDifference, void, undefined> {
  const [from, to] = [beforeMeta?.stateRoot ?? EMPTY_ROOT, afterMeta?.stateRoot ?? EMPTY_ROOT];
  const parent = (afterMeta ?? beforeMeta)?.id;
  if (equalBytes(from, to) || parent === undefined) return;
  if (beforeMeta !== undefined) before.assertLoaded(beforeMeta);
  if (afterMeta !== undefined) after.assertLoaded(afterMeta);
  const [first] = beyond;
  for (const leaf of before.tree.differences(from, after.tree, to, first)) {
    const difference = {
      before: leaf.before && readLeaf(leaf.before, parent),
      after: leaf.after && readLeaf(leaf.after, parent),
    };
    const isPassed = first !== undefined && equalBytes((leaf.after ?? leaf.before)!.key, first);
    if (!isPassed) yield difference;
    const rest = isPassed ? beyond.slice(1) : ROOT_OBJECT_ID;
    yield* fieldDifferences(before, difference.before?.meta, after, difference.after?.meta, rest);
  }
}
