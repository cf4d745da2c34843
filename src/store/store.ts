/**
 * The storage seam: an ordered map from byte keys to byte values, read synchronously, written in atomic batches.
 *
 * Everything above this floor sees only `Store`. Execution reads through `get`, which never waits: awaiting one key
 * costs ten times the read itself. Pages and whole scans are asynchronous, because LevelDB's iterators are.
 *
 * Invariants of every store, which `compliance/` checks for these and for third-party stores:
 * - Keys are ordered as unsigned bytes; a prefix sorts before what it begins.
 * - A batch is atomic: after its promise resolves all of it is readable; if it rejects, none of it is. Batches apply
 *   in the order in which `batch` was called.
 * - A large batch is atomic too, whatever its size and wherever the process is killed: until its commit resolves, all
 *   but its owner read the content from before it, in views and forks as well.
 * - `range` answers from one moment; `scan` from the moment of its first step; a view from the moment it was taken.
 * - Arrays handed to a batch belong to the store until its promise settles; arrays handed out are not to be written.
 * - After `close` every call throws or rejects with `closed`.
 *
 * Kinds: `MemoryStore` and `OverlayStore`, a fork of any other store (memory.ts, copy-on-write),
 * `LevelStore` (level.ts, durable, over any abstract-level database with `getSync`), `MirrorStore` (mirror.ts, over
 * one without). Costs on the bench machine are printed by `bench/store.ts`.
 *
 * @module
 */
import { argumentError } from '../base/argument.ts';

/** One key and its value. */
export interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * One change of a batch. A later operation on the same key wins; deleting an absent key is allowed.
 *
 * If the caller knows what is stored under the key after the operations before this one, it may say so, which saves a
 * large batch the look-up. `isNew`: nothing is. `replaced`: this value.
 */
export type Operation =
  | {
      readonly type: 'put';
      readonly key: Uint8Array;
      readonly value: Uint8Array;
      readonly isNew?: boolean;
      readonly replaced?: Uint8Array | undefined;
    }
  | { readonly type: 'delete'; readonly key: Uint8Array; readonly replaced?: Uint8Array | undefined };

/** Bounds of a range: at most one lower (`gte` or `gt`) and one upper (`lte` or `lt`), all optional. */
export interface KeyRange {
  readonly gte?: Uint8Array | undefined;
  readonly gt?: Uint8Array | undefined;
  readonly lte?: Uint8Array | undefined;
  readonly lt?: Uint8Array | undefined;
  /** Descending order: the limit then counts from the upper end. */
  readonly reverse?: boolean | undefined;
  /** Rows at most. `range` needs it and holds it to `STORE_RANGE_ROWS_MAX`; `scan` takes none as no limit. */
  readonly limit?: number | undefined;
}

/** How one batch is written. */
export interface BatchOptions {
  /** Wait until the batch is on the disk, not only with the operating system. Default: the store's durability. */
  readonly sync?: boolean | undefined;
  /** Transaction order of the commit that this batch makes, remembered beside the database (commit-record.ts). */
  readonly order?: bigint | undefined;
}

/**
 * What a store can do beyond reading, batches, views and forks. A store of your own may leave out a member it does not
 * know; that counts as `false`.
 */
export interface StoreSupports {
  /** `apply`, `checkpoint` and `restore`: the store is a `RevertibleStore`. */
  readonly checkpoints: boolean;
  /** `begin`: batches of any size. Without it a batch holds at most STORE_BATCH_OPERATIONS_MAX operations, in memory. */
  readonly largeBatches: boolean;
  /** Content outlives the process; `durability` and `sync` mean something. */
  readonly permanence: boolean;
}

/** A walk down a tree: it has come to a node at `depth`, 0 for a root, on its way to the leaf of `key`. */
export interface Way {
  readonly key: Uint8Array;
  readonly depth: number;
}

/** A store that is read: rows in the order of their keys' bytes. */
export interface ReadableStore {
  /**
   * The value of a key, or `undefined` if there is none.
   * @param way for a tree node: where the walk that needs it leads. A store whose rows are far away fetches the rest of
   * the way with it; all others ignore it.
   * @throws {EngineError} `corrupt` when the stored row does not match its checksum, `closed`, `store-failed`.
   */
  get(key: Uint8Array, way?: Way): Uint8Array | undefined;

  /**
   * One page of rows, in key order, all from one moment.
   * @throws {EngineError} `invalid-argument` for bad bounds or a missing limit, `limit-exceeded`, `corrupt`, `closed`.
   */
  range(range: KeyRange): Promise<readonly Row[]>;

  /**
   * All rows of a range, one after the other, all from the moment of the first step. Leaving the loop frees what it
   * holds. Errors as for `range`.
   */
  scan(range: KeyRange): AsyncIterable<Row>;
}

/**
 * A store's content at one moment, unaffected by later batches. Release it soon: a durable store remembers what later
 * batches replace, up to VIEWS_BYTES_MAX for all views and forks; beyond, reads of the oldest throw `limit-exceeded`.
 */
