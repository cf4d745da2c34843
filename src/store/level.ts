/**
 * The durable store: an abstract-level database that reads synchronously.
 *
 * Every value is stored with a checksum bound to its key and checked at every read (row-checksum.ts): a damaged row
 * throws and is never returned. Writes go through one queue (batch-queue.ts); `fsync` waits for the disk, `os` only for
 * the operating system. Under either, a killed process loses nothing acknowledged; under `os`, a machine that loses
 * power may lose the last commits. `openDirectory` (directory.ts) opens a path and adds the checks that need its files.
 *
 * @module
 */

import { assertBytes } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import { BatchQueue, type PendingBatch } from './batch-queue.ts';
import { COLUMN } from './column.ts';
import { assertDatabase, BYTE_ENCODINGS, type Database, type DatabaseBatch, databaseError } from './database.ts';
import {
  assertNoBatch,
  checkBatchOptions,
  checkOperations,
  checkPage,
  checkRange,
  checkReadKey,
  RESERVED_PREFIX,
  rangeAfter,
} from './key-range.ts';
import { type LevelSnapshot, LevelSnapshots } from './level-snapshots.ts';
import { LEVEL_LOG_BYTES_LEFT_MAX, SCAN_FIRST_PAGE_ROWS, SCAN_PAGE_BYTES_MAX, SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { OverlayStore } from './memory.ts';
import { PieceBatch } from './piece-batch.ts';
import { openValue, sealedLength, sealValueInto } from './row-checksum.ts';
import type { BatchOptions, KeyRange, LargeBatch, Operation, ReadableStore, Row, Store, StoreView } from './store.ts';
import { sweepUndo } from './undo.ts';

/** When a commit counts as written: 'fsync' once the disk has it, 'os' once the operating system has it. */
export type Durability = 'fsync' | 'os';

/** What happens around the writes of a database (directory.ts). An error that one of these throws fails the batch. */
export interface DatabaseHome {
  readonly commits: { readonly writtenOrder: bigint | undefined; readonly syncedOrder: bigint | undefined };
  readonly cutOff: readonly string[];
  /** Called once the database is open and holds no unfinished batch. */
  opened(): Promise<void>;
  beforeWrite(isSynced: boolean): void;
  /** A batch is acknowledged only after this. */
  afterWrite(isSynced: boolean): Promise<void>;
  /** Records the order of the last commit. If it throws, the commit stands and the store takes no further one. */
  note(order: bigint, isSynced: boolean): void;
  beforeClose(): Promise<void>;
  /** Called once, after closing the database succeeded or failed. */
  closed(isClosed: boolean): void;
}

/** Options of `LevelStore.over`. */
export interface LevelStoreOptions {
  /** Default: 'fsync'. The `sync` of a batch overrides it. */
  readonly durability?: Durability | undefined;
  readonly home?: DatabaseHome | undefined;
}

/** Reads of a database, from a snapshot or in its current state. Each row is checked when it is read. */
abstract class LevelReader implements ReadableStore {
  protected readonly snapshots: LevelSnapshots;
  protected isClosed = false;
  /** Undefined for the current state. */
  protected snapshot: LevelSnapshot | undefined;

  constructor(snapshots: LevelSnapshots, snapshot: LevelSnapshot | undefined) {
    this.snapshots = snapshots;
    this.snapshot = snapshot;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    this.assertOpen();
    return openRead(key, (this.snapshot ?? this.snapshots).get(key));
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    const limit = checkPage(range);
    this.assertOpen();
    if (limit === 0) return [];
    const { snapshot } = this;
    if (snapshot === undefined) return (await this.snapshots.range(range)).map(openRow);
    this.snapshots.hold(snapshot);
    try {
      return (await snapshot.range(range)).map(openRow);
    } finally {
      this.snapshots.release(snapshot);
    }
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    this.assertOpen();
    const snapshot = this.hold();
    try {
      let left = range.limit ?? Number.POSITIVE_INFINITY;
      let size = SCAN_FIRST_PAGE_ROWS;
      for (let rest = range; left > 0; ) {
        const limit = Math.min(left, size);
        const page = await snapshot.range({ ...rest, limit });
        for (const row of page) yield openRow(row);
        if (page.length < limit) return;
        left -= page.length;
        rest = rangeAfter(range, page.at(-1)!.key);
        size = nextPageRows(page);
      }
    } finally {
      this.snapshots.release(snapshot);
    }
  }

  /** The snapshot to read, held until it is released. */
  protected hold(): LevelSnapshot {
    if (this.snapshot === undefined) return this.snapshots.take();
    this.snapshots.hold(this.snapshot);
    return this.snapshot;
  }

  protected assertOpen(): void {
    if (this.isClosed) throw new EngineError('closed', 'the store, or the view of it, was closed');
  }
}

/** How many rows to ask for in the next page of a scan, judging by the bytes of the last one. */
function nextPageRows(page: readonly Row[]): number {
  let bytes = 0;
  for (const { key, value } of page) bytes += key.length + value.length;
  const fitting = Math.floor((page.length * SCAN_PAGE_BYTES_MAX) / bytes);
  return Math.max(1, Math.min(SCAN_PAGE_ROWS_MAX, fitting, 4 * page.length));
}

class LevelView extends LevelReader implements StoreView {
  release(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.snapshots.release(this.snapshot!);
  }
}

function openRow({ key, value }: Row): Row {
  return { key: new Uint8Array(key.buffer, key.byteOffset, key.length), value: openValue(key, value) };
}

function openRead(key: Uint8Array, sealed: Uint8Array | undefined): Uint8Array | undefined {
  return sealed === undefined ? undefined : openValue(key, sealed);
}

/** A durable store over a database, which it owns and closes. */
export class LevelStore extends LevelReader implements Store {
  readonly kind = 'level';
  readonly supports = { checkpoints: false, largeBatches: true, permanence: true } as const;
  /** Order of the last commit that an earlier run knew to be on disk; at most `lastWrittenOrder`. */
  readonly lastSyncedOrder: bigint | undefined;
  /**
   * Order of the last commit that an earlier run acknowledged. If the head in the database is lower, the commits
   * between them were lost with the files.
   */
  readonly lastWrittenOrder: bigint | undefined;
  readonly cutOff: readonly string[];
  readonly #isSynced: boolean;
  readonly #home: DatabaseHome | undefined;
  readonly #queue: BatchQueue;
  readonly #database: Database;
  /** Bytes of values written since opening: an upper bound on what only the log holds. */
  #writtenBytes = 0;
  #batch: PieceBatch | undefined;
  #closed: Promise<void> | undefined;

  private constructor(database: Database, { durability = 'fsync', home }: LevelStoreOptions) {
    super(new LevelSnapshots(database), undefined);
    this.#database = database;
    this.#isSynced = durability === 'fsync';
    this.#home = home;
    this.lastSyncedOrder = home?.commits.syncedOrder;
    this.lastWrittenOrder = home?.commits.writtenOrder;
    this.cutOff = home?.cutOff ?? [];
    this.#queue = new BatchQueue((batch) => this.#write(batch));
  }

  /**
   * Opens the database if necessary, and undoes an unfinished large batch.
   * @throws {EngineError} `not-supported` for a database without synchronous reads or snapshots (mirror.ts takes it),
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
      await options.home?.opened();
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
   * Approximate bytes on disk of all rows, or of those up to a key. Undefined if the database cannot tell or has no
   * tables yet.
   * @throws {EngineError} `invalid-argument`
   */
  async bytesOnDisk(upTo: Uint8Array = LAST_KEY): Promise<number | undefined> {
    assertBytes(upTo, 'upTo');
    return (await this.#database.approximateSize?.(NO_KEY, upTo, BYTE_ENCODINGS)) || undefined;
  }

  async compact(): Promise<void> {
    this.assertOpen();
    let from: Uint8Array = NO_KEY;
    for (const to of COMPACTED_UP_TO) {
      const start = from;
      await this.#queue.alone(() => this.#step(NO_BATCH, async () => this.#compactRange(start, to)));
      from = to;
    }
    this.assertOpen();
    // LevelDB does not report a failed compaction, but then refuses every write. No row has this key.
    await this.#queue.push({ operations: [{ type: 'delete', key: RESERVED_PREFIX }], sync: false, order: undefined });
  }

  begin(): LargeBatch {
    this.assertOpen();
    assertNoBatch(this.#batch);
    this.#queue.assertWritable();
    const queue = this.#queue;
    this.#batch = new PieceBatch({
      database: this.#database,
      isSynced: this.#isSynced,
      get: (key) => openRead(key, this.snapshots.get(key)),
      keepReaders: async () => {
        await queue.idle();
        this.snapshot = this.snapshots.take();
        this.snapshot.isKept = true;
      },
      write: (batch) => queue.push(batch),
      undo: (write) => this.#step(NO_BATCH, () => this.#around(true, write)),
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
    return new LevelView(this.snapshots, this.hold());
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
    const { order, sync } = batch;
    await this.#step(batch, async () => {
      this.#writtenBytes += await this.#around(sync, () => writeBatch(this.#database, batch));
    });
    if (order === undefined) return;
    try {
      this.#home?.note(order, sync);
    } catch (error) {
      // The batch is written, so it resolves; the next one is refused.
      this.#queue.stop(databaseError(error, 'write the commit record beside'));
    }
  }

  async #around<T>(isSynced: boolean, write: () => Promise<T>): Promise<T> {
    try {
      this.#home?.beforeWrite(isSynced);
      const written = await write();
      await this.#home?.afterWrite(isSynced);
      return written;
    } catch (error) {
      throw databaseError(error, 'write the database');
    }
  }

  /** Performs a change between the steps that views need before and after each batch. */
  async #step(batch: PendingBatch, change: () => Promise<void>): Promise<void> {
    await this.snapshots.beforeBatch(batch);
    await change();
    this.snapshots.batchWritten(batch);
  }

  async #compactRange(from: Uint8Array, to: Uint8Array): Promise<void> {
    this.assertOpen();
    try {
      await this.#database.compactRange?.(from, to, BYTE_ENCODINGS);
    } catch (error) {
      throw databaseError(error, 'compact the database');
    }
  }

  #letReadersGo(): void {
    const { snapshot } = this;
    this.snapshot = undefined;
    if (snapshot === undefined) return;
    snapshot.isKept = false;
    this.snapshots.release(snapshot);
  }

  async #shut(): Promise<void> {
    // What cannot be undone now is undone at the next opening.
    await this.#batch?.abandon().catch(() => undefined);
    await this.#queue.idle();
    this.#letReadersGo();
    let isClosed = false;
    try {
      await this.snapshots.close();
      if (this.#writtenBytes > LEVEL_LOG_BYTES_LEFT_MAX)
        await this.#database.compactRange?.(NO_KEY, NO_KEY, BYTE_ENCODINGS);
      try {
        await this.#home?.beforeClose();
      } finally {
        await this.#database.close();
        isClosed = true;
      }
    } catch (error) {
      throw databaseError(error, 'close the database');
    } finally {
      this.#home?.closed(isClosed);
    }
  }
}

