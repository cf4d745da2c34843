/**
 * The file beside compiled modules that lists their tests: what `movelet test` needs if there are no sources.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { fileNameOf } from '../../move/identifier.ts';
import type { TestedModule, TestedPackage } from './tested-package.ts';

/** Its name in the folder of the modules. */
export const TESTS_FILE = 'unit-tests.json';

/** The file of a module: its name, with its address as well if another module has the same name in any case. */
export function moduleFile(module: ModuleName, all: readonly ModuleName[]): string {
  return `${fileNameOf(module, all)}.mv`;
}

type ModuleName = Pick<TestedModule, 'address' | 'name'>;

/**
 * The text of the file. The bytes of the modules are in files of their own.
 * @param directory the folder of the package, relative to that of the file
 */
export function testsFileOf({ name, modules, tests }: TestedPackage, directory: string): string {
  const listed = modules.map(({ address, name: each, lines, constants, abortConstants, constantDocs }) => ({
    address,
    name: each,
    lines,
    constants,
    abortConstants,
    constantDocs,
  }));
  return `${JSON.stringify({ name, directory, modules: listed, tests }, undefined, 1)}\n`;
}

/**
 * The package of such a file, with its folder relative to that of the file.
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
    const { name, directory = '', modules, tests } = file;
    const isWhole = Array.isArray(modules) && Array.isArray(tests);
    if (isWhole && typeof name === 'string' && typeof directory === 'string') return file;
  } catch (cause) {
    throw new EngineError('malformed-source', `${TESTS_FILE} is no JSON`, { cause });
  }
  throw new EngineError('malformed-source', `${TESTS_FILE}: expected name, modules and tests; build it again`);
}
