/**
 * Checks the links of a module or script: the modules it names exist, their structs have at least the expected
 * abilities, and their functions may be called and have the expected signatures. Source: the reference's
 * `move-bytecode-verifier/src/dependencies.rs`.
 * @module
 */
import { getOrInsert } from '../../base/get-or-insert.ts';
import { isReservedAddress } from '../../move/address.ts';
import {
  type Binary,
  type Code,
  type FunctionDefinition,
  type FunctionHandle,
  friendsOf,
  idOfModuleHandle,
  type Module,
  type ModuleLookup,
  moduleKey,
  namedBy,
  type StructHandle,
  selfIdOf,
  Visibility,
} from '../binary/module.ts';
import { Op, plainOp } from '../binary/opcode.ts';
import { functionText, moduleText, structText } from '../binary/render.ts';
import { isStructToken, type Signature, type SignatureToken } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { ACCEPTED, rejectCode, rejectEntry, type VerifyResult, verdictOf } from '../verdict.ts';
import { hasAbilities } from './type-table.ts';

/**
 * Checks that a module or script, verified by itself, links with the modules that `lookup` gives.
 * Statuses: MISSING_DEPENDENCY, LOOKUP_FAILED, TYPE_MISMATCH.
 */
export function verifyDependencies(binary: Binary, lookup: ModuleLookup): VerifyResult {
  return verdictOf(() => new LinkCheck(binary, byHandle(binary, lookup), () => false).run());
}

/** The module that a handle names. */
type ModuleByHandle = (handle: number) => Module | undefined;

/** Finds the modules that `binary` names by their ids. */
export function byHandle(binary: Binary, lookup: ModuleLookup): ModuleByHandle {
  return (handle) => lookup(idOfModuleHandle(binary, binary.moduleHandles[handle]!));
}

/** By handle of a published module: the modules with which its links were last checked, and held. */
const linkedWith = new WeakMap<Module, readonly (Module | undefined)[]>();

/**
 * Checks the links of a published module again. A package may be upgraded in part, and unless the chain's compatibility
 * check covers them, its friend functions may change; then other modules no longer link with what they were published
 * against. Links with the framework are not checked: only the framework is among its friends, and public functions never
 * change.
 */
export function verifyPublishedLinks(module: Module, find: ModuleByHandle): VerifyResult {
  const { moduleHandles, addresses, selfHandle } = module;
  const isTrusted = (handle: number): boolean => isReservedAddress(addresses[moduleHandles[handle]!.address]!);
  // Most modules of the framework: their tables of structs and functions need not be read.
  if (module.version >= 5 && moduleHandles.every((_, index) => isTrusted(index))) return ACCEPTED;
  const others = moduleHandles.map((_, index) => (index === selfHandle || isTrusted(index) ? undefined : find(index)));
  const known = linkedWith.get(module);
  if (known?.every((other, index) => other === others[index]) === true) return ACCEPTED;
  const verdict = verdictOf(() => new LinkCheck(module, find, isTrusted).run());
  if (verdict.ok) linkedWith.set(module, others);
  return verdict;
}

/** The definitions of a dependency, by name. */
interface Exports {
  readonly module: Module;
  readonly structs: ReadonlyMap<string, StructHandle>;
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  /**
   * The keys of its friends: a module may have thousands of them, each of which may call thousands of its functions.
   */
  readonly friends: ReadonlySet<string>;
}

class LinkCheck {
  readonly #binary: Binary;
  readonly #find: ModuleByHandle;
  readonly #isTrusted: (handle: number) => boolean;
  readonly #selfHandle: number;
  /** By module handle; `undefined` for the module itself and those that are trusted. */
  readonly #exports: (Exports | undefined)[] = [];
  /** The key of the module itself; undefined for a script. */
  readonly #self: string | undefined;
  #oldEntries: ReadonlySet<number> | undefined;

  constructor(binary: Binary, find: ModuleByHandle, isTrusted: (handle: number) => boolean) {
    this.#binary = binary;
    this.#find = find;
    this.#isTrusted = isTrusted;
    this.#selfHandle = binary.kind === 'module' ? binary.selfHandle : -1;
    this.#self = binary.kind === 'module' ? moduleKey(selfIdOf(binary)) : undefined;
  }

