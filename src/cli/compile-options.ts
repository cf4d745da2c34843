/**
 * Move packages in folders, for the commands that compile them or read what was compiled.
 * @module
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CompiledPackage, compile } from '../compile/index.ts';
import { moduleFile, readTestsFile, TESTS_FILE } from '../compile/unit-test/package-file.ts';
import type { TestedPackage } from '../compile/unit-test/tested-package.ts';
import { type Arguments, logToStderr, type Option, UsageError, withFlagsNamed } from './arguments.ts';

export const COMPILE_OPTIONS: Readonly<Record<string, Option>> = {
  compiler: { type: 'string', completes: 'directory' },
  address: { type: 'string', multiple: true },
};

export const COMPILE_HELP: string = `  --compiler NAME|DIR     rooch, initia, or a folder in which @initia/builder.js is installed (default: whichever is found)
  --address NAME=ADDRESS  a named address; may be given again
`;

/** A package as its tests need it: with the modules of its dependencies, which are published first. */
export function withDependencies(built: CompiledPackage): TestedPackage {
  return { ...built, modules: [...built.dependencies, ...built.modules] };
}

/**
 * Compiles a package as the options say.
 * @throws {UsageError} {EngineError} as `compile` does
 */
export async function compiledBy(args: Arguments, directory: string, test = false): Promise<CompiledPackage> {
  const pairs = args.strings('address').map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`--address: expected NAME=ADDRESS, got ${text}`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const options = { compiler: args.string('compiler'), addresses: Object.fromEntries(pairs), log: logToStderr, test };
  return withFlagsNamed(() => compile(directory, options));
}

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
