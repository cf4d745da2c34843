/**
 * Move packages and modules on disk, to be compiled or compiled already: movelet build, movelet types and movelet
 * disassemble.
 * @module
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { decode } from '../base/bcs.ts';
import { fromHex } from '../base/bytes/bytes.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { bindingsOf, type ParameterNames } from '../compile/bindings/bindings.ts';
import { type CompiledPackage, compile } from '../compile/index.ts';
import { countText } from '../compile/text/diagnostic-text.ts';
import { moduleFile, readTestsFile, TESTS_FILE, testsFileOf } from '../compile/unit-test/package-file.ts';
import type { TestedPackage } from '../compile/unit-test/tested-package.ts';
import { packageData } from '../pipeline/publish.ts';
import { makeDirectory } from '../store/file-sync.ts';
import { disassembleModule, disassembleScript } from '../vm/binary/disassemble.ts';
import { readModule, readScript } from '../vm/binary/read.ts';
import { verdictOf } from '../vm/verdict.ts';
import { hasInitFunction } from '../vm/verify/entry-functions.ts';
import {
  type Arguments,
  type Command,
  command,
  type Options,
  readInput,
  UsageError,
  unreadableFile,
  withFlagsNamed,
} from './arguments.ts';
import { workOnChanges } from './source-watch.ts';
import { forTerminal } from './terminal.ts';

const MODULE_EXTENSION = '.mv';
/** What the reference's `rooch move build --export` writes: BCS of `0x2::module_store::PackageData`. */
const PACKAGE_EXTENSION = '.rpd';

/** Compiles the Move package in a folder. */
type Build = (directory: string) => Promise<CompiledPackage>;

/**
 * The modules of a `.mv` file, of a package (`.rpd`), or of the `.mv` files in a directory; if there are none, of the
 * Move package in it, compiled.
 * @throws {UsageError} for a directory without such files. {EngineError} `not-found`, `malformed-module`,
 * `malformed-bytes`, naming the file. Errors of node:fs.
 */
export async function modulesAt(path: string, build: Build = compile): Promise<Uint8Array[]> {
  const found = await stat(path).catch((cause) => {
    throw unreadableFile('FILE', path, cause);
  });
  if (!found.isDirectory()) return modulesOfFile(path);
  const names = (await readdir(path)).filter((name) => extname(name) === MODULE_EXTENSION).sort();
  if (names.length === 0 && existsSync(join(path, 'Move.toml'))) {
    const { modules } = await build(path);
    return modules.map(({ bytes }) => bytes);
  }
  if (names.length === 0) {
    throw new UsageError(`${path}: there are no ${MODULE_EXTENSION} files in this directory, and no Move.toml`);
  }
  return (await Promise.all(names.map((name) => modulesOfFile(join(path, name))))).flat();
}

async function modulesOfFile(path: string): Promise<Uint8Array[]> {
  const content = await readFile(path);
  return namingFile(path, () => {
    const modules = extname(path) === PACKAGE_EXTENSION ? decode(packageData, content).modules : [binaryOf(content)];
    for (const code of modules) readModule(code);
    return [...modules];
  });
}

/** What `read` makes of a file; its errors name the file. */
function namingFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new EngineError(error.code, `${path}: ${error.message}`, { details: error.details, cause: error });
  }
}

const HEX_TEXT = /^(0x)?[0-9a-fA-F]+\s*$/;

/** Decodes a file of hex digits, as getStates shows modules; other content is returned as is. */
function binaryOf(content: Uint8Array): Uint8Array {
  const text = new TextDecoder('latin1').decode(content);
  return HEX_TEXT.test(text) ? fromHex(text.trim()) : content;
}

export const COMPILE_OPTIONS: Options = {
  address: { value: 'NAME=ADDRESS', multiple: true, help: 'a named address' },
  'warnings-as-errors': { help: 'treat warnings of the compiler as errors' },
};

/** A package as its tests need it: with the modules of its dependencies, which are published first. */
function withDependencies(built: CompiledPackage): TestedPackage {
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
  const built = await withFlagsNamed(() => compile(directory, { addresses: Object.fromEntries(pairs), test }));
  const { warnings } = built;
  if (warnings.length === 0) return built;
  const told = [...warnings.map(({ text }) => text), countText(warnings.length, 'warning')].join('\n\n');
  process.stderr.write(`${forTerminal(told)}\n`);
  if (!args.flag('warnings-as-errors')) return built;
  throw new EngineError('compile-failed', `${built.name} has warnings (--warnings-as-errors)`, {
    details: { diagnostics: warnings },
  });
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

/**
 * Makes the folder, unless there is one.
 * @throws {EngineError} `invalid-argument` naming the option if it cannot be made
 */
export async function makeOutDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new EngineError('invalid-argument', `--out: expected a folder, or a place for one, got ${path} (${reason})`, {
      cause,
    });
  }
}

