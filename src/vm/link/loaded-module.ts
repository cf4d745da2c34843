/**
 * Modules in the machine: the binary, its structs and functions as objects, and its linked dependencies.
 *
 * Loading a module loads all its dependencies, as in the reference, so everything below a loaded module is fixed. Types
 * and specialised functions belong to these objects; nothing else refers to a module by its name. Replacing a module
 * therefore means dropping it and its dependents (`linker.ts`), and loading it again. A script is loaded as a module
 * without an id, with one function.
 *
 * The depth of a struct's values is a formula of the depths of its type arguments: `max(constant, Ti + ci, ...)`. The
 * check that uses it (`fitsValueDepth`) is the reference's, and counts in the same way: type arguments are measured
 * from the depth of the struct, so a generic struct below a vector counts that depth twice. Source: `DepthFormula` in
 * `move-vm/types/src/loaded_data/runtime_types.rs`, `check_depth_of_type` in the interpreter.
 *
 * A constant is decoded when first needed, not when code that names it is prepared: a function of a few kilobytes may
 * name one constant thousands of times, on paths that never run. A vector of vectors takes up to 250 times as much
 * memory as its bytes in the module, so it is decoded each time and never kept. The instruction pays by the byte, which
 * is too little for many short vectors: a long constant counts work for the vectors in it.
 * @module
 */

import { ByteReader } from '../../base/bytes/reader.ts';
import { assert } from '../../base/error.ts';
import type { AbilitySet } from '../../move/ability.ts';
import { type Code, idOfModuleHandle, type Module, type ModuleId, type Script } from '../binary/module.ts';
import type { SignatureToken } from '../binary/signature-token.ts';
import type { Type } from '../value/type.ts';
import type { VectorValue } from '../value/vector.ts';
import type { FunctionInstance } from './function-instance.ts';

/** The struct types whose live references are counted in `StructInstance.references`. */
export type CountsReferences = (module: ModuleId, name: string, abilities: AbilitySet) => boolean;

export class LoadedStruct {
  readonly module: LoadedModule;
  readonly name: string;
  readonly abilities: AbilitySet;
  readonly typeParameters: readonly { readonly constraints: AbilitySet; readonly isPhantom: boolean }[];
  readonly fieldNames: readonly string[];
  readonly fieldTokens: readonly SignatureToken[];
  /** Whether references to its instances are counted. */
  readonly counted: boolean;
  /** Its types, by the ids of the type arguments. */
  readonly types: Map<string, Type> = new Map();
  /** Depth of its fields; computed on first use. */
  depth: DepthFormula | undefined;

  constructor(module: LoadedModule, index: number, counted: CountsReferences) {
    const { binary } = module;
    assert(binary.kind === 'module', 'a script has no structs');
    const definition = binary.structDefinitions[index]!;
    const handle = binary.structHandles[definition.handle]!;
    this.module = module;
    this.name = binary.identifiers[handle.name]!;
    this.abilities = handle.abilities;
    this.typeParameters = handle.typeParameters;
    const fields = definition.fields ?? [];
    this.fieldNames = fields.map((field) => binary.identifiers[field.name]!);
    this.fieldTokens = fields.map((field) => field.type);
    this.counted = module.id !== undefined && counted(module.id, this.name, handle.abilities);
  }
}

export class LoadedFunction {
  readonly module: LoadedModule;
  /** Index of its definition, which failures report. */
  readonly index: number;
  readonly name: string;
  readonly typeParameters: readonly AbilitySet[];
  readonly parameters: readonly SignatureToken[];
  readonly returns: readonly SignatureToken[];
  /** Locals beyond the parameters. */
  readonly locals: readonly SignatureToken[];
  /** `undefined` for a native. */
  readonly code: Code | undefined;
  readonly isEntry: boolean;
  /** Its specialisations, by the ids of the type arguments. */
  readonly instances: Map<string, FunctionInstance> = new Map();
  /** The units of an instance and its body (`preparation.ts`); computed on first use. */
  instanceUnits: number | undefined;
  bodyUnits: number | undefined;

