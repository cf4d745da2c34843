/**
 * A Move package as its tests need it.
 * @module
 */
import type { ModuleSource } from '../../execution/module-sources.ts';
import type { UnitTest } from '../index.ts';

/** A package that can be tested: compiled with its test code. Plain data except for the bytes. */
export interface TestedPackage {
  readonly name: string;
  /** The folder of the package, which the paths of its sources are relative to; undefined if it is not known. */
  readonly directory?: string | undefined;
  /** Ordered so that each follows those that it depends on. */
  readonly modules: readonly TestedModule[];
  readonly tests: readonly UnitTest[];
}

/** A module of it. */
export interface TestedModule extends ModuleSource {
  readonly address: string;
  readonly name: string;
  readonly constants: Readonly<Record<string, string>>;
}
