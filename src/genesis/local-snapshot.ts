/**
 * The default local chain at genesis as the build wrote it: a dump beside the compiled code.
 *
 * Computing that genesis costs some 100 ms in a fresh process, most of it on code that is not compiled yet; reading it
 * costs a few. It is used only while it is not older than the code that it was made with. `scripts/write-genesis.mjs`
 * writes it; sources that run without a build (tests) compute the genesis, and a test compares the two.
 * @module
 */
import { readFileSync, statSync } from 'node:fs';

/** Where the build puts the snapshot. */
export const LOCAL_SNAPSHOT_URL: URL = new URL('./local-genesis.dump', import.meta.url);

/** What the genesis is made of: newer ones make the snapshot stale. */
const SOURCES = [
  './framework-genesis.js',
  '../framework/compiled/move-stdlib.js',
  '../framework/compiled/moveos-stdlib.js',
  '../framework/compiled/rooch-framework.js',
  '../framework/compiled/bitcoin-move.js',
].map((path) => new URL(path, import.meta.url));

/** The dump's bytes, or undefined where there is none or an older one. */
export function readLocalSnapshot(): Uint8Array | undefined {
  const snapshot = statSync(LOCAL_SNAPSHOT_URL, { throwIfNoEntry: false });
  if (snapshot === undefined) return undefined;
  const isStale = SOURCES.some(
    (source) => (statSync(source, { throwIfNoEntry: false })?.mtimeMs ?? 0) > snapshot.mtimeMs,
  );
  return isStale ? undefined : readFileSync(LOCAL_SNAPSHOT_URL);
}
