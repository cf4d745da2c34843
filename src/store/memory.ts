/**
 * Stores with their rows in memory, in a copy-on-write ordered map: `MemoryStore` has all of its rows there;
 * `OverlayStore`, a fork of any other store, has what was written since, on top of a frozen view of that store.
 *
 * Checkpoints, views and forks are clones of the map: constant time at any size, and each keeps only what changed
 * since. A view reads the store's own map until the store is next written: most views are released before that, and
 * after a clone each node must be copied before it is written.
 *
 * In the map of an overlay, a deleted key has a row without a value, a tombstone, and ranges merge the map with the
 * base. Forks of a fork share the view of the base, which is released with the last of them.
 * @module
 */
import { assertMethods } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import {
  assertNoBatch,
  checkEachOperation,
  checkOperations,
  checkPage,
  checkRange,
  checkReadKey,
  rangeAfter,
} from './key-range.ts';
import { SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { mergedPages } from './merged-pages.ts';
import { collectRows, OrderedMap } from './ordered-map.ts';
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
  Way,
} from './store.ts';

/** The view below an overlay, shared by all overlays and views over it. */
class Base {
  readonly view: StoreView;
  #holders = 0;

  constructor(view: StoreView) {
    this.view = view;
  }

  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    if (--this.#holders === 0) this.view.release();
  }
}

/** The reads of a store and of its views. */
class MapReader implements ReadableStore {
  protected readonly base: Base | undefined;
  protected rows: OrderedMap | undefined;

  constructor(rows: OrderedMap, base: Base | undefined) {
    this.rows = rows;
    this.base = base?.hold();
  }

  get(key: Uint8Array, way?: Way): Uint8Array | undefined {
    checkReadKey(key);
    return readRow(this.open(), this.base, key, way);
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    const limit = checkPage(range);
    if (this.base === undefined) return ownRows(this.open(), range, limit);
    const rows: Row[] = [];
    for await (const page of this.#pages(range, limit)) rows.push(...page);
    return rows;
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    for await (const page of this.#pages(range, range.limit ?? Number.POSITIVE_INFINITY)) yield* page;
  }

  /** The rows of a range as they are at the first step. */
  async *#pages(range: KeyRange, limit: number): AsyncIterable<readonly Row[]> {
    const rows = this.open().clone();
    const base = this.base?.hold();
    try {
      if (base === undefined) yield* ownPages(rows, range, limit);
      else yield* mergedPages(base.view, () => [rows], range, limit);
    } finally {
      base?.release();
    }
  }

  protected open(): OrderedMap {
    if (this.rows === undefined) throw new EngineError('closed', 'the store, or the view of it, was closed');
    return this.rows;
  }

  protected shut(): void {
    if (this.rows === undefined) return;
    this.rows = undefined;
    this.base?.release();
  }
}

class MapView extends MapReader implements StoreView {
  readonly #released: (view: MapView) => void;

  constructor(rows: OrderedMap, base: Base | undefined, released: (view: MapView) => void) {
    super(rows, base);
    this.#released = released;
  }

  release(): void {
    this.shut();
    this.#released(this);
  }

  /** Switches to another map with the same rows. */
  moveTo(rows: OrderedMap): void {
    this.rows = rows;
  }
}

class MapCheckpoint implements Checkpoint {
  readonly type = 'checkpoint';
  readonly store: MapStore;
  readonly rows: OrderedMap;

  constructor(store: MapStore, rows: OrderedMap) {
    this.store = store;
    this.rows = rows;
  }
}

export abstract class MapStore extends MapReader implements RevertibleStore {
  abstract readonly kind: string;
  readonly supports = { checkpoints: true, largeBatches: true, permanence: false } as const;
  #batch: MapBatch | undefined;
  /** Views that read the store's own map. */
  readonly #sharing = new Set<MapView>();

  async batch(operations: readonly Operation[]): Promise<void> {
    this.apply(operations);
  }

