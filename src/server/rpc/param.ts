/**
 * Parameters: parsed from the JSON of a client into the values that queries take.
 *
 * A parser validates and converts in one step: hex to bytes, decimal strings to bigints, null to a default, a limit to
 * one within bounds. If two wire forms are accepted (a limit as number or string, options as object or boolean), the
 * parser takes both, and the code behind it sees only one. Each parser has the JSON schema that `rpc.discover` shows.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/str_view.rs of the reference.
 * @module
 */
import { fromHex } from '../../base/bytes/bytes.ts';
import { PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX_CURRENT, PAGE_ITEMS_MAX_INTERFACE } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { nodeAddressOf, parseAccount } from '../../bitcoin/address.ts';
import { addressOfTaproot, parseNostrPublicKey } from '../../bitcoin/address-derivation.ts';
import { assertIdCount } from '../../chain/object/access-path.ts';
import { parseFieldKey } from '../../chain/object/field-key.ts';
import { type ObjectId, parseObjectId } from '../../chain/object/object-id.ts';
import { type Address, parseAddress } from '../../move/address.ts';
import { parseStructTag, type StructTag } from '../../move/type-tag.ts';
import type { Position } from '../../store/column.ts';
import type { RpcChain } from './engine.ts';
import { errorOf } from './error.ts';
import { ExactNumber } from './json.ts';
import type { Count, MethodContext } from './method.ts';

/** A JSON schema, as far as this project uses them. */
export type Schema = Readonly<Record<string, unknown>>;

/** Reads a `T`; `G` is what a client may give, for the compiler alone. */
export interface Parser<T, G = never> {
  readonly schema: Schema;
  /** Never set; only its type is used. */
  readonly accepts?: (given: G) => void;
  /**
   * @throws {EngineError} `invalid-argument` whose details hold `expected` and `received`; `path` is put in front by
   * `field` and by the server.
   */
  readonly parse: (value: unknown) => T;
}

/** A parameter of a method, given by position or by name. */
export interface Param<T, G = never> {
  /** In snake case; the camel case spelling is accepted too. */
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly parser: Parser<T, G>;
}

export function required<T, G>(name: string, parser: Parser<T, G>, description: string): Param<T, G> {
  return { name, description, required: true, parser };
}

/** Missing and null both mean `fallback`. */
export function optional<T, F, G>(
  name: string,
  parser: Parser<T, G>,
  fallback: F,
  description: string,
): Param<T | F, G | null | undefined> {
  const parse = (value: unknown): T | F => (value === undefined || value === null ? fallback : parser.parse(value));
  return { name, description, required: false, parser: { schema: parser.schema, parse } };
}

/** The error for an unexpected value. */
export function unexpected(expected: string, value: unknown, hint?: string): EngineError {
  const received = describe(value);
  const advice = hint === undefined ? '' : `; ${hint}`;
  return new EngineError('invalid-argument', `expected ${expected}, got ${received}${advice}`, {
    details: { expected, received, ...(hint === undefined ? {} : { hint }) },
  });
}

const RECEIVED_CHARACTERS_MAX = 80;

function describe(value: unknown): string {
  const text = textOf(value);
  return text.length <= RECEIVED_CHARACTERS_MAX ? text : `${text.slice(0, RECEIVED_CHARACTERS_MAX)}...`;
}

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof ExactNumber) return value.source;
  if (typeof value === 'string') return JSON.stringify(value.slice(0, RECEIVED_CHARACTERS_MAX));
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value !== 'object' || value === null) return String(value);
  const names = Object.keys(value).slice(0, 5);
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ')}`;
}

/** A parser of strings, from a function that throws `invalid-argument` for text it cannot read. */
export function text<T>(expected: string, schema: Schema, read: (text: string) => T): Parser<T, string> {
  return {
    schema: { type: 'string', ...schema },
    parse: (value) => {
      if (typeof value !== 'string') throw unexpected(expected, value);
      try {
        return read(value);
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== 'invalid-argument') throw error;
        throw new EngineError('invalid-argument', error.message, {
          details: { expected, received: describe(value), ...error.details },
          cause: error,
        });
      }
    },
  };
}

export const boolean: Parser<boolean, boolean> = {
  schema: { type: 'boolean' },
  parse: (value) => {
    if (typeof value !== 'boolean') throw unexpected('true or false', value);
    return value;
  },
};