  constructor(module: LoadedModule, index: number) {
    const { binary } = module;
    this.module = module;
    this.index = index;
    if (binary.kind === 'script') {
      this.name = 'main';
      this.typeParameters = binary.typeParameters;
      this.parameters = binary.signatures[binary.parameters]!;
      this.returns = [];
      this.code = binary.code;
      this.isEntry = true;
    } else {
      const definition = binary.functionDefinitions[index]!;
      const handle = binary.functionHandles[definition.handle]!;
      this.name = binary.identifiers[handle.name]!;
      this.typeParameters = handle.typeParameters;
      this.parameters = binary.signatures[handle.parameters]!;
      this.returns = binary.signatures[handle.returns]!;
      this.code = definition.code;
      this.isEntry = definition.isEntry;
    }
    this.locals = this.code === undefined ? [] : binary.signatures[this.code.locals]!;
  }

  /** Number of parameters and locals that a call pays for; 0 for a native. */
  get localCount(): number {
    return this.code === undefined ? 0 : this.parameters.length + this.locals.length;
  }
}

export class LoadedModule {
  /** `undefined` for a script. */
  readonly id: ModuleId | undefined;
  readonly binary: Module | Script;
  /** By module handle; itself at its own handle. */
  readonly dependencies: readonly LoadedModule[];
  /** The types of this module's tokens when there are no type arguments; filled by the type store. */
  readonly closedTypes: Map<SignatureToken, Type> = new Map();
  /** By index; filled where code that loads them is resolved. */
  readonly constants: (ModuleConstant | undefined)[] = [];
  readonly #counted: CountsReferences;
  // Structs and functions become objects on first use: little of most modules is used.
  readonly #structs: (LoadedStruct | undefined)[] = [];
  readonly #functions: (LoadedFunction | undefined)[] = [];
  readonly #structsByHandle: (LoadedStruct | undefined)[] = [];
  readonly #functionsByHandle: (LoadedFunction | undefined)[] = [];
  #structNames: ReadonlyMap<string, number> | undefined;
  #functionNames: ReadonlyMap<string, number> | undefined;

  /** @param dependencies by module handle, `undefined` for the module's own handle */
  constructor(binary: Module | Script, dependencies: readonly (LoadedModule | undefined)[], counted: CountsReferences) {
    this.binary = binary;
    this.dependencies = dependencies.map((dependency) => dependency ?? this);
    this.id = binary.kind === 'module' ? idOfHandle(binary, binary.selfHandle) : undefined;
    this.#counted = counted;
  }

  /** The struct of definition `index`. */
  struct(index: number): LoadedStruct {
    this.#structs[index] ??= new LoadedStruct(this, index, this.#counted);
    return this.#structs[index];
  }

  /** The function of definition `index`; a script has one, of index 0. */
  function(index: number): LoadedFunction {
    this.#functions[index] ??= new LoadedFunction(this, index);
    return this.#functions[index];
  }

  findStruct(name: string): LoadedStruct | undefined {
    this.#structNames ??= this.#namesOf('structDefinitions', 'structHandles');
    const index = this.#structNames.get(name);
    return index === undefined ? undefined : this.struct(index);
  }

  findFunction(name: string): LoadedFunction | undefined {
    this.#functionNames ??= this.#namesOf('functionDefinitions', 'functionHandles');
    const index = this.#functionNames.get(name);
    return index === undefined ? undefined : this.function(index);
  }

  /** The definitions by name, once one was looked up. */
  get functionNames(): Iterable<string> {
    return this.#functionNames?.keys() ?? [];
  }

  get structNames(): Iterable<string> {
    return this.#structNames?.keys() ?? [];
  }

  /** The struct that a handle of this module names; `undefined` if its module lacks it. */
  structAt(handle: number): LoadedStruct | undefined {
    let found = this.#structsByHandle[handle];
    if (found === undefined) {
      const { module, name } = this.binary.structHandles[handle]!;
      found = this.dependencies[module]!.findStruct(this.binary.identifiers[name]!);
      this.#structsByHandle[handle] = found;
    }
    return found;
  }

