/**
 * Pruning a chain at once. What pruning is, and why it is sound, is said in pipeline/pruner.ts.
 * @module
 */
import { A_FUNCTION, assertObject, assertOptions } from './argument.ts';
import type { LogEntry } from './log.ts';
import type { PruneProgress } from './pipeline/pruner.ts';
import type { Writer } from './pipeline/writer.ts';

/** How a chain is pruned at once. */
export interface PruneOptions {
  /** Called after each piece, a few thousand rows: orders that are pruned, and how many are to be. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** Prunes what the history need not keep, and has the store give back the room. */
export async function pruneChain(writer: Writer, options: PruneOptions): Promise<void> {
  assertObject(options, 'options', '{ onProgress }');
  assertOptions(options, { onProgress: A_FUNCTION });
  await writer.prune(options.onProgress);
  await writer.store.compact?.();
}

/** What the log is told when the history cannot be pruned. */
export function unprunedEntry(error: unknown): LogEntry {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    level: 'error',
    message: `the history is not pruned any more: ${reason}; run movelet verify, the chain goes on`,
  };
}
