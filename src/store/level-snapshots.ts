/**
 * The snapshots of a database that views and forks hold, and what must happen to them before each batch.
 *
 * LevelDB's own snapshots would do, but for a bug in the version in classic-level (google/leveldb issue 320, fixed in
 * LevelDB 1.21): while a snapshot is held, a compaction keeps two versions of a row and may put them into two tables of
 * one level. If the next compaction moves only the newer version down, the older one, or a deleted row, is back for
 * good.
 *
 * This takes a row in a table that is newer than a snapshot. The rows of a batch stay in LevelDB's memory, and in no
 * table, until the next batch is written. So a native snapshot that began before or during a batch is harmless until
 * the next batch, and is given up before it: from then on our snapshot remembers what the batches replace. Views
 * released by then cost nothing. test/store/held-views.test.ts has a load that loses rows without this.
 *
 * An iterator holds a native snapshot of its own, so a page that began before the last batch is waited for, too.
 *
 * So at first a native snapshot holds the rows, in stored form. From the second batch on, our snapshot remembers the
 * rows that were replaced before the next younger snapshot began, takes the rest from that one and its successors, and
 * reads what none of them remembers from the current database.
 * @module
 */
import { EngineError } from '../base/error.ts';
import type { PendingBatch } from './batch-queue.ts';
import { BYTE_ENCODINGS, type Database, type DatabaseSnapshot, databaseError, iteratorOptions } from './database.ts';
import { VIEWS_BYTES_MAX } from './limits.ts';
import { mergedPages } from './merged-pages.ts';
import { OrderedMap } from './ordered-map.ts';
import { type Replaced, replacedRows, storedRows } from './replaced-rows.ts';
import type { KeyRange, Row } from './store.ts';

/** Rows of a database, in stored form. */
interface StoredRows {
  get(key: Uint8Array): Uint8Array | undefined;
  /** A range must have a limit. */
  range(range: KeyRange): Promise<readonly Row[]>;
}

/** Approximate bytes of a remembered row besides its key and value. */
const REMEMBERED_ROW_BYTES = 32;

export class LevelSnapshot implements StoredRows {
  /** How many batches had been written when it began. */
  readonly written: number;
  /** Whether a batch was being written when it began: it may or may not be part of the snapshot. */
  readonly isDuringBatch: boolean;
  /** Whether it is kept even if it remembers too much. */
  isKept = false;
  readonly #current: StoredRows;
  readonly #database: Database;
  #native: DatabaseSnapshot | undefined;
  #getOptions: Parameters<Database['getSync']>[1];
  /** What was replaced between this snapshot and the next younger one. */
  #replaced = new OrderedMap();
  /** The next younger snapshot that remembers. */
  younger: LevelSnapshot | undefined;
  #bytes = 0;
  #isLost = false;

  /** @param current reads of the current database */
  constructor(current: StoredRows, database: Database, written: number, isDuringBatch: boolean) {
    this.#current = current;
    this.#database = database;
    this.written = written;
    this.isDuringBatch = isDuringBatch;
    this.#native = database.snapshot();
    this.#getOptions = { ...BYTE_ENCODINGS, snapshot: this.#native };
  }