const DECIMAL = /^\+?\d{1,78}$/;

/** An integer from 0 to `max`, as a JSON number or a decimal string; `written` is the maximum in messages. */
export function integerTo(max: bigint, written: string = max.toString()): Parser<bigint, number | bigint | string> {
  return {
    schema: {
      oneOf: [
        { type: 'string', pattern: '^[0-9]+$' },
        { type: 'integer', minimum: 0 },
      ],
    },
    parse: (value) => {
      const number = readInteger(value);
      if (number < 0n || number > max) throw unexpected(`an integer from 0 to ${written}`, value);
      return number;
    },
  };
}

function readInteger(value: unknown): bigint {
  const expected = 'an integer or a decimal string';
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && DECIMAL.test(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (value instanceof ExactNumber || (typeof value === 'number' && Number.isInteger(value))) {
    throw unexpected(expected, value, 'send it as a decimal string: JSON numbers of this size lose digits');
  }
  throw unexpected(expected, value);
}

export const u64Param: Parser<bigint, number | bigint | string> = integerTo(2n ** 64n - 1n);
export const u256Param: Parser<bigint, number | bigint | string> = integerTo(2n ** 256n - 1n, '2^256 - 1');

const U32 = integerTo(0xffff_ffffn);

/** A u32 as a JSON number or a decimal string. */
export const u32Param: Parser<number, number | bigint | string> = {
  schema: {
    oneOf: [
      { type: 'string', pattern: '^[0-9]+$' },
      { type: 'integer', minimum: 0, maximum: 0xffff_ffff },
    ],
  },
  parse: (value) => Number(U32.parse(value)),
};

/**
 * Page size: any u64. The maximum depends on the method family, so here the value is only clamped to what a number can
 * hold.
 */
export const limit: Parser<number, number | bigint | string> = {
  schema: {
    ...u64Param.schema,
    description: `cut to ${PAGE_ITEMS_MAX_INTERFACE} under chain_ and btc_, to ${PAGE_ITEMS_MAX_CURRENT} under rooch_`,
  },
  parse: (value) => {
    const number = u64Param.parse(value);
    return number > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(number);
  },
};

const HEX = /^(0[xX])?([0-9a-fA-F]{2})*$/;

/** Bytes as hex, with or without `0x`. */
export const hex: Parser<Uint8Array, string> = text('hex digits', { pattern: '^(0x)?([0-9a-fA-F]{2})*$' }, fromHex);

/** `hex` whose error says which bytes are expected. */
export function hexOf(expected: string, hint?: string): Parser<Uint8Array, string> {
  return {
    schema: hex.schema,
    parse: (value) => {
      if (typeof value !== 'string' || !HEX.test(value)) throw unexpected(expected, value, hint);
      return fromHex(value);
    },
  };
}

/** A 32-byte hash: exactly 64 hex digits, with or without `0x`. */
export const hash: Parser<Uint8Array, string> = text(
  'a hash of 64 hex digits',
  { pattern: '^(0x)?[0-9a-fA-F]{64}$' },
  (value) => {
    if (!/^(0[xX])?[0-9a-fA-F]{64}$/.test(value)) throw unexpected('a hash of 64 hex digits', value);
    return fromHex(value);
  },
);

/** No order has more digits. */
const ORDER_DIGITS_MAX = 20;

/** A hash, or the order of a transaction. */
export const hashOrOrder: Parser<Uint8Array | bigint, string | number | bigint> = {
  schema: { oneOf: [hash.schema, u64Param.schema] },
  parse: (value) => {
    if (typeof value === 'string' && !DECIMAL.test(value) && value.length <= ORDER_DIGITS_MAX) {
      throw unexpected('a hash of 64 hex digits, or an order', value);
    }
    return (typeof value === 'string' && value.length > ORDER_DIGITS_MAX ? hash : u64Param).parse(value);
  },
};

/** An array of up to `max` items. */
export function array<T, G>(item: Parser<T, G>, max: number): Parser<readonly T[], readonly G[]> {
  return {
    schema: { type: 'array', items: item.schema, maxItems: max },
    parse: (value) => {
      if (!Array.isArray(value)) throw unexpected('an array', value);
      if (value.length > max) throw unexpected(`an array of at most ${max} items`, value);
      return Array.from(value, (entry, index) => at(`[${index}]`, () => item.parse(entry)));
    },
  };
}

type Fields<T> = {
  readonly [K in keyof T]: { readonly parser: Parser<T[K]>; readonly fallback?: { readonly value: T[K] } };
};

export function member<T>(parser: Parser<T>): { readonly parser: Parser<T> } {
  return { parser };
}

/** A member that may be missing or null. */
export interface Member<T> {
  readonly parser: Parser<T>;
  readonly fallback: { readonly value: T };
}

/** `value` is what a missing one means. Default: undefined. */
export function memberOr<T>(parser: Parser<T>): Member<T | undefined>;
export function memberOr<T>(parser: Parser<T>, value: T): Member<T>;
export function memberOr<T>(parser: Parser<T>, value?: T): Member<T | undefined> {
  return { parser, fallback: { value } };
}

/** An object of options that may be missing, as may each of its members. */
export function options<T extends object, G>(
  name: string,
  parser: Parser<T, G>,
  description: string,
): Param<T, G | null | undefined> {
  return optional(name, parser, parser.parse({}), description);
}

/** An object with these members; others are refused, except those in `ignored`. */
export function object<T extends object>(fields: Fields<T>, ignored: readonly string[] = []): Parser<T, unknown> {
  const entries = Object.entries(fields) as unknown as [
    string,
    { parser: Parser<unknown>; fallback?: { value: unknown } },
  ][];
  const names = entries.map(([name]) => name);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { parser }]) => [name, parser.schema])),
      required: entries.filter(([, { fallback }]) => fallback === undefined).map(([name]) => name),
      ...(ignored.length === 0 && { additionalProperties: false }),
    },
    parse: (value) => {
      if (!isObject(value))
        throw unexpected(names.length === 0 ? 'no members' : `an object with ${names.join(', ')}`, value);
      const unknown = Object.keys(value).find((name) => !names.includes(name) && !ignored.includes(name));
      if (unknown !== undefined) throw unknownMember(unknown, names);
      const result: Record<string, unknown> = {};
      for (const [name, { parser, fallback }] of entries) {
        const given = value[name];
        const isMissing = given === undefined || given === null;
        result[name] = isMissing && fallback !== undefined ? fallback.value : at(`.${name}`, () => parser.parse(given));
      }
      return result as T;
    },
  };
}