const OTHERS_NAMED = 5;

async function runBuild(args: Arguments): Promise<number> {
  const [directory = ''] = args.positionals;
  if (args.flag('watch')) return workOnChanges([directory], () => buildOnce(directory, args));
  return buildOnce(directory, args);
}

async function buildOnce(directory: string, args: Arguments): Promise<number> {
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
  warnOfInit(modules);
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

/** An `init` that compiles may still be one that the chain refuses to publish. */
function warnOfInit(modules: readonly { readonly bytes: Uint8Array }[]): void {
  for (const { bytes } of modules) {
    const verdict = verdictOf(() => hasInitFunction(readModule(bytes)));
    if (!verdict.ok) process.stderr.write(`warning: ${verdict.message}: movelet publish refuses it\n`);
  }
}

/** Modules of an earlier build, under names that are gone. They may have another origin, so nothing is deleted. */
async function warnOfOthers(out: string, written: readonly string[]): Promise<void> {
  const others = (await readdir(out)).filter((name) => name.endsWith('.mv') && !written.includes(name));
  if (others.length === 0) return;
  const names = `${others.slice(0, OTHERS_NAMED).join(', ')}${others.length > OTHERS_NAMED ? ', ...' : ''}`;
  const them = others.length === 1 ? 'it' : 'them';
  process.stderr.write(
    `warning: ${out} also has ${names}, which this build did not write: movelet publish would publish ${them} too; delete what is old\n`,
  );
}

export const buildCommand: Command = command({
  name: 'build',
  summary: 'compile a Move package',
  usage: 'DIRECTORY [--out DIR] [--test] [--address NAME=ADDRESS] [--watch]',
  example: 'examples/counter',
  min: 1,
  help: 'DIRECTORY holds a Move.toml. Writes each module as NAME.mv, as movelet publish takes them, and prints its path.',
  options: {
    out: {
      value: 'DIR',
      completes: 'directory',
      help: 'where the modules go (default: the folder build in DIRECTORY)',
    },
    test: { help: `include test code, and write ${TESTS_FILE}: movelet test then needs no sources` },
    watch: { help: 'build again when a source changes' },
    ...COMPILE_OPTIONS,
  },
  completes: 'directory',
  run: runBuild,
});

const FILES_MAX = 1_000;

async function runTypes(args: Arguments): Promise<number> {
  const names = new Map<Uint8Array, ParameterNames | undefined>();
  const others: Uint8Array[] = [];
  const build: Build = async (directory) => {
    const built = await compile(directory);
    for (const { bytes, lines } of built.modules) names.set(bytes, lines.parameters);
    others.push(...built.dependencies.map(({ bytes }) => bytes));
    return built;
  };
  const codes = (await Promise.all(args.positionals.map((path) => modulesAt(path, build)))).flat();
  const files = bindingsOf(
    codes.map((code) => readModule(code)),
    codes.map((code) => names.get(code)),
    others.map((code) => readModule(code)),
  );
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
  example: 'examples/counter/counter.mv --out src/types',
  min: 1,
  max: FILES_MAX,
  help: `FILE is a compiled module (.mv) or a package (.rpd); DIRECTORY stands for the .mv files in it, or for the Move package in it,
whose parameters keep their names. Writes one TypeScript file for each module and prints its path. It has types of the structs,
and calls for engine.executeAs, engine.view and account.signTransaction that the compiler checks. Structs of the framework need no files.`,
  options: {
    out: {
      value: 'DIR',
      completes: 'directory',
      help: 'where the files go (default: here); files of the same names are replaced',
    },
  },
  completes: 'file',
  run: runTypes,
});

async function runDisassemble(args: Arguments): Promise<number> {
  const [file = ''] = args.positionals;
  const bytes = binaryOf(await readInput('FILE', file));
  const text = namingFile(file, () =>
    args.flag('script') ? disassembleScript(readScript(bytes)) : disassembleModule(readModule(bytes)),
  );
  process.stdout.write(`${text}\n`);
  return 0;
}

export const disassembleCommand: Command = command({
  name: 'disassemble',
  summary: 'show a compiled Move module as text',
  usage: 'FILE [--script]',
  example: 'examples/counter/counter.mv',
  min: 1,
  help: 'FILE holds a module as bytes or hex digits.',
  options: { script: { help: 'the file is a script' } },
  completes: 'file',
  run: runDisassemble,
});