  apply(operations: readonly Operation[]): void {
    const rows = this.open();
    assertNoBatch(this.#batch);
    checkOperations(operations);
    this.#partFromViews(rows);
    writeRows(rows, this.base, operations);
  }

  /**
   * As `apply`.
   * @internal
   */
  applyRows(batch: RowBatch): void {
    const rows = this.open();
    assertNoBatch(this.#batch);
    this.#partFromViews(rows);
    rows.putRows(batch.bytes, this.base !== undefined);
  }

  begin(): LargeBatch {
    const rows = this.open().clone();
    assertNoBatch(this.#batch);
    this.#batch = new MapBatch(rows, this.base, (changed) => {
      this.#batch = undefined;
      if (changed !== undefined) this.#replace(changed);
    });
    return this.#batch;
  }

  view(): StoreView {
    const view = new MapView(this.open(), this.base, (released) => this.#sharing.delete(released));
    this.#sharing.add(view);
    return view;
  }

  abstract fork(): MapStore;

  checkpoint(): Checkpoint {
    return new MapCheckpoint(this, this.open().clone());
  }

  restore(checkpoint: Checkpoint): void {
    this.open();
    assertNoBatch(this.#batch);
    if (!(checkpoint instanceof MapCheckpoint) || checkpoint.store !== this) {
      throw new EngineError('invalid-argument', 'checkpoint: expected a checkpoint of this store, got something else');
    }
    this.#replace(checkpoint.rows.clone());
  }

  async close(): Promise<void> {
    this.#batch?.drop();
    this.#sharing.clear();
    this.shut();
  }

  /** Gives the current map to the views that read it. */
  #partFromViews(rows: OrderedMap): void {
    if (this.#sharing.size === 0) return;
    const before = rows.clone();
    for (const view of this.#sharing) view.moveTo(before);
    this.#sharing.clear();
  }

  /** Switches to another map, and leaves the current one to its views. */
  #replace(rows: OrderedMap): void {
    this.rows = rows;
    this.#sharing.clear();
  }
}

/** A store in memory, empty at first. Nothing outlives it: a dump (dump.ts) is its durable form. */
export class MemoryStore extends MapStore {
  readonly kind = 'memory';

  constructor() {
    super(new OrderedMap(), undefined);
  }

  /**
   * A store that takes over these rows.
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

  fork(): MemoryStore {
    return MemoryStore.of(this.open().clone());
  }
}

/** A writable store on top of a frozen view of another one. */
export class OverlayStore extends MapStore {
  readonly kind = 'overlay';

  private constructor(rows: OrderedMap, base: Base) {
    super(rows, base);
  }

  /** An overlay over a view, which is released when the overlay and all forks and views of it are closed. */
  static over(view: StoreView): OverlayStore {
    assertMethods(view, 'view', 'a view of a store', ['get', 'range', 'scan', 'release']);
    return new OverlayStore(new OrderedMap(), new Base(view));
  }

  /** Keys written or deleted since the fork. */
  get changed(): number {
    return this.open().size;
  }

  fork(): OverlayStore {
    return new OverlayStore(this.open().clone(), this.base!);
  }
}

/** Writes into a clone of a store's map, which replaces the map in the end: readers are not blocked meanwhile. */
class MapBatch implements LargeBatch {
  readonly #base: Base | undefined;
  readonly #ended: (rows: OrderedMap | undefined) => void;
  #rows: OrderedMap | undefined;

  /**
   * @param rows belongs to the batch
   * @param ended called with the store's new map, or with undefined if the batch was abandoned
   */
  constructor(rows: OrderedMap, base: Base | undefined, ended: (rows: OrderedMap | undefined) => void) {
    this.#rows = rows;
    this.#base = base;
    this.#ended = ended;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    return readRow(this.#open(), this.#base, key);
  }

  async add(operations: readonly Operation[]): Promise<void> {
    const rows = this.#open();
    checkEachOperation(operations);
    writeRows(rows, this.#base, operations);
  }

  async commit(last: readonly Operation[]): Promise<void> {
    const rows = this.#open();
    try {
      checkEachOperation(last);
    } catch (error) {
      this.#end(undefined);
      throw error;
    }
    writeRows(rows, this.#base, last);
    this.#end(rows);
  }

  async abandon(): Promise<void> {
    if (this.#rows !== undefined) this.#end(undefined);
  }

  /** Called when the store is closed, which discards the batch. */
  drop(): void {
    this.#rows = undefined;
  }

  #end(rows: OrderedMap | undefined): void {
    this.#rows = undefined;
    this.#ended(rows);
  }

  #open(): OrderedMap {
    if (this.#rows === undefined) throw new EngineError('closed', 'the large batch has ended');
    return this.#rows;
  }
}

function readRow(rows: OrderedMap, base: Base | undefined, key: Uint8Array, way?: Way): Uint8Array | undefined {
  const value = rows.get(key);
  return value === undefined ? base?.view.get(key, way) : (value ?? undefined);
}

/** Only a map over a base has rows for deleted keys. */
function writeRows(rows: OrderedMap, base: Base | undefined, operations: readonly Operation[]): void {
  for (const operation of operations) {
    if (operation.type === 'put') rows.set(operation.key, operation.value);
    else if (base === undefined) rows.delete(operation.key);
    else rows.set(operation.key, undefined);
  }
}

function ownRows(rows: OrderedMap, range: KeyRange, limit: number): readonly Row[] {
  return collectRows(rows, range, limit) as readonly Row[];
}

function* ownPages(rows: OrderedMap, range: KeyRange, limit: number): Iterable<readonly Row[]> {
  let left = limit;
  let rest = range;
  while (left > 0) {
    const page = ownRows(rows, rest, Math.min(left, SCAN_PAGE_ROWS_MAX));
    yield page;
    if (page.length < SCAN_PAGE_ROWS_MAX) return;
    left -= page.length;
    rest = rangeAfter(range, page.at(-1)!.key);
  }
}
