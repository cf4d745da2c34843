/**
 * Leaves of the state tree as stored: without what follows from the rest.
 *
 * The tree hashes a leaf whose key is text and whose value is an object in BCS. That form has 480 bytes on average, of
 * which 150 are the object's Move value. The key repeats the end of the object's id, hashes are hexadecimal text, most
 * objects have no fields, and a few types make up nearly all objects. Packed, a leaf is:
 *
 * | bytes | content |
 * | --- | --- |
 * | 1 | bits 0-1: the object's flag; 2: its owner is not 0x0; 3-4: its root of fields is absent (0), that of an empty tree (1), or given below (2) |
 * | 1 | index into PACKED_TYPES, from 1; 0 if the type is given below |
 * | 1 + 32n | id: the number of parts, then the parts |
 * | 32 | owner, if it is not 0x0 |
 * | 32 | root of its fields, if it is neither absent nor empty |
 * | 1-8 each | number of fields, time of creation, time of the last change minus that; ULEB128 |
 * | the rest | BCS of the type, unless it has an index, then the value with its length |
 *
 * A leaf that does not fit this form is stored as it is (node-row.ts).
 * @module
 */
import { encode } from '../../base/bcs.ts';
import { readUleb128, uleb128Length, writeUleb128 } from '../../base/bytes/uleb128.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import { parseTypeTag, typeTag } from '../../move/type-tag.ts';
import { EMPTY_ROOT, HASH_TEXT_BYTES, LEAF_HEAD_BYTES, LEAF_TAG, writeHashText } from '../../store/tree/node.ts';

/**
 * Types that are stored as their index, from 1. Part of the data format: append only, and with a new
 * DATA_FORMAT_VERSION.
 */
const PACKED_TYPES: readonly string[] = [
  '0x4::utxo::UTXO',
  '0x2::object::DynamicField<address, 0x4::types::Transaction>',
  '0x2::object::DynamicField<address, 0x3::bitcoin_address::BitcoinAddress>',
  '0x2::object::DynamicField<address, u64>',
  '0x2::object::DynamicField<u64, address>',
  '0x4::ord::Inscription',
  '0x2::object::DynamicField<u32, 0x4::ord::InscriptionID>',
  '0x2::table::TablePlaceholder',
  '0x4::pending_block::PendingBlock',
  '0x4::utxo::BitcoinUTXOStore',
  '0x4::ord::InscriptionStore',
  '0x2::object::DynamicField<0x1::string::String, 0x4::inscription_updater::InscriptionUpdater>',
  '0x3::address_mapping::RoochToBitcoinAddressMapping',
  '0x2::object::DynamicField<0x1::string::String, 0x2::move_module::MoveModule>',
  '0x2::account::Account',
  '0x3::coin_store::CoinStore<0x3::gas_coin::RGas>',
  '0x2::timestamp::Timestamp',
  '0x4::bitcoin::BitcoinBlockStore',
  '0x2::object::DynamicField<address, 0x4::types::Header>',
  '0x3::coin::CoinInfo<0x3::gas_coin::RGas>',
];

const HASH_BYTES = 32;
/** The longest id that is packed. */
const ID_PARTS_MAX = 8;
const KEY_TEXT_AT = 4;

const FLAG_BITS = 3;
const HAS_OWNER = 4;
const ROOT_SHIFT = 3;
const ROOT_ABSENT = 0;
const ROOT_EMPTY = 1;
const ROOT_STORED = 2;

/** The BCS of a root: the option's tag, and its text. */
const ROOT_BYTES: number = 1 + HASH_TEXT_BYTES;

/** The number of fields and two times. */
const NUMBERS = 3;
const NUMBERS_BYTES = 24;
/** Of a packed number, which is below 2^53. */
const NUMBER_BYTES_MAX = 8;

/** Room for all but the part that is copied from the leaf. */
const scratch = new Uint8Array(3 + (ID_PARTS_MAX + 2) * HASH_BYTES + NUMBERS * 8);

/** The BCS of each packed type, made when the first leaf is packed. */
let typeBytes: readonly Uint8Array[] | undefined;

function packedTypes(): readonly Uint8Array[] {
  typeBytes ??= PACKED_TYPES.map((text) => encode(typeTag, parseTypeTag(text)));
  return typeBytes;
}

/**
 * Writes `head` and the packed form of the leaf in `bytes`. Returns false and writes nothing if the leaf does not have
 * the form of an object under the last part of its id.
 */
