/**
 * Move packages from their sources: `movelet/compile`.
 * @module
 */

export type { SourceLines } from '../execution/module-sources.ts';
export { type CompiledPackage, type CompileOptions, compile } from './compile.ts';
export {
  type CompiledModule,
  type CompiledSources,
  type CompileSourcesOptions,
  compileSources,
  type SourceDiagnostic,
  type SourcePlace,
} from './compile-sources.ts';
export type { ExpectedFailure, UnitTest } from './unit-test/test-plan.ts';
