/**
 * Figures about what an engine does and holds, for monitoring. They are not part of the chain: two engines on one chain
 * have different figures.
 * @module
 */

/** A cache of things that can be read or computed again. */
export interface CacheUsage {
  /** Entries held now, and at most. */
  readonly entries: number;
  readonly entriesMax: number;
  /** Lookups that found an entry, and lookups that did not. */
  readonly hits: number;
  readonly misses: number;
}

/** What an engine holds and has done, for metrics. */
export interface Usage {
  /** Transactions this engine has written since it was opened. */
  readonly commits: number;
  /** Transactions, blocks and controls waiting for the writer, including the current one. */
  readonly writerQueue: number;
  /** Nodes of the state tree; an engine shares them with its forks. Bytes are an estimate. */
  readonly treeNodes: CacheUsage & { readonly bytes: number; readonly bytesMax: number };
  /** Move modules in memory; all engines of a process share them. */
  readonly modules: CacheUsage;
}
