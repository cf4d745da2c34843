/**
 * movelet build: compiles a Move package.
 * @module
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { moduleFile, TESTS_FILE, testsFileOf } from '../compile/unit-test/package-file.ts';
import { type Arguments, type Command, command } from './arguments.ts';
import { COMPILE_HELP, COMPILE_OPTIONS, compiledBy, makeOutDirectory, withDependencies } from './packages.ts';

const OTHERS_NAMED = 5;

async function run(args: Arguments): Promise<number> {
  const [directory = ''] = args.positionals;
  const test = args.flag('test');
  const built = await compiledBy(args, directory, test);
  const out = args.string('out') ?? join(directory, 'build');
  await makeOutDirectory(out);
  const write = async (name: string, content: Uint8Array | string): Promise<void> => {
    await writeFile(join(out, name), content);
    process.stdout.write(`${join(out, name)}\n`);
  };
  const { modules } = test ? withDependencies(built) : built;
  for (const module of modules) await write(moduleFile(module, modules), module.bytes);
  if (test) {
    const fromOut = relative(out, directory).replaceAll(sep, '/');
    await write(TESTS_FILE, testsFileOf(withDependencies(built), fromOut));
  }
  await warnOfOthers(
    out,
    modules.map((module) => moduleFile(module, modules)),
  );
  return 0;
}

/** Modules of an earlier build, under names that are gone. They may have another origin, so nothing is deleted. */
async function warnOfOthers(out: string, written: readonly string[]): Promise<void> {
  const others = (await readdir(out)).filter((name) => name.endsWith('.mv') && !written.includes(name));
  if (others.length === 0) return;
  const names = `${others.slice(0, OTHERS_NAMED).join(', ')}${others.length > OTHERS_NAMED ? ', ...' : ''}`;
  process.stderr.write(
    `warning: ${out} also has ${names}, which this build did not write: movelet publish would publish them too; delete what is old\n`,
  );
}

export const buildCommand: Command = command({
  name: 'build',
  summary: 'compile a Move package with a compiler that is at hand',
  usage: 'DIRECTORY [--out DIR] [--test]',
  min: 1,
  help: `DIRECTORY holds a Move.toml. Writes each module as NAME.mv, as movelet publish takes them, and prints its path. See
docs/move.md for the compilers.

  --out DIR               where the modules go (default: the folder build in DIRECTORY)
  --test                  with what is there for tests, and ${TESTS_FILE}: movelet test runs them without a compiler
${COMPILE_HELP}`,
  options: {
    out: { type: 'string', completes: 'directory' },
    test: { type: 'boolean' },
    ...COMPILE_OPTIONS,
  },
  completes: 'directory',
  run,
});
