/**
 * Verdicts that were given: a module that is published again, or checked at two moments of one transaction, is judged
 * once.
 *
 * They are kept by module, which nothing changes once it is read, for as long as the module is. Where modules are read
 * through the runtime's `ModuleCache`, which gives the same module for the same bytes, that is by the hash of the code.
 * Only what a module is by itself is kept: how it links depends on others and is checked each time.
 * @module
 */
import type { Module } from '../binary/module.ts';
import type { VerifyResult } from '../verdict.ts';
import type { VerifierLimits } from './limits.ts';
import { verifyModule } from './verify.ts';

const verdicts = new WeakMap<VerifierLimits, WeakMap<Module, VerifyResult>>();

/** `verifyModule`, the first time; the same verdict from then on. */
export function verifyModuleOnce(module: Module, limits: VerifierLimits): VerifyResult {
  let known = verdicts.get(limits);
  if (known === undefined) {
    known = new WeakMap();
    verdicts.set(limits, known);
  }
  let verdict = known.get(module);
  if (verdict === undefined) {
    verdict = verifyModule(module, limits);
    known.set(module, verdict);
  }
  return verdict;
}