  /** The function that a handle of this module names; `undefined` if its module lacks it. */
  functionAt(handle: number): LoadedFunction | undefined {
    let found = this.#functionsByHandle[handle];
    if (found === undefined) {
      const { module, name } = this.binary.functionHandles[handle]!;
      found = this.dependencies[module]!.findFunction(this.binary.identifiers[name]!);
      this.#functionsByHandle[handle] = found;
    }
    return found;
  }

  /** Definitions by name. */
  #namesOf(
    definitions: 'structDefinitions' | 'functionDefinitions',
    handles: 'structHandles' | 'functionHandles',
  ): ReadonlyMap<string, number> {
    const { binary } = this;
    const names = new Map<string, number>();
    if (binary.kind === 'script') return names;
    const { identifiers, [definitions]: defined, [handles]: named } = binary;
    for (let index = 0; index < defined.length; index++)
      names.set(identifiers[named[defined[index]!.handle]!.name]!, index);
    return names;
  }
}

/** The id that a module handle stands for. */
export function idOfHandle(binary: Module | Script, handle: number): ModuleId {
  return idOfModuleHandle(binary, binary.moduleHandles[handle]!);
}

export interface DepthFormula {
  readonly constant: number;
  /** By type parameter: the summand of its depth. */
  readonly terms: ReadonlyMap<number, number>;
}

const NO_TERMS: ReadonlyMap<number, number> = new Map();

export const DEPTH_OF_PRIMITIVE: DepthFormula = { constant: 1, terms: NO_TERMS };

export function depthOfTypeParameter(index: number): DepthFormula {
  return { constant: 0, terms: new Map([[index, 0]]) };
}

/** The formula plus one level. */
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

/** The maximum of the formulas. */
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

/** Bytes of a constant that the instruction's price covers, whatever they are: its function's result may be cached. */
const BYTES_UNCOUNTED_MAX = 256;

/** Vectors made per microsecond, as measured, if they are few. */
const VECTORS_PER_WORK = 10;

/** From this number on each takes twice as long, since garbage collections find them in use. */
const VECTORS_DOUBLING = 15_000;

export class ModuleConstant {
  readonly type: Type;
  readonly #data: Uint8Array;
  readonly #isKept: boolean;
  /** Whether loading it may count work. */
  readonly isLong: boolean;
  #value: unknown;
  #work: number | undefined;

  /** `data` is the BCS of a value of `type`: the verifier checked that. */
  constructor(type: Type, data: Uint8Array) {
    this.type = type;
    this.#data = data;
    this.#isKept = type.kind !== 'vector' || !type.item.isContainer;
    this.isLong = !this.#isKept && data.length > BYTES_UNCOUNTED_MAX;
  }

  /** Work of loading it, in microseconds. */
  get work(): number {
    if (!this.isLong) return 0;
    if (this.#work === undefined) {
      const vectors = vectorsIn(this.type, this.#decode() as VectorValue);
      this.#work = Math.floor((vectors * (VECTORS_DOUBLING + vectors)) / (VECTORS_PER_WORK * VECTORS_DOUBLING));
    }
    return this.#work;
  }

  /** A value that belongs to the caller. */
  copy(): unknown {
    if (!this.#isKept) return this.#decode();
    this.#value ??= this.#decode();
    return this.type.isContainer ? this.type.operations.copy(this.#value) : this.#value;
  }

  #decode(): unknown {
    return this.type.operations.read(new ByteReader(this.#data), null);
  }
}

/** The number of vectors that are elements of others. */
function vectorsIn({ item }: Type, vector: VectorValue): number {
  if (!item.isContainer) return 0;
  let vectors = vector.length;
  for (let index = 0; index < vector.length; index++) vectors += vectorsIn(item, vector.get(index) as VectorValue);
  return vectors;
}
