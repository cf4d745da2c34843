/**
 * Turns: sources of inputs that the one writer pulls from. A user's transaction is a turn of one input, a Bitcoin block
 * a turn of thousands.
 *
 * The writer asks for one input at a time, on the state after the previous input, so a turn decides by the newest
 * state. It is told of a commit when the batch is written, and ends with its last input, with a refused input, or with
 * the writer.
 * @module
 */
import type { Commit } from './commit.ts';
import type { Input } from './input.ts';
import type { OrderSignature } from './sequence.ts';
import type { Present } from './step.ts';

/** A clock that controls can move. Milliseconds. */
export interface SequencerClock {
  /** The current time, including the offset. */
  read(): bigint;
  /** How far it was moved; undefined for a chain without a clock. */
  readonly offset: bigint | undefined;
}

export interface Turn {
  /**
   * Turns of the same lane run one after the other, each to its end. Others are served between the batches of a long
   * turn.
   */
  readonly lane?: string;

  /** The clock's reading for its inputs, read after `next`, in place of the chain's clock: for a repeated run. */
  readonly clock?: SequencerClock;

  /** The signatures of its orders, in place of the sequencer's. */
  readonly sign?: OrderSignature;

  /**
   * The next input on the newest state; undefined if there is none left.
   * @throws whatever ends the turn. Its earlier inputs remain.
   */
  next(present: Present): Input | undefined;

  /** Its oldest unreported commit is written and readable. Listeners of the feed have already been told. */
  committed(commit: Commit): void;

  /**
   * It is unknown whether its last inputs will be written, so callers may stop waiting. The outcome will still be
   * reported.
   */
  doubted?(error: unknown): void;

  /**
   * The turn is over, and all of its commits were reported. `error` is what ended it before its last input, if
   * anything.
   */
  end(error?: unknown): void;
}

/**
 * A turn of one input, as a promise of its commit.
 * @param own the input, or a function that returns it when its turn comes
 */
export function single(own: Input | ((present: Present) => Input)): {
  readonly turn: Turn;
  readonly commit: Promise<Commit>;
} {
  let given = false;
  let resolve: (commit: Commit) => void;
  let reject: (error: unknown) => void;
  const commit = new Promise<Commit>((onCommit, onError) => {
    resolve = onCommit;
    reject = onError;
  });
  const turn: Turn = {
    next: (present) => {
      if (given) return undefined;
      given = true;
      return typeof own === 'function' ? own(present) : own;
    },
    // It may be long until the turn ends: when a group is full, it moves behind all that wait.
    committed: (made) => resolve(made),
    doubted: (error) => reject(error),
    end: (error) => reject(error),
  };
  return { turn, commit };
}