  run(): void {
    this.#checkModules();
    for (const [index, handle] of this.#binary.structHandles.entries()) this.#checkStruct(handle, index);
    for (const [index, handle] of this.#binary.functionHandles.entries()) this.#checkFunction(handle, index);
    // Before version 5 `entry` was a visibility, and calls to such functions were restricted.
    if (this.#binary.version < 5) this.#checkScriptVisibility();
  }

  #checkModules(): void {
    for (let index = 0; index < this.#binary.moduleHandles.length; index++) {
      if (index === this.#selfHandle || this.#isTrusted(index)) {
        this.#exports.push(undefined);
        continue;
      }
      const module = this.#find(index);
      if (module === undefined) {
        const message = `module ${moduleText(this.#binary, index)} does not exist`;
        throw rejectEntry(StatusCode.MISSING_DEPENDENCY, 'moduleHandle', index, message);
      }
      this.#exports.push(exportsOf(module));
    }
  }

  #checkStruct(handle: StructHandle, index: number): void {
    const exports = this.#exports[handle.module];
    if (exports === undefined) return;
    const defined = exports.structs.get(this.#binary.identifiers[handle.name]!);
    if (defined === undefined) {
      const message = `struct ${structText(this.#binary, index)} does not exist`;
      throw rejectEntry(StatusCode.LOOKUP_FAILED, 'structHandle', index, message);
    }
    if (hasAbilities(defined.abilities, handle.abilities) && areParametersCompatible(handle, defined)) return;
    const message = `struct ${structText(this.#binary, index)} has other abilities or type parameters`;
    throw rejectEntry(StatusCode.TYPE_MISMATCH, 'structHandle', index, message);
  }

  #checkFunction(handle: FunctionHandle, index: number): void {
    const exports = this.#exports[handle.module];
    if (exports === undefined) return;
    const definition = exports.functions.get(this.#binary.identifiers[handle.name]!);
    if (definition === undefined || !this.#mayCall(exports, definition)) {
      const message = `function ${functionText(this.#binary, index)} does not exist or may not be called from here`;
      throw rejectEntry(StatusCode.LOOKUP_FAILED, 'functionHandle', index, message);
    }
    const defined = exports.module.functionHandles[definition.handle]!;
    const isFitting =
      areConstraintsCompatible(handle.typeParameters, defined.typeParameters) &&
      this.#areSameTypes(handle.parameters, exports.module, defined.parameters) &&
      this.#areSameTypes(handle.returns, exports.module, defined.returns);
    if (isFitting) return;
    const message = `function ${functionText(this.#binary, index)} has another signature`;
    throw rejectEntry(StatusCode.TYPE_MISMATCH, 'functionHandle', index, message);
  }

  #mayCall({ friends }: Exports, { visibility }: FunctionDefinition): boolean {
    if (visibility === Visibility.Public) return true;
    return visibility === Visibility.Friend && this.#self !== undefined && friends.has(this.#self);
  }

  #areSameTypes(mine: number, other: Module, theirs: number): boolean {
    return areSameTypes(this.#binary, this.#binary.signatures[mine]!, other, other.signatures[theirs]!);
  }

  #checkScriptVisibility(): void {
    const binary = this.#binary;
    if (binary.kind === 'script') {
      this.#checkCalls(binary.code, true, 0);
      return;
    }
    for (const [index, { code, isEntry }] of binary.functionDefinitions.entries()) {
      if (code !== undefined) this.#checkCalls(code, isEntry, index);
    }
  }

  #checkCalls(code: Code, isEntry: boolean, functionIndex: number): void {
    if (isEntry) return;
    for (const [codeOffset, item] of code.instructions.entries()) {
      if (plainOp(item.op) !== Op.Call) continue;
      const callee = namedBy(this.#binary, item);
      if (!this.#isOldEntry(callee)) continue;
      const message = `entry function ${functionText(this.#binary, callee)} may be called by entry functions only`;
      const status = StatusCode.CALLED_SCRIPT_VISIBLE_FROM_NON_SCRIPT_VISIBLE;
      throw rejectCode(status, functionIndex, codeOffset, message);
    }
  }

  #isOldEntry(functionHandle: number): boolean {
    const handle = this.#binary.functionHandles[functionHandle]!;
    const exports = this.#exports[handle.module];
    if (exports !== undefined) {
      const definition = exports.functions.get(this.#binary.identifiers[handle.name]!);
      return exports.module.version < 5 && definition?.isEntry === true;
    }
    if (this.#binary.kind === 'script') return false;
    this.#oldEntries ??= new Set(
      this.#binary.functionDefinitions.filter(({ isEntry }) => isEntry).map((it) => it.handle),
    );
    return this.#oldEntries.has(functionHandle);
  }
}

/** Kept, since a module is loaded again, and its links checked, whenever one below it was replaced. */
const knownExports = new WeakMap<Module, Exports>();

/** The definitions that a module offers to others. */
export function exportsOf(module: Module): Exports {
  return getOrInsert(knownExports, module, () => listExports(module));
}

function listExports(module: Module): Exports {
  const structs = new Map<string, StructHandle>();
  for (const { handle } of module.structDefinitions) {
    const structHandle = module.structHandles[handle]!;
    structs.set(module.identifiers[structHandle.name]!, structHandle);
  }
  const functions = new Map<string, FunctionDefinition>();
  for (const definition of module.functionDefinitions) {
    functions.set(module.identifiers[module.functionHandles[definition.handle]!.name]!, definition);
  }
  return { module, structs, functions, friends: new Set(friendsOf(module).map(moduleKey)) };
}

/**
 * The user's constraints must imply those of the definition, and it may not assume a parameter to be phantom that is
 * not.
 */
export function areParametersCompatible(used: StructHandle, defined: StructHandle): boolean {
  if (used.typeParameters.length !== defined.typeParameters.length) return false;
  return used.typeParameters.every(({ constraints, isPhantom }, index) => {
    const parameter = defined.typeParameters[index]!;
    return (!isPhantom || parameter.isPhantom) && hasAbilities(constraints, parameter.constraints);
  });
}

export function areConstraintsCompatible(used: readonly number[], defined: readonly number[]): boolean {
  return used.length === defined.length && used.every((set, index) => hasAbilities(set, defined[index]!));
}

/** Equality of types of two binaries: structs are compared by name. */
export function areSameTypes(left: Binary, leftTypes: Signature, right: Binary, rightTypes: Signature): boolean {
  if (leftTypes.length !== rightTypes.length) return false;
  return leftTypes.every((type, index) => isSameType(left, type, right, rightTypes[index]!));
}

function isSameType(left: Binary, leftType: SignatureToken, right: Binary, rightType: SignatureToken): boolean {
  if (leftType.tag !== rightType.tag) return false;
  const isSame = isStructToken(leftType)
    ? structKey(left, leftType.index) === structKey(right, rightType.index)
    : leftType.index === rightType.index;
  return isSame && areSameTypes(left, leftType.arguments, right, rightType.arguments);
}

function structKey(binary: Binary, handle: number): string {
  const { module, name } = binary.structHandles[handle]!;
  return `${moduleKey(idOfModuleHandle(binary, binary.moduleHandles[module]!))}::${binary.identifiers[name]}`;
}