export interface StoreView extends ReadableStore {
  /** Frees the view; later reads throw `closed`. Releasing twice is harmless. */
  release(): void;
}

/**
 * A batch of any size, made in pieces. The store takes no other batch until it has ended: commit it or abandon it.
 *
 * Arrays handed to it belong to the store until then.
 */
export interface LargeBatch {
  /**
   * The value of a key as the batch leaves it so far, on top of the batches that have resolved.
   * @throws {EngineError} as `ReadableStore.get`; `closed` once the batch has ended.
   */
  get(key: Uint8Array): Uint8Array | undefined;

  /**
   * Adds operations after those added before: `get` sees them when the call returns. The promise resolves when there is
   * room for more; await it, or memory grows without bound.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` for a key or value that is too long, and then nothing of
   * these operations was added; `store-failed`, `corrupt`, `closed`, after which the batch can only be abandoned.
   */
  add(operations: readonly Operation[]): Promise<void>;

  /**
   * Adds the last operations and makes all of them visible at once. If it rejects, nothing of the batch is there; the
   * batch has ended either way.
   * @throws {EngineError} as `add`.
   */
  commit(last: readonly Operation[], options?: BatchOptions): Promise<void>;

  /**
   * Ends the batch and takes back what was written of it. Harmless once it has ended.
   * @throws {EngineError} `store-failed`: reads go on as if the batch had never been, the store takes no more writes, and
   * what is left of the batch is taken back when it is opened again.
   */
  abandon(): Promise<void>;
}

/** Where a chain lives: rows in the order of their keys' bytes, written in atomic batches. */
export interface Store extends ReadableStore {
  /** 'memory', 'overlay', 'level', 'mirror', or the name of a store of your own. */
  readonly kind: string;

  readonly supports: StoreSupports;

  /** If commits are recorded apart from the rows: the order of the last one that an earlier run wrote. */
  readonly lastWrittenOrder?: bigint | undefined;

  /** What its opening cut off its files, because a write was not finished when power failed: sentences for the log. */
  readonly cutOff?: readonly string[];

  /**
   * Applies all operations or none.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` before anything is touched; `store-failed` when the disk
   * refuses, after which the store takes no more writes; `batch-open` while a large batch has not ended; `closed`.
   */
  batch(operations: readonly Operation[], options?: BatchOptions): Promise<void>;

  /**
   * Begins a large batch, on the content that the batches called so far leave. Only where `supports.largeBatches` says
   * so: `beginBatch` (gathered-batch.ts) serves every store.
   * @throws {EngineError} `batch-open` while another one has not ended, `store-failed` where the store takes no more
   * writes, `closed`.
   */
  begin?(): LargeBatch;

  /**
   * Reclaims the space of deleted rows. May take as long as reading everything; reads go on, and batches wait for a
   * part of it. Left out if there is none to reclaim.
   * @throws {EngineError} `store-failed`, `closed`
   */
  compact?(): Promise<void>;

  /** The content as of now. A batch whose promise has not resolved yet may or may not be part of it, whole. */
  view(): StoreView;

  /**
   * A writable store that starts with this one's content and from then on shares nothing visible with it: copy on
   * write. What a fork writes is gone when it is closed. Close forks before the store that they came from. Like a view,
   * a fork of a durable store is remembered for only so long.
   */
  fork(): RevertibleStore;

  /** Frees everything, handles included, after the batches that were already called. Closing twice is harmless. */
  close(): Promise<void>;
}

/** A moment of a revertible store. Kept as long as the caller keeps it; costs what changed since. */
export interface Checkpoint {
  readonly type: 'checkpoint';
}

/** A store that can go back: memory stores and overlays. Both calls take constant time at any size. */
export interface RevertibleStore extends Store {
  readonly supports: StoreSupports & { readonly checkpoints: true };

  /**
   * As `batch`, done when it returns.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded`, `batch-open`, `closed`; then nothing is applied.
   */
  apply(operations: readonly Operation[]): void;

  checkpoint(): Checkpoint;

  /**
   * Restores the content of a checkpoint of this store. Any number of checkpoints, in any order, any number of times.
   * @throws {EngineError} `invalid-argument` for a checkpoint of another store, `batch-open`, `closed`.
   */
  restore(checkpoint: Checkpoint): void;
}

/** Whether a value has the members of a store. */
export function isStore(given: unknown): given is Store {
  const { supports } = (given ?? {}) as { readonly supports?: unknown };
  return (
    typeof supports === 'object' &&
    supports !== null &&
    STORE_METHODS.every((name) => typeof (given as Record<string, unknown>)[name] === 'function')
  );
}

const STORE_METHODS = ['get', 'range', 'scan', 'batch', 'view', 'fork', 'close'];

/** @throws {EngineError} `invalid-argument` */
export function assertStore(store: Store): void {
  if (!isStore(store)) throw argumentError('store', `a store with supports, ${STORE_METHODS.join(', ')}`, store);
}

/** Whether a store can go back. */
export function isRevertible(store: Store): store is RevertibleStore {
  return store.supports.checkpoints;
}
