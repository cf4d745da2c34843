/**
 * Simulation: the step without a signature of the sequencer and without writing.
 * @module
 */
import { PendingRows } from '../store/pending-rows.ts';
import { type Commit, CommitGroup, commitPieces, prepareCommit } from './commit.ts';
import type { Input } from './input.ts';
import { type Present, type StepContext, step, stepValidated } from './step.ts';
import { presumeValid } from './validate.ts';

/** What is simulated: an input, or the unsigned data of a transaction, which is assumed to be valid. */
export type SimulatedInput = Input | { readonly kind: 'unsigned'; readonly bytes: Uint8Array };

/** A commit that is not written. */
export interface Simulation {
  readonly commit: Commit;
  /** The rows that it would write. */
  readonly rows: PendingRows;
}

/**
 * What an input would do as the next transaction.
 * @param now milliseconds of the sequencer's clock
 * @throws {EngineError} the refusal, for an input that is refused; `deadline-exceeded`; as `step`
 */
export function simulate(input: SimulatedInput, present: Present, now: bigint): Simulation {
  const context: StepContext = { ...present, now, clockOffset: undefined, sign: undefined };
  const outcome =
    input.kind === 'unsigned' ? stepValidated(presumeValid(input.bytes, context), context) : step(input, context);
  if (outcome.kind === 'refused') throw outcome.error;
  const group = new CommitGroup(present.rows);
  const prepared = prepareCommit(group, present.state, present.head, outcome.sequenced, outcome.output);
  const rows = new PendingRows();
  for (const piece of commitPieces(prepared)) rows.add(piece);
  return { commit: prepared.commit, rows };
}
