/**
 * The snapshots of a database that views and forks hold, and what must happen to them before each batch.
 *
 * LevelDB's own snapshots would do, but for a bug in the version in classic-level (google/leveldb issue 320, fixed in
 * LevelDB 1.21): while a snapshot is held, a compaction keeps two versions of a row, and may put them into two tables
 * of one level. If the next compaction moves only the newer version down, the older one, or a row that was deleted, is
 * back for good.
 *
 * That requires a row in a table that is newer than a snapshot. What a batch writes is in LevelDB's memory, and in no
 * table, until the next batch is written. So a native snapshot that began before or during a batch does no harm until the
 * next batch, and is given up before that: ours then remembers what the batches replace. Views released by then cost
 * nothing. test/store/held-views.test.ts has a load that loses rows without this.
 *
 * An iterator holds a native snapshot of its own, so a page that began before the last batch is waited for, too.
 * @module
 */

import type { PendingBatch } from './batch-queue.ts';
import { BYTES, type Database, databaseError } from './database.ts';
import { LevelSnapshot, readRange, readStored, type StoredRows } from './level-snapshot.ts';
import { VIEWS_BYTES_MAX } from './limits.ts';
import { type Replaced, replacedRows, storedRows } from './replaced-rows.ts';
import type { KeyRange, Row } from './store.ts';

/** What may hold a native snapshot: a page that is being read, or a snapshot that is being closed. */
interface Holding {
  /** How many batches had been written when it began. */
  readonly written: number;
  readonly ended: Promise<unknown>;
}

export class LevelSnapshots implements StoredRows {
  readonly #database: Database;
  /** Oldest first, with how many views hold each. */
  readonly #holders = new Map<LevelSnapshot, number>();
  readonly #holdings = new Set<Holding>();
  #newest: LevelSnapshot | undefined;
  #written = 0;
  #isWriting = false;
  /** Snapshots without a native one, the oldest first. The youngest one remembers what batches replace. */
  readonly #remembering: LevelSnapshot[] = [];
  /** The last batch, if a native snapshot began before it ended. */
  #last: PendingBatch | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A row of the database as it is. */
  get(key: Uint8Array): Uint8Array | undefined {
    return readStored(this.#database, key, BYTES);
  }

  /** Rows of the database as it is. */
  range(range: KeyRange): Promise<readonly Row[]> {
    const page = readRange(this.#database, range, undefined);
    this.#note(
      page.catch(() => undefined),
      this.#written,
    );
    return page;
  }

  /** A snapshot of the database as it is, held until it has been released as often as it was taken. */
  take(): LevelSnapshot {
    let snapshot = this.#newest;
    if (snapshot === undefined || snapshot.written !== this.#written) {
      snapshot = new LevelSnapshot(this, this.#database, this.#written, this.#isWriting);
      this.#newest = snapshot;
    }
    this.hold(snapshot);
    return snapshot;
  }

  hold(snapshot: LevelSnapshot): void {
    this.#holders.set(snapshot, (this.#holders.get(snapshot) ?? 0) + 1);
  }

  release(snapshot: LevelSnapshot): void {
    const left = (this.#holders.get(snapshot) ?? 1) - 1;
    if (left > 0) {
      this.#holders.set(snapshot, left);
      return;
    }
    this.#holders.delete(snapshot);
    if (snapshot === this.#newest) this.#newest = undefined;
    this.#closeNative(snapshot);
    this.#forget(snapshot);
    if (this.#unsettled().length === 0) this.#last = undefined;
  }

  /**
   * Call it before each batch, and `batchWritten` after it.
   * @throws {EngineError} `store-failed`
   */
  async beforeBatch(batch: PendingBatch): Promise<void> {
    await this.settle();
    if (this.#remembering.length > 0) {
      const replaced = batch.replaced ?? (await replacedRows(this.#database, batch.operations));
      this.#remembering.at(-1)?.remember(replaced);
      this.#loseOldest();
    }
    this.#isWriting = true;
  }

  batchWritten(batch: PendingBatch): void {
    this.#isWriting = false;
    this.#written++;
    if (this.#unsettled().length > 0) this.#last = batch;
  }

  /**
   * Ends every native snapshot that began before the last batch was written.
   * @throws {EngineError} `store-failed`
   */
  async settle(): Promise<void> {
    for (const snapshot of this.#unsettled()) {
      // Released while the previous one was being read.
      if (!this.#holders.has(snapshot)) continue;
      this.hold(snapshot);
      try {
        snapshot.remember(await this.#replacedByLast(snapshot));
        this.#closeNative(snapshot);
        const older = this.#remembering.at(-1);
        if (older !== undefined) older.younger = snapshot;
        this.#remembering.push(snapshot);
      } finally {
        this.release(snapshot);
      }
    }
    this.#last = undefined;
    this.#loseOldest();
    try {
      for (const { written, ended } of [...this.#holdings]) if (written < this.#written) await ended;
    } catch (error) {
      throw databaseError(error, 'end a snapshot of the database');
    }
  }

  /** Ends every native snapshot. Nothing is read afterwards. */
  async close(): Promise<void> {
    for (const snapshot of this.#holders.keys()) this.#closeNative(snapshot);
    this.#holders.clear();
    await Promise.all(Array.from(this.#holdings, ({ ended }) => ended));
  }

  /** What the last batch replaced, as the snapshot saw it. */
  #replacedByLast({ isDuringBatch, native }: LevelSnapshot): Promise<readonly Replaced[]> {
    const { operations, replaced } = this.#last!;
    // Whether the batch is part of such a snapshot is only known from its rows.
    if (isDuringBatch) return storedRows(this.#database, operations, native);
    return replaced === undefined ? replacedRows(this.#database, operations, native) : Promise.resolve(replaced);
  }

  /** Snapshots with a native one that began before the last batch was written. */
  #unsettled(): LevelSnapshot[] {
    return [...this.#holders.keys()].filter(({ native, written }) => native !== undefined && written < this.#written);
  }

  /** Once a snapshot was released, only the next older one, if any, needs what it remembers. */
  #forget(snapshot: LevelSnapshot): void {
    const at = this.#remembering.indexOf(snapshot);
    if (at === -1) return;
    this.#remembering.splice(at, 1);
    this.#remembering[at - 1]?.inherit();
  }

  #loseOldest(): void {
    let bytes = this.#remembering.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
    for (const snapshot of this.#remembering) {
      if (bytes <= VIEWS_BYTES_MAX) return;
      if (snapshot.isKept) continue;
      bytes -= snapshot.bytes;
      snapshot.lose();
    }
  }

  #closeNative(snapshot: LevelSnapshot): void {
    const closed = snapshot.giveUpNative();
    if (closed !== undefined) this.#note(closed, snapshot.written);
  }

  #note(ended: Promise<unknown>, written: number): void {
    const holding = { written, ended };
    this.#holdings.add(holding);
    // A failed one stays: the next batch, or the end, fails with it.
    ended.then(
      () => this.#holdings.delete(holding),
      () => undefined,
    );
  }
}
