/**
 * Parts that answers share: scalars in both forms, decoded values, pages, object metadata, options and cursors.
 *
 * At the top level a struct is always shown as a struct; below it, strings, object ids and decimal values have short
 * forms. A vector of structs becomes a table: field names once, then a row for each element.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/str_view.rs and move_types.rs of the reference.
 * @module
 */

import { decodeUtf8, toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { PAGE_ITEMS_DEFAULT } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { knownHash } from '../../base/hash/unknown-hash.ts';
import { nodeAddressOf, parseAccount } from '../../bitcoin/address.ts';
import { addressOfTaproot, parseNostrPublicKey } from '../../bitcoin/address-derivation.ts';
import { assertIdCount } from '../../chain/object/access-path.ts';
import { parseFieldKey } from '../../chain/object/field-key.ts';
import { formatObjectId, type ObjectId, parseObjectId } from '../../chain/object/object-id.ts';
import type { ObjectMeta } from '../../chain/object/object-state.ts';
import type { Location } from '../../chain/transaction/execution-info.ts';
import {
  type Address,
  formatAddress,
  formatAddressBech32,
  formatAddressShort,
  parseAddress,
} from '../../move/address.ts';
import {
  annotateCounted,
  annotatePrefix,
  type LayoutSource,
  type MoveValue,
  type StructLayout,
  type StructValue,
  UNDECODABLE,
} from '../../move/layout.ts';
import { displayStruct, displayType, parseStructTag, type StructTag, type TypeTag } from '../../move/type-tag.ts';
import type { Page } from '../../query/page.ts';
import type { Position } from '../../store/column.ts';
import { eachInPieces } from '../../store/piece.ts';
import { errorOf } from './error.ts';
import { type JsonValue, jsonInteger } from './json.ts';
import type { Count, MethodContext, Room } from './method.ts';
import {
  array,
  at,
  boolean,
  type GivenPlace,
  hash,
  isObject,
  limit,
  member,
  memberOr,
  object,
  ofPresent,
  optional,
  options,
  type Param,
  type Parser,
  placeMembers,
  readOptions,
  type Schema,
  type StateOption,
  text,
  u32Param,
  u64Param,
  unexpected,
} from './param.ts';

/** Transaction hashes in one request. */
const QUERY_HASHES_MAX = 1000;

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

/** The cursors of pages: orders, or positions. */
export const integers =
  (context: MethodContext) =>
  (value: bigint): JsonInteger =>
    integer(context, value);
export const positions =
  (context: MethodContext, indexName: string) =>
  (value: Position): JsonPosition =>
    position(context, value, indexName);

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

const ADDRESS_FORMS = 'an address: 0x and up to 64 hex digits, rooch1..., npub1... or a Bitcoin address';

/** Text that looks like one of these forms, whose own error then helps: a checksum, a length. */
const ADDRESS_LIKE = /^(?:0x|rooch1|npub1|bc1|tb1|bcrt1|[123mn][0-9a-z]{24}|[0-9a-f]{64}$)/i;

/** An account, in any form of its address. */
export const unitedAddress: Parser<Address, string> = text(ADDRESS_FORMS, { title: 'address' }, (value) => {
  if (!ADDRESS_LIKE.test(value)) throw unexpected(ADDRESS_FORMS, value);
  // Bech32 may be all upper case, as in QR codes.
  if (/^npub1/i.test(value)) return nodeAddressOf(addressOfTaproot(parseNostrPublicKey(value)));
  return parseAccount(value);
});

/** A node address: hex or bech32m. */
export const nodeAddress: Parser<Address, string> = text(
  'an address: 0x and up to 64 hex digits, or rooch1...',
  { title: 'address' },
  parseAddress,
);

export const structTagParser: Parser<StructTag, string> = text(
  'a struct type <address>::<module>::<name>',
  { title: 'type tag' },
  parseStructTag,
);

export const objectIdParser: Parser<ObjectId, string> = text(
  'an object id: 0x and hex digits, or a struct type',
  { title: 'object id' },
  parseObjectId,
);

export const fieldKeyParser: Parser<Uint8Array, string> = text(
  'a field key: 0x and up to 64 hex digits',
  { title: 'field key' },
  parseFieldKey,
);

/** Object ids in one string, joined by commas; empty pieces are skipped. */
export const objectIds: Parser<readonly ObjectId[], string> = text(
  'object ids joined by commas',
  { title: 'object ids' },
  boundedIds((value) => {
    const pieces = value.split(',').map((piece) => piece.trim());
    const ids = pieces.filter((piece) => piece !== '');
    assertIdCount(ids.length);
    return ids.map(parseObjectId);
  }),
);

/** Wraps a reader that limits the number of ids: too many give the same error as in the query. */
export function boundedIds<T>(read: (text: string) => T): (text: string) => T {
  return (given) => {
    try {
      return read(given);
    } catch (error) {
      throw error instanceof EngineError && error.code === 'limit-exceeded' ? errorOf(error) : error;
    }
  };
}

function positionCursor(indexName: string): Parser<Position, unknown> {
  return {
    schema: {
      type: 'object',
      properties: { tx_order: u64Param.schema, [indexName]: u32Param.schema },
      required: ['tx_order', indexName],
    },
    parse: (value) => {
      if (!isObject(value)) throw unexpected(`a cursor with tx_order and ${indexName}`, value);
      return {
        order: at('.tx_order', () => u64Param.parse(value['tx_order'])),
        index: at(`.${indexName}`, () => u32Param.parse(value[indexName])),
      };
    },
  };
}

/** Options of a state query as a client writes them. */
export type GivenStateOptions = GivenPlace & {
  readonly decode?: boolean | null;
  readonly showDisplay?: boolean | null;
};

/** Options of a query as a client writes them; a boolean means descending. */
export type GivenQueryOptions =
  | boolean
  | {
      readonly descending?: boolean | null;
      readonly decode?: boolean | null;
      readonly showDisplay?: boolean | null;
      readonly filterOut?: boolean | null;
    };

/** A range of a filter as a client writes it: milliseconds, or orders; ends are exclusive. */
export type GivenRange =
  | { readonly time_range: { readonly start_time: Count; readonly end_time: Count } }
  | { readonly tx_order_range: { readonly from_order: Count; readonly to_order: Count } };

export interface StateRenderOptions extends StateOption {
  readonly decode: boolean;
  readonly showDisplay: boolean;
}

export const stateOptions: Param<StateRenderOptions, unknown> = options(
  'state_option',
  readOptions({ decode: memberOr(boolean, false), showDisplay: memberOr(boolean, false), ...placeMembers }),
  'decode: decode values; showDisplay: fill display fields; stateRoot or order: read at this state root, or at the state that the transaction at this order left',
);

export interface QueryOptions {
  readonly descending: boolean;
  readonly decode: boolean;
  readonly showDisplay: boolean;
  readonly filterOut: boolean;
}

/** `query_option`: an object, or a boolean that means descending. */
export function queryOptions(descending: boolean): Param<QueryOptions, unknown> {
  const { schema, parse } = readOptions({
    descending: memberOr(boolean, descending),
    decode: memberOr(boolean, false),
    showDisplay: memberOr(boolean, false),
    filterOut: memberOr(boolean, false),
  });
  const parser: Parser<QueryOptions, unknown> = {
    schema: { oneOf: [schema, { type: 'boolean', description: 'descending' }] },
    parse: (value) => parse(typeof value === 'boolean' ? { descending: value } : value),
  };
  return options(
    'query_option',
    ofPresent('this list', parser),
    'descending: newest first; decode: decode values; or a boolean: descending',
  );
}

export const descendingOrder: Param<boolean, boolean | null | undefined> = optional(
  'descending_order',
  boolean,
  true,
  'newest first',
);

/** `limit`. The maximum depends on the method family, so `pageLimit` clamps the value. */
export const limitParam: Param<number | undefined, Count | null | undefined> = optional(
  'limit',
  limit,
  undefined,
  'items of the page, as a number or decimal string',
);

/** The requested page size, within the bounds. */
export function pageLimit(context: MethodContext, asked: number | undefined): number {
  return Math.min(asked ?? PAGE_ITEMS_DEFAULT, context.pageItemsMax);
}

/** A cursor that is an order or sequence number. */
export const numberCursor: Param<bigint | undefined, Count | null | undefined> = optional(
  'cursor',
  u64Param,
  undefined,
  'where the page starts, exclusive: next_cursor of the page before',
);

export function positionCursorParam(indexName: string): Param<Position | undefined, unknown> {
  return optional(
    'cursor',
    positionCursor(indexName),
    undefined,
    'where the page starts, exclusive: next_cursor of the page before',
  );
}

export function pageSchema(item: Schema, cursor: Schema): Schema {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: item },
      next_cursor: { oneOf: [cursor, { type: 'null' }] },
      has_next_page: { type: 'boolean' },
    },
    required: ['data', 'next_cursor', 'has_next_page'],
  };
}

/** Ranges of filters: [start, end) in milliseconds, [from, to) in orders. */
export const timeRange: Parser<{ start_time: bigint; end_time: bigint }> = object({
  start_time: member(u64Param),
  end_time: member(u64Param),
});
export const orderRange: Parser<{ from_order: bigint; to_order: bigint }> = object({
  from_order: member(u64Param),
  to_order: member(u64Param),
});

export const hashes: Parser<readonly Uint8Array[], readonly string[]> = array(hash, QUERY_HASHES_MAX);

/** The error for the filter `"all"` in queries that do not accept it. */
export function notForQueries(what: string): EngineError {
  return new EngineError(
    'not-supported',
    `the filter "all" is not for queries of ${what}: ask for a tx_order_range, or page by order`,
  );
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
