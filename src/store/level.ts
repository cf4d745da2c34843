/**
 * The durable store: an abstract-level database that reads synchronously.
 *
 * Every value is stored with a checksum bound to its key and checked at every read (row-checksum.ts): a damaged row is
 * an error, never an answer. Writes go through one queue (batch-queue.ts), `fsync` waiting for the disk, `os` only for
 * the operating system: a killed process loses nothing acknowledged under either, a machine that loses power may lose
 * the last commits under `os`. `openDirectory` (directory.ts) opens a path and adds the checks that need its files.
 *
 * @module
 */

import { LEVEL_LOG_BYTES_LEFT_MAX, SCAN_PAGE_ROWS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { BatchQueue, type PendingBatch } from './batch-queue.ts';
import {
  BYTES,
  type Database,
  type DatabaseOperation,
  type DatabaseSnapshot,
  databaseError,
  iteratorOptions,
} from './database.ts';
import { checkOperations, checkPage, checkRange } from './key-range.ts';
import { OverlayStore } from './overlay.ts';
import { openValue, sealedLength, sealValueInto } from './row-checksum.ts';
import type { BatchOptions, KeyRange, Operation, ReadableStore, Row, Store, StoreView } from './store.ts';

/** When a commit counts as written: 'fsync' once the disk has it, 'os' once the operating system has it. */
export type Durability = 'fsync' | 'os';

/** Where a store notes the order of its last commits, outside of the database (commit-record.ts). */
export interface OrderRecord {
  readonly writtenOrder: bigint | undefined;
  readonly syncedOrder: bigint | undefined;
  note(order: bigint, synced: boolean): void;
}

export interface LevelStoreOptions {
  /** Default: 'fsync'. A batch may ask for more or less with its `sync`. */
  readonly durability?: Durability | undefined;
  readonly record?: OrderRecord | undefined;
  /** Called once, after the database was closed. */
  readonly onClose?: (() => void) | undefined;
}

/** The reads of a database, at a snapshot or as it is. */
class LevelReader implements ReadableStore {
  protected readonly database: Database;
  protected readonly snapshot: DatabaseSnapshot | undefined;
  readonly #getOptions: Parameters<Database['getSync']>[1];
  protected isClosed = false;

  constructor(database: Database, snapshot: DatabaseSnapshot | undefined) {
    this.database = database;
    this.snapshot = snapshot;
    this.#getOptions = snapshot === undefined ? BYTES : { ...BYTES, snapshot };
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.assertOpen();
    let sealed: Uint8Array | undefined;
    try {
      sealed = this.database.getSync(key, this.#getOptions);
    } catch (error) {
      throw databaseError(error, 'read the database');
    }
    return sealed === undefined ? undefined : openValue(key, sealed);
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    const limit = checkPage(range);
    this.assertOpen();
    if (limit === 0) return [];
    try {
      const entries = await this.database.iterator(iteratorOptions(range, this.snapshot)).all();
      return entries.map(openRow);
    } catch (error) {
      throw databaseError(error, 'read the database');
    }
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    this.assertOpen();
    const iterator = this.database.iterator(iteratorOptions(range, this.snapshot));
    try {
      for (;;) {
        const entries = await iterator.nextv(SCAN_PAGE_ROWS_MAX);
        if (entries.length === 0) return;
        for (const entry of entries) yield openRow(entry);
      }
    } catch (error) {
      throw databaseError(error, 'read the database');
    } finally {
      await iterator.close();
    }
  }

  protected assertOpen(): void {
    if (this.isClosed) throw new EngineError('closed', 'the store, or the view of it, was closed');
  }
}

class LevelView extends LevelReader implements StoreView {
  readonly #closing: (closed: Promise<void>) => void;

  constructor(database: Database, snapshot: DatabaseSnapshot, closing: (closed: Promise<void>) => void) {
    super(database, snapshot);
    this.#closing = closing;
  }

  release(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.snapshot !== undefined) this.#closing(this.snapshot.close());
  }
}

/** A store over a database; it owns the database from `over` on and closes it. */
export class LevelStore extends LevelReader implements Store {
  readonly kind = 'level';
  /** Order of the last commit that an earlier run knew to be on the disk; at most `lastWrittenOrder`. */
  readonly lastSyncedOrder: bigint | undefined;
  /**
   * Order of the last commit that an earlier run acknowledged. Where the head read from the database is lower, that
   * many commits were lost with the files.
   */
  readonly lastWrittenOrder: bigint | undefined;
  readonly #isSynced: boolean;
  readonly #record: OrderRecord | undefined;
  readonly #onClose: (() => void) | undefined;
  readonly #queue: BatchQueue;
  readonly #released = new Set<Promise<void>>();
  /** Bytes of values written since the database was opened: no more of them can stand in the log alone. */
  #writtenBytes = 0;
  #closed: Promise<void> | undefined;

  private constructor(database: Database, { durability = 'fsync', record, onClose }: LevelStoreOptions) {
    super(database, undefined);
    this.#isSynced = durability === 'fsync';
    this.#record = record;
    this.#onClose = onClose;
    this.lastSyncedOrder = record?.syncedOrder;
    this.lastWrittenOrder = record?.writtenOrder;
    this.#queue = new BatchQueue((batch) => this.#write(batch));
  }

  /**
   * Opens the database if it is not open yet.
   * @throws {EngineError} `not-supported` when it cannot read synchronously or hold snapshots (mirror.ts can take it),
   * `store-locked`, `corrupt`, `store-failed`.
   */
  static async over(database: Database, options: LevelStoreOptions = {}): Promise<LevelStore> {
    if (database.supports.getSync !== true || database.supports.explicitSnapshots !== true) {
      throw new EngineError('not-supported', 'expected a database that supports getSync and explicit snapshots');
    }
    try {
      await database.open();
    } catch (error) {
      throw databaseError(error, 'open the database');
    }
    return new LevelStore(database, options);
  }

  async batch(operations: readonly Operation[], { sync, order }: BatchOptions = {}): Promise<void> {
    this.assertOpen();
    checkOperations(operations);
    await this.#queue.push({ operations, sync: sync ?? this.#isSynced, order });
  }

  view(): StoreView {
    this.assertOpen();
    return new LevelView(this.database, this.database.snapshot(), (closed) => this.#awaitRelease(closed));
  }

  fork(): OverlayStore {
    return OverlayStore.over(this.view());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#closed ??= this.#shut();
    await this.#closed;
  }

  async #write(batch: PendingBatch): Promise<void> {
    this.#writtenBytes += await writeBatch(this.database, batch);
    const { order, sync } = batch;
    if (order === undefined) return;
    try {
      this.#record?.note(order, sync);
    } catch (error) {
      // The batch itself is written: it resolves, and the next one is refused.
      this.#queue.stop(databaseError(error, 'write the commit record beside'));
    }
  }

  #awaitRelease(closed: Promise<void>): void {
    this.#released.add(closed);
    closed.then(
      () => this.#released.delete(closed),
      () => {
        // Stays in the set: close() rejects with it.
      },
    );
  }

  async #shut(): Promise<void> {
    await this.#queue.idle();
    try {
      await Promise.all(this.#released);
      if (this.#writtenBytes > LEVEL_LOG_BYTES_LEFT_MAX) await this.database.compactRange?.(NO_KEY, NO_KEY, BYTES);
      await this.database.close();
    } catch (error) {
      throw databaseError(error, 'close the database');
    } finally {
      this.#onClose?.();
    }
  }
}

/** Below every key. */
const NO_KEY = Uint8Array.of(0);

/**
 * Writes a batch to a database, in stored form.
 * @returns how many bytes of values there were.
 * @throws {EngineError} `store-failed`, `closed`.
 */
export async function writeBatch(database: Database, { operations, sync }: PendingBatch): Promise<number> {
  if (operations.length === 0) return 0;
  const length = sealedBytes(operations);
  try {
    await database.batch(sealOperations(operations, length), { ...BYTES, sync });
    return length;
  } catch (error) {
    throw databaseError(error, 'write the database');
  }
}

function sealedBytes(operations: readonly Operation[]): number {
  let length = 0;
  for (const operation of operations) if (operation.type === 'put') length += sealedLength(operation.value);
  return length;
}

/** `length` is that of all values, sealed. */
function sealOperations(operations: readonly Operation[], length: number): DatabaseOperation[] {
  const sealed = new Uint8Array(length);
  let at = 0;
  return operations.map((operation) => {
    const { type, key } = operation;
    if (type === 'delete') return { type: 'del', key };
    const value = sealValueInto(sealed, at, key, operation.value);
    at += value.length;
    return { type, key, value };
  });
}

function openRow([key, sealed]: [Uint8Array, Uint8Array]): Row {
  return { key: new Uint8Array(key.buffer, key.byteOffset, key.length), value: openValue(key, sealed) };
}
