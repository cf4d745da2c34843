/**
 * Checks structs declared to be plain data, and functions whose type parameters accept nothing else.
 *
 * Plain data can be copied and dropped and holds primitives, vectors, options and other plain data, a bounded number of
 * levels deep. A struct of another module counts as plain data if its module's metadata says so.
 * Source: `verify_data_struct` of the reference's `moveos-verifier/src/verifier.rs`.
 *
 * How deeply values of a type nest is measured on unverified modules: structs may be missing (then they count as
 * empty), may contain themselves or be applied to the wrong number of arguments (then the type fits nowhere). Source:
 * `check_depth_of_type` of the reference's `moveos-verifier/src/verifier.rs`. It does not end for a struct that
 * contains itself; here such a struct is too deep.
 * @module
 */
import { getOrInsert } from '../../base/get-or-insert.ts';
import { ABILITY_COPY, ABILITY_DROP } from '../../move/ability.ts';
import {
  idOfModuleHandle,
  type Module,
  type ModuleLookup,
  moduleKey,
  type StructDefinition,
  selfIdOf,
} from '../binary/module.ts';
import { fullStructText, typeText } from '../binary/render.ts';
import { isStructToken, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import {
  applyDepth,
  DEPTH_OF_PRIMITIVE,
  type DepthFormula,
  deeper,
  deepest,
  depthOfTypeParameter,
  solveDepth,
} from '../link/loaded-module.ts';
import { isConstantType } from './constants.ts';
import { moduleMetadata, ownName, splitName, structsNamed } from './module-metadata.ts';
import { isFirst, requireFunction, requireMetadata, requireOwned, restrictedArguments } from './private-generics.ts';
import { PublishStatus, refusePublish } from './publish-status.ts';

/** Levels of a field of plain data, the struct itself counted. */
const DATA_STRUCT_DEPTH_MAX = 16;

interface Definition {
  readonly module: Module;
  readonly definition: number;
}

/** A struct whose formula is being computed, and the structs in its fields still to be visited. */
interface Visit {
  readonly of: Definition;
  readonly inner: Definition[];
}

export class TypeDepth {
  readonly #stored: ModuleLookup;
  readonly #checked: ReadonlyMap<string, Module>;
  /** By module and struct definition; `undefined` while it is being computed, or if it has no depth. */
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
    if (isStructToken(type)) {
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
   * Computes the formula of a struct after those of the structs in its fields, with a list rather than by recursion: a
   * module may nest thousands of structs in each other, and whether the JavaScript stack has room for that must not
   * decide what can be published.
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
      const own = isStructToken(type) ? this.#definitionOf(module, type.index) : undefined;
      return own === undefined ? inner : [...inner, own];
    });
  }

  #knownOf(module: Module): (DepthFormula | undefined)[] {
    return getOrInsert(this.#formulas, module, () => []);
  }

  #formulaOfType(module: Module, type: SignatureToken): DepthFormula | undefined {
    if (type.tag === TokenTag.TypeParameter) return depthOfTypeParameter(type.index);
    if (type.tag === TokenTag.Vector) {
      const inner = this.#formulaOfType(module, type.arguments[0]!);
      return inner === undefined ? undefined : deeper(inner);
    }
    if (isStructToken(type)) {
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

const OPTION = '0x1::option::Option';

/** Modules of the bundle that were checked before, by key. */
export type CheckedModules = Map<string, Module>;

/** Checks the module's data structs and its calls, and adds it to `checked`. `stored` gives published modules. */
export function checkDataStructs(module: Module, stored: ModuleLookup, checked: CheckedModules): void {
  new DataStructCheck(module, stored, checked).run();
  checked.set(moduleKey(selfIdOf(module)), module);
}

class DataStructCheck {
  readonly #module: Module;
  readonly #stored: ModuleLookup;
  readonly #checked: CheckedModules;
  readonly #depth: TypeDepth;
  /** The fault of each struct definition; `undefined` for none. */
  readonly #faults = new Map<number, PublishStatus | undefined>();
  /** Handles of the modules whose data structs were added, of those that own types of arguments. */
  readonly #structOwners = new Set<number>();
  /** The first definition of each struct handle. */
  readonly #definitions = new Map<number, number>();
  #before: ReadonlySet<string> | undefined;

  constructor(module: Module, stored: ModuleLookup, checked: CheckedModules) {
    this.#module = module;
    this.#stored = stored;
    this.#checked = checked;
    this.#depth = new TypeDepth(stored, checked);
    for (const [index, { handle }] of module.structDefinitions.entries()) {
      if (!this.#definitions.has(handle)) this.#definitions.set(handle, index);
    }
  }

  run(): void {
    const { dataStructs, dataStructFunctions } = requireMetadata(this.#module);
    for (const name of dataStructs.keys()) this.#checkFields(name);
    for (const name of dataStructs.keys()) {
      if (structsNamed(this.#module, requireOwned(this.#module, name)).length > 0) continue;
      throw refusePublish(PublishStatus.STRUCT_NOT_EXISTS, `${name} is not a struct of ${ownName(this.#module)}`);
    }
    for (const [name, indices] of dataStructFunctions) this.#checkFunctionEntry(name, indices);
    this.#checkCalls(new Map(dataStructs), new Map(dataStructFunctions));
  }

  #checkFields(name: string): void {
    const parts = splitName(name);
    if (parts === undefined) {
      throw refusePublish(PublishStatus.MALFORMED_STRUCT_NAME, `expected address::module::name, got ${name}`);
    }
    for (const index of structsNamed(this.#module, parts.name)) {
      const fault = this.#faultOf(index);
      if (fault !== undefined) throw refusePublish(fault, `struct ${name} is not plain data`);
    }
  }

  #checkFunctionEntry(name: string, indices: readonly bigint[]): void {
    if (indices.length === 0) {
      const message = `${name} names no type parameter`;
      throw refusePublish(PublishStatus.DATA_STRUCT_FUNCTION_WITHOUT_PARAMETERS, message);
    }
    requireOwned(this.#module, name);
    requireFunction(this.#module, name);
  }

  /** The metadata of callees and of named structs is added as calls are met, as in the reference. */
  #checkCalls(structs: Map<string, boolean>, functions: Map<string, readonly bigint[]>): void {
    const entriesOf = (moduleHandle: number): ReadonlyMap<string, readonly bigint[]> | undefined => {
      const callee = this.#find(moduleHandle);
      return callee && requireMetadata(callee).dataStructFunctions;
    };
    for (const { type, callee } of restrictedArguments(this.#module, functions, entriesOf)) {
      this.#addStructsOf(type, structs);
      this.#checkArgument(type, callee, structs);
    }
  }

  #addStructsOf(type: SignatureToken, structs: Map<string, boolean>): void {
    if (!isStructToken(type)) return;
    const { module } = this.#module.structHandles[type.index]!;
    const owner = isFirst(this.#structOwners, module) ? this.#find(module) : undefined;
    if (owner === undefined) return;
    for (const [name, flag] of requireMetadata(owner).dataStructs) structs.set(name, flag);
  }

  #checkArgument(type: SignatureToken, callee: string, structs: ReadonlyMap<string, boolean>): void {
    const shown = `${callee} accepts plain data only, got ${typeText(this.#module, type)}`;
    switch (type.tag) {
      case TokenTag.Struct:
        if (structs.has(fullStructText(this.#module, type.index))) return;
        throw refusePublish(PublishStatus.INVALID_DATA_STRUCT, shown);
      case TokenTag.StructInstantiation:
        if (fullStructText(this.#module, type.index) !== OPTION) {
          throw refusePublish(PublishStatus.DATA_STRUCT_WITH_TYPE_PARAMETER, shown);
        }
        this.#checkArgument(type.arguments[0]!, callee, structs);
        return;
      default:
        if (type.tag === TokenTag.Vector || !isConstantType(type)) {
          throw refusePublish(PublishStatus.INVALID_DATA_STRUCT_TYPE, shown);
        }
    }
  }

  /** The module of a module handle: from the bundle so far, or published. */
  #find(moduleHandle: number): Module | undefined {
    const id = idOfModuleHandle(this.#module, this.#module.moduleHandles[moduleHandle]!);
    return this.#checked.get(moduleKey(id)) ?? this.#stored(id);
  }

  /** Why struct definition `index` is not plain data. */
  #faultOf(index: number): PublishStatus | undefined {
    if (this.#faults.has(index)) return this.#faults.get(index);
    // A struct that contains itself is deeper than any bound.
    this.#faults.set(index, PublishStatus.DATA_STRUCT_TOO_DEEP);
    const fault = this.#findFault(this.#module.structDefinitions[index]!);
    this.#faults.set(index, fault);
    return fault;
  }

  #findFault({ handle, fields }: StructDefinition): PublishStatus | undefined {
    if (fields === undefined) return PublishStatus.DATA_STRUCT_NATIVE;
    const { abilities, typeParameters } = this.#module.structHandles[handle]!;
    if ((abilities & ABILITY_DROP) === 0) return PublishStatus.DATA_STRUCT_WITHOUT_DROP;
    if ((abilities & ABILITY_COPY) === 0) return PublishStatus.DATA_STRUCT_WITHOUT_COPY;
    if (typeParameters.length > 0) return PublishStatus.DATA_STRUCT_WITH_TYPE_PARAMETER;
    for (const { type } of fields) {
      if (!this.#depth.fits(this.#module, type)) return PublishStatus.DATA_STRUCT_TOO_DEEP;
      const fault = this.#faultOfField(type);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #faultOfField(type: SignatureToken): PublishStatus | undefined {
    switch (type.tag) {
      case TokenTag.Vector:
        return this.#faultOfField(type.arguments[0]!);
      case TokenTag.Struct:
        return this.#faultOfStruct(type.index);
      case TokenTag.StructInstantiation:
        if (fullStructText(this.#module, type.index) === OPTION) return this.#faultOfField(type.arguments[0]!);
        return PublishStatus.DATA_STRUCT_FIELD_NOT_ALLOWED;
      default:
        return isConstantType(type) ? undefined : PublishStatus.DATA_STRUCT_FIELD_NOT_ALLOWED;
    }
  }

  #faultOfStruct(handle: number): PublishStatus | undefined {
    const module = this.#module;
    const { module: owner } = module.structHandles[handle]!;
    if (owner === module.selfHandle) {
      const definition = this.#definitions.get(handle);
      return definition === undefined ? PublishStatus.INVALID_DATA_STRUCT : this.#faultOf(definition);
    }
    const name = fullStructText(module, handle);
    const published = this.#stored(idOfModuleHandle(module, module.moduleHandles[owner]!));
    const isKnown = this.#namedBefore().has(name) || (published !== undefined && dataStructsOf(published).has(name));
    return isKnown ? undefined : PublishStatus.DATA_STRUCT_FIELD_NOT_IN_METADATA;
  }

  /** The data structs of the bundle so far. */
  #namedBefore(): ReadonlySet<string> {
    this.#before ??= new Set([...this.#checked.values()].flatMap((module) => [...dataStructsOf(module).keys()]));
    return this.#before;
  }
}

/** None for malformed metadata, which is refused elsewhere. */
function dataStructsOf(module: Module): ReadonlyMap<string, boolean> {
  const metadata = moduleMetadata(module);
  return metadata === 'malformed' ? NONE : metadata.dataStructs;
}

const NONE: ReadonlyMap<string, boolean> = new Map();
