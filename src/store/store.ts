/**
 * The storage seam: an ordered map from byte keys to byte values, read synchronously, written in atomic batches.
 *
 * Everything above this floor sees only `Store`. Execution reads through `get`, which never waits: awaiting one key
 * costs ten times the read itself. Pages and whole scans are asynchronous, because LevelDB's iterators are.
 *
 * Invariants that every store keeps, and that `test/store/compliance.ts` runs against each of them:
 * - Keys are ordered as unsigned bytes; a prefix sorts before what it begins.
 * - A batch is atomic: after its promise resolves all of it is readable; if it rejects, none of it is. Batches apply
 *   in the order in which `batch` was called.
 * - `range` answers from one moment; `scan` from the moment of its first step; a view from the moment it was taken.
 * - Arrays handed to a batch belong to the store until its promise settles; arrays handed out are not to be written.
 * - After `close` every call throws or rejects with `closed`.
 *
 * Kinds: `MemoryStore` (memory.ts, copy-on-write), `OverlayStore` (overlay.ts, a fork of any other store),
 * `LevelStore` (level.ts, durable, over any abstract-level database with `getSync`), `MirrorStore` (mirror.ts, over
 * one without). Costs on the bench machine are printed by `bench/store.ts`.
 *
 * @module
 */

/** One key and its value. */
export interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** One change of a batch. A later operation on the same key wins; deleting an absent key is allowed. */
export type Operation =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'delete'; readonly key: Uint8Array };

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

export interface BatchOptions {
  /** Wait until the batch is on the disk, not only with the operating system. Default: the store's durability. */
  readonly sync?: boolean | undefined;
  /** Transaction order of the commit that this batch makes, remembered beside the database (commit-record.ts). */
  readonly order?: bigint | undefined;
}

export interface ReadableStore {
  /**
   * The value of a key, or `undefined` where there is none.
   * @throws {EngineError} `corrupt` when the stored row does not match its checksum, `closed`, `store-failed`.
   */
  get(key: Uint8Array): Uint8Array | undefined;

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

/** A store's content at one moment, unmoved by later batches. Holds resources of a durable store until released. */
export interface StoreView extends ReadableStore {
  /** Frees the view; later reads throw `closed`. Releasing twice is harmless. */
  release(): void;
}

export interface Store extends ReadableStore {
  /** 'memory', 'overlay', 'level', 'mirror', or the word of a store of your own. */
  readonly kind: string;

  /** Where commits are remembered apart from the rows: the order of the last one that an earlier run wrote. */
  readonly lastWrittenOrder?: bigint | undefined;

  /**
   * Applies all operations or none.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` before anything is touched; `store-failed` when the disk
   * refuses, after which the store takes no more writes; `closed`.
   */
  batch(operations: readonly Operation[], options?: BatchOptions): Promise<void>;

  /** The content as of now. A batch whose promise has not resolved yet may or may not be part of it, whole. */
  view(): StoreView;

  /**
   * A writable store that starts with this one's content and from then on shares nothing that either can see: copy on
   * write. What a fork writes is gone when it is closed. Close forks before the store that they came from.
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
  /**
   * As `batch`, done when it returns.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded`, `closed`; then nothing is applied.
   */
  apply(operations: readonly Operation[]): void;

  checkpoint(): Checkpoint;

  /**
   * Puts back the content of a checkpoint of this store. Any number of checkpoints, in any order, any number of times.
   * @throws {EngineError} `invalid-argument` for a checkpoint of another store, `closed`.
   */
  restore(checkpoint: Checkpoint): void;
}

/** Whether a store can go back. */
export function isRevertible(store: Store): store is RevertibleStore {
  return 'checkpoint' in store && 'restore' in store && 'apply' in store;
}
