/**
 * movelet types: TypeScript for the functions, structs and events of compiled modules.
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindingsOf } from '../compile/bindings/bindings.ts';
import { readModule } from '../vm/binary/read.ts';
import { type Command, readArguments } from './arguments.ts';
import { makeOutDirectory, modulesAt } from './packages.ts';

const OPTIONS = { out: { type: 'string', completes: 'directory' } } as const;
const FILES_MAX = 1_000;

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, OPTIONS, { min: 1, max: FILES_MAX, usage: 'types FILE|DIRECTORY... [--out DIR]' });
  const codes = (await Promise.all(args.positionals.map((path) => modulesAt(path)))).flat();
  const files = bindingsOf(codes.map((code) => readModule(code)));
  const out = args.string('out') ?? '.';
  await makeOutDirectory(out);
  for (const { name, text } of files) {
    const path = join(out, name);
    await writeFile(path, text);
    process.stdout.write(`${path}\n`);
  }
  return 0;
}

export const typesCommand: Command = {
  name: 'types',
  summary: 'write TypeScript for compiled Move modules',
  help: `usage: movelet types FILE|DIRECTORY... [--out DIR]

FILE is a compiled module (.mv) or a package (.rpd); DIRECTORY stands for the .mv files in it. Writes one TypeScript file for
each module, and its path: types of the structs, and calls for engine.executeAs, engine.view and account.signed that the
compiler checks.

  --out DIR               where the files go (default: here); files of the same names are replaced
`,
  options: OPTIONS,
  completes: 'file',
  run,
};
