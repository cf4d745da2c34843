/**
 * JSON for the wire: every integer keeps all its digits.
 *
 * Reading: an integer that a double cannot hold becomes an `ExactNumber`, which keeps its text: ids are echoed digit
 * for digit, and parameters are refused with a hint instead of being rounded. Writing: a bigint is written as a JSON
 * number. Nesting is bounded both ways. Source: RFC 8259.
 * @module
 */
import { argumentError } from '../../base/argument.ts';
import { EngineError } from '../../base/error.ts';
import { eachInPieces } from '../../store/piece.ts';

/** Objects and arrays of a JSON-RPC message: each may be as short as two characters but takes far more memory. */
export const JSON_LISTS_MAX = 20_000;

/**
 * Integers of a JSON-RPC message that a double cannot hold: each becomes an object, which is slow. Sent as text, they
 * count like any other value.
 */
export const JSON_LONG_INTEGERS_MAX = 5_000;

/** Members of all objects of a JSON-RPC message: objects with many members are the slowest to read for their size. */
export const JSON_MEMBERS_MAX = 20_000;

/**
 * Commas of a JSON-RPC message, that is, values in arrays and members of objects beyond the first of each. A long byte
 * string is one value, as hexadecimal text.
 */
export const JSON_VALUES_MAX = 100_000;

/** A value in an answer; a bigint only if a double would lose digits. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | ExactNumber
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** An integer in a message that a double cannot hold. */
export class ExactNumber {
  /** The digits as they were written. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** How much a JSON text may hold. */
export interface JsonBounds {
  readonly lists: number;
  readonly longIntegers: number;
  readonly members: number;
  readonly values: number;
}

/** Bounds of a message from any client. */
const OF_MESSAGE: JsonBounds = {
  lists: JSON_LISTS_MAX,
  longIntegers: JSON_LONG_INTEGERS_MAX,
  members: JSON_MEMBERS_MAX,
  values: JSON_VALUES_MAX,
};

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads one JSON text. A byte order mark before it is ignored, as RFC 8259 allows.
 * @param bounds Default: those of a message from any client.
 * @throws {EngineError} `malformed-bytes` for text that is not JSON, `limit-exceeded` for more than `depthMax` levels,
 *   JSON_LISTS_MAX objects and arrays, JSON_LONG_INTEGERS_MAX integers beyond 2^53, JSON_MEMBERS_MAX members of objects, or
 *   JSON_VALUES_MAX commas.
 */
export function parseJson(given: string, depthMax: number, bounds: JsonBounds = OF_MESSAGE): unknown {
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
  const integers = unsafeIntegers(text, depthMax, bounds);
  // The host's parser is ten times faster, and what follows must only see valid JSON.
  const value = parseByHost(text);
  return integers.length === 0 ? value : parseExactly(text, integers);
}

function parseByHost(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineError('malformed-bytes', cause instanceof Error ? cause.message : 'expected JSON', { cause });
  }
}

/** Where in the text an integer that a double cannot hold is. */
interface Place {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Checks the text against its limits before anything recurses, and finds its unsafe integers. */
function unsafeIntegers(text: string, depthMax: number, bounds: JsonBounds): readonly Place[] {
  const found: Place[] = [];
  let depth = 0;
  let lists = 0;
  let members = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > depthMax) throw tooMuch(depthMax, 'levels');
      lists++;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    } else if (code === COLON) {
      if (++members > bounds.members) throw tooMuch(bounds.members, 'members of objects');
    } else if (code === COMMA) {
      if (++commas > bounds.values) throw tooMuch(bounds.values, 'commas between values');
    } else if (isNumeric(code)) {
      const end = endOfNumber(text, at);
      if (end - at >= UNSAFE_DIGITS && isUnsafe(text.slice(at, end))) {
        if (found.push({ start: at, end }) > bounds.longIntegers)
          throw tooMuch(bounds.longIntegers, 'integers beyond 2^53');
      }
      at = end - 1;
    }
    if (lists > bounds.lists) throw tooMuch(bounds.lists, 'objects and arrays');
  }
  return found;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;

/** The digits of 2^53. */
const UNSAFE_DIGITS = 16;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === 0x5c) at++;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isNumeric(text.charCodeAt(end))) end++;
  return end;
}

/** Digits, and the characters +-.eE. */
function isNumeric(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e || code === 0x45 || code === 0x65
  );
}

function isUnsafe(token: string): boolean {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token));
}

function tooMuch(expected: number, what: string): EngineError {
  return new EngineError('limit-exceeded', `expected JSON of at most ${expected} ${what}`, { details: { expected } });
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const EXACT = '~exact~';

/**
 * Wraps every unsafe integer in an object, has the host parse the result, and unwraps the numbers: strict grammar
 * without a parser of our own. A message that contains such an object might as well have contained the number.
 */
function parseExactly(text: string, integers: readonly Place[]): unknown {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of integers) {
    pieces.push(text.slice(from, start), `{"${EXACT}":"${text.slice(start, end)}"}`);
    from = end;
  }
  return unwrapExact(parseByHost(pieces.join('') + text.slice(from)));
}

function unwrapExact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapExact);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === EXACT && typeof only[1] === 'string' && INTEGER.test(only[1])) {
    return new ExactNumber(only[1]);
  }
  return Object.fromEntries(entries.map(([name, item]) => [name, unwrapExact(item)]));
}

/** Replaces exact numbers by bigints, for programs in this process. */
export function withBigints(value: JsonValue): JsonValue {
  if (value instanceof ExactNumber) return BigInt(value.source);
  if (Array.isArray(value)) return value.map(withBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withBigints(item)]));
}

/**
 * As `stringifyJson`, for results, which hold no exact numbers. The host's writer is several times faster; it throws for
 * the few values that have bigints.
 */
export function stringifyResult(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return stringifyJson(value);
  }
}

/** As `stringifyResult`, but writes a page a few items at a time and serves other requests in between. */
export async function stringifyInPieces(value: JsonValue): Promise<string> {
  if (!isPage(value)) return stringifyResult(value);
  const { data, ...rest } = value;
  const items = await eachInPieces(data, stringifyResult);
  return pageText(items, rest);
}

/** A page, from the texts of its items and its other members, which follow them. */
export function pageText(items: readonly string[], rest: { readonly [name: string]: JsonValue }): string {
  return `{"data":[${items.join(',')}],${stringifyResult(rest).slice(1)}`;
}

interface WrittenPage {
  readonly [name: string]: JsonValue;
  readonly data: readonly JsonValue[];
  readonly next_cursor: JsonValue;
}

function isPage(value: JsonValue): value is WrittenPage {
  if (typeof value !== 'object' || value === null) return false;
  const [first, second] = Object.keys(value);
  return first === 'data' && second === 'next_cursor' && Array.isArray((value as { readonly data: JsonValue }).data);
}

/** Compact JSON text; bigints and exact numbers as numbers with all their digits. */
export function stringifyJson(value: JsonValue): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'string':
    case 'number':
    case 'boolean':
      return JSON.stringify(value);
    case 'object':
      return stringifyObject(value);
    default:
      throw argumentError('value', 'a JSON value', value);
  }
}

function stringifyObject(value: Exclude<JsonValue, bigint | string | number | boolean>): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  let text = '';
  for (const [name, member] of Object.entries(value as { readonly [name: string]: JsonValue })) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${stringifyJson(member)}`;
  }
  return `{${text}}`;
}

/** A u64 as a JSON integer: a number if that is exact, so that programs need no bigints for ordinary values. */
export function jsonInteger(value: bigint): number | bigint {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
}
