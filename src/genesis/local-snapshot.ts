/**
 * The default local chain at genesis, as a dump that the build wrote beside the compiled code.
 *
 * Computing that genesis takes some 100 ms in a fresh process, mostly because the code is still cold; reading the dump
 * takes a few. `scripts/build.mjs` makes it with the code that it has just compiled. Sources that run without a build
 * (tests) compute the genesis, and a test compares the two.
 * @module
 */
import type * as FileSystem from 'node:fs';

interface Host {
  readonly process?: { getBuiltinModule?(name: 'node:fs'): typeof FileSystem | undefined };
}

/**
 * The dump's bytes, or undefined if there is none: no build, no file system, or a bundle without it. A CommonJS bundle
 * has no URL either.
 */
export function readLocalSnapshot(): Uint8Array | undefined {
  const files = (globalThis as Host).process?.getBuiltinModule?.('node:fs');
  if (files === undefined || import.meta.url === undefined) return undefined;
  // This code is bundled into one of the files at the top of `dist`, where the build puts the snapshot.
  const url = new URL('./local-genesis.dump', import.meta.url);
  return files.existsSync(url) ? files.readFileSync(url) : undefined;
}