function unknownMember(name: string, names: readonly string[]): EngineError {
  const nearest = nearestName(name, names);
  const expected = names.length === 0 ? 'no members' : `no members but ${names.join(', ')}`;
  return unexpected(expected, name, nearest && `did you mean ${nearest}?`);
}

/**
 * Members of the reference's read options, all of them. Its SDK sends the same ones with every kind of read, and the
 * reference ignores those that a read does not have.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/rpc_options.rs of the reference.
 */
export const REFERENCE_READ_OPTIONS: readonly string[] = [
  'decode',
  'descending',
  'filterOut',
  'showDisplay',
  'stateRoot',
  'withOutput',
];

/** Options of a read that the reference has too. */
export function readOptions<T extends object>(fields: Fields<T>): Parser<T, unknown> {
  return object<T>(fields, REFERENCE_READ_OPTIONS);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** One way to write a filter: its key, the shape behind it, and what it means. */
export interface FilterForm<T> {
  readonly key: string;
  readonly schema: Schema;
  readonly read: (value: unknown) => T;
}

/** One form of a filter: an object whose key is `key`. */
export function form<T, V>(key: string, parser: Parser<V>, make: (value: V) => T): FilterForm<T> {
  return { key, schema: parser.schema, read: (value) => make(at(`.${key}`, () => parser.parse(value))) };
}

/** An object with exactly one of the forms' keys, or `"all"`, which may also be written `{"all":null}`. */
export function filter<T>(forms: readonly FilterForm<T>[], all: T): Parser<T, unknown> {
  const names = forms.map(({ key }) => key);
  const expected = `"all" or an object with one of ${names.join(', ')}`;
  const objects = forms.map(({ key, schema }) => ({
    type: 'object',
    properties: { [key]: schema },
    required: [key],
    additionalProperties: false,
  }));
  return {
    schema: { oneOf: [{ type: 'string', enum: ['all'] }, ...objects] },
    parse: (value) => {
      if (value === 'all') return all;
      if (!isObject(value)) throw unexpected(expected, value);
      const [key, ...others] = Object.keys(value);
      if (key === 'all' && value[key] === null && others.length === 0) return all;
      const only = forms.find((one) => one.key === key);
      if (only === undefined || others.length > 0) throw unexpected(expected, value);
      return only.read(value[only.key]);
    },
  };
}

/** Runs `parse`, putting `path` in front of the path of an error that it throws. */
export function at<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const inner = typeof error.details['path'] === 'string' ? error.details['path'] : '';
    throw new EngineError(error.code, error.message, {
      details: { ...error.details, path: `${path}${inner}` },
      cause: error,
    });
  }
}

