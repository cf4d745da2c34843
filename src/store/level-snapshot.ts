/**
 * A snapshot of a database: its rows at one point in time, in stored form.
 *
 * At first a native snapshot, of the database itself, holds them. The next batch but one ends that (level-snapshots.ts
 * says why). From then on this one remembers what was stored under each key written before the next younger snapshot,
 * gets the rest from that one and those after it, and reads what none of them remembers from the database as it is.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { BYTES, type Database, type DatabaseSnapshot, databaseError, iteratorOptions } from './database.ts';
import { VIEWS_BYTES_MAX } from './limits.ts';
import { mergedPages } from './merged-pages.ts';
import { OrderedMap } from './ordered-map.ts';
import type { Replaced } from './replaced-rows.ts';
import type { KeyRange, Row } from './store.ts';

/** Rows of a database, as they are stored. */
export interface StoredRows {
  get(key: Uint8Array): Uint8Array | undefined;
  /** The rows of a range that has a limit. */
  range(range: KeyRange): Promise<readonly Row[]>;
}

/** About how many bytes a remembered row takes besides its key and value. */
const REMEMBERED_ROW_BYTES = 32;

export class LevelSnapshot implements StoredRows {
  /** How many batches had been written when it began. */
  readonly written: number;
  /** Whether another one was being written, which may or may not be part of this. */
  readonly isDuringBatch: boolean;
  /** Whether it is kept, even if it remembers too much. */
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

  /** @param current the database as it is */
  constructor(current: StoredRows, database: Database, written: number, isDuringBatch: boolean) {
    this.#current = current;
    this.#database = database;
    this.written = written;
    this.isDuringBatch = isDuringBatch;
    this.#native = database.snapshot();
    this.#getOptions = { ...BYTES, snapshot: this.#native };
  }

  /** Undefined once it remembers. */
  get native(): DatabaseSnapshot | undefined {
    return this.#native;
  }

  /** Bytes taken by what it remembers. */
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

  /** Remembers rows that a batch replaces, or has replaced; what it remembers already stays. */
  remember(rows: readonly Replaced[]): void {
    if (this.#isLost) return;
    for (const { key, stored } of rows) {
      if (this.#replaced.get(key) !== undefined) continue;
      this.#replaced.set(key, stored);
      this.#bytes += rowBytes(key, stored);
    }
  }

  /** Takes over what the next younger snapshot remembers, once that one was released. */
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

  /** Gives up the native snapshot: what was written since must have been remembered by now. */
  giveUpNative(): Promise<void> | undefined {
    const native = this.#native;
    this.#native = undefined;
    this.#getOptions = BYTES;
    return native?.close();
  }

  /** Forgets everything: reads throw from now on. */
  lose(): void {
    this.#isLost = true;
    this.#replaced = new OrderedMap();
    this.#bytes = 0;
  }

  /** Its own memory and those of younger snapshots, in this order. */
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
export function readStored(
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
export async function readRange(
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
