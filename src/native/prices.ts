/**
 * Prices of natives, as the chain's gas schedule object lists them beside those of instructions.
 *
 * Natives read their prices when a table is made, once for each schedule, never during a call.
 * Source: spec/execution.md 4 and 6.2.
 * @module
 */
import { EngineError } from '../error.ts';

/** Prices are multiplied by lengths of at most 2^20 bytes without leaving the exact integers. */
const PRICE_MAX = 2n ** 32n;

export class NativePrices {
  readonly #entries: ReadonlyMap<string, bigint>;

  /** `entries`: gas units by parameter name. */
  constructor(entries: ReadonlyMap<string, bigint>) {
    this.#entries = entries;
  }

  /**
   * The price that every schedule has.
   * @throws {EngineError} `invalid-argument` if this one has not, `limit-exceeded` for a price above 2^32.
   */
  of(key: string): number {
    const price = this.find(key);
    if (price === undefined) throw new EngineError('invalid-argument', `the gas schedule has no entry ${key}`);
    return price;
  }

  /**
   * The price, or `undefined`: schedules leave out what is free, and what their natives were too new for.
   * @throws {EngineError} `limit-exceeded` for a price above 2^32.
   */
  find(key: string): number | undefined {
    const price = this.#entries.get(key);
    if (price !== undefined && price > PRICE_MAX) {
      throw new EngineError('limit-exceeded', `expected a price of at most ${PRICE_MAX} for ${key}, got ${price}`);
    }
    return price === undefined ? undefined : Number(price);
  }
}