/** Below every key. */
const NO_KEY = Uint8Array.of(0);
/** Above every key: no column has this prefix. */
const LAST_KEY = Uint8Array.of(0xff);

/**
 * Bounds of the ranges that are compacted one by one, so that batches get in between: the columns, and parts of the
 * largest, that of the nodes.
 */
const COMPACTED_UP_TO: readonly Uint8Array[] = [
  ...Array.from({ length: 16 }, (_, part) => Uint8Array.of(COLUMN.node, 16 * part)),
  ...[COLUMN.changeSet, COLUMN.transaction, COLUMN.event, COLUMN.object, COLUMN.fieldSortKey].map((column) =>
    Uint8Array.of(column),
  ),
  LAST_KEY,
];

const NO_BATCH: PendingBatch = { operations: [], sync: false, order: undefined };

/**
 * Writes a batch to a database, in stored form.
 * @returns the bytes of its values
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

/** @param length of all sealed values together */
function fillBatch(batch: DatabaseBatch, operations: readonly Operation[], length: number): void {
  const sealed = new Uint8Array(length);
  let at = 0;
  for (const operation of operations) {
    const { key } = operation;
    if (operation.type === 'delete') {
      batch.del(key, BYTE_ENCODINGS);
      continue;
    }
    const value = sealValueInto(sealed, at, key, operation.value);
    at += value.length;
    batch.put(key, value, BYTE_ENCODINGS);
  }
}
