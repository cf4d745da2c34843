/**
 * Field keys in the public API.
 * @module
 */
import { argumentError, bytesOfLength, parseArgument } from '../../base/argument.ts';
import { type FieldKey, parseFieldKey } from '../object/field-key.ts';

const KEY_BYTES = 32;
const EXPECTED = 'a field key (0x and up to 64 hex digits, or 32 bytes)';

/** A field key: `0x` and up to 64 hex digits, or 32 bytes. */
export type FieldKeyInput = string | Uint8Array;

/**
 * The field key that an argument holds.
 * @throws {EngineError} `invalid-argument`
 */
export function toFieldKey(given: FieldKeyInput, name: string): FieldKey {
  if (typeof given === 'string') return parseArgument(name, EXPECTED, given, parseFieldKey);
  const bytes = bytesOfLength(given, KEY_BYTES);
  if (bytes === undefined) throw argumentError(name, EXPECTED, given);
  return bytes;
}
