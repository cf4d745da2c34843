/**
 * Restoring a chain from an archive: from the newest dump at or before an order, and the records after it.
 *
 * The records are applied as a reader applies those of a log: the place, signature, accumulator and state root of each
 * are checked (log/replica.ts). The directory is filled under another name and renamed at the end, so that no
 * node ever opens a chain that is only half there. An interrupted restore, even one that was killed, can be continued.
 *
 * The rows of a dump that nothing signs are trusted: indexes, events and transactions. Its state root must be the one
 * that the signed record of its order names, in the archive or in the log.
 * @module
 */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { HEAD_KEY, type Head, head as headCodec, readHead, storedHead } from '../../chain/ledger/head.ts';
import { openDirectory } from '../../store/directory.ts';
import { type LoadOptions, loadDump } from '../../store/dump.ts';
import { orFailed } from '../../store/file-sync.ts';
import type { LevelStore } from '../../store/level.ts';
import { StagedDirectory } from '../../store/staged-directory.ts';
import type { Store } from '../../store/store.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { Replica } from '../replica.ts';
import type { Archive } from './archive.ts';
import { type ArchivedDump, chunksOf, dumpFile, segmentFile } from './archive-files.ts';

/** How far a restore has come. */
export interface RestoreProgress {
  readonly name: 'bytes' | 'orders';
  readonly done: number;
  readonly total: number;
}

export interface RestoreOptions {
  /** The last order to restore. Default: the newest one. */
  readonly to?: bigint | undefined;
  /** The public keys that sign records. Default: those of the archive's manifest. */
  readonly writers?: readonly Uint8Array[] | undefined;
  /** If it throws, the work ends. */
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  /** Checks the dump, as in `loadDump`: its digest does not authenticate it. Default: none. */
  readonly check?: LoadOptions['check'];
}

/**
 * Restores the chain into a directory that is empty or missing.
 * @returns the head
 * @throws {EngineError} `not-found` for an order that the archive does not hold; `corrupt` naming the file;
 * `invalid-argument` for a directory that is not empty, that is mounted or the current one; `store-failed`; what
 * `onProgress` throws. Calling again with the same arguments continues.
 */
export async function restoreArchive(archive: Archive, directory: string, options: RestoreOptions = {}): Promise<Head> {
  const { to = archive.newest } = options;
  const dump = dumpBefore(archive, to);
  const staged = await StagedDirectory.at(directory, '.restoring');
  const store = await openWork(archive, staged, dump, to);
  let head: Head;
  try {
    head = await fill(archive, store, dump, { ...options, to });
  } finally {
    await store.close();
  }
  await staged.finish();
  return head;
}

/**
 * Applies every record of an archive to the oldest dump, in a temporary directory, and passes the store to `use`.
 * @throws {EngineError} as `restoreArchive`
 */
