/**
 * Names as the chain's metadata writes them: `0x<short address>::module::name`.
 * @module
 */
import type { Binary, Module } from '../binary/module.ts';
import { moduleText } from '../binary/render.ts';

/** The full name of a struct, by its handle. */
export function fullStructName(binary: Binary, handle: number): string {
  const { module, name } = binary.structHandles[handle]!;
  return `${moduleText(binary, module)}::${binary.identifiers[name]}`;
}

/** The full name of a function, by its handle. */
export function fullFunctionName(binary: Binary, handle: number): string {
  const { module, name } = binary.functionHandles[handle]!;
  return `${moduleText(binary, module)}::${binary.identifiers[name]}`;
}

/** `0x2::coin` of a module itself. */
export function ownName(module: Module): string {
  return moduleText(module, module.selfHandle);
}

interface SplitName {
  /** `0x2::coin`. */
  readonly module: string;
  readonly name: string;
}

/** The parts of a full name; anything after a third `::` is ignored, as in the reference. */
export function splitName(text: string): SplitName | undefined {
  const [address, module, name] = text.split('::');
  return module === undefined || name === undefined ? undefined : { module: `${address}::${module}`, name };
}

/** The handle of the function that a full name means, if the module defines it. */
export function findFunction(module: Module, text: string): number | undefined {
  const parts = splitName(text);
  if (parts?.module !== ownName(module)) return undefined;
  const [first] = indexOf(module).functions.get(parts.name) ?? [];
  return first === undefined ? undefined : module.functionDefinitions[first]!.handle;
}

/** The definitions of a struct by its name alone; a module that is not verified may have several. */
export function structsNamed(module: Module, name: string): readonly number[] {
  return indexOf(module).structs.get(name) ?? [];
}

/** Definitions by name. */
interface DefinitionIndex {
  readonly functions: ReadonlyMap<string, readonly number[]>;
  readonly structs: ReadonlyMap<string, readonly number[]>;
}

/** Metadata, and the fields of other structs, may name each of thousands of definitions. */
const indexes = new WeakMap<Module, DefinitionIndex>();

function indexOf(module: Module): DefinitionIndex {
  let index = indexes.get(module);
  if (index === undefined) {
    const { functionDefinitions, functionHandles, structDefinitions, structHandles, identifiers } = module;
    const nameOf = ({ name }: { readonly name: number }): string => identifiers[name]!;
    index = {
      functions: byName(functionDefinitions.map(({ handle }) => nameOf(functionHandles[handle]!))),
      structs: byName(structDefinitions.map(({ handle }) => nameOf(structHandles[handle]!))),
    };
    indexes.set(module, index);
  }
  return index;
}

function byName(names: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, name] of names.entries()) {
    const others = positions.get(name);
    if (others === undefined) positions.set(name, [position]);
    else others.push(position);
  }
  return positions;
}
