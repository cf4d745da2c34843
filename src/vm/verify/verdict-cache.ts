/**
 * Verdicts by the hash of a module's bytes: code that a chain loads again and again is judged once.
 *
 * Only what a module is by itself is kept. How it links depends on others and is checked each time.
 * @module
 */
import { toHex } from '../../bytes/hex.ts';
import { VERDICTS_MAX } from '../../config.ts';
import { sha256 } from '../../hash/sha256.ts';
import type { Module } from '../binary/module.ts';
import type { VerifyResult } from '../verdict.ts';
import type { VerifierLimits } from './limits.ts';
import { CHAIN_LIMITS, verifyModule } from './verify.ts';

export class VerdictCache {
  readonly #limits: VerifierLimits;
  readonly #verdictsMax: number;
  /** Least recently used first. */
  readonly #verdicts = new Map<string, VerifyResult>();

  /** `limits` hold for all verdicts of the cache. */
  constructor(limits: VerifierLimits = CHAIN_LIMITS, verdictsMax: number = VERDICTS_MAX) {
    this.#limits = limits;
    this.#verdictsMax = verdictsMax;
  }

  /** `verifyModule` of the module that was read from `bytes`. */
  verify(bytes: Uint8Array, module: Module): VerifyResult {
    const key = toHex(sha256(bytes));
    const known = this.#verdicts.get(key);
    const verdict = known ?? verifyModule(module, this.#limits);
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
    if (this.#verdicts.size > this.#verdictsMax) {
      const [oldest] = this.#verdicts.keys();
      if (oldest !== undefined) this.#verdicts.delete(oldest);
    }
    return verdict;
  }
}
