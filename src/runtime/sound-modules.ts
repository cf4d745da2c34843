/**
 * Modules that are known to pass every check: those of the framework, by the digests of their bytes.
 *
 * They are verified when they are compiled and published, so a process that loads them from a state need not check
 * again that they are well-formed. The build puts the digests here (scripts/build.mjs); in sources there are none, and
 * every module is checked.
 * @module
 */
import { toHex } from '../bytes/hex.ts';

/** SHA3-256 of each, 64 hexadecimal digits, one after the other. */
const DIGESTS = '';

let sound: ReadonlySet<string> | undefined;

/**
 * Whether a module is one of them.
 * @param digest SHA3-256 of its bytes
 */
export function isSoundModule(digest: Uint8Array): boolean {
  sound ??= new Set(DIGESTS.match(/.{64}/g));
  return sound.size > 0 && sound.has(toHex(digest));
}
