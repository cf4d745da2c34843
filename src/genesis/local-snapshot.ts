/**
 * The default local chain at genesis as the build wrote it: a dump beside the compiled code.
 *
 * Computing that genesis costs some 100 ms in a fresh process, most of it on code that is not compiled yet; reading it
 * costs a few. `scripts/build.mjs` makes it with the code that it has just compiled; sources that run without a build
 * (tests) compute the genesis, and a test compares the two.
 * @module
 */
import type * as FileSystem from 'node:fs';

interface Host {
  readonly process?: { getBuiltinModule?(name: 'node:fs'): typeof FileSystem | undefined };
}

/**
 * The dump's bytes, or undefined where there is none: no build, no files, or a bundle that left it behind. A bundle in
 * CommonJS has no URL either.
 */
export function readLocalSnapshot(): Uint8Array | undefined {
  const files = (globalThis as Host).process?.getBuiltinModule?.('node:fs');
  if (files === undefined || import.meta.url === undefined) return undefined;
  // This code is in one of the files at the top of `dist`, where the build puts the snapshot.
  const url = new URL('./local-genesis.dump', import.meta.url);
  return files.existsSync(url) ? files.readFileSync(url) : undefined;
}
