/**
 * The Move compiler: from the texts of sources to modules and scripts in the binary form.
 *
 * It knows no files and no packages: who calls it says which sources are compiled, which are only used, and what the
 * names of addresses stand for. The passes are in the folders beside it, in this order: `syntax` reads, `names`
 * resolves, `check` infers types and inlines, `lower` makes statements of expressions, `flow` makes blocks of them and
 * checks locals and borrows, `emit` writes the module, which our own verifier then checks.
 * @module
 */
import type { Module } from '../vm/binary/module.ts';
import { checkTypes } from './check/check-types.ts';
import { inlineCalls, type LocalNumbers } from './check/inline.ts';
import { type EmittedModule, type EmittedScript, emitModule, emitScript } from './emit/emit.ts';
import { arrangeFlow } from './flow/flow.ts';
import { declareCompiled } from './names/compiled-module.ts';
import type { SourceMode, SourcePackage } from './names/module-source.ts';
import { resolveNames } from './names/resolve.ts';
import { parseFile } from './syntax/parser.ts';
import type { SyntaxFile } from './syntax/tree.ts';
import { Diagnostics } from './text/diagnostic.ts';

/** Sources with the values of the names of addresses that hold in them. */
export interface CompilerSources {
  /** Text by path, with `/` between folders. */
  readonly files: ReadonlyMap<string, string>;
  readonly addresses: ReadonlyMap<string, Uint8Array>;
}

/** Sources that are only used. */
export interface CompilerDependency extends CompilerSources {
  /** By key of a module: the keys of those that it uses, for sources that do not show it, since they have no bodies. */
  readonly uses?: ReadonlyMap<string, readonly string[]> | undefined;
  /** How many locals its own inlined calls have; the numbers of those of the targets go on from there. */
  readonly inlinedLocals?: number | undefined;
}

export interface CompilerInput {
  /** What is compiled. */
  readonly targets: readonly CompilerSources[];
  /** What is only used, from its sources. */
  readonly dependencies: readonly CompilerDependency[];
  /** What is only used, from its bytecode. Of a module that has a source as well, the source counts. */
  readonly compiled: readonly Module[];
  readonly mode: SourceMode;
}

export interface CompilerOutput {
  /** Dependencies first; empty if there are errors. */
  readonly modules: readonly EmittedModule[];
  /** By the name of their functions; empty if there are errors. */
  readonly scripts: readonly EmittedScript[];
  readonly diagnostics: Diagnostics;
  /** Whether all was compiled. */
  readonly isComplete: boolean;
  /** How many locals inlined calls have, those of dependencies too. */
  readonly inlinedLocals: number;
}

/** Files of dependencies, which are read once for all compilations that use them. */
const readDependencies = new WeakMap<CompilerDependency, readonly SyntaxFile[]>();

/** Compiles sources. Errors are diagnostics; as in the reference, a pass that finds errors may be the last. */
export function compileMove(input: CompilerInput): CompilerOutput {
  const diagnostics = new Diagnostics();
  const numbers: LocalNumbers = { next: 0 };
  const failed: CompilerOutput = { modules: [], scripts: [], diagnostics, isComplete: false, inlinedLocals: 0 };
  let count = 0;
  const targets = input.targets.map(({ files, addresses }): SourcePackage => {
    const read = readFiles(files, count, diagnostics);
    count += read.length;
    return { files: read, addresses };
  });
  const dependencies = input.dependencies.map((each) => readDependency(each, diagnostics));
  for (const { inlinedLocals } of input.dependencies) numbers.next += inlinedLocals ?? 0;
  const files = [...targets, ...dependencies].flatMap((each) => each.files);
  if (files.some((file) => !file.isComplete)) return failed;
  const compiled = declareCompiled(input.compiled);
  const resolved = resolveNames({ targets, dependencies, compiled, mode: input.mode }, diagnostics);
  const typed = checkTypes(resolved, diagnostics);
  if (diagnostics.has('blocking')) return failed;
  const inlined = inlineCalls(typed, diagnostics, numbers);
  if (diagnostics.has('blocking')) return failed;
  const flow = arrangeFlow(inlined, diagnostics);
  if (diagnostics.has('error')) return failed;
  const modules = flow.modules.flatMap((each) => emitModule(each, diagnostics) ?? []);
  const scripts = flow.scripts.flatMap((each) => emitScript(each, diagnostics) ?? []);
  if (diagnostics.has('error')) return failed;
  return { modules, scripts, diagnostics, isComplete: true, inlinedLocals: numbers.next };
}

/** Diagnostics about dependencies come after all others. */
const DEPENDENCY_INDEX = 1_000_000;

function readDependency(dependency: CompilerDependency, diagnostics: Diagnostics): SourcePackage {
  const { files, addresses, uses } = dependency;
  const known = readDependencies.get(dependency) ?? readFiles(files, DEPENDENCY_INDEX, diagnostics);
  // What has errors is read again, so that each compilation reports them.
  if (known.every((file) => file.isComplete)) readDependencies.set(dependency, known);
  return { files: known, addresses, uses };
}

/** Reads files in the order of their paths. */
function readFiles(files: ReadonlyMap<string, string>, first: number, diagnostics: Diagnostics): SyntaxFile[] {
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([path, text], index) => parseFile({ path, text, index: first + index }, diagnostics));
}
