/**
 * A bound on the work of verifying one module or script.
 *
 * Code with many loops, locals and borrows can make the analyses run for very long. The reference has a meter for them
 * but does not use it; a program that exceeds the bound here is refused with the status of that meter.
 * @module
 */
import { StatusCode } from '../status.ts';
import { Rejection } from '../verdict.ts';

/**
 * Steps that verifying one module may take: instructions, locals and borrows that are checked, including repeated
 * rounds of loops. The largest module of the framework takes a sixtieth of it. The maximum takes half a second to a
 * second.
 */
export const VERIFY_STEPS_MAX = 5_000_000;

/** Two to ten milliseconds of work. */
const STEPS_BETWEEN_CALLS = 50_000;

export class StepMeter {
  readonly #stepsMax: number;
  readonly #onSteps: ((taken: number) => void) | undefined;
  #taken = 0;
  #next = STEPS_BETWEEN_CALLS;

  /**
   * @param onSteps called every few milliseconds with the steps so far; may throw to end the verification without a
   *   verdict
   */
  constructor(stepsMax: number = VERIFY_STEPS_MAX, onSteps?: (taken: number) => void) {
    this.#stepsMax = stepsMax;
    this.#onSteps = onSteps;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts steps; rejects the program once there are too many. */
  charge(steps: number): void {
    this.#taken += steps;
    if (this.#taken >= this.#next) {
      this.#next = this.#taken + STEPS_BETWEEN_CALLS;
      this.#onSteps?.(this.#taken);
    }
    if (this.#taken <= this.#stepsMax) return;
    throw new Rejection(
      StatusCode.CONSTRAINT_NOT_SATISFIED,
      `the program is too complex: verifying it takes more than ${this.#stepsMax} steps`,
    );
  }
}
