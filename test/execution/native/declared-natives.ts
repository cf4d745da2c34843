/**
 * Native functions as modules declare them, in one form for the framework's, the reference's and those of tests:
 * `0x1::bcs::to_bytes(&T0): vector<u8>`. Type parameters are given by number, without the abilities that they need.
 * @module
 */
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import type { FunctionDefinition, Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { functionText, moduleName } from '../framework/declaration.ts';

interface DeclaredNative {
  readonly text: string;
  readonly parameterCount: number;
}

/** The natives of a module by `0x1::bcs::to_bytes`. */
export function declaredNatives(module: Module): Map<string, DeclaredNative> {
  const natives = new Map<string, DeclaredNative>();
  for (const definition of module.functionDefinitions) {
    if (definition.code !== undefined) continue;
    const handle = module.functionHandles[definition.handle]!;
    natives.set(`${moduleName(module)}::${module.identifiers[handle.name]}`, {
      text: nativeText(module, definition),
      parameterCount: module.signatures[handle.parameters]!.length,
    });
  }
  return natives;
}

function nativeText(module: Module, definition: FunctionDefinition): string {
  const { typeParameters } = module.functionHandles[definition.handle]!;
  const [, name, rest] = /native fun (\w+)(?:<[^(]*>)?(\(.*)$/.exec(functionText(module, definition))!;
  return `${name}<${typeParameters.length}>${rest}`;
}

/** All natives of modules. */
export function nativesOf(modules: readonly Uint8Array[]): Map<string, DeclaredNative> {
  return new Map(modules.flatMap((bytes) => [...declaredNatives(readModule(bytes))]));
}

/** Natives that the reference's framework declares in modules for tests alone, which are in no release. */
export const TEST_ONLY_NATIVES: readonly string[] = ['0x2::test_helper::destroy'];

let framework: Map<string, DeclaredNative> | undefined;

/** All natives of our framework. */
export function frameworkNatives(): ReadonlyMap<string, DeclaredNative> {
  framework ??= nativesOf(FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes)));
  return framework;
}
