/**
 * The entry point `movelet/bitcoin` of pages: blocks and transactions, and no node to follow. Its types are those of index.ts.
 * @module
 */
export * from '../../bitcoin/index.ts';
