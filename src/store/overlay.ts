/**
 * A fork: an ordered map of what was written since, on top of a frozen view of the original store.
 *
 * Reads look in the map first; a deleted key has a row without a value there, a tombstone. Ranges merge both. Forks of
 * a fork clone the map and share the base view, which is reference-counted and released with the last of them.
 *
 * @module
 */

import { assertMethods } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import { assertNoBatch, checkOperations, checkPage, checkRange, checkReadKey } from './key-range.ts';
import { mergedPages } from './merged-pages.ts';
import { MapBatch, type MapRows, OrderedMap } from './ordered-map.ts';
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

/** The base view, held by every overlay and overlay view over it. */
class SharedView {
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

/** The reads, shared by the overlay and its views. */
class OverlayReader implements ReadableStore {
  protected readonly base: SharedView;
  protected changes: OrderedMap | undefined;

  constructor(base: SharedView, changes: OrderedMap) {
    this.base = base.hold();
    this.changes = changes;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    return readChanged(this.open(), this.base.view, key);
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    const limit = checkPage(range);
    const changes = this.open().clone();
    const base = this.base.hold();
    try {
      const rows: Row[] = [];
      for await (const page of mergedPages(base.view, () => [changes], range, limit)) rows.push(...page);
      return rows;
    } finally {
      base.release();
    }
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    const changes = this.open().clone();
    const base = this.base.hold();
    try {
      const limit = range.limit ?? Number.POSITIVE_INFINITY;
      for await (const page of mergedPages(base.view, () => [changes], range, limit)) yield* page;
    } finally {
      base.release();
    }
  }

  protected open(): OrderedMap {
    if (this.changes === undefined) throw new EngineError('closed', 'the fork, or the view of it, was closed');
    return this.changes;
  }

  protected shut(): void {
    if (this.changes === undefined) return;
    this.changes = undefined;
    this.base.release();
  }
}

class OverlayView extends OverlayReader implements StoreView {
  release(): void {
    this.shut();
  }
}

class OverlayCheckpoint implements Checkpoint {
  readonly type = 'checkpoint';
  readonly store: OverlayStore;
  readonly changes: OrderedMap;

  constructor(store: OverlayStore, changes: OrderedMap) {
    this.store = store;
    this.changes = changes;
  }
}

/** A writable store on top of a frozen view of another one. Its own rows live in memory until `close`. */
export class OverlayStore extends OverlayReader implements RevertibleStore {
  readonly kind = 'overlay';
  readonly supports = { checkpoints: true, largeBatches: true, permanence: false } as const;
  readonly #form: MapRows = {
    read: (changes, key) => readChanged(changes, this.base.view, key),
    write: writeChanges,
  };
  #batch: MapBatch | undefined;

  private constructor(base: SharedView, changes: OrderedMap) {
    super(base, changes);
  }

  /** An overlay over a view, which it releases when it and all forks and views made of it are closed. */
  static over(view: StoreView): OverlayStore {
    assertMethods(view, 'view', 'a view of a store', ['get', 'range', 'scan', 'release']);
    return new OverlayStore(new SharedView(view), new OrderedMap());
  }

  /** Keys written or deleted since the fork. */
  get changed(): number {
    return this.open().size;
  }

  async batch(operations: readonly Operation[]): Promise<void> {
    this.apply(operations);
  }

  apply(operations: readonly Operation[]): void {
    const changes = this.open();
    assertNoBatch(this.#batch);
    checkOperations(operations);
    writeChanges(changes, operations);
  }

  /**
   * As `apply`.
   * @internal
   */
  applyRows(batch: RowBatch): void {
    const changes = this.open();
    assertNoBatch(this.#batch);
    changes.putRows(batch.bytes, true);
  }

  begin(): LargeBatch {
    const changes = this.open().clone();
    assertNoBatch(this.#batch);
    this.#batch = new MapBatch(this.#form, changes, (changed) => {
      this.#batch = undefined;
      if (changed !== undefined) this.changes = changed;
    });
    return this.#batch;
  }

  view(): StoreView {
    return new OverlayView(this.base, this.open().clone());
  }

  fork(): OverlayStore {
    return new OverlayStore(this.base, this.open().clone());
  }

  checkpoint(): Checkpoint {
    return new OverlayCheckpoint(this, this.open().clone());
  }

  restore(checkpoint: Checkpoint): void {
    this.open();
    assertNoBatch(this.#batch);
    if (!(checkpoint instanceof OverlayCheckpoint) || checkpoint.store !== this) {
      throw new EngineError('invalid-argument', 'checkpoint: expected a checkpoint of this store, got something else');
    }
    this.changes = checkpoint.changes.clone();
  }

  async close(): Promise<void> {
    this.#batch?.drop();
    this.shut();
  }
}

function readChanged(changes: OrderedMap, base: StoreView, key: Uint8Array): Uint8Array | undefined {
  const value = changes.get(key);
  return value === undefined ? base.get(key) : (value ?? undefined);
}

function writeChanges(changes: OrderedMap, operations: readonly Operation[]): void {
  for (const operation of operations) {
    changes.set(operation.key, operation.type === 'put' ? operation.value : undefined);
  }
}
