/**
 * The bounds of a machine. All are consensus, except for those of its caches.
 * @module
 */
import { EngineError } from '../base/error.ts';
import type { StackLimits } from './interpret/interpreter.ts';
import { PREPARED_KEPT_MAX } from './link/preparation.ts';
import type { TypeLimits } from './link/type-store.ts';

/** Values on the operand stack, all frames together. */
export const OPERANDS_MAX = 1024;

export interface MachineLimits extends TypeLimits, StackLimits {
  /** Number of function instances that are kept. */
  readonly specialisationsMax: number;
  /** Units of all of them together; see `link/preparation.ts`. */
  readonly preparedKeptMax: number;
}

const LIMITS: MachineLimits = {
  callDepthMax: 1024,
  operandsMax: OPERANDS_MAX,
  valueDepthMax: 128,
  layoutNodesMax: 256,
  layoutDepthMax: 128,
  instantiationNodesMax: 128,
  // The framework has 4,000.
  specialisationsMax: 8192,
  preparedKeptMax: PREPARED_KEPT_MAX,
  // Some 400 bytes each, without their code.
  structTypesMax: 16_384,
};

/** For a machine whose counts depend only on the execution: nothing is dropped. */
export const KEEPING_ALL: Partial<MachineLimits> = {
  specialisationsMax: Number.MAX_SAFE_INTEGER,
  preparedKeptMax: Number.MAX_SAFE_INTEGER,
  structTypesMax: Number.MAX_SAFE_INTEGER,
};

/**
 * The limits of a machine, with defaults for those not given.
 * @throws {EngineError} `invalid-argument` for one that is out of range
 */
export function machineLimits(chosen: Partial<MachineLimits> | undefined): MachineLimits {
  const limits = { ...LIMITS, ...chosen };
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new EngineError('invalid-argument', `expected a positive limit ${name}, got ${limit}`);
    }
  }
  return limits;
}