/** An earlier state as a client names it, by one of the two members. */
export type GivenPlace = {
  readonly stateRoot?: string | null;
  readonly order?: Count | null;
};

/** An earlier state, or the head's if neither is given. */
export interface StateOption {
  readonly stateRoot: Uint8Array | undefined;
  readonly order: bigint | undefined;
}

/** The members of an option that names a state. */
export const placeMembers: { readonly [Name in keyof StateOption]: Member<StateOption[Name]> } = {
  stateRoot: memberOr(hash),
  order: memberOr(u64Param),
};

/** `option` of a method that reads a state and has no other options. */
export const placeOption: Param<StateOption, GivenPlace | null | undefined> = options(
  'option',
  readOptions<StateOption>(placeMembers) as Parser<StateOption, GivenPlace>,
  'stateRoot or order: read at this state root, or at the state that the transaction at this order left',
);

/** The chain at the named state, for methods that use no index; an error names the member of the option. */
export function chainAt({ chain }: Pick<MethodContext, 'chain'>, { stateRoot, order }: StateOption): RpcChain {
  if (order !== undefined && stateRoot !== undefined) {
    throw new EngineError('invalid-argument', 'expected stateRoot or order, got both', {
      details: { expected: 'stateRoot or order', received: 'both' },
    });
  }
  const place = order ?? stateRoot;
  if (place === undefined) return chain;
  try {
    return chain.at(place);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    const message = cause.message.replace(/^rootOrOrder(?=: )/, order === undefined ? 'stateRoot' : 'order');
    throw new EngineError(cause.code, message, { details: cause.details, cause });
  }
}

/**
 * Options of a list answered from an index, which is refused with `not-supported` if they name an earlier state; `what`
 * begins the message.
 */
export function ofPresent<T>(what: string, { schema, parse }: Parser<T, unknown>): Parser<T, unknown> {
  return {
    schema,
    parse: (value) => {
      if (isObject(value) && ['stateRoot', 'order'].some((name) => (value[name] ?? undefined) !== undefined)) {
        throw new EngineError(
          'not-supported',
          `${what} comes from an index, which covers only the head: expected no stateRoot or order; objects by their ids, fields, balances, views and proofs can be read at an earlier state`,
        );
      }
      return parse(value);
    },
  };
}

/** `option` of a list answered from an index: it may not name a state. */
export function presentOption(what: string): Param<object, unknown> {
  const parser = { ...ofPresent(what, readOptions({})), schema: { type: 'object', title: 'no option' } };
  return options('option', parser, 'none: the list comes from an index, which covers only the head');
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

/** The forms of a filter by a range: [start, end) in milliseconds, [from, to) in orders. */
export const rangeForms: readonly FilterForm<
  | { readonly kind: 'time'; readonly start: bigint; readonly end: bigint }
  | { readonly kind: 'order'; readonly from: bigint; readonly to: bigint }
>[] = [
  form('time_range', object({ start_time: member(u64Param), end_time: member(u64Param) }), (range) => ({
    kind: 'time',
    start: range.start_time,
    end: range.end_time,
  })),
  form('tx_order_range', object({ from_order: member(u64Param), to_order: member(u64Param) }), (range) => ({
    kind: 'order',
    from: range.from_order,
    to: range.to_order,
  })),
];

/** Transaction hashes in one request. */
const QUERY_HASHES_MAX = 1000;

export const hashes: Parser<readonly Uint8Array[], readonly string[]> = array(hash, QUERY_HASHES_MAX);

/** The error for the filter `"all"` in queries that do not accept it. */
export function notForQueries(what: string): EngineError {
  return new EngineError(
    'not-supported',
    `the filter "all" is not for queries of ${what}: ask for a tx_order_range, or page by order`,
  );
}
