/**
 * Gas: the budget that a session carries from call to call, and the counter that running code draws from.
 *
 * Translated code charges a run of instructions ("segment") at once, before the first of them. It may so charge for
 * instructions that are never reached because an earlier one fails. To give the outcome of charging one by one, the
 * counter then goes into *debt* instead of failing: the segment goes on, its failing instruction hands back what was
 * charged for the rest and looks whether the counter is still below zero (then the true outcome is OUT_OF_GAS), and the
 * next segment, native call or the end of the call fails with OUT_OF_GAS. Nothing escapes, since whoever runs out of
 * gas loses all effects.
 *
 * The counter keeps a chunk in a small integer and the rest in a bigint: measured (design/vm.md section 4), a small
 * integer field costs 2 ns a loop turn, a double 4, a variable of a module 17.
 * @module
 */
import { ThrownFailure } from '../failure.ts';
import { StatusCode } from '../status.ts';

/** A gas budget in gas units. One lives as long as a transaction; calls draw from it one after the other. */
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

  /** Takes `units` off the budget; false, and an empty budget, if they are not there. */
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

/** Largest chunk, and bound of what one segment may charge at once; a small integer with room for one more segment. */
export const CHUNK_MAX: number = 2 ** 30 - 1;
const DEBT_MAX = -(2 ** 31);

const OUT_OF_GAS = new ThrownFailure({
  status: StatusCode.OUT_OF_GAS,
  subStatus: undefined,
  location: undefined,
  message: 'the gas budget is used up',
});

/** What running code counts in. Translated code subtracts from `left` itself and calls `refill` when it falls below 0. */
export class GasCounter {
  /** What is left of the chunk. Below zero only in debt. */
  left = 0;
  #reserve = 0n;
  #metering = false;
  #inDebt = false;

  /** Draws the budget of `meter`. */
  open(meter: GasMeter): void {
    this.left = 0;
    this.#inDebt = false;
    this.#metering = meter.metering;
    this.#reserve = meter.left;
  }

  /** Charges `meter` for what was used since `open`. */
  close(meter: GasMeter): void {
    if (this.#metering) meter.charge(meter.left - this.remaining);
  }

  /** Gas left, in units. */
  get remaining(): bigint {
    if (!this.#metering) return this.#reserve;
    return this.left < 0 ? 0n : this.#reserve + BigInt(this.left);
  }

  /**
   * Called at the start of a segment when `left` fell below zero: takes a new chunk, or goes into debt.
   * @throws {ThrownFailure} OUT_OF_GAS when an earlier segment went into debt.
   */
  refill(): void {
    if (this.#inDebt) this.exhaust();
    this.#take();
  }

  /** A segment that costs more than `CHUNK_MAX`. */
  chargeSegment(units: number): void {
    if (this.#inDebt) this.exhaust();
    this.chargeWithin(units);
  }

  /** A cost that depends on a value, within a segment: may lead into debt, never fails. */
  chargeWithin(units: number): void {
    if (units <= CHUNK_MAX) {
      this.left -= units;
      if (this.left < 0) this.#take();
    } else if (this.#metering) {
      const whole = this.#reserve + BigInt(this.left) - BigInt(units);
      this.#reserve = whole > 0n ? whole : 0n;
      this.left = whole > 0n ? 0 : Math.max(Number(whole), DEBT_MAX);
      this.#inDebt = this.left < 0;
    }
  }

  /**
   * A cost that must be there, as natives and the interpreter charge.
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
   * Hands back what a segment charged for instructions that a failure kept from running.
   * @throws {ThrownFailure} OUT_OF_GAS if the instructions that did run cost more than there was.
   */
  giveBack(units: number): void {
    this.left += units;
    if (this.left < 0) this.exhaust();
  }

  /** @throws {ThrownFailure} OUT_OF_GAS if in debt. */
  settle(): void {
    if (this.left < 0) this.exhaust();
  }

  /** @throws {ThrownFailure} OUT_OF_GAS, always. */
  exhaust(): never {
    this.left = 0;
    this.#reserve = 0n;
    throw OUT_OF_GAS;
  }

  #take(): void {
    if (!this.#metering) {
      this.left = CHUNK_MAX;
      return;
    }
    const wanted = CHUNK_MAX - this.left;
    const taken = this.#reserve < BigInt(wanted) ? Number(this.#reserve) : wanted;
    this.#reserve -= BigInt(taken);
    this.left = Math.max(this.left + taken, DEBT_MAX);
    this.#inDebt = this.left < 0;
  }
}