export function packLeaf(writer: ByteWriter, head: Uint8Array, bytes: Uint8Array): boolean {
  const idAt = valueStart(bytes);
  const parts = bytes[idAt] ?? 0;
  const ownerAt = idAt + 1 + parts * HASH_BYTES;
  const flagAt = ownerAt + HASH_BYTES;
  if (parts === 0 || parts > ID_PARTS_MAX || flagAt + 2 + NUMBERS_BYTES > bytes.length) return false;
  const flag = bytes[flagAt]!;
  if (flag > FLAG_BITS || !isDigits(bytes, KEY_TEXT_AT, bytes, ownerAt - HASH_BYTES)) return false;
  let to = 2;
  for (let at = idAt; at < ownerAt; at++) scratch[to++] = bytes[at]!;
  let bits = flag;
  if (!isZero(bytes, ownerAt)) {
    bits |= HAS_OWNER;
    for (let at = ownerAt; at < flagAt; at++) scratch[to++] = bytes[at]!;
  }
  const root = packRoot(bytes, flagAt + 1, to);
  if (root < 0) return false;
  bits |= root << ROOT_SHIFT;
  if (root === ROOT_STORED) to += HASH_BYTES;
  const numbersAt = flagAt + (root === ROOT_ABSENT ? 2 : 1 + ROOT_BYTES);
  to = packNumbers(bytes, numbersAt, to);
  if (to < 0) return false;
  const typeAt = numbersAt + NUMBERS_BYTES;
  const type = typeIndex(bytes, typeAt);
  const restAt = type === 0 ? typeAt : typeAt + packedTypes()[type - 1]!.length;
  scratch[0] = bits;
  scratch[1] = type;
  writer.bytes(head);
  writer.part(scratch, 0, to);
  writer.part(bytes, restAt, bytes.length - restAt);
  return true;
}

/** Where the value of a leaf begins, after its length. */
function valueStart(bytes: Uint8Array): number {
  let at = LEAF_HEAD_BYTES;
  while (bytes[at]! >= 0x80) at++;
  return at + 1;
}

/** Writes the root at `at` to `scratch` from `to` and returns its kind; -1 if it is not in the only valid form. */
function packRoot(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] === 0) return ROOT_ABSENT;
  if (bytes[at] !== 1 || at + ROOT_BYTES + NUMBERS_BYTES > bytes.length) return -1;
  if (bytes[at + 1] !== 66 || bytes[at + 2] !== 0x30 || bytes[at + 3] !== 0x78) return -1;
  let all = 0;
  for (let index = 0; index < HASH_BYTES; index++) {
    const high = DIGIT_VALUES[bytes[at + 4 + 2 * index]!]!;
    const low = DIGIT_VALUES[bytes[at + 5 + 2 * index]!]!;
    all |= high | low;
    scratch[to + index] = (high << 4) | low;
  }
  if (all < 0) return -1;
  for (let index = 0; index < HASH_BYTES; index++) if (scratch[to + index] !== EMPTY_ROOT[index]) return ROOT_STORED;
  return ROOT_EMPTY;
}

/**
 * Writes the three numbers to `scratch` from `to` and returns their end; -1 if one is too large or time runs backwards.
 */
function packNumbers(bytes: Uint8Array, at: number, to: number): number {
  const size = numberAt(bytes, at);
  const createdAt = numberAt(bytes, at + 8);
  const updatedAt = numberAt(bytes, at + 16);
  if (size > Number.MAX_SAFE_INTEGER || updatedAt > Number.MAX_SAFE_INTEGER || createdAt > updatedAt) return -1;
  return writeUleb128(
    scratch,
    writeUleb128(scratch, writeUleb128(scratch, to, size), createdAt),
    updatedAt - createdAt,
  );
}

/** The index of the type at `at` plus one; 0 for a type without an index. */
function typeIndex(bytes: Uint8Array, at: number): number {
  const types = packedTypes();
  for (let index = 0; index < types.length; index++) if (startsWith(bytes, at, types[index]!)) return index + 1;
  return 0;
}

/** Compares from the end: types differ in their last bytes and mostly begin alike. */
function startsWith(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  if (at + part.length > bytes.length) return false;
  for (let index = part.length - 1; index >= 0; index--) if (bytes[at + index] !== part[index]) return false;
  return true;
}

/**
 * The leaf whose packed form begins at `from`.
 * @throws {EngineError} `corrupt` if it does not have that form
 */
