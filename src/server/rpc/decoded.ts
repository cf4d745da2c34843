/**
 * Decoded values as JSON: the recursive form of the reference's crates/rooch-rpc-api/src/jsonrpc_types/move_types.rs.
 *
 * At the top level a struct is always shown as a struct; below it, strings, object ids and decimal values have short
 * forms. A vector of structs becomes a table: field names once, then a row for each element.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { decodeUtf8 } from '../../base/bytes/utf8.ts';
import { EngineError } from '../../base/error.ts';
import { formatAddress } from '../../move/address.ts';
import {
  annotateCounted,
  annotatePrefix,
  type LayoutSource,
  type MoveValue,
  type StructLayout,
  type StructValue,
} from '../../move/layout.ts';
import { displayStruct, displayType, type TypeTag } from '../../move/type-tag.ts';
import { type JsonValue, jsonInteger } from './json.ts';
import type { Room } from './method.ts';

/** No value takes more bytes for a character: a u256 of 32 bytes is shown as four, `"0",`. */
const BYTES_PER_CHARACTER = 8;

/**
 * Decodes stored bytes as a value of `type` that is to be part of an answer.
 * @throws {RpcError} if the answer has no room for it
 * @throws {EngineError} `corrupt` for bytes that do not fit the type, `not-found` for a type that no module defines.
 */
export function annotateStored(room: Room, layouts: LayoutSource, type: TypeTag, bytes: Uint8Array): MoveValue {
  room.takeCharacters(Math.floor(bytes.length / BYTES_PER_CHARACTER));
  const { value, parts } = stored(type, () => annotateCounted(layouts.layout(type), bytes));
  room.takeParts(parts);
  return value;
}

/** As `annotateStored`, for a value at the start of the bytes. */
export function annotateStoredPrefix(
  room: Room,
  layouts: LayoutSource,
  type: TypeTag,
  bytes: Uint8Array,
): { readonly value: MoveValue; readonly length: number } {
  const { value, length, parts } = stored(type, () => annotatePrefix(layouts.layout(type), bytes));
  room.takeParts(parts);
  return { value, length };
}

/** If stored bytes do not decode, it is not the request's fault: the fields of their type may have been upgraded. */
function stored<T>(type: TypeTag, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code !== 'malformed-bytes') throw cause;
    const hint = 'its module was upgraded with other fields, or the store is damaged; ask without decode';
    const message = `Annotate the MoveValue error: a stored ${displayType(type)}: ${cause.message}: ${hint}`;
    throw new EngineError('corrupt', message, { cause, details: { hint } });
  }
}

/** A struct in its long form, anything else as a plain value: the form at the top of a state or event. */
export function renderTop(value: MoveValue): JsonValue {
  return value.kind === 'struct' ? renderStruct(value) : renderMoveValue(value);
}

/** A struct in the long form, whatever its type. */
function renderStruct({ layout, fields }: StructValue): JsonValue {
  const members = layout.fields
    .map(({ name }, index) => [name, renderMoveValue(fields[index]!)] as const)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return { abilities: layout.abilities, type: displayStruct(layout.tag), value: Object.fromEntries(members) };
}

/** A value where strings, object ids and decimal values have their short form. */
export function renderMoveValue(value: MoveValue): JsonValue {
  switch (value.kind) {
    case 'bool':
    case 'u8':
    case 'u16':
    case 'u32':
      return value.value;
    case 'u64':
    case 'u128':
    case 'u256':
      return value.value.toString();
    case 'address':
    case 'signer':
      return formatAddress(value.value);
    case 'bytes':
      return toHexPrefixed(value.value);
    case 'vector':
      return value.item.kind === 'struct' && value.items.length > 0
        ? renderTable(value.item, value.items)
        : value.items.map(renderMoveValue);
    case 'struct':
      return renderSpecial(value) ?? renderStruct(value);
  }
}

function renderTable(item: StructLayout, items: readonly MoveValue[]): JsonValue {
  return {
    abilities: item.abilities,
    type: displayStruct(item.tag),
    field: item.fields.map(({ name }) => name),
    value: items.map((row) => (row.kind === 'struct' ? row.fields.map(renderMoveValue) : [])),
  };
}

/** The types that have a short form, by their display name. */
const SPECIAL: ReadonlyMap<string, (value: StructValue) => JsonValue | undefined> = new Map([
  ['0x1::string::String', renderText],
  ['0x1::ascii::String', renderText],
  ['0x2::object::ObjectID', renderObjectId],
  ['0x2::decimal_value::DecimalValue', renderDecimal],
]);

function renderSpecial(value: StructValue): JsonValue | undefined {
  const { name, typeArguments } = value.layout.tag;
  if (typeArguments.length > 0 || (name !== 'String' && name !== 'ObjectID' && name !== 'DecimalValue'))
    return undefined;
  return SPECIAL.get(displayStruct(value.layout.tag))?.(value);
}

/** The text of a string value; bytes that are not UTF-8 are shown as a list of numbers, as in the reference. */
function renderText({ fields: [bytes] }: StructValue): JsonValue | undefined {
  if (bytes?.kind !== 'bytes') return undefined;
  return decodeUtf8(bytes.value) ?? `[${[...bytes.value].join(', ')}]`;
}

function renderObjectId({ fields: [path] }: StructValue): JsonValue | undefined {
  if (path?.kind !== 'vector') return undefined;
  return `0x${path.items.map((part) => (part.kind === 'address' ? formatAddress(part.value).slice(2) : '')).join('')}`;
}

const U64_MAX = 0xffff_ffff_ffff_ffffn;
const DOUBLE_EXACT_MAX = 2n ** 53n;

function renderDecimal({ fields: [value, decimal] }: StructValue): JsonValue | undefined {
  if (value?.kind !== 'u256' || decimal?.kind !== 'u8') return undefined;
  if (decimal.value === 0) return value.value <= U64_MAX ? jsonInteger(value.value) : value.value.toString();
  if (value.value <= DOUBLE_EXACT_MAX) return Number(value.value) / 10 ** decimal.value;
  const digits = value.value.toString().padStart(decimal.value + 1, '0');
  return `${digits.slice(0, -decimal.value)}.${digits.slice(-decimal.value)}`;
}
