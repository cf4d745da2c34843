/**
 * The modules and types of one state of the code.
 *
 * A linker maps module ids to loaded modules, which hold everything else (`loaded-module.ts`). `fork` makes a second
 * map over the same objects, so a fork of the chain starts with all translated code of its parent. `drop` removes
 * modules and everything that depends on them, directly or indirectly; other maps keep them. Running code is
 * not affected: it keeps what it was linked with until it returns.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { AbilitySet } from '../../move/ability.ts';
import type { StructTag, TypeTag } from '../../move/type-tag.ts';
import { type Module, type ModuleId, moduleIdText, moduleKey, type Script } from '../binary/module.ts';
import { refuse } from '../failure.ts';
import { StatusCode } from '../status.ts';
import type { Type } from '../value/type.ts';
import { verifyPublishedLinks } from '../verify/dependencies.ts';
import { hasAbilities } from '../verify/type-table.ts';
import { type CountsReferences, idOfHandle, LoadedModule } from './loaded-module.ts';
import type { TypeStore } from './type-store.ts';

/** Nesting of dependencies; published modules have no cycles, so this only guards against a faulty source. */
const DEPENDENCY_DEPTH_MAX = 512;

export class Linker {
  readonly #modules: Map<string, LoadedModule>;
  readonly #types: TypeStore;
  readonly #counted: CountsReferences;
  readonly #scripts = new WeakMap<Script, LoadedModule>();
  /** The module last looked up by this name: building a key takes as long as the rest of a short call. */
  readonly #recent = new Map<string, LoadedModule>();
  /** The type without type arguments last looked up by this name: each transaction has its own tags. */
  readonly #recentTypes = new Map<string, Type>();
  /** Types by the identity of their tags: the state keeps the tags of objects. */
  #typesByTag = new WeakMap<StructTag, Type>();

  constructor(types: TypeStore, counted: CountsReferences, modules: Map<string, LoadedModule> = new Map()) {
    this.#types = types;
    this.#counted = counted;
    this.#modules = modules;
  }

  /** A second linker with the same contents; they are independent from then on. */
  fork(): Linker {
    return new Linker(this.#types, this.#counted, new Map(this.#modules));
  }

  /**
   * Drops modules and everything that depends on them.
   * @returns how many loaded modules were dropped
   */
  drop(ids: Iterable<ModuleId>): number {
    const stale = new Set<string>();
    for (const id of ids) stale.add(moduleKey(id));
    // Dependencies are loaded before their dependents, and the map keeps that order: one pass is enough.
    const dropped = new Set<LoadedModule>();
    this.#typesByTag = new WeakMap();
    this.#recent.clear();
    this.#recentTypes.clear();
    for (const [key, module] of this.#modules) {
      if (!stale.has(key) && !module.dependencies.some((dependency) => dropped.has(dependency))) continue;
      dropped.add(module);
      this.#modules.delete(key);
    }
    return dropped.size;
  }

  /**
   * Drops modules for which `source` now has another binary, or none, and everything that depends on them.
   * @returns how many loaded modules were dropped
   */
  refresh(source: ModuleLoader): number {
    const changed: ModuleId[] = [];
    for (const { id, binary } of this.#modules.values()) {
      if (id !== undefined && source.load(id) !== binary) changed.push(id);
    }
    return this.drop(changed);
  }

  /**
   * The module of an id, loaded with all its dependencies.
   * @throws {ThrownFailure} LINKER_ERROR if it does not exist.
   */
  module(id: ModuleId, source: ModuleLoader): LoadedModule {
    return this.#known(id) ?? this.#load(id, source, 0);
  }

  #known(id: ModuleId): LoadedModule | undefined {
    const recent = this.#recent.get(id.name);
    if (recent !== undefined && equalBytes(recent.id!.address, id.address)) return recent;
    const loaded = this.#modules.get(moduleKey(id));
    if (loaded !== undefined) this.#recent.set(id.name, loaded);
    return loaded;
  }

  /** A script, linked; the same object for the same script as long as its dependencies are the same. */
  script(script: Script, source: ModuleLoader): LoadedModule {
    const dependencies = this.#dependencies(script, undefined, source, 0);
    const known = this.#scripts.get(script);
    if (known?.dependencies.every((module, index) => module === dependencies[index]) === true) return known;
    const loaded = new LoadedModule(script, dependencies, this.#counted);
    this.#scripts.set(script, loaded);
    return loaded;
  }

  /**
   * The runtime type of a tag.
   * @throws {ThrownFailure} with the reference's status for a refused tag.
   */
  type(tag: TypeTag, source: ModuleLoader): Type {
    if (tag.kind === 'vector') return this.#types.vectorOf(this.type(tag.item, source));
    if (tag.kind === 'struct') {
      return this.#typesByTag.get(tag.struct) ?? this.#recentType(tag.struct) ?? this.#find(tag.struct, source);
    }
    return this.#types.primitive(tag.kind);
  }

  #recentType({ address, module, name, typeArguments }: StructTag): Type | undefined {
    if (typeArguments.length > 0) return undefined;
    const recent = this.#recentTypes.get(name);
    if (recent === undefined || recent.struct.module !== module) return undefined;
    return equalBytes(recent.struct.address, address) ? recent : undefined;
  }

