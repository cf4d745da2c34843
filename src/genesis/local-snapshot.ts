/**
 * The default local chain at genesis as the build wrote it: a dump beside the compiled code.
 *
 * Computing that genesis costs some 100 ms in a fresh process, most of it on code that is not compiled yet; reading it
 * costs a few. `scripts/build.mjs` makes it with the code that it has just compiled; sources that run without a build
 * (tests) compute the genesis, and a test compares the two.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';

/** Where the build puts the snapshot: this code is in one of the files at the top of `dist`. */
const LOCAL_SNAPSHOT_URL = new URL('./local-genesis.dump', import.meta.url);

/** The dump's bytes, or undefined where there is none. */
export function readLocalSnapshot(): Uint8Array | undefined {
  return existsSync(LOCAL_SNAPSHOT_URL) ? readFileSync(LOCAL_SNAPSHOT_URL) : undefined;
}
