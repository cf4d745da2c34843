/**
 * The large batch of a store over a database: held in memory while it is small, and then written in bounded pieces.
 *
 * A batch that stays below LARGE_BATCH_HELD_OPERATIONS_MAX and LARGE_BATCH_HELD_BYTES_MAX is one ordinary batch.
 * Beyond, each piece is an atomic batch of its own that also writes an undo row (undo.ts); the last one removes the
 * undo rows. If the batch is to be synced, each piece is: LevelDB starts a new log file now and then, and syncing the
 * newer one does not sync the older.
 *
 * One piece is written while the next is gathered; a caller that adds faster than that waits in `add`.
 *
 * Cost: a look-up for each key, off the main thread, and its key written a second time, with what it replaces.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import type { PendingBatch } from './batch-queue.ts';
import type { Database } from './database.ts';
import { operationBytes, PendingRows } from './gathered-batch.ts';
import { checkEachOperation, checkReadKey } from './key-range.ts';
import {
  LARGE_BATCH_HELD_BYTES_MAX,
  LARGE_BATCH_HELD_OPERATIONS_MAX,
  LARGE_BATCH_PIECE_BYTES_MAX,
  LARGE_BATCH_PIECE_OPERATIONS_MAX,
} from './limits.ts';
import { type Replaced, replacedRows } from './replaced-rows.ts';
import type { BatchOptions, LargeBatch, Operation } from './store.ts';
import { sweepUndo, type UndoStep, undoKey, undoOperations } from './undo.ts';

/** The store that a batch belongs to. */
export interface PieceHost {
  readonly database: Database;
  /** Default of `BatchOptions.sync`. */
  readonly isSynced: boolean;
  /** The database as it is now, with the pieces that were written. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Waits for the batches before this one, and keeps readers on the content after those. */
  keepReaders(): Promise<void>;
  write(batch: PendingBatch): Promise<void>;
  /** Performs each write that takes the batch back. */
  readonly undo: UndoStep;
  /** Why the database takes no more writes. */
  readonly failure: EngineError | undefined;
  /** Called when the batch has ended. After a failure, what it has written is still there and must stay invisible. */
  ended(failure: EngineError | undefined): void;
}

export class PieceBatch implements LargeBatch {
  readonly #host: PieceHost;
  #pending = new PendingRows();
  /** Being written to the database. */
  #written: PendingRows | undefined;
  #writing: Promise<void> | undefined;
  #failure: unknown;
  #undoRows = 0;
  #isReaderKept = false;
  #hasEnded = false;
  /** Resolves when what ends it is done. */
  #ending: Promise<void> | undefined;

  constructor(host: PieceHost) {
    this.#host = host;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    this.assertOpen();
    const found = this.#pending.find(key) ?? this.#written?.find(key);
    return found === undefined ? this.#host.get(key) : found.value;
  }

  async add(operations: readonly Operation[]): Promise<void> {
    this.assertOpen();
    checkEachOperation(operations);
    if (this.#failure !== undefined) throw this.#failure;
    this.#pending.add(operations);
    // `commit` writes the rest itself.
    while (this.#isFull() && !this.#hasEnded) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#writing === undefined) this.#spill();
      else await this.#writing;
    }
  }

  async commit(last: readonly Operation[], options: BatchOptions = {}): Promise<void> {
    this.assertOpen();
    await this.#end(this.#commit(last, options));
  }

  /** If it is being committed, waits for that: the store is about to close the database. */
  async abandon(): Promise<void> {
    await (this.#hasEnded ? this.#ending : this.#end(this.#abandon()));
  }

  #end(ended: Promise<void>): Promise<void> {
    this.#ending = ended.catch(() => undefined);
    return ended;
  }

  async #commit(last: readonly Operation[], options: BatchOptions): Promise<void> {
    this.#hasEnded = true;
    try {
      checkEachOperation(last);
      this.#pending.add(last);
      await this.#writing;
      if (this.#failure !== undefined) throw this.#failure;
      await this.#finish(options);
    } catch (error) {
      this.#host.ended(await this.#takeBack());
      throw error;
    }
    this.#host.ended(undefined);
  }

  async #abandon(): Promise<void> {
    this.#hasEnded = true;
    await this.#writing;
    const failure = await this.#takeBack();
    this.#host.ended(failure);
    if (failure !== undefined) throw failure;
  }

  #isFull(): boolean {
    const { operations, bytes } = this.#pending;
    return this.#isReaderKept
      ? operations.length >= LARGE_BATCH_PIECE_OPERATIONS_MAX || bytes >= LARGE_BATCH_PIECE_BYTES_MAX
      : operations.length > LARGE_BATCH_HELD_OPERATIONS_MAX || bytes > LARGE_BATCH_HELD_BYTES_MAX;
  }

  /** Starts writing the pending operations. */
  #spill(): void {
    const rows = this.#pending;
    this.#pending = new PendingRows();
    this.#written = rows;
    this.#writing = this.#writePieces(piecesOf(rows.operations)).then(
      () => {
        this.#written = undefined;
        this.#writing = undefined;
      },
      (error) => {
        this.#writing = undefined;
        this.#failure = error;
      },
    );
  }

  async #writePieces(pieces: readonly (readonly Operation[])[]): Promise<void> {
    const { database, isSynced } = this.#host;
    if (!this.#isReaderKept) {
      this.#isReaderKept = true;
      await this.#host.keepReaders();
    }
    for (const piece of pieces) {
      const rows = await replacedRows(database, piece);
      const undo = undoOperations(rows, this.#undoRows);
      this.#undoRows += undo.length;
      const replaced = [...rows, ...undo.map(({ key }): Replaced => ({ key, stored: undefined }))];
      await this.#host.write({ operations: [...undo, ...piece], sync: isSynced, order: undefined, replaced });
    }
  }

  async #finish({ sync = this.#host.isSynced, order }: BatchOptions): Promise<void> {
    const pieces =
      this.#isReaderKept || this.#isFull() ? piecesOf(this.#pending.operations) : [this.#pending.operations];
    const last = pieces.pop() ?? [];
    if (pieces.length > 0) await this.#writePieces(pieces);
    const undone = Array.from(
      { length: this.#undoRows },
      (_, sequence): Operation => ({
        type: 'delete',
        key: undoKey(sequence),
      }),
    );
    await this.#host.write({ operations: [...last, ...undone], sync, order });
  }

  /** Restores the database; returns the error if it could not. A database that refused a write is not written again. */
  async #takeBack(): Promise<EngineError | undefined> {
    if (this.#undoRows === 0) return undefined;
    if (this.#host.failure !== undefined) return this.#host.failure;
    try {
      await sweepUndo(this.#host.database, this.#host.undo);
      return undefined;
    } catch (error) {
      return error as EngineError;
    }
  }

  /** @throws {EngineError} `closed` once the batch has ended. */
  assertOpen(): void {
    if (this.#hasEnded) throw new EngineError('closed', 'the large batch has ended');
  }
}

/** Operations in pieces, each within the bounds unless a single operation is not. */
function piecesOf(operations: readonly Operation[]): Operation[][] {
  const pieces: Operation[][] = [];
  let piece: Operation[] = [];
  let bytes = 0;
  for (const operation of operations) {
    const length = operationBytes(operation);
    const isFull = piece.length >= LARGE_BATCH_PIECE_OPERATIONS_MAX || bytes + length > LARGE_BATCH_PIECE_BYTES_MAX;
    if (isFull && piece.length > 0) {
      pieces.push(piece);
      piece = [];
      bytes = 0;
    }
    piece.push(operation);
    bytes += length;
  }
  pieces.push(piece);
  return pieces;
}
