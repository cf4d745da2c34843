/**
 * Object ids: the path of field keys from the root object, and the formulas that derive them.
 *
 * The BCS is a count and that many 32-byte parts; the text is `0x` and the digits of all parts. The root's id is empty.
 * Modules live at `[module store, package address, key of the module's name]`.
 * Source: object.rs and module_store.rs of the reference's moveos/moveos-types/src/moveos_std.
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
import { bytes32, type Codec, encode, encodeShortLived, repeated, u64 } from '../../base/bcs.ts';
import { compareBytes, concatBytes, equalBytes, fromHex, toHex } from '../../base/bytes/bytes.ts';
import { EngineError, invalidArgument } from '../../base/error.ts';
import { sha3, sha3Joined } from '../../base/hash/sha3.ts';
import { type Address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { canonicalTypeBytes, parseStructTag, type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { type FieldKey, type FieldKeyInput, toFieldKey } from './field-key.ts';

/** Parts of an object id. In practice there are at most 3: object, child, dynamic field. */
export const OBJECT_ID_DEPTH_MAX = 16;

/** 32-byte parts, outermost first. */
export type ObjectId = readonly Uint8Array[];

export const ROOT_OBJECT_ID: ObjectId = [];

/** Consecutive ids mostly belong to the same store. */
const firstPart = repeated(bytes32);

/** An object id in BCS. */
export const objectId: Codec<ObjectId> = {
  write: (writer, value) => {
    assertDepth(value.length, 'invalid-argument');
    writer.uleb128(value.length);
    for (const part of value) bytes32.write(writer, part);
  },
  read: (reader) => {
    const count = reader.uleb128();
    assertDepth(count, 'malformed-bytes');
    const parts: Uint8Array[] = [];
    for (let index = 0; index < count; index++) parts.push((index === 0 ? firstPart : bytes32).read(reader));
    return parts;
  },
};

/** The part of a row's key for an object: its id in BCS. It starts with the number of parts, so no id is a prefix of another. */
export function objectIdBytes(id: ObjectId): Uint8Array {
  return encodeShortLived(objectId, id);
}

function assertDepth(count: number, code: 'invalid-argument' | 'malformed-bytes'): void {
  if (count > OBJECT_ID_DEPTH_MAX) {
    throw new EngineError(code, `expected an object id of at most ${OBJECT_ID_DEPTH_MAX} parts, got ${count}`);
  }
}

/** @throws {EngineError} `invalid-argument` for anything but an array of 32-byte parts */
export function assertParts(id: ObjectId, name: string): void {
  if (!Array.isArray(id)) throw argumentError(name, 'an object id as its parts of 32 bytes', id);
  for (let index = 0; index < id.length; index++) {
    const part: unknown = id[index];
    if (!(part instanceof Uint8Array) || part.length !== 32) {
      throw argumentError(`${name}[${index}]`, 'a part of 32 bytes', part);
    }
  }
}

/** `0x` and the digits of all parts; the root is `0x`. */
export function formatObjectId(id: ObjectId): string {
  assertParts(id, 'id');
  return `0x${id.map(toHex).join('')}`;
}

/**
 * Reads an object id: a struct type (text with `::`) names that type's named object; otherwise hexadecimal, with or
 * without `0x`, where fewer than 64 digits are padded on the left.
 * @throws {EngineError} `invalid-argument`, also for a number of digits that is not a multiple of 64, where the
 * reference drops the rest.
 */
export function parseObjectId(text: string): ObjectId {
  assertText(text, 'text', 'an object id as text');
  return text.includes('::') ? namedObjectId(parseStructTag(text)) : parseObjectIdHex(text);
}

/** Reads the hexadecimal form only, as `parseObjectId`. */
export function parseObjectIdHex(text: string): ObjectId {
  const digits = /^(?:0[xX])?([0-9a-fA-F]*)$/.exec(text)?.[1];
  if (digits === undefined) throw textError('an object id of 0x and hex digits, or <address>::<module>::<name>', text);
  if (digits === '') return ROOT_OBJECT_ID;
  const padded = digits.length < 64 ? digits.padStart(64, '0') : digits;
  if (padded.length % 64 !== 0) {
    throw invalidArgument(
      `expected an object id of at most 64 hex digits or a multiple of 64, got ${digits.length} digits`,
    );
  }
  assertDepth(padded.length / 64, 'invalid-argument');
  const bytes = fromHex(padded);
  return Array.from({ length: bytes.length / 32 }, (_, index) => bytes.subarray(index * 32, index * 32 + 32));
}

