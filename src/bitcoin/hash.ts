/**
 * Bitcoin's 32-byte hashes: transaction ids, block hashes, Merkle nodes.
 *
 * Inside the engine they are the raw digest (internal order), as on chain, where they are `address` values. For display
 * the bytes are reversed, without `0x`.
 * @module
 */
import { assertBytes, assertText } from '../base/argument.ts';
import { fromHex, toHex } from '../base/bytes/hex.ts';
import { EngineError } from '../base/error.ts';

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
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new EngineError(
      'invalid-argument',
      `expected a Bitcoin hash of 64 hex digits without 0x, got ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  return fromHex(text).reverse();
}
