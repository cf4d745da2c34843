/**
 * movelet types: TypeScript for the functions, structs and events of compiled modules.
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindingsOf } from '../compile/bindings/bindings.ts';
import { readModule } from '../vm/binary/read.ts';
import { type Arguments, type Command, command } from './arguments.ts';
import { makeOutDirectory, modulesAt } from './packages.ts';

const FILES_MAX = 1_000;

async function run(args: Arguments): Promise<number> {
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

export const typesCommand: Command = command({
  name: 'types',
  summary: 'write TypeScript for compiled Move modules',
  usage: 'FILE|DIRECTORY... [--out DIR]',
  min: 1,
  max: FILES_MAX,
  help: `FILE is a compiled module (.mv) or a package (.rpd); DIRECTORY stands for the .mv files in it. Writes one TypeScript file for
each module, and its path: types of the structs, and calls for engine.executeAs, engine.view and account.signed that the
compiler checks.

  --out DIR               where the files go (default: here); files of the same names are replaced
`,
  options: { out: { type: 'string', completes: 'directory' } },
  completes: 'file',
  run,
});