  /** Undefined once it remembers. */
  get native(): DatabaseSnapshot | undefined {
    return this.#native;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#assertThere();
    if (this.#native !== undefined) return readStored(this.#database, key, this.#getOptions);
    for (const memory of this.#memories()) {
      const replaced = memory.get(key);
      if (replaced !== undefined) return replaced ?? undefined;
    }
    return this.#current.get(key);
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    this.#assertThere();
    if (this.#native !== undefined) return readRange(this.#database, range, this.#native);
    const rows: Row[] = [];
    for await (const page of mergedPages(this.#current, () => this.#memories(), range, range.limit!))
      rows.push(...page);
    this.#assertThere();
    return rows;
  }

  /** Remembers rows that a batch replaces or has replaced, unless it already remembers an older version of them. */
  remember(rows: readonly Replaced[]): void {
    if (this.#isLost) return;
    for (const { key, stored } of rows) {
      if (this.#replaced.get(key) !== undefined) continue;
      this.#replaced.set(key, stored);
      this.#bytes += rowBytes(key, stored);
    }
  }

  /** Takes over what the next younger snapshot remembered, which was released. */
  inherit(): void {
    const heir = this.younger!;
    this.younger = heir.younger;
    if (this.#isLost) return;
    const [own, other] = [this.#replaced, heir.#replaced];
    this.#bytes += heir.#bytes;
    // The smaller map goes into the larger one.
    if (own.size < other.size) {
      own.ascend(undefined, (key, stored) => {
        const younger = other.get(key);
        if (younger !== undefined) this.#bytes -= rowBytes(key, younger ?? undefined);
        other.set(key, stored);
        return true;
      });
      this.#replaced = other;
    } else {
      other.ascend(undefined, (key, stored) => {
        if (own.get(key) === undefined) own.set(key, stored);
        else this.#bytes -= rowBytes(key, stored);
        return true;
      });
    }
  }

  /** Closes the native snapshot. What was written since must be remembered by now. */
  giveUpNative(): Promise<void> | undefined {
    const native = this.#native;
    this.#native = undefined;
    this.#getOptions = BYTE_ENCODINGS;
    return native?.close();
  }

  /** Forgets everything: reads throw from now on. */
  lose(): void {
    this.#isLost = true;
    this.#replaced = new OrderedMap();
    this.#bytes = 0;
  }

  /** Its own memory and those of the younger snapshots, in this order. */
  #memories(): OrderedMap[] {
    const memories: OrderedMap[] = [];
    for (let at: LevelSnapshot | undefined = this; at !== undefined; at = at.younger) memories.push(at.#replaced);
    return memories;
  }

  #assertThere(): void {
    if (!this.#isLost) return;
    throw new EngineError(
      'limit-exceeded',
      `more than ${VIEWS_BYTES_MAX} bytes (VIEWS_BYTES_MAX) were replaced while views and forks of the store were held, and this one is the oldest: release views and close forks sooner, or copy the chain with dump`,
    );
  }
}

function rowBytes(key: Uint8Array, stored: Uint8Array | undefined): number {
  return key.length + (stored?.length ?? 0) + REMEMBERED_ROW_BYTES;
}

/** @throws {EngineError} `store-failed`, `closed` */
function readStored(
  database: Database,
  key: Uint8Array,
  options: Parameters<Database['getSync']>[1],
): Uint8Array | undefined {
  try {
    return database.getSync(key, options);
  } catch (error) {
    throw databaseError(error, 'read the database');
  }
}

/** @throws {EngineError} `store-failed`, `closed` */
async function readRange(
  database: Database,
  range: KeyRange,
  snapshot: DatabaseSnapshot | undefined,
): Promise<readonly Row[]> {
  try {
    const entries = await database.iterator(iteratorOptions(range, snapshot)).all();
    return entries.map(([key, value]) => ({ key, value }));
  } catch (error) {
    throw databaseError(error, 'read the database');
  }
}

/** Something that holds a native snapshot: a page being read, or a snapshot being closed. */
interface Holding {
  /** How many batches had been written when it began. */
  readonly written: number;
  readonly ended: Promise<unknown>;
}

export class LevelSnapshots implements StoredRows {
  readonly #database: Database;
  /** Oldest first, with the number of views that hold each. */
  readonly #holders = new Map<LevelSnapshot, number>();
  readonly #holdings = new Set<Holding>();
  #newest: LevelSnapshot | undefined;
  #written = 0;
  #isWriting = false;
  /** Snapshots without a native one, oldest first. The youngest remembers what batches replace. */
  readonly #remembering: LevelSnapshot[] = [];
  /** The last batch, if a native snapshot began before it ended. */
  #last: PendingBatch | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return readStored(this.#database, key, BYTE_ENCODINGS);
  }

  range(range: KeyRange): Promise<readonly Row[]> {
    const page = readRange(this.#database, range, undefined);
    this.#note(
      page.catch(() => undefined),
      this.#written,
    );
    return page;
  }

  /** A snapshot of the current database, held until it has been released as often as it was taken. */
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
   * Closes every native snapshot that began before the last batch was written.
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

  /** Closes every native snapshot. Nothing is read afterwards. */
  async close(): Promise<void> {
    for (const snapshot of this.#holders.keys()) this.#closeNative(snapshot);
    this.#holders.clear();
    await Promise.all(Array.from(this.#holdings, ({ ended }) => ended));
  }

  /** What the last batch replaced, as the snapshot saw it. */
  #replacedByLast({ isDuringBatch, native }: LevelSnapshot): Promise<readonly Replaced[]> {
    const { operations, replaced } = this.#last!;
    // Only its rows tell whether the batch is part of such a snapshot.
    if (isDuringBatch) return storedRows(this.#database, operations, native);
    return replaced === undefined ? replacedRows(this.#database, operations, native) : Promise.resolve(replaced);
  }

  /** Snapshots whose native one began before the last batch was written. */
  #unsettled(): LevelSnapshot[] {
    return [...this.#holders.keys()].filter(({ native, written }) => native !== undefined && written < this.#written);
  }

  /** Once a snapshot is released, only the next older one needs what it remembers. */
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
    // One that failed stays, and makes the next batch, or closing, fail.
    ended.then(
      () => this.#holdings.delete(holding),
      () => undefined,
    );
  }
}
