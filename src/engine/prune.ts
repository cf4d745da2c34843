/**
 * Pruning a chain at once. pipeline/pruner.ts says what pruning is, and why it is sound.
 * @module
 */

import { A_FUNCTION, assertObject, assertOptions } from '../base/argument.ts';
import { messageOf } from '../base/error.ts';
import type { LogEntry } from '../base/log.ts';
import type { PruneProgress } from '../pipeline/pruner.ts';
import type { Writer } from '../pipeline/writer.ts';

/** How a chain is pruned at once. */
export interface PruneOptions {
  /** Called after each piece of a few thousand rows. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** Prunes what the history no longer has to keep, and has the store free the space. */
export async function pruneChain(writer: Writer, options: PruneOptions): Promise<void> {
  assertObject(options, 'options', '{ onProgress }');
  assertOptions(options, { onProgress: A_FUNCTION });
  await writer.prune(options.onProgress);
  await writer.store.compact?.();
}

/** The log entry for a history that cannot be pruned. */
export function unprunedEntry(error: unknown): LogEntry {
  const reason = messageOf(error);
  return {
    level: 'error',
    message: `pruning has stopped: ${reason}; run movelet verify; the chain goes on`,
  };
}
