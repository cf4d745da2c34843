/**
 * When a chain is pruned: in the background as it becomes due, and at once on request.
 * @module
 */
import type { Head } from '../chain/ledger/head.ts';
import type { PrunePiece, PruneProgress, Pruner } from './pruner.ts';

/** A caller that waits until everything is pruned. */
interface Asked {
  readonly onProgress: ((progress: PruneProgress) => void) | undefined;
  readonly resolve: (progress: PruneProgress) => void;
  readonly reject: (error: unknown) => void;
}

export class Pruning {
  readonly #pruner: Pruner;
  readonly #onUnpruned: (error: unknown) => void;
  #asked: Asked[] = [];
  #isStopped = false;

  /** @param onUnpruned called with the error that stops pruning; commits continue without it. */
  constructor(pruner: Pruner, onUnpruned: (error: unknown) => void) {
    this.#pruner = pruner;
    this.#onUnpruned = onUnpruned;
  }

  /** Whether a piece is due now. `isClosing`: only if a caller is waiting. */
  isDue(head: Head, isClosing: boolean): boolean {
    return this.#asked.length > 0 || (!isClosing && !this.#isStopped && this.#pruner.isDue(head));
  }

  /** Resolves when everything that the history need not keep is pruned. */
  ask(onProgress: Asked['onProgress']): Promise<PruneProgress> {
    return new Promise((resolve, reject) => this.#asked.push({ onProgress, resolve, reject }));
  }

  /** The next piece; undefined if a row that it needs cannot be read. From then on, pruning only runs on request. */
  nextPiece(head: Head): PrunePiece | undefined {
    try {
      return this.#pruner.nextPiece(head);
    } catch (error) {
      if (!this.#isStopped) this.#onUnpruned(error);
      this.#isStopped = true;
      this.end(error);
      return undefined;
    }
  }

  /** Called when a piece has been written. */
  took({ operations, progress, took }: PrunePiece): void {
    took();
    this.#asked = this.#asked.filter((asked) => isTold(asked, progress));
    if (operations.length > 0) return;
    const asked = this.#asked;
    this.#asked = [];
    for (const { resolve } of asked) resolve(progress);
  }

  /** Rereads how far pruning has come, after the store was reverted. */
  reload(): void {
    this.#pruner.reload();
  }

  /** Rejects the callers that wait. */
  end(error: unknown): void {
    const asked = this.#asked;
    this.#asked = [];
    for (const { reject } of asked) reject(error);
  }
}

/** Reports progress. A caller whose callback throws is rejected with that error and no longer waits. */
function isTold({ onProgress, reject }: Asked, progress: PruneProgress): boolean {
  try {
    onProgress?.(progress);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
