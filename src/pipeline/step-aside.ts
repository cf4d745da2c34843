/**
 * Long steps on another thread: a transaction may do seconds of counted work, and no clock may end it. So it is tried
 * for a short while on the writer's thread, and restarted elsewhere if it would hold that thread for longer. The step
 * is a pure function of its input and of the rows that it reads, so the outcome is the same wherever it runs.
 *
 * Only plain data, which a message can copy, crosses between the threads: class instances are taken apart here and
 * rebuilt on the other side.
 * @module
 */
import { EngineError, type ErrorCode } from '../base/error.ts';
import type { ChangedFields, FieldChange, StateChangeSet } from '../chain/object/change-set.ts';
import { TraceValue, type TraceValueParts } from '../execution/trace/kept-value.ts';
import type { ExecutionOutput } from './commit.ts';
import type { TimedInput } from './input.ts';
import type { OrderSignature } from './sequence.ts';
import type { Outcome, SequencedOutcome, Step, StepContext } from './step.ts';

/** Runs the steps of a writer that would hold its thread. */
export interface StepsAside {
  /** The outcome of a step; undefined if it was given up because it would hold the thread. */
  attempt(step: Step, given: TimedInput, context: StepContext): Outcome | undefined;
  /**
   * The outcome on the newest commit, from another thread; undefined if there is none that can run it.
   * @param sign signs the order
   */
  elsewhere(given: TimedInput, sign: OrderSignature): Promise<Outcome | undefined>;
}

/** An outcome as a message. */
export type SentOutcome =
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly details: unknown }
  | {
      readonly kind: 'sequenced';
      readonly sequenced: SequencedOutcome['sequenced'];
      readonly output: Omit<ExecutionOutput, 'prints'>;
      readonly prints: readonly TraceValueParts[] | undefined;
    };

/** Takes an outcome apart. */
export function sentOutcome(outcome: Outcome): SentOutcome {
  if (outcome.kind === 'refused') {
    const { code, message, details } = outcome.error;
    return { kind: 'refused', code, message, details };
  }
  const { prints, ...output } = outcome.output;
  return {
    kind: 'sequenced',
    // Its encoding is a view of shared memory, all of which would be copied with it.
    sequenced: { ...outcome.sequenced, signed: undefined },
    output: { ...output, changeSet: listed(output.changeSet) },
    prints: prints?.map(({ parts }) => parts),
  };
}

/** Rebuilds an outcome. */
export function receivedOutcome(sent: SentOutcome): Outcome {
  if (sent.kind === 'refused') {
    const details = sent.details as Readonly<Record<string, unknown>>;
    return { kind: 'refused', error: new EngineError(sent.code, sent.message, { details }) };
  }
  const prints = sent.prints?.map((parts) => new TraceValue(parts, parts.bytes));
  const output = prints === undefined ? sent.output : { ...sent.output, prints };
  return { kind: 'sequenced', sequenced: sent.sequenced, output };
}

/** Fields may be a lazy iterable: here they become arrays. */
function listed({ stateRoot, globalSize, changes }: StateChangeSet): StateChangeSet {
  return { stateRoot, globalSize, changes: listedFields(changes) };
}

function listedFields(fields: ChangedFields): FieldChange[] {
  return Array.from(fields, ([key, { meta, value, fields: below }]) => [
    key,
    { meta, value, fields: listedFields(below) },
  ]);
}
