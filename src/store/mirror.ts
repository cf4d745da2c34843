/**
 * The store over a database that cannot read synchronously, such as browser-level: all of it is read into memory when
 * it is opened, reads are answered from there, and every batch goes to the database first, then to memory.
 *
 * Cost: the whole content in memory, and the time to read it at opening.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import { BatchQueue, type PendingBatch } from './batch-queue.ts';
import { assertDatabase, type Database, databaseError, iteratorOptions } from './database.ts';
import { PendingRows } from './gathered-batch.ts';
import { assertNoBatch, checkBatchOptions, checkEachOperation, checkOperations } from './key-range.ts';
import { writeBatch } from './level.ts';
import { SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { MemoryStore } from './memory.ts';
import { PieceBatch, type PieceHost } from './piece-batch.ts';
import { openValue } from './row-checksum.ts';
import type { BatchOptions, KeyRange, LargeBatch, Operation, Row, Store, StoreView } from './store.ts';
import { sweepUndo } from './undo.ts';

/** A store over a database; it owns the database from `over` on and closes it. */
export class MirrorStore implements Store {
  readonly kind = 'mirror';
  readonly supports = { checkpoints: false, largeBatches: true, permanence: true } as const;
  readonly #database: Database;
  readonly #memory: MemoryStore;
  readonly #queue: BatchQueue;
  #batch: LargeBatch | undefined;
  #closed: Promise<void> | undefined;

  private constructor(database: Database, memory: MemoryStore) {
    this.#database = database;
    this.#memory = memory;
    this.#queue = new BatchQueue(async (batch) => {
      await writeBatch(database, batch);
      await memory.batch(batch.operations);
    });
  }

  /**
   * Opens the database if it is not open yet, and reads it.
   * @throws {EngineError} `store-locked`, `store-failed`, `corrupt` when a row does not match its checksum.
   */
  static async over(database: Database): Promise<MirrorStore> {
    assertDatabase(database);
    const memory = new MemoryStore();
    try {
      await database.open();
      await sweepUndo(database);
      const iterator = database.iterator(iteratorOptions({}, undefined));
      for (let page = await iterator.nextv(SCAN_PAGE_ROWS_MAX); page.length > 0; ) {
        await memory.batch(page.map(([key, sealed]) => ({ type: 'put', key, value: openValue(key, sealed) })));
        page = await iterator.nextv(SCAN_PAGE_ROWS_MAX);
      }
      await iterator.close();
    } catch (error) {
      if (database.status === 'open') await database.close();
      throw databaseError(error, 'open the database');
    }
    return new MirrorStore(database, memory);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#memory.get(key);
  }

  range(range: KeyRange): Promise<readonly Row[]> {
    return this.#memory.range(range);
  }

  scan(range: KeyRange): AsyncIterable<Row> {
    return this.#memory.scan(range);
  }

  async batch(operations: readonly Operation[], options: BatchOptions = {}): Promise<void> {
    checkBatchOptions(options);
    const { sync = true, order } = options;
    this.#assertOpen();
    assertNoBatch(this.#batch);
    checkOperations(operations);
    await this.#queue.push({ operations, sync, order });
  }

  begin(): LargeBatch {
    this.#assertOpen();
    assertNoBatch(this.#batch);
    this.#queue.assertWritable();
    const batch = new MirrorBatch(this.#database, this.#queue, this.#memory, () => {
      if (this.#batch === batch) this.#batch = undefined;
    });
    this.#batch = batch;
    return batch;
  }

  view(): StoreView {
    return this.#memory.view();
  }

  fork(): MemoryStore {
    return this.#memory.fork();
  }

  async close(): Promise<void> {
    this.#closed ??= this.#shut();
    await this.#closed;
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new EngineError('closed', 'the store was closed');
  }

  async #shut(): Promise<void> {
    // What cannot be taken back now is taken back at the next opening.
    await this.#batch?.abandon().catch(() => undefined);
    await this.#queue.idle();
    await this.#memory.close();
    try {
      await this.#database.close();
    } catch (error) {
      throw databaseError(error, 'close the database');
    }
  }
}

/** Written to the database in pieces, and to memory once all of them are in. */
class MirrorBatch implements LargeBatch, PieceHost {
  readonly database: Database;
  readonly isSynced = true;
  readonly #queue: BatchQueue;
  readonly #memory: MemoryStore;
  readonly #pieces: PieceBatch;
  readonly #rows = new PendingRows();
  readonly #onEnd: () => void;
  /** Resolves when the commit is done. */
  #committed: Promise<void> | undefined;

  constructor(database: Database, queue: BatchQueue, memory: MemoryStore, onEnd: () => void) {
    this.database = database;
    this.#queue = queue;
    this.#memory = memory;
    this.#onEnd = onEnd;
    this.#pieces = new PieceBatch(this);
  }

  get failure(): EngineError | undefined {
    return this.#queue.failure;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#pieces.assertOpen();
    const found = this.#rows.find(key);
    return found === undefined ? this.#memory.get(key) : found.value;
  }

  async add(operations: readonly Operation[]): Promise<void> {
    checkEachOperation(operations);
    const added = this.#pieces.add(operations);
    this.#rows.add(operations);
    await added;
  }

  async commit(last: readonly Operation[], options?: BatchOptions): Promise<void> {
    this.#pieces.assertOpen();
    const committed = this.#commit(last, options);
    this.#committed = committed.catch(() => undefined);
    await committed;
  }

  async #commit(last: readonly Operation[], options: BatchOptions | undefined): Promise<void> {
    try {
      await this.#pieces.commit(last, options);
      const inMemory = this.#memory.begin();
      await inMemory.add(this.#rows.operations);
      await inMemory.commit(last);
    } finally {
      this.#onEnd();
    }
  }

  async abandon(): Promise<void> {
    await this.#pieces.abandon();
    await this.#committed;
    this.#onEnd();
  }

  /** Readers use the rows in memory, which contain nothing of the batch. */
  keepReaders(): Promise<void> {
    return this.#queue.idle();
  }

  /** This bypasses the queue, which would also write it to memory; nothing else is written while the batch is open. */
  async write(batch: PendingBatch): Promise<void> {
    await this.#queue.idle();
    if (this.failure !== undefined) throw this.failure;
    try {
      await writeBatch(this.database, batch);
    } catch (error) {
      this.#queue.stop(error as EngineError);
      throw error;
    }
  }

  ended(failure: EngineError | undefined): void {
    if (failure !== undefined) this.#queue.stop(failure);
  }
}