export function equalObjectIds(left: ObjectId, right: ObjectId): boolean {
  if (left.length !== right.length) return false;
  // From the end: most ids begin alike.
  for (let index = left.length - 1; index >= 0; index--) if (!equalBytes(left[index]!, right[index]!)) return false;
  return true;
}

/** Order of the joined bytes; parents before their children. */
export function compareObjectIds(left: ObjectId, right: ObjectId): number {
  return compareBytes(concatBytes(...left), concatBytes(...right));
}

/** The id of the field `key` of the object `parent`. */
export function childObjectId(parent: ObjectId, key: FieldKey): ObjectId {
  assertParts(parent, 'parent');
  assertBytes(key, 'key', 32);
  return [...parent, key];
}

/** The id of an object or, with a key, of its field. */
export function objectOrFieldId(id: ObjectId, fieldKey: FieldKeyInput | undefined): ObjectId {
  return fieldKey === undefined ? id : childObjectId(id, toFieldKey(fieldKey, 'fieldKey'));
}

/** The object that holds this one, or undefined for the root. */
export function parentObjectId(id: ObjectId): ObjectId | undefined {
  return id.length === 0 ? undefined : id.slice(0, -1);
}

/** An account's own object. */
export function accountObjectId(owner: Address): ObjectId {
  assertBytes(owner, 'owner', 32);
  return [owner];
}

/** The one object of type `tag` in the chain: sha3(canonical type). Event handles of `tag` have the same id. */
export function namedObjectId(tag: StructTag): ObjectId {
  return [sha3(canonicalTypeBytes(structType(tag)))];
}

/** The one object of type `tag` of an account: sha3(address || canonical type). */
export function accountNamedObjectId(owner: Address, tag: StructTag): ObjectId {
  assertBytes(owner, 'owner', 32);
  return [sha3Joined(owner, canonicalTypeBytes(structType(tag)))];
}

/** The last part of an object whose id is derived from a value: sha3(bcs(value) || canonical type of the object). */
export function customObjectKey(idBytes: Uint8Array, tag: StructTag): FieldKey {
  assertBytes(idBytes, 'value');
  return sha3Joined(idBytes, canonicalTypeBytes(structType(tag)));
}

/** A top-level object whose id is derived from the BCS of a value. */
export function customObjectId(idBytes: Uint8Array, tag: StructTag): ObjectId {
  return [customObjectKey(idBytes, tag)];
}

/** The `counter`-th fresh address of a transaction: sha3(transaction hash || counter as u64). */
export function freshAddress(transactionHash: Uint8Array, counter: bigint): Address {
  return sha3Joined(transactionHash, encode(u64, counter));
}

export const MODULE_STORE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'module_store', 'ModuleStore');
export const PACKAGE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'module_store', 'Package');
export const MODULE_STORE_ID: ObjectId = namedObjectId(MODULE_STORE_TYPE);

/** The object that holds the modules of an account; its key is the address, unhashed. */
export function packageObjectId(account: Address): ObjectId {
  return [...MODULE_STORE_ID, account];
}

const PART_BYTES = 32;

/**
 * An object: its id as text, the struct type of a named object, 32 bytes (one part or an address), its parts, or an
 * account, which stands for the object at its address.
 */
export type ObjectIdInput = string | Uint8Array | ObjectId | { readonly address: string | Uint8Array };

const EXPECTED = 'an object id (0x and hex digits, <address>::<module>::<name>, 32 bytes, or parts of 32 bytes)';

/**
 * The object id that an argument holds.
 * @throws {EngineError} `invalid-argument`
 */
export function toObjectId(given: ObjectIdInput, name: string): ObjectId {
  if (typeof given === 'string') return parseArgument(name, EXPECTED, given, parseObjectId);
  const single = bytesOfLength(given, PART_BYTES);
  if (single !== undefined) return [single];
  if (!Array.isArray(given)) {
    const { address } = (given ?? {}) as { readonly address?: unknown };
    if (typeof address === 'string' || address instanceof Uint8Array) return toObjectId(address, name);
    throw argumentError(name, EXPECTED, given);
  }
  assertParts(given, name);
  return given.map((part: Uint8Array) => new Uint8Array(part));
}
