/**
 * The groups in which the writer commits.
 * @module
 */
import type { Head } from '../ledger/head.ts';
import { type Commit, CommitGroup, type ExecutionOutput } from './commit.ts';
import type { GroupRows } from './group-rows.ts';
import type { TimedInput } from './input.ts';
import type { SequencedTransaction } from './sequence.ts';
import type { Outcome } from './step.ts';
import type { WaitingTurn } from './waiting-queue.ts';

/** The result of an input that is not a commit yet. */
export interface Advance {
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

/** A group in progress. */
export interface Group {
  readonly commits: CommitGroup;
  readonly made: Commit[];
  /** What to tell its turns once it is written, in order: a commit, or that the turn is over. */
  readonly news: { readonly waiting: WaitingTurn; readonly commit?: Commit; readonly error?: unknown }[];
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

/** @throws {EngineError} the refusal of an input that is refused */
export function advanceOf(outcome: Outcome, given: TimedInput): Advance {
  if (outcome.kind === 'refused') throw outcome.error;
  return { sequenced: outcome.sequenced, output: outcome.output, given };
}

/** An empty group that follows `head`. */
export function newGroup(rows: GroupRows, head: Head): Group {
  const commits = new CommitGroup(rows, rows.keepsNodes);
  return { commits, made: [], news: [], head, large: undefined, long: undefined, isCut: false };
}
