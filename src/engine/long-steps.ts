/**
 * Long transactions, on a lent thread: until one is lent, the writer runs all of them itself.
 * @module
 */

import { ARGUMENT_BYTES_PER_MS, STEP_MS_MAX, VIEW_MS_BOUND } from '../base/config.ts';
import { messageOf } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import type { TimedInput } from '../pipeline/input.ts';
import type { OrderSignature } from '../pipeline/sequence.ts';
import type { Outcome, Step, StepContext } from '../pipeline/step.ts';
import type { SentOutcome, StepsAside } from '../pipeline/step-aside.ts';
import type { ViewBasis } from '../query/chain-view.ts';
import { BriefClock } from './brief-clock.ts';
import type { ExecutionUnit } from './open.ts';

/** A step for another thread. */
export interface StepTask {
  readonly kind: 'step';
  readonly given: TimedInput;
}

/** The state on which another thread runs a step. */
export interface StepBasis extends ViewBasis {
  readonly sign: OrderSignature;
}

/**
 * Runs a step on another thread.
 * @returns undefined if the step had no outcome there
 * @throws if there is no thread, or it had to be killed
 */
export type LentThread = (basis: StepBasis, task: StepTask) => Promise<SentOutcome | undefined>;

/** What long steps need from their engine. */
export interface LongStepsHost {
  readonly execution: () => ExecutionUnit;
  readonly log: Log;
  /** Runs `use` on what another thread needs to read the chain as it is now. */
  read<T>(use: (basis: ViewBasis) => Promise<T>): Promise<T>;
}

export class LongSteps implements StepsAside {
  readonly #host: LongStepsHost;
  /** Its only purpose is to give up: no processor time ends a transaction. */
  readonly #clock = new BriefClock(() => 0);
  /** The last one is used. */
  readonly #lent: { readonly run: LentThread; readonly msMax: number }[] = [];

  constructor(host: LongStepsHost) {
    this.#host = host;
  }

  /**
   * From now on, a step that would take longer than `msMax` milliseconds is restarted by `run`, until the returned
   * function is called.
   */
  lend(run: LentThread, msMax: number = STEP_MS_MAX): () => void {
    const lent = { run, msMax };
    this.#lent.push(lent);
    return () => {
      const index = this.#lent.indexOf(lent);
      if (index !== -1) this.#lent.splice(index, 1);
    };
  }

  attempt(step: Step, given: TimedInput, context: StepContext): Outcome | undefined {
    const { input } = given;
    const lent = this.#lent.at(-1);
    if (lent === undefined || (input.kind !== 'signed' && input.kind !== 'call')) return step(input, context);
    // Reading it is one step, which no deadline interrupts.
    if (input.kind === 'signed' && input.bytes.length > lent.msMax * ARGUMENT_BYTES_PER_MS) return undefined;
    const { Deadline } = this.#host.execution();
    return this.#clock.briefly(lent.msMax, () =>
      step(input, { ...context, deadline: new Deadline(VIEW_MS_BOUND, this.#clock) }),
    )?.value;
  }

  async elsewhere(given: TimedInput, sign: OrderSignature): Promise<Outcome | undefined> {
    const lent = this.#lent.at(-1);
    if (lent === undefined) return undefined;
    try {
      const sent = await this.#host.read((basis) =>
        lent.run({ ...basis, viewMsMax: VIEW_MS_BOUND, sign }, { kind: 'step', given }),
      );
      return sent && this.#host.execution().receivedOutcome(sent);
    } catch (error) {
      // Whatever became of the thread, the transaction's outcome is fixed: the writer computes it itself.
      const reason = messageOf(error);
      this.#host.log({
        level: 'warning',
        message: `a transaction that takes long holds up other requests, since no worker thread has executed it: ${reason}`,
      });
      return undefined;
    }
  }
}
