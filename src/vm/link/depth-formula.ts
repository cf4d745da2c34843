/**
 * The depth of a struct's values, as a formula of the depths of its type arguments: `max(constant, Ti + ci, ...)`.
 *
 * The check that uses it (`fitsValueDepth`) is the reference's, and counts in the same way: type arguments are
 * measured from the depth of the struct, so a generic struct below a vector counts that depth twice.
 * Source: `DepthFormula` in `move-vm/types/src/loaded_data/runtime_types.rs`, `check_depth_of_type` in the interpreter.
 * @module
 */
import type { Type } from '../value/type.ts';

export interface DepthFormula {
  readonly constant: number;
  /** By number of the type parameter: what is added to its depth. */
  readonly terms: ReadonlyMap<number, number>;
}

const NO_TERMS: ReadonlyMap<number, number> = new Map();

export const DEPTH_OF_PRIMITIVE: DepthFormula = { constant: 1, terms: NO_TERMS };

export function depthOfTypeParameter(index: number): DepthFormula {
  return { constant: 0, terms: new Map([[index, 0]]) };
}

/** One level more. */
export function deeper(formula: DepthFormula): DepthFormula {
  return add(formula, 1);
}

function add(formula: DepthFormula, levels: number): DepthFormula {
  return {
    // 0 stands for no constant: no value has depth 0.
    constant: formula.constant === 0 ? 0 : formula.constant + levels,
    terms: new Map([...formula.terms].map(([index, plus]) => [index, plus + levels])),
  };
}

/** The greater of all formulas. */
export function deepest(formulas: readonly DepthFormula[]): DepthFormula {
  let constant = 0;
  const terms = new Map<number, number>();
  for (const formula of formulas) {
    constant = Math.max(constant, formula.constant);
    for (const [index, plus] of formula.terms) terms.set(index, Math.max(plus, terms.get(index) ?? 0));
  }
  return { constant, terms };
}

/** The formula of a generic struct's own fields, with formulas substituted for its type arguments. */
export function applyDepth(formula: DepthFormula, typeArguments: readonly DepthFormula[]): DepthFormula {
  const parts: DepthFormula[] = [{ constant: formula.constant, terms: NO_TERMS }];
  for (const [index, plus] of formula.terms) parts.push(add(typeArguments[index]!, plus));
  return deepest(parts);
}

/** The depth for given depths of the type arguments. */
export function solveDepth(formula: DepthFormula, typeArguments: readonly number[]): number {
  let depth = formula.constant;
  for (const [index, plus] of formula.terms) depth = Math.max(depth, typeArguments[index]! + plus);
  return depth;
}

/**
 * Whether values of `type` may be put one level into another value without passing `depthMax` levels.
 * @param formulaOf the formula of a struct type's definition
 */
export function fitsValueDepth(type: Type, depthMax: number, formulaOf: (type: Type) => DepthFormula): boolean {
  return measure(type, 1) !== undefined;

  function measure(inner: Type, depth: number): number | undefined {
    if (depth > depthMax) return undefined;
    if (inner.kind === 'vector' || inner.isReference) return measure(inner.item, depth + 1);
    if (inner.kind !== 'struct') return depth;
    const typeArguments: number[] = [];
    for (const argument of inner.struct.typeArguments) {
      const measured = measure(argument, depth);
      if (measured === undefined) return undefined;
      typeArguments.push(measured);
    }
    const whole = depth + solveDepth(formulaOf(inner), typeArguments);
    return whole > depthMax ? undefined : whole;
  }
}
