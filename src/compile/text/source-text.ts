/**
 * The text of a source file and places in it.
 *
 * Offsets count UTF-16 code units. Since the language takes ASCII alone, even in comments, they equal the byte offsets
 * of source maps in every file that compiles.
 * @module
 */

/** A source file; the object is its identity. */
export interface SourceText {
  /** As the caller names it, with `/` between folders; shown in diagnostics. */
  readonly path: string;
  readonly text: string;
  /** Position among the files of the compilation, by which diagnostics are ordered. */
  readonly index: number;
}

/** A range of a file: `start` is included, `end` is not. */
export interface Span {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
}

/** A word of the source with its place. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}
