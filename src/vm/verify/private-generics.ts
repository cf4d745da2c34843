/**
 * Checks calls of functions with private type parameters: only the module that defines a type may call them with it.
 * Source: `verify_private_generics` of the reference's `moveos-verifier/src/verifier.rs`.
 * @module
 */
import { FORMAT_LIMITS } from '../binary/format.ts';
import { type Instantiation, idOfModuleHandle, type Module, type ModuleLookup } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';
import { fullFunctionText, typeText } from '../binary/render.ts';
import { isStructToken, type SignatureToken } from '../binary/signature-token.ts';
import { findFunction, type ModuleMetadata, moduleMetadata, ownName, splitName } from './module-metadata.ts';
import { PublishStatus, refusePublish } from './publish-status.ts';

/** Checks the module's own entries, and its calls of functions that have them. `stored` gives published modules. */
export function checkPrivateGenerics(module: Module, stored: ModuleLookup): void {
  const entries = new Map(requireMetadata(module).privateGenerics);
  for (const name of entries.keys()) {
    requireOwned(module, name);
    requireFunction(module, name);
  }
  const entriesOf = (moduleHandle: number): RestrictedParameters | undefined => {
    const published = stored(idOfModuleHandle(module, module.moduleHandles[moduleHandle]!));
    return published && requireMetadata(published).privateGenerics;
  };
  for (const { type, callee } of restrictedArguments(module, entries, entriesOf)) {
    if (isOwnStruct(module, type)) continue;
    const message = `${callee} accepts types of the calling module only, got ${typeText(module, type)}`;
    throw refusePublish(PublishStatus.INVALID_PRIVATE_GENERICS_TYPE, message);
  }
}

/** By function: its type parameters that accept only some types. */
type RestrictedParameters = ReadonlyMap<string, readonly bigint[]>;

/**
 * The type arguments that metadata restricts, call by call, each with the name of the called function.
 * @param entries of the module itself; those of the modules that it calls are added when the first such call is met, as
 * in the reference
 * @param entriesOf the entries of the module of a handle; undefined if there is no such module
 */
export function* restrictedArguments(
  module: Module,
  entries: Map<string, readonly bigint[]>,
  entriesOf: (moduleHandle: number) => RestrictedParameters | undefined,
): Generator<{ readonly type: SignatureToken; readonly callee: string }> {
  const known = new Set<number>();
  for (const instantiation of genericCalls(module)) {
    const { module: owner } = module.functionHandles[instantiation.generic]!;
    const added = isFirst(known, owner) ? entriesOf(owner) : undefined;
    for (const [name, indices] of added ?? []) entries.set(name, indices);
    const callee = fullFunctionText(module, instantiation.generic);
    const indices = entries.get(callee) ?? [];
    for (const type of namedArguments(module, instantiation, indices, callee)) yield { type, callee };
  }
}

/**
 * The generic calls of all bodies, in the order of the code. Of calls of one function at the same types only the first:
 * a module may have a hundred thousand, and the checks would repeat their result, since metadata describes only its own
 * module and is never removed.
 */
function* genericCalls(module: Module): Generator<Instantiation> {
  const seen = new Set<number>();
  for (const { code } of module.functionDefinitions) {
    for (const { op, operand } of code?.instructions ?? []) {
      if (op !== Op.CallGeneric) continue;
      const instantiation = module.functionInstantiations[operand]!;
      if (isFirst(seen, instantiation.generic * SIGNATURES + instantiation.typeArguments)) yield instantiation;
    }
  }
}

/** More than a module can have. */
const SIGNATURES = FORMAT_LIMITS.indexMax + 1;

/** Adds `number` to `seen`; returns whether it is new. */
export function isFirst(seen: Set<number>, number: number): boolean {
  return seen.size !== seen.add(number).size;
}

/** The type arguments of a call at the `indices` in the metadata. */
function namedArguments(
  module: Module,
  { typeArguments }: Instantiation,
  indices: readonly bigint[],
  name: string,
): SignatureToken[] {
  const types = module.signatures[typeArguments]!;
  if (indices.length > types.length) {
    const message = `${name} names ${indices.length} type parameters, the call has ${types.length}`;
    throw refusePublish(PublishStatus.TOO_MANY_PARAMETERS, message);
  }
  return indices.map((index) => {
    const type = types[Number(index)];
    if (type !== undefined) return type;
    const message = `${name} names type parameter ${index}, the call has ${types.length}`;
    throw refusePublish(PublishStatus.NOT_ENOUGH_PARAMETERS, message);
  });
}

export function requireMetadata(module: Module): ModuleMetadata {
  const metadata = moduleMetadata(module);
  if (metadata !== 'malformed') return metadata;
  throw refusePublish(PublishStatus.MALFORMED_METADATA, `the metadata of ${ownName(module)} is malformed`);
}

/** The handle of the module's function of this name. */
export function requireFunction(module: Module, name: string): number {
  const handle = findFunction(module, name);
  if (handle !== undefined) return handle;
  throw refusePublish(PublishStatus.FUNCTION_NOT_EXISTS, `${name} is not a function of ${ownName(module)}`);
}

/** Metadata may describe only the module's own functions and structs. Returns the name within the module. */
export function requireOwned(module: Module, name: string): string {
  const parts = splitName(name);
  if (parts === undefined) {
    throw refusePublish(PublishStatus.MALFORMED_FUNCTION_NAME, `expected address::module::name, got ${name}`);
  }
  if (parts.module !== ownName(module)) {
    throw refusePublish(PublishStatus.INVALID_MODULE_OWNER, `${name} does not belong to ${ownName(module)}`);
  }
  return parts.name;
}

function isOwnStruct(module: Module, type: SignatureToken): boolean {
  return isStructToken(type) && module.structHandles[type.index]!.module === module.selfHandle;
}
