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

import { assertBytes } from '../argument.ts';
import { LEVEL_LOG_BYTES_LEFT_MAX, SCAN_PAGE_ROWS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { BatchQueue, type PendingBatch } from './batch-queue.ts';
import {
  assertDatabase,
  BYTES,
  type Database,
  type DatabaseBatch,
  type DatabaseSnapshot,
  databaseError,
  iteratorOptions,
} from './database.ts';
import {
  assertNoBatch,
  checkBatchOptions,
  checkOperations,
  checkPage,
  checkRange,
  checkReadKey,
  RESERVED_PREFIX,
} from './key-range.ts';
import { OverlayStore } from './overlay.ts';
import { PieceBatch } from './piece-batch.ts';
import { openValue, sealedLength, sealValueInto } from './row-checksum.ts';
import type { BatchOptions, KeyRange, LargeBatch, Operation, ReadableStore, Row, Store, StoreView } from './store.ts';
import { sweepUndo } from './undo.ts';

/** When a commit counts as written: 'fsync' once the disk has it, 'os' once the operating system has it. */
export type Durability = 'fsync' | 'os';

/** A record of the order of the last commits, outside the database (commit-record.ts). */
export interface OrderRecord {
  readonly writtenOrder: bigint | undefined;
  readonly syncedOrder: bigint | undefined;
  note(order: bigint, synced: boolean): void;
}

/** How a store over a LevelDB database behaves. */
export interface LevelStoreOptions {
  /** Default: 'fsync'. A batch may ask for more or less with its `sync`. */
  readonly durability?: Durability | undefined;
  readonly record?: OrderRecord | undefined;
  /** Called before each write and before it is acknowledged; throws if the database no longer belongs to this store. */
  readonly assertHeld?: (() => void) | undefined;
  /** Called once, after the database was closed. */
  readonly onClose?: (() => void) | undefined;
}

/** A snapshot of the database, closed together with its last reader. */
class SharedSnapshot {
  readonly snapshot: DatabaseSnapshot;
  readonly #closing: (closed: Promise<void>) => void;
  #holders = 1;

  constructor(snapshot: DatabaseSnapshot, closing: (closed: Promise<void>) => void) {
    this.snapshot = snapshot;
    this.#closing = closing;
  }

  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    if (--this.#holders === 0) this.#closing(this.snapshot.close());
  }
}

/** The reads of a database, at a snapshot or as it is. */
class LevelReader implements ReadableStore {
  protected readonly database: Database;
  protected isClosed = false;
  #shared: SharedSnapshot | undefined;
  #getOptions: Parameters<Database['getSync']>[1] = BYTES;

  constructor(database: Database, shared: SharedSnapshot | undefined) {
    this.database = database;
    this.shared = shared;
  }

  /** Where it reads; undefined for the database as it is. */
  protected get shared(): SharedSnapshot | undefined {
    return this.#shared;
  }

  protected set shared(shared: SharedSnapshot | undefined) {
    this.#shared = shared;
    this.#getOptions = shared === undefined ? BYTES : { ...BYTES, snapshot: shared.snapshot };
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    this.assertOpen();
    return readRow(this.database, key, this.#getOptions);
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    const limit = checkPage(range);
    this.assertOpen();
    if (limit === 0) return [];
    const shared = this.#shared?.hold();
    try {
      const entries = await this.database.iterator(iteratorOptions(range, shared?.snapshot)).all();
      return entries.map(openRow);
    } catch (error) {
      throw databaseError(error, 'read the database');
    } finally {
      shared?.release();
    }
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    this.assertOpen();
    const shared = this.#shared?.hold();
    const iterator = this.database.iterator(iteratorOptions(range, shared?.snapshot));
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
      shared?.release();
    }
  }

  protected assertOpen(): void {
    if (this.isClosed) throw new EngineError('closed', 'the store, or the view of it, was closed');
  }
}

class LevelView extends LevelReader implements StoreView {
  release(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.shared?.release();
  }
}

/** A store over a database; it owns the database from `over` on and closes it. */
export class LevelStore extends LevelReader implements Store {
  readonly kind = 'level';
  readonly supports = { checkpoints: false, largeBatches: true, permanence: true } as const;
  /** Order of the last commit that an earlier run knew to be on the disk; at most `lastWrittenOrder`. */
  readonly lastSyncedOrder: bigint | undefined;
  /**
   * Order of the last commit that an earlier run acknowledged. If the head in the database is lower, the commits in
   * between were lost with the files.
   */
  readonly lastWrittenOrder: bigint | undefined;
  readonly #isSynced: boolean;
  readonly #record: OrderRecord | undefined;
  readonly #assertHeld: (() => void) | undefined;
  readonly #onClose: (() => void) | undefined;
  readonly #queue: BatchQueue;
  readonly #released = new Set<Promise<void>>();
  /** Bytes of values written since the database was opened: no more of them can stand in the log alone. */
  #writtenBytes = 0;
  #batch: PieceBatch | undefined;
  #closed: Promise<void> | undefined;

  private constructor(database: Database, { durability = 'fsync', record, assertHeld, onClose }: LevelStoreOptions) {
    super(database, undefined);
    this.#isSynced = durability === 'fsync';
    this.#record = record;
    this.#assertHeld = assertHeld;
    this.#onClose = onClose;
    this.lastSyncedOrder = record?.syncedOrder;
    this.lastWrittenOrder = record?.writtenOrder;
    this.#queue = new BatchQueue((batch) => this.#write(batch));
  }

  /**
   * Opens the database if it is not open yet, and takes back a large batch that was not finished.
   * @throws {EngineError} `not-supported` when it cannot read synchronously or hold snapshots (mirror.ts can take it),
   * `store-locked`, `corrupt`, `store-failed`.
   */
  static async over(database: Database, options: LevelStoreOptions = {}): Promise<LevelStore> {
    assertDatabase(database);
    if (database.supports.getSync !== true || database.supports.explicitSnapshots !== true) {
      throw new EngineError('not-supported', 'expected a database that supports getSync and explicit snapshots');
    }
    try {
      await database.open();
    } catch (error) {
      throw databaseError(error, 'open the database');
    }
    try {
      await sweepUndo(database);
    } catch (error) {
      await database.close();
      throw error;
    }
    return new LevelStore(database, options);
  }

  async batch(operations: readonly Operation[], options: BatchOptions = {}): Promise<void> {
    checkBatchOptions(options);
    const { sync, order } = options;
    this.assertOpen();
    assertNoBatch(this.#batch);
    checkOperations(operations);
    await this.#queue.push({ operations, sync: sync ?? this.#isSynced, order });
  }

  /**
   * Bytes that the rows take on the disk, roughly: all, or those up to a key. Undefined if the database cannot tell or
   * has no tables yet.
   * @throws {EngineError} `invalid-argument`
   */
  async bytesOnDisk(upTo: Uint8Array = LAST_KEY): Promise<number | undefined> {
    assertBytes(upTo, 'upTo');
    return (await this.database.approximateSize?.(NO_KEY, upTo, BYTES)) || undefined;
  }

  async compact(): Promise<void> {
    this.assertOpen();
    try {
      await this.database.compactRange?.(NO_KEY, LAST_KEY, BYTES);
    } catch (error) {
      throw databaseError(error, 'compact the database');
    }
    this.assertOpen();
    // LevelDB does not say that it failed, but refuses every write afterwards. No row has this key.
    await this.#queue.push({ operations: [{ type: 'delete', key: RESERVED_PREFIX }], sync: false, order: undefined });
  }

  begin(): LargeBatch {
    this.assertOpen();
    assertNoBatch(this.#batch);
    this.#queue.assertWritable();
    const queue = this.#queue;
    this.#batch = new PieceBatch({
      database: this.database,
      isSynced: this.#isSynced,
      get: (key) => readRow(this.database, key, BYTES),
      keepReaders: async () => {
        await queue.idle();
        this.shared = this.#snapshot();
      },
      write: (batch) => queue.push(batch),
      get failure() {
        return queue.failure;
      },
      ended: (failure) => {
        this.#batch = undefined;
        if (failure === undefined) this.#letReadersGo();
        else queue.stop(failure);
      },
    });
    return this.#batch;
  }

  view(): StoreView {
    this.assertOpen();
    return new LevelView(this.database, this.shared?.hold() ?? this.#snapshot());
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
    this.#checkHeld();
    this.#writtenBytes += await writeBatch(this.database, batch);
    this.#checkHeld();
    const { order, sync } = batch;
    if (order === undefined) return;
    try {
      this.#record?.note(order, sync);
    } catch (error) {
      // The batch itself is written: it resolves, and the next one is refused.
      this.#queue.stop(databaseError(error, 'write the commit record beside'));
    }
  }

  #checkHeld(): void {
    try {
      this.#assertHeld?.();
    } catch (error) {
      throw databaseError(error, 'see whose the directory is');
    }
  }

  #snapshot(): SharedSnapshot {
    return new SharedSnapshot(this.database.snapshot(), (closed) => this.#awaitRelease(closed));
  }

  #letReadersGo(): void {
    this.shared?.release();
    this.shared = undefined;
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
    // What cannot be undone now is undone when the store is next opened.
    await this.#batch?.abandon().catch(() => undefined);
    await this.#queue.idle();
    this.#letReadersGo();
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

function readRow(
  database: Database,
  key: Uint8Array,
  options: Parameters<Database['getSync']>[1],
): Uint8Array | undefined {
  let sealed: Uint8Array | undefined;
  try {
    sealed = database.getSync(key, options);
  } catch (error) {
    throw databaseError(error, 'read the database');
  }
  return sealed === undefined ? undefined : openValue(key, sealed);
}

/** Below every key. */
/** Behind every key: no column has this prefix. */
const LAST_KEY = Uint8Array.of(0xff);
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
    const batch = database.batch();
    try {
      fillBatch(batch, operations, length);
    } catch (error) {
      await batch.close();
      throw error;
    }
    await batch.write({ sync });
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
function fillBatch(batch: DatabaseBatch, operations: readonly Operation[], length: number): void {
  const sealed = new Uint8Array(length);
  let at = 0;
  for (const operation of operations) {
    const { key } = operation;
    if (operation.type === 'delete') {
      batch.del(key, BYTES);
      continue;
    }
    const value = sealValueInto(sealed, at, key, operation.value);
    at += value.length;
    batch.put(key, value, BYTES);
  }
}

function openRow([key, sealed]: [Uint8Array, Uint8Array]): Row {
  return { key: new Uint8Array(key.buffer, key.byteOffset, key.length), value: openValue(key, sealed) };
}
