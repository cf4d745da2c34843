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

export interface SplitName {
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
  return module.functionDefinitions.find(
    ({ handle }) => module.identifiers[module.functionHandles[handle]!.name] === parts.name,
  )?.handle;
}

/** Whether the module defines the struct that a full name means. */
export function definesStruct(module: Module, text: string): boolean {
  const parts = splitName(text);
  if (parts?.module !== ownName(module)) return false;
  return module.structDefinitions.some(
    ({ handle }) => module.identifiers[module.structHandles[handle]!.name] === parts.name,
  );
}
