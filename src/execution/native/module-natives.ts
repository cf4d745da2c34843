/**
 * The natives of one Move module, and their prices, as the chain's gas schedule object lists them along with those of
 * instructions. Natives read their prices when a table is created, once for each schedule, never during a call.
 * Source: frameworks/moveos-stdlib/src/natives and frameworks/rooch-framework/src/natives of the reference.
 * @module
 */

import { EngineError } from '../../base/error.ts';
import type { ModuleId } from '../../vm/binary/module.ts';
import type { NativeFunction, PureNatives } from '../../vm/native.ts';
import type { SessionHost } from '../runtime/session-host.ts';

/** By name in the Move module. */
export type Natives = Readonly<Record<string, NativeFunction<SessionHost>>>;

export interface ModuleNatives {
  readonly module: ModuleId;
  /** Natives that are pure functions of their arguments; listed only where it pays. */
  readonly pure?: PureNatives;
  /**
   * The natives with the prices of one schedule. A native without a price in the schedule is missing where it is
   * missing in the reference: calls to it then fail.
   */
  natives(prices: NativePrices): Natives;
}

/** Prices can be multiplied by lengths of at most 2^20 bytes within the exact integers. */
const PRICE_MAX = 2n ** 32n;

export class NativePrices {
  readonly #entries: ReadonlyMap<string, bigint>;

  /** `entries`: gas units by parameter name. */
  constructor(entries: ReadonlyMap<string, bigint>) {
    this.#entries = entries;
  }

  /**
   * A price that every schedule has.
   * @throws {EngineError} `invalid-argument` if this one lacks it, `limit-exceeded` for a price above 2^32.
   */
  of(key: string): number {
    const price = this.find(key);
    if (price === undefined) throw new EngineError('invalid-argument', `the gas schedule has no entry ${key}`);
    return price;
  }

  /**
   * The price, or `undefined`: a schedule omits free natives, and natives newer than itself.
   * @throws {EngineError} `limit-exceeded` for a price above 2^32.
   */
  find(key: string): number | undefined {
    const price = this.#entries.get(key);
    if (price !== undefined && price > PRICE_MAX) {
      throw new EngineError('limit-exceeded', `expected a price of at most ${PRICE_MAX} for ${key}, got ${price}`);
    }
    return price === undefined ? undefined : Number(price);
  }

  /**
   * The cost of `bytes` bytes at `<name>.base` and `<name>.per_byte`, which every schedule has.
   * @throws {EngineError} as `of` does.
   */
  linear(name: string, perByteKey = 'per_byte'): LinearCost {
    return linearCost(this.of(`${name}.base`), this.of(`${name}.${perByteKey}`));
  }

  /** As `linear`, but omitted prices are zero. */
  linearOrFree(name: string, perByteKey = 'per_byte'): LinearCost {
    return linearCost(this.find(`${name}.base`) ?? 0, this.find(`${name}.${perByteKey}`) ?? 0);
  }

  /** As `linear`; `undefined` for a schedule that lacks one of the two. */
  linearIfThere(name: string, perByteKey = 'per_byte'): LinearCost | undefined {
    const base = this.find(`${name}.base`);
    const perByte = this.find(`${name}.${perByteKey}`);
    return base === undefined || perByte === undefined ? undefined : linearCost(base, perByte);
  }
}

/** Gas units for a number of bytes; capped at the largest exact number, which exceeds every budget. */
export type LinearCost = (bytes: number) => number;

export function linearCost(base: number, perByte: number): LinearCost {
  return (bytes) => Math.min(base + perByte * bytes, Number.MAX_SAFE_INTEGER);
}
