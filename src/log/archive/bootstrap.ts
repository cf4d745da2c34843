/**
 * Bootstrapping: an empty store gets a chain from a dump, or from an archive with the records after its newest dump; the
 * rest comes from the log. A store that already holds a chain continues with what the archive has and it lacks. A dump
 * may be a download; an archive is a directory on this machine.
 * @module
 */
import { statSync } from 'node:fs';
import { EngineError } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { HEAD_KEY, readHead } from '../../chain/ledger/head.ts';
import { clearStore, loadDump } from '../../store/dump.ts';
import type { Store } from '../../store/store.ts';
import { Archive } from './archive.ts';
import { chunksOf, isArchive } from './archive-files.ts';
import { download, downloadOrigin, isDownload } from './download.ts';
import { applyArchived, dumpBefore, loadArchived } from './restore.ts';

/**
 * @param source path of a dump or of an archive, or the URL of a dump
 * @param writers the public keys that sign records; those of the archive's manifest if undefined
 * @throws {EngineError} `not-found`, `transport-failed` for a download that fails, `corrupt` naming the file,
 * `store-failed` for a file that cannot be read, `log-mismatch` for an archive of another chain than the store holds,
 * `pruned` for a store that is older than the archive's records
 */
export async function bootstrapStore(
  store: Store,
  source: string,
  { say, writers }: { readonly say: Log; readonly writers: readonly Uint8Array[] | undefined },
): Promise<void> {
  const archive = await archiveAt(source);
  const before = readHead(store);
  if (before === undefined) {
    // Rows without a head were left by a process that was killed during this.
    await clearStore(store);
    if (archive === undefined) {
      const chunks = isDownload(source) ? download(source) : chunksOf(source);
      await loadDump(store, chunks, { headKey: HEAD_KEY });
    } else {
      await loadArchived(archive, store, dumpBefore(archive, archive.newest), {});
    }
  }
  if (archive !== undefined) await applyArchived(archive, store, { writers });
  const { order } = readHead(store)!;
  if (order === before?.order) return;
  say({
    level: 'info',
    message: `the store got the chain up to order ${order} from ${isDownload(source) ? downloadOrigin(source) : source}`,
    details: { order: String(order) },
  });
}

/** Undefined for a dump. */
async function archiveAt(source: string): Promise<Archive | undefined> {
  if (isDownload(source)) return undefined;
  if (isArchive(source)) return Archive.open(source);
  const found = statSync(source, { throwIfNoEntry: false });
  if (found?.isFile() === true) return undefined;
  throw new EngineError(
    'not-found',
    `bootstrap: expected a dump or an archive at ${source}, got ${found === undefined ? 'nothing' : 'neither'}`,
  );
}
