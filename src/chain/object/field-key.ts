/**
 * Field keys: the 32-byte key of a field in its object's tree.
 *
 * key = sha3(bcs(name) || canonical type of the name). A child object's key is the last part of its id and a package's
 * key is its address, both unhashed. Source: moveos/moveos-types/src/state.rs of the reference.
 * @module
 */
import {
  argumentError,
  assertBytes,
  assertText,
  bytesOfLength,
  parseArgument,
  textError,
} from '../../base/argument.ts';
import { bytes32, type Codec, encode, string } from '../../base/bcs.ts';
import { fromHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { sha3Joined } from '../../base/hash/sha3.ts';
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import {
  canonicalStruct,
  canonicalTypeBytes,
  type StructTag,
  structTag,
  structType,
  type TypeTag,
} from '../../move/type-tag.ts';

/** 32 bytes. */
export type FieldKey = Uint8Array;

export const fieldKey: Codec<FieldKey> = bytes32;

/** The type of Move strings; the reference's Rust strings have the same tag. */
export const STRING_TYPE: TypeTag = structType(structTag(MOVE_STD_ADDRESS, 'string', 'String'));

const STRING_TYPE_BYTES = canonicalTypeBytes(STRING_TYPE);

/** The key of a field whose name has the bytes `name` (BCS) and the type `type`. */
export function deriveFieldKey(name: Uint8Array, type: TypeTag): FieldKey {
  assertBytes(name, 'name');
  return sha3Joined(name, canonicalTypeBytes(type));
}

/** The key of a field whose name is a Move string; also the key of a module in its package. */
export function stringFieldKey(name: string): FieldKey {
  assertText(name, 'name');
  return sha3Joined(encode(string, name), STRING_TYPE_BYTES);
}

/** The key of an account's resource of type `tag`: the string rule on the canonical type. */
export function resourceFieldKey(tag: StructTag): FieldKey {
  return stringFieldKey(canonicalStruct(tag));
}

/** `0x` and 64 digits. */
export function formatFieldKey(key: FieldKey): string {
  assertBytes(key, 'key', 32);
  return toHexPrefixed(key);
}

/**
 * Reads `0x` and 1 to 64 hex digits, padded on the left.
 * @throws {EngineError} `invalid-argument`
 */
export function parseFieldKey(text: string): FieldKey {
  assertText(text, 'text', 'a field key as text');
  if (!/^0[xX][0-9a-fA-F]{1,64}$/.test(text)) throw textError('a field key of 0x and 1 to 64 hex digits', text);
  return fromHex(text.slice(2).padStart(64, '0'));
}

const KEY_BYTES = 32;
const KEY_EXPECTED = 'a field key (0x and up to 64 hex digits, or 32 bytes)';

/** A field key: `0x` and up to 64 hex digits, or 32 bytes. */
export type FieldKeyInput = string | Uint8Array;

/**
 * The field key that an argument holds.
 * @throws {EngineError} `invalid-argument`
 */
export function toFieldKey(given: FieldKeyInput, name: string): FieldKey {
  if (typeof given === 'string') return parseArgument(name, KEY_EXPECTED, given, parseFieldKey);
  const bytes = bytesOfLength(given, KEY_BYTES);
  if (bytes === undefined) throw argumentError(name, KEY_EXPECTED, given);
  return bytes;
}
