/**
 * Bootstrapping in a page, which has no files: an empty store gets a chain from a dump that is downloaded.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { HEAD_KEY, readHead } from '../../chain/ledger/head.ts';
import { clearStore, loadDump } from '../../store/dump.ts';
import type { Store } from '../../store/store.ts';
import { download, downloadOrigin, isDownload } from './download.ts';

/**
 * @param source the URL of a dump
 * @throws {EngineError} `not-supported` for a path; `not-found`, `transport-failed` for a download that fails, `corrupt`
 */
export async function bootstrapStore(store: Store, source: string, { say }: { readonly say: Log }): Promise<void> {
  if (!isDownload(source)) {
    const expected = 'the URL of a dump';
    throw new EngineError('not-supported', `bootstrap: expected ${expected} in a page, which has no files`, {
      details: { expected },
    });
  }
  if (readHead(store) !== undefined) return;
  // Rows without a head were left by a page that was closed during this.
  await clearStore(store);
  await loadDump(store, download(source), { headKey: HEAD_KEY });
  const order = String(readHead(store)!.order);
  const message = `the store got the chain up to order ${order} from ${downloadOrigin(source)}`;
  say({ level: 'info', message, details: { order } });
}
