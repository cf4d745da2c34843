/**
 * Bitcoin's 32-byte hashes: transaction ids, block hashes, Merkle nodes.
 *
 * Inside the engine they are the raw digest (internal order), as on chain, where they are `address` values. For display
 * the bytes are reversed, without `0x`.
 *
 * Merkle trees hash pairs with double SHA-256; on an odd level, the last hash is paired with itself, so a list that repeats
 * its tail has the root of one that does not (CVE-2012-2459). `merkleRoot` refuses a repeated tail, so a root identifies
 * one list.
 * @module
 */
import { argumentError, assertBytes, assertText, bytesOfLength, parseArgument, textError } from '../base/argument.ts';
import { concatBytes, equalBytes, fromHex, toHex } from '../base/bytes/bytes.ts';
import { invalidArgument } from '../base/error.ts';
import { sha256d } from '../base/hash/sha256.ts';

export const BITCOIN_HASH_BYTES = 32;

/** 64 hexadecimal digits of the reversed bytes. */
export function formatBitcoinHash(hash: Uint8Array): string {
  assertBytes(hash, 'hash', BITCOIN_HASH_BYTES);
  return toHex(hash.toReversed());
}

/**
 * Reads 64 hexadecimal digits of the reversed bytes.
 * @throws {EngineError} `invalid-argument` for any other text; `0x` is refused.
 */
export function parseBitcoinHash(text: string): Uint8Array {
  assertText(text, 'text', 'a Bitcoin hash as text');
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw textError('a Bitcoin hash of 64 hex digits without 0x', text);
  return fromHex(text).reverse();
}

/**
 * The root above a list of hashes.
 * @throws {EngineError} `invalid-argument` for no hashes at all, or a list that repeats its tail.
 */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) throw invalidArgument('expected at least one hash, got none');
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
      throw invalidArgument(`expected hashes that differ, got the same at ${index} and ${index + 1}`);
    }
    next.push(sha256d(concatBytes(left, right ?? left)));
  }
  return next;
}

/** A txid or block hash: 64 hex digits as explorers show them, or 32 bytes in internal order. */
export type BitcoinHashInput = string | Uint8Array;

/**
 * The Bitcoin hash that an argument holds; `noun` says of what.
 * @throws {EngineError} `invalid-argument`
 */
export function toBitcoinHash(given: BitcoinHashInput, name: string, noun: string): Uint8Array {
  const expected = `${noun} (64 hex digits without 0x, or 32 bytes in internal order)`;
  if (typeof given === 'string') return parseArgument(name, expected, given, parseBitcoinHash);
  const bytes = bytesOfLength(given, BITCOIN_HASH_BYTES);
  if (bytes === undefined) throw argumentError(name, expected, given);
  return bytes;
}
