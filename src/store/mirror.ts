/**
 * The store over a database that cannot read synchronously, such as browser-level, or over a log (row-log.ts): all of it is
 * read into memory when it is opened, reads are answered from there, and every batch is kept first, then in memory.
 *
 * Cost: the whole content in memory, and the time to read it at opening.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import { BatchQueue, type PendingBatch } from './batch-queue.ts';
import { assertDatabase, type Database, databaseError, iteratorOptions } from './database.ts';
import { GatheredBatch } from './gathered-batch.ts';
import { assertNoBatch, checkBatchOptions, checkOperations } from './key-range.ts';
import { writeBatch } from './level.ts';
import { SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { MemoryStore } from './memory.ts';
import { openValue } from './row-checksum.ts';
import type { BatchOptions, KeyRange, LargeBatch, Operation, Row, Store, StoreView } from './store.ts';
import { sweepUndo } from './undo.ts';

/** The durable place of the rows of a mirror. */
export interface MirroredRows {
  /**
   * Writes a batch.
   * @param memory the rows before it
   * @throws {EngineError}
   */
  write(batch: PendingBatch, memory: MemoryStore): Promise<void>;
  close(): Promise<void>;
}

/** A store over a database; it owns the database from `over` on and closes it. */
export class MirrorStore implements Store {
  readonly kind = 'mirror';
  readonly supports = { checkpoints: false, largeBatches: true, permanence: true } as const;
  readonly #kept: MirroredRows;
  readonly #memory: MemoryStore;
  readonly #queue: BatchQueue;
  #batch: LargeBatch | undefined;
  #closed: Promise<void> | undefined;

  private constructor(memory: MemoryStore, kept: MirroredRows) {
    this.#kept = kept;
    this.#memory = memory;
    this.#queue = new BatchQueue(async (batch) => {
      await kept.write(batch, memory);
      await memory.begin().commit(batch.operations);
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
    return new MirrorStore(memory, {
      write: async (batch) => {
        await writeBatch(database, batch);
      },
      close: async () => {
        try {
          await database.close();
        } catch (error) {
          throw databaseError(error, 'close the database');
        }
      },
    });
  }

  /**
   * A store of the rows in `memory`, which are also in `kept`; it closes both.
   * @internal
   */
  static of(memory: MemoryStore, kept: MirroredRows): MirrorStore {
    return new MirrorStore(memory, kept);
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
    this.#batch = new GatheredBatch({
      get: (key) => this.#memory.get(key),
      write: (operations, { sync = true, order } = {}) => this.#queue.push({ operations, sync, order }),
      assertFits: () => undefined,
      ended: () => {
        this.#batch = undefined;
      },
    });
    return this.#batch;
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
    await this.#batch?.abandon();
    await this.#queue.idle();
    await this.#memory.close();
    await this.#kept.close();
  }
}
