/**
 * Arguments that are hashes of the chain: of transactions, states, the accumulator, coin types.
 * @module
 */
import { argumentError, bytesOfLength, parseArgument } from '../argument.ts';
import { fromHex } from '../bytes/bytes.ts';

const HASH_BYTES = 32;

/** A hash: 64 hex digits with or without `0x`, or 32 bytes. */
export type HashInput = string | Uint8Array;

/**
 * The hash that an argument holds; `noun` says of what.
 * @throws {EngineError} `invalid-argument`
 */
export function toHash(given: HashInput, name: string, noun = 'a hash'): Uint8Array {
  const expected = `${noun} (64 hex digits, with or without 0x, or 32 bytes)`;
  if (typeof given === 'string' && /^(?:0[xX])?[0-9a-fA-F]{64}$/.test(given)) {
    return parseArgument(name, expected, given, fromHex);
  }
  const bytes = bytesOfLength(given, HASH_BYTES);
  if (bytes === undefined) throw argumentError(name, expected, given);
  return bytes;
}

/** A state root; undefined for that of the head. */
export function toStateRoot(given: HashInput | undefined, name = 'stateRoot'): Uint8Array | undefined {
  return given === undefined ? undefined : toHash(given, name, 'a state root');
}
