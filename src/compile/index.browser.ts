/**
 * The entry point `movelet/compile` of pages, which have no folders. Its types are those of index.ts.
 * @module
 */
export { compileSources } from './compile-sources.ts';
