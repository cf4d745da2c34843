/**
 * The Move compiler: from the texts of sources to modules and scripts in the binary form.
 *
 * It knows no files and no packages: who calls it says which sources are compiled, which are only used, and what the
 * names of addresses stand for. The passes are in the folders beside it, in this order: `syntax` reads, `names`
 * resolves, `check` infers types and inlines, `lower` makes statements of expressions, `flow` makes blocks of them and
 * checks locals and borrows, `emit` writes the module, which our own verifier then checks.
 * @module
 */
import { inlineCalls, type LocalNumbers } from './check/inline.ts';
import { type CompilerInput, readFiles } from './compiler-input.ts';
import { type EmittedModule, type EmittedScript, emitModule, emitScript } from './emit/emit.ts';
import { arrangeFlow } from './flow/flow.ts';
import { typeProgram } from './library.ts';
import type { SourcePackage } from './names/module-source.ts';
import { Diagnostics } from './text/diagnostic.ts';

export type { CompilerDependency, CompilerInput, CompilerSources } from './compiler-input.ts';

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
  for (const { inlinedLocals } of input.dependencies) numbers.next += inlinedLocals ?? 0;
  if (targets.some(({ files }) => files.some((file) => !file.isComplete))) return failed;
  const typed = typeProgram(input, targets, diagnostics);
  if (typed === undefined || diagnostics.has('blocking')) return failed;
  const inlined = inlineCalls(typed, diagnostics, numbers);
  if (diagnostics.has('blocking')) return failed;
  const flow = arrangeFlow(inlined, diagnostics);
  if (diagnostics.has('error')) return failed;
  const modules = flow.modules.flatMap((each) => emitModule(each, diagnostics) ?? []);
  const scripts = flow.scripts.flatMap((each) => emitScript(each, diagnostics) ?? []);
  if (diagnostics.has('error')) return failed;
  return { modules, scripts, diagnostics, isComplete: true, inlinedLocals: numbers.next };
}
