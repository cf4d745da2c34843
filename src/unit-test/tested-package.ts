/**
 * A Move package as its tests need it.
 * @module
 */
import type { SourceLines, UnitTest } from '../compile/index.ts';

/** A package that can be tested: compiled with what is there for its tests. Plain data but for the bytes. */
export interface TestedPackage {
  readonly name: string;
  /** The folder of the package, from which the paths of its sources lead on; undefined if it is not known. */
  readonly directory?: string | undefined;
  /** Each after those that it depends on. */
  readonly modules: readonly TestedModule[];
  readonly tests: readonly UnitTest[];
}

/** A module of it. */
export interface TestedModule {
  readonly address: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly lines?: SourceLines | undefined;
  readonly constants: Readonly<Record<string, string>>;
  readonly constantDocs?: Readonly<Record<string, string>> | undefined;
}
