/**
 * How deeply values of a type nest, for the bound on plain data.
 *
 * Works on unverified modules: structs may be missing (then they count as empty), may contain themselves or be applied
 * to the wrong number of arguments (then the type fits nowhere).
 * Source: `check_depth_of_type` of the reference's `moveos-verifier/src/verifier.rs`. It has no answer for a struct
 * that contains itself; here such a struct is too deep.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import {
  applyDepth,
  DEPTH_OF_PRIMITIVE,
  type DepthFormula,
  deeper,
  deepest,
  depthOfTypeParameter,
  solveDepth,
} from '../link/depth-formula.ts';
import { idOfModuleHandle, moduleKey } from '../module-id.ts';
import { isConstantType } from './constants.ts';
import { structsNamed } from './full-name.ts';
import type { ModuleLookup } from './module-lookup.ts';

/** Levels of a field of plain data, the struct itself counted. */
const DATA_STRUCT_DEPTH_MAX = 16;

interface Definition {
  readonly module: Module;
  readonly definition: number;
}

/** A struct whose formula is being worked out, and the structs in its fields that have not been looked at. */
interface Visit {
  readonly of: Definition;
  readonly inner: Definition[];
}

export class TypeDepth {
  readonly #stored: ModuleLookup;
  readonly #checked: ReadonlyMap<string, Module>;
  /** By module and struct definition; `undefined` while it is being worked out, or if it has no depth. */
  readonly #formulas = new Map<Module, (DepthFormula | undefined)[]>();

  constructor(stored: ModuleLookup, checked: ReadonlyMap<string, Module>) {
    this.#stored = stored;
    this.#checked = checked;
  }

  /** Whether a field of `type`, as `module` names it, is within the bound. */
  fits(module: Module, type: SignatureToken): boolean {
    return this.#measure(module, type, 1) !== undefined;
  }

  #measure(module: Module, type: SignatureToken, depth: number): number | undefined {
    if (depth > DATA_STRUCT_DEPTH_MAX) return undefined;
    if (type.tag === TokenTag.Vector) return this.#measure(module, type.arguments[0]!, depth + 1);
    if (type.tag === TokenTag.Struct || type.tag === TokenTag.StructInstantiation) {
      const measured = type.arguments.map((argument) => this.#measure(module, argument, depth));
      const formula = this.#formulaOf(module, type.index, type.arguments.length);
      if (formula === undefined || measured.includes(undefined)) return undefined;
      const whole = depth + solveDepth(formula, measured as number[]);
      return whole > DATA_STRUCT_DEPTH_MAX ? undefined : whole;
    }
    return isPrimitive(type) ? depth : undefined;
  }

  /** The formula of a struct's fields, by its handle in `module`. */
  #formulaOf(module: Module, handle: number, argumentCount: number): DepthFormula | undefined {
    const found = this.#definitionOf(module, handle);
    if (found === undefined) return deepest([]);
    const known = this.#knownOf(found.module);
    if (!(found.definition in known)) this.#workOut(found);
    const formula = known[found.definition];
    const isApplicable = formula !== undefined && [...formula.terms.keys()].every((index) => index < argumentCount);
    return isApplicable ? formula : undefined;
  }

  /**
   * Works out the formula of a struct, after those of the structs in its fields, which come from a list rather than by
   * recursion: a module may nest thousands of structs in each other, and whether the JavaScript stack has room for that
   * must not decide what can be published.
   */
  #workOut(outermost: Definition): void {
    const path = [this.#begin(outermost)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const next = visit.inner.pop();
      if (next !== undefined) {
        if (!(next.definition in this.#knownOf(next.module))) path.push(this.#begin(next));
        continue;
      }
      const { module, definition } = visit.of;
      const formulas = fieldTypes(visit.of).map((type) => this.#formulaOfType(module, type));
      if (!formulas.includes(undefined)) this.#knownOf(module)[definition] = deepest(formulas as DepthFormula[]);
      path.pop();
    }
  }

  #begin(of: Definition): Visit {
    this.#knownOf(of.module)[of.definition] = undefined;
    return { of, inner: this.#structsIn(of.module, fieldTypes(of)) };
  }

  #structsIn(module: Module, types: readonly SignatureToken[]): Definition[] {
    return types.flatMap((type) => {
      const inner = this.#structsIn(module, type.arguments);
      const isStruct = type.tag === TokenTag.Struct || type.tag === TokenTag.StructInstantiation;
      const own = isStruct ? this.#definitionOf(module, type.index) : undefined;
      return own === undefined ? inner : [...inner, own];
    });
  }

  #knownOf(module: Module): (DepthFormula | undefined)[] {
    let known = this.#formulas.get(module);
    if (known === undefined) {
      known = [];
      this.#formulas.set(module, known);
    }
    return known;
  }

  #formulaOfType(module: Module, type: SignatureToken): DepthFormula | undefined {
    if (type.tag === TokenTag.TypeParameter) return depthOfTypeParameter(type.index);
    if (type.tag === TokenTag.Vector) {
      const inner = this.#formulaOfType(module, type.arguments[0]!);
      return inner === undefined ? undefined : deeper(inner);
    }
    if (type.tag === TokenTag.Struct || type.tag === TokenTag.StructInstantiation) {
      const inner = type.arguments.map((argument) => this.#formulaOfType(module, argument));
      const formula = this.#formulaOf(module, type.index, type.arguments.length);
      if (formula === undefined || inner.includes(undefined)) return undefined;
      return deeper(applyDepth(formula, inner as DepthFormula[]));
    }
    return isPrimitive(type) ? DEPTH_OF_PRIMITIVE : undefined;
  }

  #definitionOf(module: Module, handle: number): Definition | undefined {
    const { module: ownerHandle, name } = module.structHandles[handle]!;
    const text = module.identifiers[name]!;
    const id = idOfModuleHandle(module, module.moduleHandles[ownerHandle]!);
    const owner = ownerHandle === module.selfHandle ? module : (this.#checked.get(moduleKey(id)) ?? this.#stored(id));
    if (owner === undefined) return undefined;
    const [definition] = structsNamed(owner, text);
    return definition === undefined ? undefined : { module: owner, definition };
  }
}

function fieldTypes({ module, definition }: Definition): SignatureToken[] {
  return (module.structDefinitions[definition]!.fields ?? []).map(({ type }) => type);
}

function isPrimitive(type: SignatureToken): boolean {
  return type.tag === TokenTag.Signer || (type.tag !== TokenTag.Vector && isConstantType(type));
}
