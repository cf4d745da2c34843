/**
 * The differences between two states of a chain, or of two chains with a common past, as data and as text.
 *
 * The cost is proportional to the differences: subtrees with the same hash on both sides are not read (tree/diff.ts).
 * @module
 */

import { assertFits, assertMembers, assertObject, wholeNumber } from '../base/argument.ts';
import { type ObjectIdInput, toObjectId } from '../chain/object/object-id.ts';
import { stateDifferences } from '../chain/state/diff.ts';
import { memberOrNull, printAs, Readable } from '../chain/value/readable.ts';
import { rootMember } from '../chain/value/root-member.ts';
import { StateChange } from './change.ts';
import { Decoder, type Reader, type ReaderSource } from './reader.ts';

/** Changes in one comparison of states: what a full Bitcoin block changes, and some 10 MB of objects. */
export const DIFF_CHANGES_MAX = 10_000;

/** Changes that the text of a comparison shows: as many as a person will read. */
export const DIFF_TEXT_CHANGES_MAX = 200;

/** Which part of a comparison to return. */
export interface DiffOptions {
  /** Maximum number of changes, from 1 to DIFF_CHANGES_MAX, which is the default. */
  readonly limit?: number | undefined;
  /** Only changes after this object or field: the id of the last change of a comparison that had more. */
  readonly cursor?: ObjectIdInput | undefined;
}

/** A state that was compared. */
export interface DiffedState {
  /** The order of the transaction that left it. */
  readonly order: bigint;
  readonly stateRoot: string;
}

/** What differs between two states. */
export class StateDiff extends Readable {
  readonly before: DiffedState;
  readonly after: DiffedState;
  /**
   * Objects and fields, by ascending id. An object that differs only in its fields is not listed, but its fields are.
   */
  readonly changes: readonly StateChange[];
  /** Whether there are more changes than requested. */
  readonly hasMore: boolean;

  constructor(before: DiffedState, after: DiffedState, changes: readonly StateChange[], hasMore: boolean) {
    super();
    this.before = before;
    this.after = after;
    this.changes = changes;
    this.hasMore = hasMore;
  }

  /** For people: a line for each change, and one for each member that differs. */
  override toString(): string {
    const { before, after, changes, hasMore } = this;
    const count = (kind: StateChange['kind']): string => {
      return `${changes.filter((change) => change.kind === kind).length} ${kind}`;
    };
    const counts =
      changes.length === 0 ? 'no difference' : `${count('created')}, ${count('modified')}, ${count('removed')}`;
    const head = `${named(before)} -> ${named(after)}: ${counts}${hasMore ? ', and more' : ''}`;
    const shown = changes.slice(0, DIFF_TEXT_CHANGES_MAX);
    const left = changes.length - shown.length;
    const rest = left > 0 || hasMore ? [`... and ${hasMore ? 'more' : left} that are not shown`] : [];
    return [head, ...shown.map(String), ...rest].join('\n');
  }
}

printAs(StateDiff, (value, options, inspect) => inspect({ ...value }, options));

function named(state: DiffedState): string {
  const root = memberOrNull(state, 'stateRoot');
  return `order ${state.order}${root === null ? '' : ` (${root.slice(0, ROOT_CHARACTERS)}...)`}`;
}

/** Characters of a root shown in a title. */
const ROOT_CHARACTERS = 10;

/**
 * Compares two states.
 * @throws {EngineError} `invalid-argument`, `state-not-loaded`
 */
export function diffStates(before: ReaderSource, after: ReaderSource, options: DiffOptions = {}): StateDiff {
  assertObject(options, 'options', '{ limit, cursor }');
  assertMembers(options, ['limit', 'cursor']);
  const { limit = DIFF_CHANGES_MAX, cursor } = options;
  assertFits(limit, 'limit', wholeNumber(1, DIFF_CHANGES_MAX));
  const beyond = cursor === undefined ? undefined : toObjectId(cursor, 'cursor');
  const [from, to] = [before.current(), after.current()];
  const decoders = { before: new Decoder(before, from.state), after: new Decoder(after, to.state) };
  const changes: StateChange[] = [];
  let hasMore = false;
  for (const difference of stateDifferences(from.state, to.state, beyond)) {
    const change = new StateChange(difference, decoders);
    if (change.kind === 'fields') continue;
    hasMore = changes.length === limit;
    if (hasMore) break;
    changes.push(change);
  }
  return new StateDiff(diffed(from), diffed(to), changes, hasMore);
}

function diffed({ head: { order, stateRoot } }: Reader): DiffedState {
  const state: DiffedState = { order, stateRoot: '' };
  rootMember(state, 'stateRoot', stateRoot);
  return state;
}