  #find(tag: StructTag, source: ModuleLoader): Type {
    const type = this.#structType(tag, source);
    this.#typesByTag.set(tag, type);
    if (tag.typeArguments.length === 0) this.#recentTypes.set(tag.name, type);
    return type;
  }

  #structType(tag: StructTag, source: ModuleLoader): Type {
    const module = this.module({ address: tag.address, name: tag.module }, source);
    const struct = module.findStruct(tag.name);
    if (struct === undefined) {
      const hints = didYouMean(tag.name, module.structNames);
      const message = [`module ${tag.module} has no struct ${tag.name}`, ...hints].join('; ');
      throw refuse(StatusCode.TYPE_RESOLUTION_FAILURE, message);
    }
    const typeArguments = tag.typeArguments.map((argument) => this.type(argument, source));
    requireTypeArguments(
      struct.typeParameters.map((parameter) => parameter.constraints),
      typeArguments,
    );
    return this.#types.structOf(struct, typeArguments);
  }

  #load(id: ModuleId, source: ModuleLoader, depth: number): LoadedModule {
    const binary = source.load(id);
    if (binary === undefined) {
      const status = depth === 0 ? StatusCode.LINKER_ERROR : StatusCode.UNEXPECTED_VERIFIER_ERROR;
      throw refuse(status, `module ${moduleIdText(id)} does not exist`);
    }
    requireId(binary, id);
    const dependencies = this.#dependencies(binary, binary.selfHandle, source, depth);
    requireLinks(binary, dependencies);
    const loaded = new LoadedModule(binary, dependencies, this.#counted);
    this.#modules.set(moduleKey(id), loaded);
    this.#recent.set(id.name, loaded);
    return loaded;
  }

  #dependencies(
    binary: Module | Script,
    self: number | undefined,
    source: ModuleLoader,
    depth: number,
  ): (LoadedModule | undefined)[] {
    if (depth > DEPENDENCY_DEPTH_MAX) {
      throw refuse(StatusCode.CYCLIC_MODULE_DEPENDENCY, `modules depend on each other in ${depth} levels`);
    }
    const dependencies: (LoadedModule | undefined)[] = [];
    for (let handle = 0; handle < binary.moduleHandles.length; handle++) {
      const id = handle === self ? undefined : idOfHandle(binary, handle);
      dependencies.push(id && (this.#known(id) ?? this.#load(id, source, depth + 1)));
    }
    return dependencies;
  }
}

function requireId(binary: Module, id: ModuleId): void {
  const own = idOfHandle(binary, binary.selfHandle);
  if (own.name !== id.name || !equalBytes(own.address, id.address)) {
    throw new EngineError('invariant-violation', `the module source returned ${moduleKey(own)} for ${moduleKey(id)}`);
  }
}

/**
 * A module that no longer links must not run: its values could be taken for values of another type. The reference also
 * checks links whenever it loads a module.
 * @throws {ThrownFailure} UNEXPECTED_VERIFIER_ERROR
 */
function requireLinks(binary: Module, dependencies: readonly (LoadedModule | undefined)[]): void {
  // By handle: a search by name would take quadratic time.
  const verdict = verifyPublishedLinks(binary, (handle) => dependencies[handle]?.binary as Module | undefined);
  if (verdict.ok) return;
  const { name } = idOfHandle(binary, binary.selfHandle);
  const message = `module ${name} no longer links with its dependencies: ${verdict.message}`;
  throw refuse(StatusCode.UNEXPECTED_VERIFIER_ERROR, message);
}

/**
 * Checks type arguments from outside against the constraints of the parameters.
 * @throws {ThrownFailure} NUMBER_OF_TYPE_ARGUMENTS_MISMATCH or CONSTRAINT_NOT_SATISFIED
 */
export function requireTypeArguments(constraints: readonly AbilitySet[], typeArguments: readonly Type[]): void {
  if (constraints.length !== typeArguments.length) {
    const message = `expected ${constraints.length} type arguments, got ${typeArguments.length}`;
    throw refuse(StatusCode.NUMBER_OF_TYPE_ARGUMENTS_MISMATCH, message);
  }
  for (const [index, constraint] of constraints.entries()) {
    if (!hasAbilities(typeArguments[index]!.abilities, constraint)) {
      throw refuse(StatusCode.CONSTRAINT_NOT_SATISFIED, `type argument ${index} lacks a required ability`);
    }
  }
}

/**
 * Returns the module of an id, or `undefined` if it does not exist. The source has verified the module, alone and
 * against its dependencies; the machine trusts it. Synchronous. It should return the same object for the same bytes.
 */
export interface ModuleLoader {
  load(id: ModuleId): Module | undefined;
}