export async function withRestored<T>(
  archive: Archive,
  dump: ArchivedDump,
  options: RestoreOptions,
  use: (store: LevelStore) => Promise<T>,
): Promise<T> {
  const directory = await orFailed(tmpdir(), async () => mkdtempSync(join(tmpdir(), 'movelet-restored-')));
  try {
    const store = await openDirectory(directory, { durability: 'os' });
    try {
      await fill(archive, store, dump, options);
      return await use(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Loads a dump into an empty store, and applies the records after it. */
async function fill(archive: Archive, store: Store, dump: ArchivedDump, options: RestoreOptions): Promise<Head> {
  if (readHead(store) === undefined) await loadArchived(archive, store, dump, options);
  // An earlier run may have trusted the dump.
  else await options.check?.(store);
  return applyArchived(archive, store, options);
}

/**
 * Loads a dump of an archive into an empty store.
 * @throws {EngineError} as `loadDump`
 */
export async function loadArchived(
  archive: Archive,
  store: Store,
  { bytes, sha256, head: { order } }: ArchivedDump,
  { onProgress, check }: RestoreOptions,
): Promise<void> {
  const name = dumpFile(order);
  await archive.check({ name, bytes, sha256 });
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    let done = 0;
    for await (const chunk of chunksOf(join(archive.path, name))) {
      yield chunk;
      done += chunk.length;
      onProgress?.({ name: 'bytes', done, total: bytes });
    }
  };
  await loadDump(store, chunks(), { headKey: HEAD_KEY, check });
}

/**
 * Applies the records of an archive that a store lacks, up to the order `to`.
 * @returns the head after them
 * @throws {EngineError} `corrupt` naming the segment and the order, `log-mismatch` for a store of another chain, `pruned` for
 * one that is older than the first record, `store-failed`
 */
export async function applyArchived(
  archive: Archive,
  store: Store,
  { to = archive.newest, onProgress, writers }: RestoreOptions = {},
): Promise<Head> {
  const head = storedHead(store);
  const last = to < archive.end.order ? to : archive.end.order;
  if (last <= head.order) return head;
  const place = await archive.placeOf(head);
  const replica = new Replica({
    store,
    nodes: new NodeCache(),
    head,
    place,
    writers: writers ?? archive.manifest.writers,
  });
  const total = Number(last - head.order);
  const failure = await replica.follow(archive, last, (order) =>
    onProgress?.({ name: 'orders', done: Number(order - head.order), total }),
  );
  if (failure !== undefined) throw inSegment(archive, failure);
  return replica.head;
}

/**
 * The newest dump from which an order can be restored.
 * @throws {EngineError} `not-found`
 */
export function dumpBefore(archive: Archive, order: bigint): ArchivedDump {
  const [first] = archive.segments;
  const found = archive.dumps.findLast(({ head }) => {
    if (head.order >= order) return head.order === order;
    return (
      first !== undefined &&
      first.first <= head.order + 1n &&
      head.order < archive.end.order &&
      order <= archive.end.order
    );
  });
  if (found !== undefined) return found;
  const dumps = archive.dumps.map(({ head }) => head.order).join(', ');
  const records = first === undefined ? 'no records' : `the records of orders ${first.first} to ${archive.end.order}`;
  throw new EngineError(
    'not-found',
    `${archive.path} does not lead to order ${order}: it has ${dumps === '' ? 'no dumps' : `dumps of order ${dumps}`} and ${records}`,
    { details: { order: String(order) } },
  );
}

/** What an earlier restore left, if it can be continued; otherwise an empty store. */
async function openWork(
  archive: Archive,
  staged: StagedDirectory,
  dump: ArchivedDump,
  to: bigint,
): Promise<LevelStore> {
  const store = await staged.open();
  try {
    const [row] = await store.range({ limit: 1 });
    if (row === undefined || (await isBegun(archive, readHead(store), dump, to))) return store;
  } catch (error) {
    await store.close();
    throw error;
  }
  await store.close();
  await staged.clear();
  return staged.open();
}

/** Whether the archive leads from `dump` to `left` and from there to `to`. */
async function isBegun(archive: Archive, left: Head | undefined, dump: ArchivedDump, to: bigint): Promise<boolean> {
  const { order } = dump.head;
  if (left === undefined || left.order < order || left.order > to) return false;
  if (left.order === order) return equalBytes(encode(headCodec, left), encode(headCodec, dump.head));
  try {
    await archive.placeOf(left);
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'log-mismatch') return false;
    throw error;
  }
}

/** Names the file that holds an unsound record. */
function inSegment(archive: Archive, failure: EngineError): EngineError {
  const { order } = failure.details;
  const segment = typeof order === 'string' ? archive.segmentAt(BigInt(order)) : undefined;
  if (segment === undefined) return failure;
  const file = join(archive.path, segmentFile(segment));
  return new EngineError(failure.code, `the file ${file} of the archive: ${failure.message}`, {
    details: { ...failure.details, file },
    cause: failure,
  });
}
