/**
 * What the stores use of an abstract-level database, and what its errors mean here.
 *
 * Any `AbstractLevel` of abstract-level 3 is a `Database`. Its capabilities are data: `supports.getSync` and
 * `supports.explicitSnapshots` decide whether it is read directly (level.ts) or mirrored in memory (mirror.ts).
 *
 * @module
 */
import { assertMethods, assertObject } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import { SCAN_PAGE_BYTES_MAX } from './limits.ts';
import type { KeyRange } from './store.ts';

/** A token of abstract-level for a database at one point in time. */
export interface DatabaseSnapshot {
  close(): Promise<void>;
}

interface DatabaseIterator {
  nextv(size: number): Promise<[Uint8Array, Uint8Array][]>;
  all(): Promise<[Uint8Array, Uint8Array][]>;
  close(): Promise<void>;
}

/** Encodings of every call: bytes in, bytes out. */
export interface BytesOptions {
  readonly keyEncoding: 'view';
  readonly valueEncoding: 'view';
}

interface IteratorOptions extends BytesOptions, KeyRange {
  readonly snapshot?: DatabaseSnapshot;
  /** LevelDB only: bytes after which a step returns no more rows. Others may ignore it. */
  readonly highWaterMarkBytes: number;
}

/** Changes that are written together. Chained calls take half the time of an array of operations. */
export interface DatabaseBatch {
  put(key: Uint8Array, value: Uint8Array, options: BytesOptions): unknown;
  del(key: Uint8Array, options: Pick<BytesOptions, 'keyEncoding'>): unknown;
  write(options: { readonly sync?: boolean }): Promise<void>;
  /** Drops a batch that is not written. */
  close(): Promise<void>;
}

/** The part of `AbstractLevel` that the stores call. */
export interface Database {
  readonly status: string;
  readonly supports: { readonly getSync?: boolean; readonly explicitSnapshots?: boolean };
  open(): Promise<void>;
  close(): Promise<void>;
  getSync(key: Uint8Array, options: BytesOptions & { readonly snapshot?: DatabaseSnapshot }): Uint8Array | undefined;
  getMany(
    keys: Uint8Array[],
    options: BytesOptions & { readonly snapshot?: DatabaseSnapshot },
  ): Promise<(Uint8Array | undefined)[]>;
  batch(): DatabaseBatch;
  iterator(options: IteratorOptions): DatabaseIterator;
  snapshot(): DatabaseSnapshot;
  /** LevelDB only: roughly how many bytes the rows of a range take in its tables. Others may not have it. */
  approximateSize?(start: Uint8Array, end: Uint8Array, options: Pick<BytesOptions, 'keyEncoding'>): Promise<number>;
  /** LevelDB only: also writes out as a table what is only in its log, for any range. Others may not have it. */
  compactRange?(start: Uint8Array, end: Uint8Array, options: Pick<BytesOptions, 'keyEncoding'>): Promise<void>;
}

/** @throws {EngineError} `invalid-argument` */
export function assertDatabase(database: Database): void {
  const expected = 'a database of abstract-level 3';
  assertMethods(database, 'database', expected, ['open', 'close', 'batch', 'iterator']);
  assertObject(database.supports, 'database', expected);
}

export const BYTE_ENCODINGS: BytesOptions = { keyEncoding: 'view', valueEncoding: 'view' };

/** Options of an iterator: absent bounds must be left out entirely. */
export function iteratorOptions(
  { gte, gt, lte, lt, reverse, limit }: KeyRange,
  snapshot: DatabaseSnapshot | undefined,
): IteratorOptions {
  return {
    ...BYTE_ENCODINGS,
    // LevelDB's default is 16 KiB, and each step goes to another thread.
    highWaterMarkBytes: SCAN_PAGE_BYTES_MAX,
    ...(gte !== undefined && { gte }),
    ...(gt !== undefined && { gt }),
    ...(lte !== undefined && { lte }),
    ...(lt !== undefined && { lt }),
    ...(reverse !== undefined && { reverse }),
    ...(limit !== undefined && { limit }),
    ...(snapshot !== undefined && { snapshot }),
  };
}

/**
 * The engine's error for a database error.
 * @param doing what was tried, for the message: 'open PATH', 'read the database'.
 */
export function databaseError(error: unknown, doing: string): EngineError {
  if (error instanceof EngineError) return error;
  const reason = rootCause(error);
  const text = reason.message;
  switch (reason.code) {
    case 'LEVEL_LOCKED':
      return new EngineError(
        'store-locked',
        `cannot ${doing}: another process or engine holds the directory; close that one first (${text})`,
        { cause: error },
      );
    case 'LEVEL_CORRUPTION':
      return new EngineError(
        'corrupt',
        `cannot ${doing}: files of the database are damaged (${text}); restore the directory from a dump or a copy`,
        { cause: error },
      );
    case 'LEVEL_DATABASE_NOT_OPEN':
    case 'LEVEL_SNAPSHOT_NOT_OPEN':
    case 'LEVEL_ITERATOR_NOT_OPEN':
    case 'LEVEL_ABORTED':
      return new EngineError('closed', `cannot ${doing}: it is closed (${text})`, { cause: error });
    case 'ERR_DLOPEN_DISABLED':
      return new EngineError(
        'store-failed',
        `cannot ${doing}: Node's permission model does not let LevelDB's native library be loaded; start node with --allow-addons`,
        { cause: error, details: { permission: '--allow-addons' } },
      );
    case 'ERR_ACCESS_DENIED':
      return deniedError(reason, doing, error);
    default:
      return new EngineError('store-failed', `cannot ${doing}: ${text}`, { cause: error });
  }
}

const PERMISSION_FLAGS: Readonly<Record<string, string>> = {
  FileSystemRead: '--allow-fs-read',
  FileSystemWrite: '--allow-fs-write',
  WorkerThreads: '--allow-worker',
};

/** What Node's permission model denied, by the flag that would allow it. */
function deniedError({ permission, resource, message }: RootCause, doing: string, cause: unknown): EngineError {
  const flag = PERMISSION_FLAGS[String(permission)];
  if (flag === undefined) return new EngineError('store-failed', `cannot ${doing}: ${message}`, { cause });
  const place = typeof resource === 'string' && resource !== '' ? `=${resource}` : '';
  return new EngineError(
    'store-failed',
    `cannot ${doing}: Node's permission model denies it; start node with ${flag}${place}`,
    { cause, details: { permission: flag, resource: String(resource ?? '') } },
  );
}

interface RootCause {
  readonly code: unknown;
  readonly message: string;
  /** Set when the permission model denied access. */
  readonly permission?: unknown;
  readonly resource?: unknown;
}

/** abstract-level wraps what a backend threw: the last cause says what happened. */
function rootCause(error: unknown): RootCause {
  let at: unknown = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (!(at instanceof Error)) return { code: undefined, message: String(at) };
  const { code, permission, resource } = at as Partial<RootCause>;
  return { code, message: at.message, permission, resource };
}
