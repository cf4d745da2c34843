/**
 * Long scans, a bounded piece at a time.
 *
 * A query that passes over many rows to find few would hold the thread until it is done. So it counts what it reads,
 * and after each piece lets everything else go first. All scans of the process wait in one queue, and the event loop
 * turns once between any two pieces: a hundred scans hold the thread no longer at a time than one does.
 * @module
 */
import { HOST } from '../base/host.ts';
import { PAGE_PIECE_MS, SCAN_PIECE_BYTES, SCAN_PIECE_ROWS } from './limits.ts';

const waiting: (() => void)[] = [];
let isRoundAwaited = false;

/** Resolves after a turn of the event loop, once the scans that were already waiting have had a piece each. */
export function nextPiece(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    awaitRound();
  });
}

function awaitRound(): void {
  if (isRoundAwaited) return;
  isRoundAwaited = true;
  HOST.afterTurn(() => {
    isRoundAwaited = false;
    waiting.shift()?.();
    if (waiting.length > 0) awaitRound();
  });
}

/** What `make` returns for each item of a page, one after the other, PAGE_PIECE_MS at a time. */
export async function eachInPieces<T, M>(items: readonly T[], make: (item: T) => M | Promise<M>): Promise<M[]> {
  const made: M[] = [];
  let begun = performance.now();
  for (const item of items) {
    const one = make(item);
    made.push(one instanceof Promise ? await one : one);
    if (made.length === items.length || performance.now() - begun < PAGE_PIECE_MS) continue;
    await nextPiece();
    begun = performance.now();
  }
  return made;
}

/** Counts what a scan reads. */
export class ScanPieces {
  #rows = 0;
  #bytes = 0;

  /** Counts a row of this many bytes; returns whether it fills the piece, so that `nextPiece` must be awaited. */
  add(bytes: number): boolean {
    this.#rows++;
    this.#bytes += bytes;
    if (this.#rows < SCAN_PIECE_ROWS && this.#bytes < SCAN_PIECE_BYTES) return false;
    this.#rows = 0;
    this.#bytes = 0;
    return true;
  }
}
