/**
 * What an engine does and holds, in figures, for whoever watches a node. They say nothing about the chain: two engines of
 * one chain have others.
 * @module
 */

/** What is kept in memory of something that can be read or made again. */
export interface CacheUsage {
  /** Entries held now, and at most. */
  readonly entries: number;
  readonly entriesMax: number;
  /** Times that something was asked for and was there; and was not, and had to be read. */
  readonly hits: number;
  readonly misses: number;
}

/** What an engine holds and has done, for metrics. */
export interface Usage {
  /** Transactions that this engine has written since it was opened. */
  readonly commits: number;
  /** Transactions, blocks and controls that wait for the writer, and the one that it is at. */
  readonly writerQueue: number;
  /** Nodes of the state tree; an engine shares them with its forks. Bytes are an estimate. */
  readonly treeNodes: CacheUsage & { readonly bytes: number; readonly bytesMax: number };
  /** Move modules that were read; all engines of a process share them. */
  readonly modules: CacheUsage;
}
