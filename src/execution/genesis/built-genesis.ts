/**
 * The genesis that the build wrote beside the compiled code, in a file that ends with the SHA-256 of its content.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { HOST } from '../../base/host.ts';

const DIGEST_BYTES = 32;

/** Loads it ahead of time, where it cannot be loaded on demand. */
export async function loadBuiltGenesis(): Promise<void> {}

/**
 * The content of local-snapshot.ts; undefined if it does not exist: no build, no file system, or a bundle without it. A
 * CommonJS bundle has no URL either.
 * @throws {EngineError} `corrupt` if the file is damaged
 */
export function builtGenesis(): Uint8Array | undefined {
  const files = HOST.builtin('node:fs');
  if (files === undefined || import.meta.url === undefined) return undefined;
  // This code is bundled into one of the files at the top of `dist`, where the build puts the file.
  const url = new URL('./local-genesis.rows', import.meta.url);
  if (!files.existsSync(url)) return undefined;
  const { buffer, byteOffset, length } = files.readFileSync(url);
  const content = new Uint8Array(buffer, byteOffset, Math.max(length - DIGEST_BYTES, 0));
  if (!equalBytes(sha256(content), new Uint8Array(buffer, byteOffset + content.length, length - content.length))) {
    throw new EngineError('corrupt', `${url.href}: its digest does not match its bytes: install movelet again`);
  }
  return content;
}
