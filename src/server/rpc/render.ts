/**
 * Parts that answers share: scalars in both forms, decoded values, pages, object metadata.
 *
 * At the top level a struct is always shown as a struct; below it, strings, object ids and decimal values have short
 * forms. A vector of structs becomes a table: field names once, then a row for each element.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/str_view.rs and move_types.rs of the reference.
 * @module
 */

import { decodeUtf8, toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { knownHash } from '../../base/hash/unknown-hash.ts';
import { formatObjectId } from '../../chain/object/object-id.ts';
import type { ObjectMeta } from '../../chain/object/object-state.ts';
import type { Location } from '../../chain/transaction/execution-info.ts';
import { type Address, formatAddress, formatAddressBech32, formatAddressShort } from '../../move/address.ts';
import {
  annotateCounted,
  annotatePrefix,
  type LayoutSource,
  type MoveValue,
  type StructLayout,
  type StructValue,
  UNDECODABLE,
} from '../../move/layout.ts';
import { displayStruct, displayType, type TypeTag } from '../../move/type-tag.ts';
import type { Page } from '../../query/page.ts';
import type { Position } from '../../store/column.ts';
import { eachInPieces } from '../../store/piece.ts';
import { type JsonValue, jsonInteger } from './json.ts';
import type { MethodContext, Room } from './method.ts';

/** A number, or a bigint if a double cannot hold it; a decimal string in the current form. */
export type JsonInteger = number | bigint | string;

/** A field that the interface calls integer: a JSON integer there, a decimal string in the current form. */
export function integer(context: MethodContext, value: bigint | number): JsonInteger {
  const number = BigInt(value);
  return context.forms === 'interface' ? jsonInteger(number) : number.toString();
}

/** An owner or sender: hex in the interface's form, bech32m in the current one. */
export function renderAccount(context: MethodContext, value: Address): string {
  return context.forms === 'interface' ? formatAddress(value) : formatAddressBech32(value);
}

/** Where Move code failed. */
export function renderLocation(context: MethodContext, place: Location): string {
  if (place.kind === 'script') return 'script';
  const owner = context.forms === 'interface' ? toHex(place.address) : formatAddressShort(place.address);
  return `${owner}::${place.name}`;
}

/** The text of the Bitcoin address behind a node address, or null if the chain knows none. */
export function bitcoinAddressText(context: MethodContext, owner: Address): string | null {
  return context.chain.bitcoin.addressOf(owner) ?? null;
}

export function position(context: MethodContext, value: Position, indexName: string): JsonPosition {
  return { tx_order: integer(context, value.order), [indexName]: integer(context, value.index) };
}

/** A position as a cursor: `tx_order`, and `event_index` or `state_index`. */
export type JsonPosition = { readonly [name: string]: JsonInteger };

/** A page of an answer. */
export type JsonPage<T extends JsonValue, C extends JsonValue> = {
  data: T[];
  next_cursor: C | null;
  has_next_page: boolean;
};

/** Renders a page a few items at a time, so that other requests are served in between. */
export async function page<T, C, J extends JsonValue, K extends JsonValue>(
  found: Page<T, C>,
  item: (value: T) => J | Promise<J>,
  cursor: (value: C) => K,
): Promise<JsonPage<J, K>> {
  return {
    data: await eachInPieces(found.data, item),
    next_cursor: found.nextCursor === undefined ? null : cursor(found.nextCursor),
    has_next_page: found.hasNextPage,
  };
}

/** The members that start every state view. */
export function metadata(
  context: MethodContext,
  meta: ObjectMeta,
  ownerBitcoinAddress: JsonValue,
): Record<string, JsonValue> {
  return {
    id: formatObjectId(meta.id),
    owner: renderAccount(context, meta.owner),
    owner_bitcoin_address: ownerBitcoinAddress,
    flag: meta.flag,
    state_root: meta.stateRoot === undefined ? null : knownHash(meta.stateRoot),
    size: meta.size.toString(),
    created_at: meta.createdAt.toString(),
    updated_at: meta.updatedAt.toString(),
    object_type: displayStruct(meta.objectType),
  };
}

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
    const hint = `${UNDECODABLE}; ask without decode`;
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
