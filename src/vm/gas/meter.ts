/**
 * Gas: the budget that a session carries from call to call, and the counter that running code draws from.
 *
 * Translated code charges for a run of instructions (a "segment") at once, before the first of them, and checks whether
 * the counter is below zero only where it must: at the heads of loops, at the entry of functions that call others, at
 * natives, when it fails, and at the end. So it may continue for a while after its budget is used up, without
 * consequence: an execution that runs out of gas loses all its effects. A failure in the meantime returns what its
 * segment charged for instructions that were not reached. If the counter is still overdrawn then, the true outcome is
 * OUT_OF_GAS, as it would have been instruction by instruction, because gas used only grows. A check that finds the
 * counter overdrawn by its own segment puts it in *debt* and lets that segment continue, since one of its instructions
 * may fail before the gas is gone; the next check then fails.
 *
 * The counter keeps a chunk in a small integer, which V8 changes fastest, and the rest in a bigint.
 * @module
 */
import type { Deadline } from '../deadline.ts';
import { refuse } from '../failure.ts';
import { StatusCode } from '../status.ts';

/** A gas budget in gas units. It lasts for a transaction; calls draw from it one after the other. */
export class GasMeter {
  #left: bigint;
  /** While false, calls cost nothing (the framework's pre and post steps). */
  metering: boolean;

  constructor(budget: bigint, metering = true) {
    this.#left = budget;
    this.metering = metering;
  }

  get left(): bigint {
    return this.#left;
  }

  /** Takes `units` from the budget; if there are not enough, empties it and returns false. */
  charge(units: bigint): boolean {
    if (!this.metering) return true;
    if (units > this.#left) {
      this.#left = 0n;
      return false;
    }
    this.#left -= units;
    return true;
  }
}

/** Maximum charge of a segment, so that the counter stays a small integer. */
export const SEGMENT_UNITS_MAX: number = 2 ** 30 - 1;

/**
 * Units of a chunk. It is used up every few thousand loop iterations, so V8 sees the call that takes the next one
 * before it optimises the loop: a call that was never made is compiled as an exit from optimised code.
 */
const CHUNK_UNITS = 2 ** 23;
const DEBT_MAX = -(2 ** 31);

const OUT_OF_GAS = refuse(StatusCode.OUT_OF_GAS, 'the gas budget is used up');

/** The counter of running code. Translated code subtracts from `left` itself and calls `refill` below 0. */
export class GasCounter {
  /** What is left of the chunk; below zero when more was charged than it held. */
  left = 0;
  /** Number of changes of `left` other than charges: while it stays the same, differences of `left` are charges. */
  fillings = 0;
  /** For an execution outside consensus: checked with each chunk, and by natives. */
  deadline: Deadline | undefined;
  #reserve = 0n;
  #metering = false;
  #inDebt = false;

  /**
   * Draws the budget of `meter`.
   * @throws {EngineError} `deadline-exceeded`, here and whenever a chunk is taken
   */
  open(meter: GasMeter, deadline?: Deadline): void {
    this.deadline = deadline;
    this.left = 0;
    this.#metering = meter.metering;
    this.#reserve = meter.left;
    this.#take();
  }

  /** Charges `meter` for what was used since `open`. */
  close(meter: GasMeter): void {
    if (this.#metering) meter.charge(meter.left - this.remaining);
  }

  /** Gas left, in units. */
  get remaining(): bigint {
    if (!this.#metering) return this.#reserve;
    const whole = this.#reserve + BigInt(this.left);
    return whole < 0n ? 0n : whole;
  }

  /**
   * Called at the start of a segment when `left` is below zero: takes a new chunk, or goes into debt.
   * @throws {ThrownFailure} OUT_OF_GAS when it was in debt before.
   */
  refill(): void {
    if (this.#inDebt) this.exhaust();
    this.#take();
  }

  /** A segment that costs more than `SEGMENT_UNITS_MAX`. */
  chargeSegment(units: number): void {
    if (this.#inDebt) this.exhaust();
    this.chargeWithin(units);
  }

  /** A cost that depends on a value, within a segment: may lead to debt, never fails. */
  chargeWithin(units: number): void {
    if (units <= SEGMENT_UNITS_MAX) {
      this.left -= units;
      if (this.left < 0) this.#take();
      return;
    }
    this.fillings++;
    if (!this.#metering) return;
    const whole = this.#reserve + BigInt(this.left) - BigInt(units);
    this.#reserve = whole > 0n ? whole : 0n;
    this.left = whole > 0n ? 0 : Math.max(Number(whole), DEBT_MAX);
    this.#inDebt = this.left < 0;
  }

  /**
   * A cost that must be covered immediately, as charged by natives and the interpreter.
   * @throws {ThrownFailure} OUT_OF_GAS
   */
  charge(units: number): void {
    if (units <= this.left) {
      this.left -= units;
    } else {
      this.chargeWithin(units);
      if (this.left < 0) this.exhaust();
    }
  }

  /**
   * Refunds what a segment charged for instructions that did not run because of a failure.
   * @throws {ThrownFailure} OUT_OF_GAS if the instructions that did run cost more than was left.
   */
  giveBack(units: number): void {
    this.left += units;
    this.settle();
  }

  /** @throws {ThrownFailure} OUT_OF_GAS if more was charged than is left. */
  settle(): void {
    if (this.left >= 0) return;
    this.#take();
    if (this.left < 0) this.exhaust();
  }

  /** @throws {ThrownFailure} OUT_OF_GAS, always. */
  exhaust(): never {
    this.left = 0;
    this.#reserve = 0n;
    throw OUT_OF_GAS;
  }

  #take(): void {
    this.deadline?.check();
    this.fillings++;
    if (!this.#metering) {
      this.left = CHUNK_UNITS;
      return;
    }
    const wanted = CHUNK_UNITS - this.left;
    const taken = this.#reserve < BigInt(wanted) ? Number(this.#reserve) : wanted;
    this.#reserve -= BigInt(taken);
    this.left = Math.max(this.left + taken, DEBT_MAX);
    this.#inDebt = this.left < 0;
  }
}
