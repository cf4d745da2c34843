/**
 * The moments of a database that views and forks hold, and what must happen to them before each batch.
 *
 * LevelDB's own snapshots would do, but for a bug in the version in classic-level (google/leveldb issue 320, fixed in
 * LevelDB 1.21): while a snapshot is held, a compaction keeps two versions of a row, and may put them into two tables
 * of one level. If the next compaction moves only the newer version down, the older one, or a row that was deleted, is
 * back for good.
 *
 * That requires a row in a table that is newer than a snapshot. What a batch writes is in LevelDB's memory, and in no
 * table, until the next batch is written. So a snapshot that began before or during a batch does no harm until the next
 * batch, and is given up before that: the moment then remembers what the batches replace. Views released by then cost
 * nothing.
 *
 * An iterator holds a snapshot of its own, so a page that began before the last batch is waited for, too.
 * @module
 */

import type { PendingBatch } from './batch-queue.ts';
import { BYTES, type Database, databaseError } from './database.ts';
import { VIEWS_BYTES_MAX } from './limits.ts';
import { Moment, readRange, readStored, type StoredRows } from './moment.ts';
import { type Replaced, replacedRows, storedRows } from './replaced-rows.ts';
import type { KeyRange, Row } from './store.ts';

/** What may hold a snapshot in the database: a page that is being read, or a snapshot that is being closed. */
interface Holding {
  /** How many batches had been written when it began. */
  readonly written: number;
  readonly ended: Promise<unknown>;
}

export class Moments implements StoredRows {
  readonly #database: Database;
  /** Oldest first, with how many views hold each. */
  readonly #holders = new Map<Moment, number>();
  readonly #holdings = new Set<Holding>();
  #newest: Moment | undefined;
  #written = 0;
  #isWriting = false;
  /** Moments without a snapshot, the oldest first. The youngest one remembers what batches replace. */
  readonly #remembering: Moment[] = [];
  /** The last batch, if a moment's snapshot began before it ended. */
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
    this.#note(page.then(noted, noted), this.#written);
    return page;
  }

  /** The present moment, held until it has been released as often as it was taken. */
  take(): Moment {
    let moment = this.#newest;
    if (moment === undefined || moment.written !== this.#written) {
      moment = new Moment(this, this.#database, this.#written, this.#isWriting);
      this.#newest = moment;
    }
    this.hold(moment);
    return moment;
  }

  hold(moment: Moment): void {
    this.#holders.set(moment, (this.#holders.get(moment) ?? 0) + 1);
  }

  release(moment: Moment): void {
    const left = (this.#holders.get(moment) ?? 1) - 1;
    if (left > 0) {
      this.#holders.set(moment, left);
      return;
    }
    this.#holders.delete(moment);
    if (moment === this.#newest) this.#newest = undefined;
    this.#closeSnapshot(moment);
    this.#forget(moment);
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
   * Ends every snapshot that began before the last batch was written.
   * @throws {EngineError} `store-failed`
   */
  async settle(): Promise<void> {
    for (const moment of this.#unsettled()) {
      // Released while the previous one was being read.
      if (!this.#holders.has(moment)) continue;
      this.hold(moment);
      try {
        moment.remember(await this.#replacedByLast(moment));
        this.#closeSnapshot(moment);
        const older = this.#remembering.at(-1);
        if (older !== undefined) older.younger = moment;
        this.#remembering.push(moment);
      } finally {
        this.release(moment);
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

  /** Ends every snapshot. Nothing is read afterwards. */
  async close(): Promise<void> {
    for (const moment of this.#holders.keys()) this.#closeSnapshot(moment);
    this.#holders.clear();
    await Promise.all(Array.from(this.#holdings, ({ ended }) => ended));
  }

  /** What the last batch replaced, as the moment saw it. */
  #replacedByLast({ isBeside, snapshot }: Moment): Promise<readonly Replaced[]> {
    const { operations, replaced } = this.#last!;
    // Whether the batch is part of such a moment is only known from its rows.
    if (isBeside) return storedRows(this.#database, operations, snapshot);
    return replaced === undefined ? replacedRows(this.#database, operations, snapshot) : Promise.resolve(replaced);
  }

  /** Moments with a snapshot that began before the last batch was written. */
  #unsettled(): Moment[] {
    return [...this.#holders.keys()].filter(
      ({ snapshot, written }) => snapshot !== undefined && written < this.#written,
    );
  }

  /** If nobody holds a moment, only the next older one, if any, needs what it remembers. */
  #forget(moment: Moment): void {
    const at = this.#remembering.indexOf(moment);
    if (at === -1) return;
    this.#remembering.splice(at, 1);
    this.#remembering[at - 1]?.inherit();
  }

  #loseOldest(): void {
    let bytes = this.#remembering.reduce((sum, moment) => sum + moment.bytes, 0);
    for (const moment of this.#remembering) {
      if (bytes <= VIEWS_BYTES_MAX) return;
      if (moment.isKept) continue;
      bytes -= moment.bytes;
      moment.lose();
    }
  }

  #closeSnapshot(moment: Moment): void {
    const closed = moment.giveUpSnapshot();
    if (closed !== undefined) this.#note(closed, moment.written);
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

function noted(): void {
  // A page has ended, one way or the other; whoever asked for it is told how.
}
