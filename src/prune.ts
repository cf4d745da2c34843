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
  /** Called after each piece of a few thousand rows. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** Prunes what the history no longer has to keep, and has the store give back the space. */
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
    message: `pruning has stopped: ${reason}; run movelet verify; the chain goes on`,
  };
}
