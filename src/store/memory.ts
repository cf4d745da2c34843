/**
 * The store in memory: one copy-on-write ordered map.
 *
 * Checkpoints, views and forks are clones of the map: constant time at any size, and each keeps only what changed since.
 *
 * @module
 */
import { SCAN_PAGE_ROWS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { checkOperations, checkPage, checkRange } from './key-range.ts';
import { keyBytes, keyText } from './key-text.ts';
import { OrderedMap } from './ordered-map.ts';
import type { Checkpoint, KeyRange, Operation, ReadableStore, RevertibleStore, Row, StoreView } from './store.ts';

type Rows = OrderedMap<Uint8Array>;

/** The map's root at one moment, and the store that it belongs to. */
class MemoryCheckpoint implements Checkpoint {
  readonly type = 'checkpoint';
  readonly store: MemoryStore;
  readonly rows: Rows;

  constructor(store: MemoryStore, rows: Rows) {
    this.store = store;
    this.rows = rows;
  }
}

/** Reads of one map, shared by the store and its views. */
class MemoryReader implements ReadableStore {
  protected rows: Rows | undefined;

  constructor(rows: Rows) {
    this.rows = rows;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.open().get(keyText(key));
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    return collectRows(this.open(), range, checkPage(range));
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    checkRange(range);
    const rows = this.open().clone();
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let rest = range;
    while (left > 0) {
      const page = collectRows(rows, rest, Math.min(left, SCAN_PAGE_ROWS_MAX));
      yield* page;
      if (page.length < SCAN_PAGE_ROWS_MAX) return;
      left -= page.length;
      rest = rangeAfter(range, page.at(-1)!.key);
    }
  }

  protected open(): Rows {
    if (this.rows === undefined) throw new EngineError('closed', 'the store or its view was closed');
    return this.rows;
  }
}

class MemoryView extends MemoryReader implements StoreView {
  release(): void {
    this.rows = undefined;
  }
}

/** An empty store in memory. Nothing outlives it: `dump` (dump.ts) is the durable form. */
export class MemoryStore extends MemoryReader implements RevertibleStore {
  readonly kind: string = 'memory';

  constructor() {
    super(new OrderedMap());
  }

  /** Rows in the store. */
  get size(): number {
    return this.open().size;
  }

  async batch(operations: readonly Operation[]): Promise<void> {
    const rows = this.open();
    checkOperations(operations);
    for (const operation of operations) {
      if (operation.type === 'put') rows.set(keyText(operation.key), compact(operation.value));
      else rows.delete(keyText(operation.key));
    }
  }

  view(): StoreView {
    return new MemoryView(this.open().clone());
  }

  fork(): MemoryStore {
    const fork = new MemoryStore();
    fork.rows = this.open().clone();
    return fork;
  }

  checkpoint(): Checkpoint {
    return new MemoryCheckpoint(this, this.open().clone());
  }

  restore(checkpoint: Checkpoint): void {
    this.open();
    if (!(checkpoint instanceof MemoryCheckpoint) || checkpoint.store !== this) {
      throw new EngineError('invalid-argument', 'expected a checkpoint of this store, got that of another one');
    }
    this.rows = checkpoint.rows.clone();
  }

  async close(): Promise<void> {
    this.rows = undefined;
  }
}

/** A value of its own memory: one that is a part of a larger buffer would keep all of that alive. */
function compact(value: Uint8Array): Uint8Array {
  return value.buffer.byteLength === value.length ? value : Uint8Array.prototype.slice.call(value);
}

/** The part of a range that is left once `key` was read. */
export function rangeAfter(range: KeyRange, key: Uint8Array): KeyRange {
  const { gte, gt, lte, lt, reverse } = range;
  return reverse === true ? { gte, gt, lt: key, reverse } : { gt: key, lte, lt };
}

function collectRows(rows: Rows, range: KeyRange, limit: number): Row[] {
  const found: Row[] = [];
  if (limit === 0) return found;
  const low = range.gte ?? range.gt;
  const high = range.lte ?? range.lt;
  const lowText = low === undefined ? undefined : keyText(low);
  const highText = high === undefined ? undefined : keyText(high);
  const lowOpen = range.gt !== undefined;
  const highOpen = range.lt !== undefined;
  const reverse = range.reverse === true;
  const [nearOpen, near] = reverse ? [highOpen, highText] : [lowOpen, lowText];
  const visit = (key: string, value: Uint8Array): boolean => {
    if (nearOpen && key === near) return true;
    if (reverse && lowText !== undefined && (lowOpen ? key <= lowText : key < lowText)) return false;
    if (!reverse && highText !== undefined && (highOpen ? key >= highText : key > highText)) return false;
    found.push({ key: keyBytes(key), value });
    return found.length < limit;
  };
  if (reverse) rows.descend(near, visit);
  else rows.ascend(near, visit);
  return found;
}
