/**
 * Bitcoin's Merkle trees: pairs under double SHA-256; on an odd level, the last hash is paired with itself.
 *
 * Pairing the last hash with itself lets two lists of transactions share a root (CVE-2012-2459), if one repeats the
 * other's tail. `merkleRoot` refuses a repeated tail, so a root identifies one list.
 * @module
 */
import { concatBytes, equalBytes } from '../base/bytes/compare.ts';
import { EngineError } from '../base/error.ts';
import { sha256d } from '../base/hash/sha256.ts';

/**
 * The root above a list of hashes.
 * @throws {EngineError} `invalid-argument` for no hashes at all, or a list that repeats its tail.
 */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) throw new EngineError('invalid-argument', 'expected at least one hash, got none');
  let level = hashes;
  while (level.length > 1) level = nextLevel(level);
  return level[0]!;
}

function nextLevel(level: readonly Uint8Array[]): Uint8Array[] {
  const next: Uint8Array[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const left = level[index]!;
    const right = level[index + 1];
    if (right !== undefined && equalBytes(left, right)) {
      throw new EngineError(
        'invalid-argument',
        `expected hashes that differ, got the same at ${index} and ${index + 1}`,
      );
    }
    next.push(pair(left, right ?? left));
  }
  return next;
}

function pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256d(concatBytes(left, right));
}
