/**
 * The store over a database that cannot read synchronously, such as browser-level: all of it is read into memory when
 * it is opened, reads are answered from there, and every batch goes to the database first and to memory then.
 *
 * Cost: the whole content in memory, and the time to read it at opening.
 *
 * @module
 */

import { SCAN_PAGE_ROWS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { BatchQueue } from './batch-queue.ts';
import { BYTES, type Database, databaseError } from './database.ts';
import { checkOperations } from './key-range.ts';
import { writeBatch } from './level.ts';
import { MemoryStore } from './memory.ts';
import { openValue } from './row-checksum.ts';
import type { BatchOptions, KeyRange, Operation, Row, Store, StoreView } from './store.ts';

/** A store over a database; it owns the database from `over` on and closes it. */
export class MirrorStore implements Store {
  readonly kind = 'mirror';
  readonly #database: Database;
  readonly #memory: MemoryStore;
  readonly #queue: BatchQueue;
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
    const memory = new MemoryStore();
    try {
      await database.open();
      const iterator = database.iterator({ ...BYTES });
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

  async batch(operations: readonly Operation[], { sync = true, order }: BatchOptions = {}): Promise<void> {
    if (this.#closed !== undefined) throw new EngineError('closed', 'the store was closed');
    checkOperations(operations);
    await this.#queue.push({ operations, sync, order });
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

  async #shut(): Promise<void> {
    await this.#queue.idle();
    await this.#memory.close();
    try {
      await this.#database.close();
    } catch (error) {
      throw databaseError(error, 'close the database');
    }
  }
}
