/**
 * Views, dry runs and transactions that may take long and should not hold the engine's thread. Each is tried there for
 * a short while, and restarted on another thread if it would take longer. It is a pure function of its input and of the
 * rows that it reads, so the result is the same on any thread.
 *
 * Views and dry runs are restarted by their callers. Transactions are restarted by the writer, on the thread that it
 * was lent; without one, it executes all of them itself.
 * @module
 */

import { ARGUMENT_BYTES_PER_MS, STEP_MS_MAX, VIEW_MS_BOUND } from '../base/config.ts';
import { messageOf } from '../base/error.ts';
import type { TimedInput } from '../pipeline/input.ts';
import type { OrderSignature } from '../pipeline/sequence.ts';
import type { Outcome, Step, StepContext } from '../pipeline/step.ts';
import type { SentOutcome, StepsAside } from '../pipeline/step-aside.ts';
import type { ViewBasis } from '../query/chain-view.ts';
import { readHeld } from '../query/reader.ts';
import type { DeadlineClock } from '../vm/deadline.ts';
import type { EngineCore } from './engine-core.ts';

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

export class LongWork implements StepsAside {
  /** The clock of deadlines at which work is given up. */
  readonly clock: DeadlineClock = { givesUp: (ms) => this.#givesUp(ms) };
  readonly #untimed: DeadlineClock = { ...this.clock, used: () => 0 };
  readonly #core: EngineCore;
  /** The last one is used. */
  readonly #lent: { readonly run: LentThread; readonly msMax: number }[] = [];
  /** When what is tried is given up. */
  #end = Number.POSITIVE_INFINITY;
  #isGivenUp = false;

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** Whether no other thread can take over work: those read nodes by their hashes. */
  get isHereOnly(): boolean {
    return this.#core.shared.remote?.hasTree === false;
  }

  /**
   * Runs `run` for at most `msMax` ms. If it is given up, there is no result, however it ended.
   * @returns undefined if it was given up
   */
  briefly<T>(msMax: number, run: () => T): { readonly value: T } | undefined {
    this.#end = performance.now() + msMax;
    try {
      const value = run();
      return this.#isGivenUp ? undefined : { value };
    } catch (error) {
      if (this.#isGivenUp) return undefined;
      throw error;
    } finally {
      this.#end = Number.POSITIVE_INFINITY;
      this.#isGivenUp = false;
    }
  }

  #givesUp(ms: number): boolean {
    if (this.#end === Number.POSITIVE_INFINITY) return false;
    if (!this.#isGivenUp) this.#isGivenUp = performance.now() + ms > this.#end;
    return this.#isGivenUp;
  }

  /**
   * Until the returned function is called, `run` restarts transactions that would take longer than `msMax`
   * milliseconds. Writes wait for them while reads go on.
   */
  lend(run: LentThread, msMax: number = STEP_MS_MAX): () => void {
    if (this.isHereOnly) return () => {};
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
    // Decoding it is one step, which no deadline interrupts.
    if (input.kind === 'signed' && input.bytes.length > lent.msMax * ARGUMENT_BYTES_PER_MS) return undefined;
    const { Deadline } = this.#core.execution;
    // Processor time gives a transaction up, but never ends it.
    const deadline = new Deadline(VIEW_MS_BOUND, this.#untimed);
    return this.briefly(lent.msMax, () => step(input, { ...context, deadline }))?.value;
  }

  async elsewhere(given: TimedInput, sign: OrderSignature): Promise<Outcome | undefined> {
    const lent = this.#lent.at(-1);
    if (lent === undefined) return undefined;
    try {
      const sent = await readHeld(this.#core, ({ rows }) => {
        const basis = { rows, ...this.#core.submissions.basis(), viewMsMax: VIEW_MS_BOUND, sign };
        return lent.run(basis, { kind: 'step', given });
      });
      return sent && this.#core.execution.receivedOutcome(sent);
    } catch (error) {
      // The outcome does not depend on the thread: the writer computes it itself.
      const reason = messageOf(error);
      this.#core.settings.log({
        level: 'warning',
        message: `a transaction that takes long holds up other requests, since no worker thread has executed it: ${reason}`,
      });
      return undefined;
    }
  }
}
