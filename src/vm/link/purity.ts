/**
 * Which functions have the same result, for the same gas, whenever they are called with the same arguments.
 *
 * A function is pure if everything that it calls is pure: Move functions that are pure themselves, and natives that are
 * declared pure (`NativeTable.pure`), with types that are not large. What it does to its locals does not matter, and it
 * cannot reach anything else as long as neither its parameters nor its results are references.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import type { ModuleId } from '../module-id.ts';
import type { FunctionBody } from './function-body.ts';
import type { FunctionInstance, Purity } from './function-instance.ts';
import { bodyUnits, instanceUnits } from './preparation.ts';

/** Nodes of a type argument up to which natives may be pure: larger types have names of many kB, counted as work. */
export const PURE_TYPE_NODES_MAX = 16;

/** What the analysis needs from the machine. */
export interface PurityContext {
  bodyOf(instance: FunctionInstance): FunctionBody;
  /** `undefined` for a native that is not pure. */
  pureNative(module: ModuleId, name: string): { readonly isCostly: boolean } | undefined;
}

/** Units up to which a function's results are worth caching: those of the framework take two hundred. */
const PURE_UNITS_MAX = 10_000;

/** Instructions that only the interpreter supports: the chain bans them at publish. */
export const GLOBAL_STORAGE: ReadonlySet<Op> = new Set([
  Op.Exists,
  Op.MutBorrowGlobal,
  Op.ImmBorrowGlobal,
  Op.MoveFrom,
  Op.MoveTo,
]);

/**
 * `undefined` for a function that is not pure, is recursive, directly or through others, or takes too much code.
 */
export function purityOf(instance: FunctionInstance, context: PurityContext): Purity | undefined {
  if (instance.purity === 'unknown') {
    // While it is being determined, so that recursion ends.
    instance.purity = undefined;
    instance.purity = instance.isNative ? ofNative(instance, context) : ofFunction(instance, context);
  }
  return instance.purity;
}

function ofNative({ signature, returns }: FunctionInstance, context: PurityContext): Purity | undefined {
  if (signature.typeArguments.some(({ nodes }) => nodes > PURE_TYPE_NODES_MAX)) return undefined;
  const native = context.pureNative(signature.module, signature.name);
  return native === undefined ? undefined : { depth: 0, height: returns.length, isCostly: native.isCostly, units: 0 };
}

function ofFunction(instance: FunctionInstance, context: PurityContext): Purity | undefined {
  const known = instance.body;
  const body = context.bodyOf(instance);
  // Bodies are large: one that was not resolved before is not kept.
  instance.body = known;
  let depth = 0;
  let height = 0;
  let isCostly = false;
  let units = instanceUnits(instance.loaded) + bodyUnits(instance.loaded);
  for (const step of body.steps) {
    if (step === undefined) continue;
    if (GLOBAL_STORAGE.has(step.op)) return undefined;
    if (step.callee === undefined) continue;
    const callee = purityOf(step.callee, context);
    if (callee === undefined) return undefined;
    depth = Math.max(depth, callee.depth + (step.callee.isNative ? 0 : 1));
    height = Math.max(height, callee.height);
    isCostly ||= callee.isCostly;
    units += callee.units + instanceUnits(step.callee.loaded);
    if (units > PURE_UNITS_MAX) return undefined;
  }
  return { depth, height: height + body.heightMax, isCostly, units };
}
