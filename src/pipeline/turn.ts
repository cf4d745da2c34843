/**
 * Turns: sources of inputs that the one writer pulls from. A user's transaction is a turn of one input, a Bitcoin block
 * a turn of thousands.
 *
 * The writer asks for one input at a time, on the state that the input before left behind, so a turn decides by what is
 * there when it is asked. It is told of a commit when the batch is written, and ends with its last input, with an input
 * that is refused, or with the writer.
 * @module
 */
import type { Commit } from './commit.ts';
import type { Input } from './input.ts';
import type { OrderSignature } from './sequence.ts';
import type { Present } from './step.ts';

/** A clock that controls can move. Milliseconds. */
export interface SequencerClock {
  /** What it says, as it was moved. */
  read(): bigint;
  /** By how much it was moved; undefined for a chain without a clock. */
  readonly offset: bigint | undefined;
}

export interface Turn {
  /**
   * Turns of one lane are taken one after the other, the earlier one to its end. Others are served between the batches
   * of a long turn.
   */
  readonly lane?: string;

  /** What the clock says for its inputs, read behind `next`, instead of what the chain's clock says: of a run that is repeated. */
  readonly clock?: SequencerClock;

  /** Gives the signatures of its orders, instead of the sequencer. */
  readonly sign?: OrderSignature;

  /**
   * The next input on the newest state; undefined when there is none left.
   * @throws whatever ends the turn. Its earlier inputs stand.
   */
  next(present: Present): Input | undefined;

  /**
   * Hashes of the ledger transactions that are expected behind the one that was given last, `count` at most. Their order
   * signatures are made in batches; one that was expected in vain costs its time and nothing else.
   */
  ahead?(count: number): readonly Uint8Array[];

  /** Its last commit that was not told yet is written and readable. Listeners of the feed were told before. */
  committed(commit: Commit): void;

  /**
   * It is unknown for how long its last inputs will not be written, and whether they are: who waits may stop waiting.
   * What becomes of them is told all the same.
   */
  doubted?(error: unknown): void;

  /** The turn is over, and all of its commits were told. `error` is what ended it before its last input, if anything. */
  end(error?: unknown): void;
}

/**
 * A turn of one input, as a promise of its commit.
 * @param own the input, or what gives it when its turn comes
 * @param expectedHash that of its ledger transaction, as far as it can be told before its turn
 */
export function single(
  own: Input | ((present: Present) => Input),
  expectedHash?: () => Uint8Array | undefined,
): { readonly turn: Turn; readonly commit: Promise<Commit> } {
  let given = false;
  let result: Commit | undefined;
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
    ahead: (count) => {
      const hash = given || count === 0 ? undefined : expectedHash?.();
      return hash === undefined ? [] : [hash];
    },
    committed: (made) => {
      result = made;
    },
    doubted: (error) => reject(error),
    end: (error) => {
      if (result === undefined) reject(error);
      else resolve(result);
    },
  };
  return { turn, commit };
}
