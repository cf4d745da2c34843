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
import { inlineCalls } from './check/inline.ts';
import { type EmittedModule, type EmittedScript, emitModule, emitScript } from './emit/emit.ts';
import { arrangeFlow } from './flow/flow.ts';
import { declareCompiled } from './names/compiled-module.ts';
import type { SourceMode, SourcePackage } from './names/module-source.ts';
import { resolveNames } from './names/resolve.ts';
import { parseFile } from './syntax/parser.ts';
import { Diagnostics } from './text/diagnostic.ts';
import type { SourceText } from './text/source-text.ts';

/** Sources with the values of the names of addresses that hold in them. */
export interface CompilerSources {
  /** Text by path, with `/` between folders. */
  readonly files: ReadonlyMap<string, string>;
  readonly addresses: ReadonlyMap<string, Uint8Array>;
}

export interface CompilerInput {
  /** What is compiled. */
  readonly targets: readonly CompilerSources[];
  /** What is only used, from its sources. */
  readonly dependencies: readonly CompilerSources[];
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
}

/** Compiles sources. Errors are diagnostics; as in the reference, a pass that finds errors may be the last. */
export function compileMove(input: CompilerInput): CompilerOutput {
  const diagnostics = new Diagnostics();
  const failed: CompilerOutput = { modules: [], scripts: [], diagnostics, isComplete: false };
  let index = 0;
  const parse = ({ files, addresses }: CompilerSources): SourcePackage => {
    const sources = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
    const texts = sources.map(([path, text]): SourceText => ({ path, text, index: index++ }));
    return { files: texts.map((text) => parseFile(text, diagnostics)), addresses };
  };
  const targets = input.targets.map(parse);
  const dependencies = input.dependencies.map(parse);
  const files = [...targets, ...dependencies].flatMap((each) => each.files);
  if (files.some((file) => !file.isComplete)) return failed;
  const compiled = declareCompiled(input.compiled);
  const resolved = resolveNames({ targets, dependencies, compiled, mode: input.mode }, diagnostics);
  const typed = checkTypes(resolved, diagnostics);
  if (diagnostics.has('blocking')) return failed;
  const inlined = inlineCalls(typed, diagnostics);
  if (diagnostics.has('blocking')) return failed;
  const flow = arrangeFlow(inlined, diagnostics);
  if (diagnostics.has('error')) return failed;
  const modules = flow.modules.flatMap((each) => emitModule(each, diagnostics) ?? []);
  const scripts = flow.scripts.flatMap((each) => emitScript(each, diagnostics) ?? []);
  return diagnostics.has('error') ? failed : { modules, scripts, diagnostics, isComplete: true };
}
