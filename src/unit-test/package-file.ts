/**
 * The file beside compiled modules that says which tests are in them: what `movelet test` needs where there is no compiler.
 * @module
 */
import { EngineError } from '../error.ts';
import type { TestedModule, TestedPackage } from './tested-package.ts';

/** Its name in the folder of the modules. */
export const TESTS_FILE = 'unit-tests.json';

/** The file of a module: by its name, and by its address too where another has that name. */
export function moduleFile({ address, name }: ModuleName, all: readonly ModuleName[]): string {
  return all.filter((each) => each.name === name).length > 1 ? `${address}-${name}.mv` : `${name}.mv`;
}

type ModuleName = Pick<TestedModule, 'address' | 'name'>;

/** The text of the file. Their bytes are in files of their own. */
export function testsFileOf({ name, modules, tests }: TestedPackage): string {
  const listed = modules.map(({ address, name: each, lines, constants, constantDocs }) => ({
    address,
    name: each,
    lines,
    constants,
    constantDocs,
  }));
  return `${JSON.stringify({ name, modules: listed, tests }, undefined, 1)}\n`;
}

/**
 * The package of such a file.
 * @param bytesOf the bytecode of a module, by its file
 * @throws {EngineError} `malformed-source` for another file; what `bytesOf` throws
 */
export function readTestsFile(text: string, bytesOf: (file: string) => Uint8Array): TestedPackage {
  const file = parsed(text);
  return {
    ...file,
    modules: file.modules.map((module) => ({ ...module, bytes: bytesOf(moduleFile(module, file.modules)) })),
  };
}

function parsed(text: string): TestedPackage {
  try {
    const file = JSON.parse(text) as TestedPackage;
    if (Array.isArray(file.modules) && Array.isArray(file.tests) && typeof file.name === 'string') return file;
  } catch (cause) {
    throw new EngineError('malformed-source', `${TESTS_FILE} is no JSON`, { cause });
  }
  throw new EngineError('malformed-source', `${TESTS_FILE}: expected name, modules and tests; build it again`);
}
