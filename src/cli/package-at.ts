/**
 * Move packages in folders, for commands that need more than their bytecode.
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleFile, readTestsFile, TESTS_FILE } from '../compile/unit-test/package-file.ts';
import type { TestedPackage } from '../compile/unit-test/tested-package.ts';
import type { Arguments } from './arguments.ts';
import { compiledBy, withDependencies } from './compile-options.ts';

/**
 * Reads a package from its compiled form if the folder has one, otherwise compiles its sources.
 * @param test whether test code is compiled too
 */
export async function packageAt(directory: string, args: Arguments, test: boolean): Promise<TestedPackage> {
  const list = join(directory, TESTS_FILE);
  if (!existsSync(list)) return { ...withDependencies(await compiledBy(args, directory, test)), directory };
  const text = await readFile(list, 'utf8');
  const codes = new Map<string, Uint8Array>();
  const { modules } = readTestsFile(text, () => new Uint8Array());
  for (const file of modules.map((module) => moduleFile(module, modules))) {
    codes.set(file, new Uint8Array(await readFile(join(directory, file))));
  }
  const found = readTestsFile(text, (name) => codes.get(name)!);
  return found.directory === undefined ? found : { ...found, directory: join(directory, found.directory) };
}
