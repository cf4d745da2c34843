/**
 * The compilers that have adapters: where they are found, and how each is asked to build a package.
 *
 * A compiler runs in a process of its own, since its native part may end it. It finds a package in a workspace and
 * leaves bytecode and source maps there. None of them is a dependency.
 * @module
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { EngineError } from '../base/error.ts';

/** Milliseconds that a Move compiler may take: the framework takes three seconds. */
const COMPILE_MS_MAX = 300_000;
/** Bytes that a Move compiler may print. */
const COMPILE_OUTPUT_BYTES_MAX = 64 * 2 ** 20;

/** A compiler that was found. */
export interface Compiler {
  readonly name: 'rooch' | 'initia';
  /** The program, or the folder of the package. */
  readonly path: string;
  /** Of the npm package; the program is not asked. */
  readonly version: string | undefined;
  /** What its users must know. */
  readonly notice: string | undefined;
}

const INITIA = '@initia/builder.js';

const LICENSE_NOTICE = `${INITIA} is licensed under the Business Source License 1.1: for development and tests only, not for production`;

const HOW_TO_GET = `install one: npm install --save-dev ${INITIA} (development and tests only, by its licence), or the rooch program (https://rooch.network) on the PATH`;

/**
 * The requested compiler: `rooch`, `initia`, or a folder in which `@initia/builder.js` is installed. If none is given,
 * whichever is found: the program on the PATH, or the npm package as the Move package or the working directory sees it.
 * @throws {EngineError} `compile-failed` if there is none, naming both and how to get them
 */
export function findCompiler(wanted: string | undefined, directory: string): Compiler {
  const program = wanted === undefined || wanted === 'rooch' ? programOnPath() : undefined;
  if (program !== undefined) return program;
  if (wanted !== 'rooch') {
    const places = wanted === undefined || wanted === 'initia' ? [directory, process.cwd()] : [wanted];
    for (const place of places) {
      const found = initiaIn(place);
      if (found !== undefined) return found;
    }
  }
  const what = wanted === undefined ? 'no Move compiler was found' : `compiler: ${wanted} was not found`;
  throw new EngineError('compile-failed', `${what}; ${HOW_TO_GET}`);
}

function programOnPath(): Compiler | undefined {
  const names = process.platform === 'win32' ? ['rooch.exe', 'rooch.cmd'] : ['rooch'];
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
      } catch {
        continue; // Not there, or no program: the next place may have it.
      }
      return { name: 'rooch', path, version: undefined, notice: undefined };
    }
  }
  return undefined;
}

function initiaIn(place: string): Compiler | undefined {
  // A word that is no folder, `inita`, would otherwise find what the working directory has.
  if (!existsSync(place)) return undefined;
  const inPlace = join(resolve(place), 'node_modules', INITIA);
  const folder = existsSync(inPlace) ? inPlace : resolvedFrom(place);
  if (folder === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  return { name: 'initia', path: realpathSync(folder), version, notice: LICENSE_NOTICE };
}

function resolvedFrom(place: string): string | undefined {
  try {
    const entry = createRequire(join(resolve(place), 'package.json')).resolve(INITIA);
    return dirname(dirname(entry));
  } catch {
    return undefined; // The package is not installed there.
  }
}

/** Where a compiler left its output for a package: the one that it built, or one that it depends on. */
export type Built = (name: string) => { readonly modules: string; readonly sourceMaps: string };

/**
 * Builds the package in `folder` of a workspace.
 * @throws {EngineError} `compile-failed` with what the compiler said, `deadline-exceeded`
 */
export async function build(compiler: Compiler, workspace: string, folder: string, name: string): Promise<Built> {
  return compiler.name === 'rooch'
    ? buildByProgram(compiler, folder, name)
    : buildByInitia(compiler, workspace, folder, name);
}

/** As the reference's crates/rooch/src/commands/move_cli/commands/build.rs does it. */
async function buildByProgram({ path }: Compiler, folder: string, name: string): Promise<Built> {
  await run(path, ['move', 'build', '--path', folder, '--skip-fetch-latest-git-deps'], folder);
  return (wanted) => {
    const place = wanted === name ? '.' : join('dependencies', wanted);
    const built = join(folder, 'build', name);
    return { modules: join(built, 'bytecode_modules', place), sourceMaps: join(built, 'source_maps', place) };
  };
}

/** What the process of the npm package runs. Compiler 1, language 1 and bytecode 6 are what the chain accepts. */
const INITIA_SCRIPT = `
const [home, folder] = process.argv.slice(1);
// The native part gives up when a pipe that does not block is full.
for (const { _handle } of [process.stdout, process.stderr]) _handle?.setBlocking?.(true);
const { MoveBuilder } = require(home);
const options = { bytecodeVersion: 6, compilerVersion: '1', languageVersion: '1', skipFetchLatestGitDeps: true };
new MoveBuilder(folder, options).build().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
`;

/**
 * As a dependency of another package: the builder applies the rules of its own chain, such as which types entry functions
 * may take, to the package that it is asked to build and not to those that it depends on.
 */
async function buildByInitia({ path }: Compiler, workspace: string, folder: string, name: string): Promise<Built> {
  const outer = join(workspace, 'outer');
  await mkdir(join(outer, 'sources'), { recursive: true });
  const manifest = `[package]\nname = "Outer"\nversion = "0.0.0"\n[dependencies]\n${name} = { local = ${JSON.stringify(folder)} }\n`;
  await writeFile(join(outer, 'Move.toml'), manifest);
  await writeFile(join(outer, 'sources', 'outer.move'), 'module 0xcafe::outer { public fun zero(): u64 { 0 } }\n');
  await run(process.execPath, ['-e', INITIA_SCRIPT, path, outer], outer);
  const built = join(outer, 'build', 'Outer');
  return (wanted) => ({
    modules: join(built, 'bytecode_modules', 'dependencies', wanted),
    sourceMaps: join(built, 'source_maps', 'dependencies', wanted),
  });
}

function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, timeout: COMPILE_MS_MAX, maxBuffer: COMPILE_OUTPUT_BYTES_MAX };
  return new Promise((done, fail) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) done();
      else if (error.killed) fail(stopped(error));
      else
        fail(new EngineError('compile-failed', complaint(`${stdout}\n${stderr}`) || error.message, { cause: error }));
    });
  });
}

function stopped(cause: Error & { readonly code?: unknown }): EngineError {
  if (String(cause.code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new EngineError('limit-exceeded', 'the compiler says too much (COMPILE_OUTPUT_BYTES_MAX)', { cause });
  }
  return new EngineError('deadline-exceeded', 'the compiler takes too long (COMPILE_MS_MAX)', { cause });
}

/** The errors among what a compiler printed, without colours and warnings; all of it if there are none. */
function complaint(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '').trim();
  const errors = plain.split(/\n\s*\n/).filter((part) => /^\s*error/.test(part));
  return (errors.length === 0 ? plain : errors.join('\n\n')).trim();
}
