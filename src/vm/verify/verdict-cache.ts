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

/** Steps that verifying a module takes, or took: the same number whether or not its verdict is kept. */
export function verificationSteps(module: Module, limits: VerifierLimits): number {
  return judge(module, limits).steps;
}

function judge(module: Module, limits: VerifierLimits): Judged {
  let verdicts = known.get(limits);
  if (verdicts === undefined) {
    verdicts = new WeakMap();
    known.set(limits, verdicts);
  }
  let judged = verdicts.get(module);
  if (judged === undefined) {
    const meter = new StepMeter(limits.stepsMax ?? Number.POSITIVE_INFINITY);
    const verdict = verifyModule(module, limits, meter);
    judged = { verdict, steps: meter.taken };
    verdicts.set(module, judged);
  }
  return judged;
}
