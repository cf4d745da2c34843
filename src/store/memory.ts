/**
 * The store in memory: one copy-on-write ordered map.
 *
 * Checkpoints, views and forks are clones of the map: constant time at any size, and each keeps only what changed
 * since. A view reads the store's own map until the store is next written, because most views are released before that,
 * and after a clone each node has to be copied before it is written.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import { assertNoBatch, checkOperations, checkPage, checkRange, checkReadKey, rangeAfter } from './key-range.ts';
import { SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { collectRows, MapBatch, type MapRows, OrderedMap } from './ordered-map.ts';
import type { RowBatch } from './row-batch.ts';
import type {
  Checkpoint,
  KeyRange,
  LargeBatch,
  Operation,
  ReadableStore,
  RevertibleStore,
  Row,
  StoreView,
} from './store.ts';

const FORM: MapRows = {
  read: readRow,
  write(rows, operations) {
    for (const operation of operations) {
      if (operation.type === 'put') rows.set(operation.key, operation.value);
      else rows.delete(operation.key);
    }
  },
};

/** A memory store has no rows for deleted keys. */
function readRow(rows: OrderedMap, key: Uint8Array): Uint8Array | undefined {
  return rows.get(key) ?? undefined;
}

/** The reads, shared by the store and its views. */
class MemoryReader implements ReadableStore {
  protected rows: OrderedMap | undefined;

  constructor(rows: OrderedMap) {
    this.rows = rows;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    return readRow(this.open(), key);
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    return storedRows(this.open(), range, checkPage(range));
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    const rows = this.open().clone();
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let rest = range;
    while (left > 0) {
      const page = storedRows(rows, rest, Math.min(left, SCAN_PAGE_ROWS_MAX));
      yield* page;
      if (page.length < SCAN_PAGE_ROWS_MAX) return;
      left -= page.length;
      rest = rangeAfter(range, page.at(-1)!.key);
    }
  }

  protected open(): OrderedMap {
    if (this.rows === undefined) throw new EngineError('closed', 'the store, or the view of it, was closed');
    return this.rows;
  }
}

class MemoryView extends MemoryReader implements StoreView {
  readonly #released: (view: MemoryView) => void;

  constructor(rows: OrderedMap, released: (view: MemoryView) => void) {
    super(rows);
    this.#released = released;
  }

  release(): void {
    this.rows = undefined;
    this.#released(this);
  }

  /** Switches to another map with the same rows. */
  moveTo(rows: OrderedMap): void {
    this.rows = rows;
  }
}

class MemoryCheckpoint implements Checkpoint {
  readonly type = 'checkpoint';
  readonly store: MemoryStore;
  readonly rows: OrderedMap;

  constructor(store: MemoryStore, rows: OrderedMap) {
    this.store = store;
    this.rows = rows;
  }
}

/** A store in memory, empty at first. Nothing outlives it: a dump (dump.ts) is its durable form. */
export class MemoryStore extends MemoryReader implements RevertibleStore {
  readonly kind = 'memory';
  readonly supports = { checkpoints: true, largeBatches: true, permanence: false } as const;
  #batch: MapBatch | undefined;
  /** Views that read the store's own map. */
  readonly #sharing = new Set<MemoryView>();

  constructor() {
    super(new OrderedMap());
  }

  /**
   * A store of these rows, which are its own from then on.
   * @internal
   */
  static of(rows: OrderedMap): MemoryStore {
    const store = new MemoryStore();
    store.rows = rows;
    return store;
  }

  /** Rows in the store. */
  get size(): number {
    return this.open().size;
  }

  async batch(operations: readonly Operation[]): Promise<void> {
    this.apply(operations);
  }

  apply(operations: readonly Operation[]): void {
    const rows = this.open();
    assertNoBatch(this.#batch);
    checkOperations(operations);
    this.#partFromViews(rows);
    FORM.write(rows, operations);
  }

  /**
   * As `apply`.
   * @internal
   */
  applyRows(batch: RowBatch): void {
    const rows = this.open();
    assertNoBatch(this.#batch);
    this.#partFromViews(rows);
    rows.putRows(batch.bytes, false);
  }

  begin(): LargeBatch {
    const rows = this.open().clone();
    assertNoBatch(this.#batch);
    this.#batch = new MapBatch(FORM, rows, (changed) => {
      this.#batch = undefined;
      if (changed !== undefined) this.#replace(changed);
    });
    return this.#batch;
  }

  view(): StoreView {
    const view = new MemoryView(this.open(), (released) => this.#sharing.delete(released));
    this.#sharing.add(view);
    return view;
  }

  fork(): MemoryStore {
    return MemoryStore.of(this.open().clone());
  }

  checkpoint(): Checkpoint {
    return new MemoryCheckpoint(this, this.open().clone());
  }

  restore(checkpoint: Checkpoint): void {
    this.open();
    assertNoBatch(this.#batch);
    if (!(checkpoint instanceof MemoryCheckpoint) || checkpoint.store !== this) {
      throw new EngineError('invalid-argument', 'checkpoint: expected a checkpoint of this store, got something else');
    }
    this.#replace(checkpoint.rows.clone());
  }

  async close(): Promise<void> {
    this.#batch?.drop();
    this.rows = undefined;
    this.#sharing.clear();
  }

  /** Leaves the current map to the views that read it. */
  #partFromViews(rows: OrderedMap): void {
    if (this.#sharing.size === 0) return;
    const before = rows.clone();
    for (const view of this.#sharing) view.moveTo(before);
    this.#sharing.clear();
  }

  /** Continues with another map, and leaves the current one to its views. */
  #replace(rows: OrderedMap): void {
    this.rows = rows;
    this.#sharing.clear();
  }
}

/** The rows of a range; all of them have values. */
function storedRows(rows: OrderedMap, range: KeyRange, limit: number): readonly Row[] {
  return collectRows(rows, range, limit) as readonly Row[];
}
