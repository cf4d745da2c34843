/**
 * Cached verdicts: a module that is published again, or checked twice in one transaction, is verified once.
 *
 * They are kept with the module object, which is immutable, for as long as it lives. Since the runtime's `ModuleCache`
 * returns the same object for the same bytes, that amounts to caching by the hash of the code. Only the verdict on a
 * module by itself is cached: how it links depends on others and is checked each time.
 * @module
 */
import type { Module } from '../binary/module.ts';
import type { VerifyResult } from '../verdict.ts';
import type { VerifierLimits } from './limits.ts';
import { StepMeter } from './step-meter.ts';
import { verifyModule } from './verify.ts';

interface Judged {
  readonly verdict: VerifyResult;
  readonly steps: number;
}

const known = new WeakMap<VerifierLimits, WeakMap<Module, Judged>>();

/** `verifyModule`, the first time; the same verdict from then on. */
export function verifyModuleOnce(module: Module, limits: VerifierLimits): VerifyResult {
  return judge(module, limits).verdict;
}

/**
 * Steps that verifying a module takes, or took: the same number whether or not its verdict is cached.
 * @param onSteps as for `StepMeter`
 */
export function verificationSteps(module: Module, limits: VerifierLimits, onSteps?: (taken: number) => void): number {
  return judge(module, limits, onSteps).steps;
}

function judge(module: Module, limits: VerifierLimits, onSteps?: (taken: number) => void): Judged {
  let verdicts = known.get(limits);
  if (verdicts === undefined) {
    verdicts = new WeakMap();
    known.set(limits, verdicts);
  }
  let judged = verdicts.get(module);
  if (judged === undefined) {
    const meter = new StepMeter(limits.stepsMax ?? Number.POSITIVE_INFINITY, onSteps);
    const verdict = verifyModule(module, limits, meter);
    judged = { verdict, steps: meter.taken };
    verdicts.set(module, judged);
  }
  return judged;
}
