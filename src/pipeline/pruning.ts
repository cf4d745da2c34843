/**
 * When a chain is pruned: beside the commits as it becomes due, and at once where somebody asks.
 * @module
 */
import type { Head } from '../ledger/head.ts';
import type { PrunePiece, PruneProgress, Pruner } from './pruner.ts';

/** Somebody who waits until all is pruned. */
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

  /** @param onUnpruned called with what keeps it from going on; commits go on without. */
  constructor(pruner: Pruner, onUnpruned: (error: unknown) => void) {
    this.#pruner = pruner;
    this.#onUnpruned = onUnpruned;
  }

  /** Whether a piece is to be done now. `isClosing`: only for those who wait. */
  isDue(head: Head, isClosing: boolean): boolean {
    return this.#asked.length > 0 || (!isClosing && !this.#isStopped && this.#pruner.isDue(head));
  }

  /** Resolves when all is pruned that the history need not keep. */
  ask(onProgress: Asked['onProgress']): Promise<PruneProgress> {
    return new Promise((resolve, reject) => this.#asked.push({ onProgress, resolve, reject }));
  }

  /** The next piece; undefined where a row that it needs cannot be read. Then nothing is pruned any more but on request. */
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

  /** A piece is written. */
  took({ operations, progress, took }: PrunePiece): void {
    took();
    this.#asked = this.#asked.filter((asked) => isTold(asked, progress));
    if (operations.length > 0) return;
    const asked = this.#asked;
    this.#asked = [];
    for (const { resolve } of asked) resolve(progress);
  }

  /** The store went back: how far pruning is stands there. */
  reload(): void {
    this.#pruner.reload();
  }

  /** Tells those who wait that nothing comes of it. */
  end(error: unknown): void {
    const asked = this.#asked;
    this.#asked = [];
    for (const { reject } of asked) reject(error);
  }
}

/** Whoever throws when he is told how far it is waits no longer. */
function isTold({ onProgress, reject }: Asked, progress: PruneProgress): boolean {
  try {
    onProgress?.(progress);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
