/**
 * The Move compiler: from the texts of sources to modules and scripts in the binary form.
 *
 * It knows neither files nor packages: the caller says which sources are compiled, which are only used, and what the
 * names of addresses stand for. The passes are in the folders beside it, in this order: `syntax` reads, `names`
 * resolves, `check` infers types and inlines, `lower` makes statements of expressions, `flow` makes blocks of them and
 * checks locals and borrows, `emit` writes the module, which our own verifier then checks.
 * @module
 */
import { inlineCalls, type LocalNumbers } from './check/inline.ts';
import type { TypedModule } from './check/typed-tree.ts';
import { type CompilerInput, readFiles } from './compiler-input.ts';
import { type EmittedModule, type EmittedScript, emitModule, emitScript } from './emit/emit.ts';
import { arrangeModule, arrangeScript, valueOfConstant } from './flow/flow.ts';
import { type TypedSources, typeProgram } from './library.ts';
import type { Value } from './lower/value.ts';
import { Fingerprints } from './module-cache.ts';
import type { ConstantDeclaration } from './names/declaration.ts';
import type { ParsedPackage } from './names/module-source.ts';
import type { SyntaxFile } from './syntax/tree.ts';
import { Diagnostics } from './text/diagnostic.ts';
import { planTests, type UnitTest } from './unit-test/test-plan.ts';

export type { CompilerDependency, CompilerInput, CompilerSources } from './compiler-input.ts';

/** An emitted module with the tree that it was made of, before inlining. */
export interface CompiledMoveModule extends EmittedModule {
  readonly typed: TypedModule;
}

export interface CompilerOutput {
  /** Dependencies first; empty if there are errors. */
  readonly modules: readonly CompiledMoveModule[];
  /** By the name of their functions; empty if there are errors. */
  readonly scripts: readonly EmittedScript[];
  /** The tests of the first target, in the order of its sources; none unless the mode has tests. */
  readonly tests: readonly UnitTest[];
  readonly diagnostics: Diagnostics;
  /** Whether all was compiled. */
  readonly isComplete: boolean;
  /** How many locals inlined calls have, those of dependencies too. */
  readonly inlinedLocals: number;
}

/** Compiles sources. Errors are diagnostics; as in the reference, a pass that finds errors may be the last. */
export function compileMove(input: CompilerInput): CompilerOutput {
  const { cache } = input;
  cache?.prepare(input);
  const diagnostics = new Diagnostics();
  const numbers: LocalNumbers = { next: 0, first: new Map() };
  const failed: CompilerOutput = {
    ...{ modules: [], scripts: [], tests: [], diagnostics, isComplete: false, inlinedLocals: 0 },
  };
  let count = 0;
  const targets = input.targets.map(({ files, addresses }): ParsedPackage => {
    const read = readFiles(files, count, diagnostics, cache);
    count += read.length;
    return { files: read, addresses };
  });
  for (const { inlinedLocals } of input.dependencies) numbers.next += inlinedLocals ?? 0;
  const files = targets.flatMap((each) => each.files);
  if (files.some((file) => !file.isComplete)) return failed;
  const typed = typeProgram(input, targets, diagnostics);
  if (typed === undefined || diagnostics.has('blocking')) return failed;
  const inlined = inlineCalls(typed.program, diagnostics, numbers);
  if (diagnostics.has('blocking')) return failed;
  const trees = new Map(typed.modules.map((module) => [module.declaration.identity.key, module]));
  const fingerprints = cache && new Fingerprints(files, typed.uses);
  // Reported only if there is nothing else, since the reference emits nothing while there are errors.
  const defects = new Diagnostics();
  const modules = inlined.modules
    .filter(({ declaration }) => declaration.isTarget)
    .flatMap((module): readonly CompiledMoveModule[] => {
      const { declaration } = module;
      const { key } = declaration.identity;
      const fingerprint = fingerprints?.of(declaration, numbers.first?.get(key)) ?? '';
      const known = cache?.module(key, fingerprint);
      if (known !== undefined) {
        diagnostics.addAll(known.diagnostics);
        return [{ ...known.emitted, declaration, typed: trees.get(key)! }];
      }
      const own = new Diagnostics();
      const flow = arrangeModule(module, own);
      diagnostics.addAll(own);
      if (diagnostics.has('error')) return [];
      const emitted = emitModule(flow, defects);
      if (emitted === undefined) return [];
      cache?.keepModule(fingerprint, emitted, own);
      return [{ ...emitted, typed: trees.get(key)! }];
    });
  const flows = inlined.scripts.map((script) => arrangeScript(script, diagnostics));
  if (diagnostics.has('error')) return failed;
  const tests = input.mode.hasTests ? testsOf(typed, targets[0]?.files ?? [], diagnostics) : [];
  const scripts = flows.flatMap((each) => emitScript(each, defects) ?? []);
  diagnostics.addAll(defects);
  if (diagnostics.has('error')) return failed;
  return { modules, scripts, tests, diagnostics, isComplete: true, inlinedLocals: numbers.next };
}

function testsOf(
  { program, modules }: TypedSources,
  files: readonly SyntaxFile[],
  diagnostics: Diagnostics,
): UnitTest[] {
  const sources = new Set(files.map(({ source }) => source));
  const tested = [...program.declarations.values()].filter(({ span }) => sources.has(span.source));
  const constants = new Map(modules.flatMap((each) => each.constants).map((each) => [each.declaration, each]));
  const values = (constant: ConstantDeclaration): Value | undefined => {
    const typed = constants.get(constant);
    return typed && valueOfConstant(typed);
  };
  return planTests(tested, { declarations: program.declarations, valueOfConstant: values }, diagnostics);
}
