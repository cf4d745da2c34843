/**
 * The groups in which the writer commits.
 * @module
 */
import type { Head } from '../chain/ledger/head.ts';
import type { State } from '../chain/state/state.ts';
import type { Commit, ExecutionOutput } from './commit.ts';
import type { TimedInput } from './input.ts';
import type { SequencedTransaction } from './sequence.ts';
import type { WaitingTurn } from './waiting-queue.ts';

/** The result of an input that is not a commit yet. */
export interface Advance {
  /** What it was executed on. */
  readonly state: State;
  readonly sequenced: SequencedTransaction;
  readonly output: ExecutionOutput;
  readonly given: TimedInput;
}

/** A transaction that is too large to share a batch, executed on the head. */
export interface LargeTransaction extends Advance {
  readonly waiting: WaitingTurn;
}

/** A transaction that would hold the thread: it is executed elsewhere, on the head. */
export interface LongTransaction {
  readonly waiting: WaitingTurn;
  readonly given: TimedInput;
}

/** What to report to a turn once the group is written: a commit, or that it is over. */
export interface News {
  readonly waiting: WaitingTurn;
  readonly commit: Commit | undefined;
  readonly error: unknown;
}

/** A group in progress. */
export interface Group {
  readonly made: Commit[];
  /** In the order in which turns are told. */
  readonly news: News[];
  head: Head;
  /** What follows the group, alone. */
  large: LargeTransaction | undefined;
  long: LongTransaction | undefined;
  /** Whether it ended because it took long: the turns then continue in their order as if it had not. */
  isCut: boolean;
}

/** How full a group is. */
export interface GroupSize {
  readonly commits: number;
  readonly operations: number;
}

export const NOT_CUT: GroupSize = { commits: 0, operations: 0 };

/** An empty group that follows `head`. */
export function newGroup(head: Head): Group {
  return { made: [], news: [], head, large: undefined, long: undefined, isCut: false };
}