export function unpackLeaf(packed: Uint8Array, from: number): Uint8Array {
  const bits = packed[from] ?? 0xff;
  const root = bits >> ROOT_SHIFT;
  const index = packed[from + 1] ?? 0;
  const type = index === 0 ? NO_BYTES : packedTypes()[index - 1];
  const parts = packed[from + 2] ?? 0;
  if (root > ROOT_STORED || type === undefined || parts === 0 || parts > ID_PARTS_MAX) throw damaged();
  const idBytes = 1 + parts * HASH_BYTES;
  const ownerAt = from + 2 + idBytes;
  const rootAt = ownerAt + ((bits & HAS_OWNER) === 0 ? 0 : HASH_BYTES);
  const numbersAt = rootAt + (root === ROOT_STORED ? HASH_BYTES : 0);
  const [size, createdAt, since, restAt] = readNumbers(packed, numbersAt);
  const rootBytes = root === ROOT_ABSENT ? 1 : ROOT_BYTES;
  const valueBytes = idBytes + HASH_BYTES + 1 + rootBytes + NUMBERS_BYTES + type.length + packed.length - restAt;
  let to = LEAF_HEAD_BYTES + uleb128Length(valueBytes);
  const bytes = new Uint8Array(to + valueBytes);
  bytes[0] = LEAF_TAG;
  writeHashText(packed.subarray(ownerAt - HASH_BYTES, ownerAt), bytes, 1);
  writeUleb128(bytes, LEAF_HEAD_BYTES, valueBytes);
  bytes.set(packed.subarray(from + 2, ownerAt), to);
  to += idBytes;
  if (rootAt > ownerAt) bytes.set(packed.subarray(ownerAt, rootAt), to);
  to += HASH_BYTES;
  bytes[to++] = bits & FLAG_BITS;
  if (root !== ROOT_ABSENT) {
    bytes[to] = 1;
    writeHashText(root === ROOT_EMPTY ? EMPTY_ROOT : packed.subarray(rootAt, numbersAt), bytes, to + 1);
  }
  to += rootBytes;
  const numbers = new DataView(bytes.buffer, to, NUMBERS_BYTES);
  numbers.setBigUint64(0, BigInt(size), true);
  numbers.setBigUint64(8, BigInt(createdAt), true);
  numbers.setBigUint64(16, BigInt(createdAt) + BigInt(since), true);
  to += NUMBERS_BYTES;
  bytes.set(type, to);
  bytes.set(packed.subarray(restAt), to + type.length);
  return bytes;
}

const NO_BYTES = new Uint8Array(0);

/** The three numbers at `at`, and where they end. */
function readNumbers(packed: Uint8Array, at: number): [size: number, createdAt: number, since: number, end: number] {
  const numbers: [number, number, number, number] = [0, 0, 0, 0];
  let end = at;
  for (let index = 0; index < NUMBERS; index++) {
    const number = readUleb128(packed, end, NUMBER_BYTES_MAX);
    if (number === undefined || number.value > Number.MAX_SAFE_INTEGER) throw damaged();
    ({ value: numbers[index], end } = number);
  }
  numbers[NUMBERS] = end;
  return numbers;
}

const DIGITS = new TextEncoder().encode('0123456789abcdef');

/** The value of a lower-case hexadecimal digit; -1 for any other byte. */
const DIGIT_VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of DIGITS.entries()) DIGIT_VALUES[digit] = value;

/** Whether the 64 digits at `at` are those of the 32 bytes in `hash` from `hashAt`. */
function isDigits(bytes: Uint8Array, at: number, hash: Uint8Array, hashAt: number): boolean {
  for (let index = 0; index < HASH_BYTES; index++) {
    const byte = hash[hashAt + index]!;
    if (bytes[at + 2 * index] !== DIGITS[byte >> 4] || bytes[at + 2 * index + 1] !== DIGITS[byte & 15]) return false;
  }
  return true;
}

function isZero(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < HASH_BYTES; index++) if (bytes[at + index] !== 0) return false;
  return true;
}

/** A little-endian u64, rounded if it is above 2^53. */
function numberAt(bytes: Uint8Array, at: number): number {
  const low = bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * 0x10000 + bytes[at + 3]! * 0x1000000;
  const high = bytes[at + 4]! + bytes[at + 5]! * 0x100 + bytes[at + 6]! * 0x10000 + bytes[at + 7]! * 0x1000000;
  return low + high * 2 ** 32;
}

function damaged(): EngineError {
  return new EngineError('corrupt', 'a stored leaf is not in its packed form');
}
