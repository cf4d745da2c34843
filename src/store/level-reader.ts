/**
 * The reads of the durable store (level.ts) and of its views. Each row is checked when it is read (row-checksum.ts).
 * @module
 */

import { EngineError } from '../base/error.ts';
import { checkPage, checkRange, checkReadKey, rangeAfter } from './key-range.ts';
import type { LevelSnapshot, LevelSnapshots } from './level-snapshots.ts';
import { SCAN_FIRST_PAGE_ROWS, SCAN_PAGE_BYTES_MAX, SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { openValue } from './row-checksum.ts';
import type { KeyRange, ReadableStore, Row, StoreView } from './store.ts';

/** The reads of a database, from a snapshot or as it is. */
export abstract class LevelReader implements ReadableStore {
  protected readonly snapshots: LevelSnapshots;
  protected isClosed = false;
  /** What it reads; undefined for the database as it is. */
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

  /** The snapshot that it reads, held until it is released. */
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

/** What the database held when the view was taken. */
export class LevelView extends LevelReader implements StoreView {
  release(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.snapshots.release(this.snapshot!);
  }
}

function openRow({ key, value }: Row): Row {
  return { key: new Uint8Array(key.buffer, key.byteOffset, key.length), value: openValue(key, value) };
}

/** The value of a row as it is stored. */
export function openRead(key: Uint8Array, sealed: Uint8Array | undefined): Uint8Array | undefined {
  return sealed === undefined ? undefined : openValue(key, sealed);
}
