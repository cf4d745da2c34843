/**
 * A bound on the work of verifying one module.
 *
 * Code with many loops, locals and borrows can make the analyses run for very long. The reference has a meter for them
 * but does not use it; what exceeds the bound here is refused with the status of that meter.
 * @module
 */
import { StatusCode } from '../status.ts';
import { Rejection } from '../verdict.ts';

export class StepMeter {
  readonly #stepsMax: number;
  #taken = 0;

  /** @param stepsMax infinity for no bound */
  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts steps; rejects the program once there are too many. */
  charge(steps: number): void {
    this.#taken += steps;
    if (this.#taken <= this.#stepsMax) return;
    throw new Rejection(
      StatusCode.CONSTRAINT_NOT_SATISFIED,
      `the program is too complex: verifying it takes more than ${this.#stepsMax} steps`,
    );
  }
}
