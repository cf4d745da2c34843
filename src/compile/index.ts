/**
 * Move packages from their sources: `movelet/compile`.
 * @module
 */

export type { SourceLines } from '../execution/module-sources.ts';
export { type CompiledModule, type CompiledPackage, type CompileOptions, compile } from './compile.ts';
export type { Compiler } from './compilers.ts';
export type { ExpectedFailure, UnitTest } from './unit-test.ts';
