/**
 * Which functions give the same result, for the same gas, whenever they are called with the same arguments.
 *
 * A function is pure if all that it calls is: Move functions that are pure themselves, and natives that say so
 * (`NativeTable.isPure`). What it does to its own locals does not matter, and there is nothing else that it could reach,
 * as long as neither its parameters nor its results are references.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import type { ModuleId } from '../module-id.ts';
import type { FunctionBody } from './function-body.ts';
import type { FunctionInstance, Purity } from './function-instance.ts';

/** What the analysis takes from the machine. */
export interface PurityContext {
  bodyOf(instance: FunctionInstance): FunctionBody;
  /** `undefined` for a native that is not pure. */
  pureNative(module: ModuleId, name: string): { readonly isCostly: boolean } | undefined;
}

const GLOBAL_STORAGE: ReadonlySet<Op> = new Set([
  Op.Exists,
  Op.MutBorrowGlobal,
  Op.ImmBorrowGlobal,
  Op.MoveFrom,
  Op.MoveTo,
]);

/** `undefined` for a function that is not pure, or that calls itself, directly or through others. */
export function purityOf(instance: FunctionInstance, context: PurityContext): Purity | undefined {
  if (instance.purity === 'unknown') {
    // For as long as it is being found out, so that recursion ends.
    instance.purity = undefined;
    instance.purity = instance.isNative ? ofNative(instance, context) : ofFunction(instance, context);
  }
  return instance.purity;
}

function ofNative({ signature, returns }: FunctionInstance, context: PurityContext): Purity | undefined {
  const native = context.pureNative(signature.module, signature.name);
  return native === undefined ? undefined : { depth: 0, height: returns.length, isCostly: native.isCostly };
}

function ofFunction(instance: FunctionInstance, context: PurityContext): Purity | undefined {
  const known = instance.body;
  const body = context.bodyOf(instance);
  // Bodies are large: one that was not there before is not kept.
  instance.body = known;
  let depth = 0;
  let height = 0;
  let isCostly = false;
  for (const step of body.steps) {
    if (step === undefined) continue;
    if (GLOBAL_STORAGE.has(step.op)) return undefined;
    if (step.callee === undefined) continue;
    const callee = purityOf(step.callee, context);
    if (callee === undefined) return undefined;
    depth = Math.max(depth, callee.depth + (step.callee.isNative ? 0 : 1));
    height = Math.max(height, callee.height);
    isCostly ||= callee.isCostly;
  }
  return { depth, height: height + body.heightMax, isCostly };
}
