/**
 * The default local chain at genesis, which the build wrote beside the compiled code: its rows as a store in memory holds
 * them (store/row-layout.ts), in the order of their keys, and the SHA-256 of all of them.
 *
 * Computing that genesis takes some 100 ms in a fresh process, mostly because the code is still cold. Reading a dump of it
 * takes eight; these rows take two, since nobody has to parse or copy them. `scripts/build.mjs` makes them with the code
 * that it has just compiled. Sources that run without a build (tests) compute the genesis, and a test compares the two.
 * @module
 */
import type * as FileSystem from 'node:fs';
import { equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import { sha256 } from '../hash/sha256.ts';

interface Host {
  readonly process?: { getBuiltinModule?(name: 'node:fs'): typeof FileSystem | undefined };
}

const DIGEST_BYTES = 32;

/**
 * The rows, or undefined if there are none: no build, no file system, or a bundle without them. A CommonJS bundle has no
 * URL either.
 * @throws {EngineError} `corrupt` if the file is damaged
 */
export function readLocalSnapshot(): Uint8Array | undefined {
  const files = (globalThis as Host).process?.getBuiltinModule?.('node:fs');
  if (files === undefined || import.meta.url === undefined) return undefined;
  // This code is bundled into one of the files at the top of `dist`, where the build puts the snapshot.
  const url = new URL('./local-genesis.rows', import.meta.url);
  if (!files.existsSync(url)) return undefined;
  const { buffer, byteOffset, length } = files.readFileSync(url);
  const rows = new Uint8Array(buffer, byteOffset, Math.max(length - DIGEST_BYTES, 0));
  if (!equalBytes(sha256(rows), new Uint8Array(buffer, byteOffset + rows.length, length - rows.length))) {
    throw new EngineError('corrupt', `${url.href}: its digest does not match its bytes: install movelet again`);
  }
  return rows;
}
