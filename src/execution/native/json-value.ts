/**
 * JSON text as parsed and printed by the reference: serde_json 1.0.148, with objects in insertion order.
 *
 * JavaScript's `JSON` differs: integers up to 64 bits are exact, text that is not UTF-8 or has a lone surrogate is
 * refused, nesting is bounded, and other numbers become doubles by the parser's own two roundings, and are printed in
 * its form. These doubles are the one place where floating point decides a result; each step is one IEEE 754 operation,
 * which gives the same bits on every host. Source: RFC 8259; `src/de.rs` and `src/chain/value` of serde_json 1.0.148,
 * zmij 1.0.1 for the form of doubles.
 * @module
 */

import { hasLoneSurrogate } from '../../base/bytes/bytes.ts';

/** Nested arrays and objects. */
const DEPTH_MAX = 127;
const U64_MAX = (1n << 64n) - 1n;
const I64_MIN = -(1n << 63n);
const EXPONENT_MAX = 2 ** 31 - 1;
const ZERO = 0x30;

/** An integer literal that fits u64 or i64 is a bigint; any other number is a double. */
export type ExactJson =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly ExactJson[]
  | ReadonlyMap<string, ExactJson>;

/** The value, or `undefined` for text that is not one JSON value. */
export function parseExactJson(text: string): ExactJson | undefined {
  try {
    return exactJson(JSON.parse(markTokens(text)));
  } catch (error) {
    if (error instanceof JsonFault || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Without white space between tokens. */
export function formatJson(value: ExactJson): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return formatDouble(value);
    case 'object':
      if (value === null) return 'null';
      if (value instanceof Map) {
        const members = [...value].map(([key, member]) => `${JSON.stringify(key)}:${formatJson(member as ExactJson)}`);
        return `{${members.join(',')}}`;
      }
      return `[${(value as readonly ExactJson[]).map(formatJson).join(',')}]`;
    default:
      return String(value);
  }
}

/** Shortest digits that read back, always with a point or an exponent: `1.0`, `0.00001`, `1e-6`, `1e+16`. */
function formatDouble(value: number): string {
  const scientific = Math.abs(value).toExponential();
  const exponent = Number(scientific.split('e')[1]);
  if (exponent < -5 || exponent > 15) return signOf(value) + scientific;
  const text = formatPositional(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** Shortest digits that read back, without an exponent, and without a point for an integer. */
export function formatPositional(value: number): string {
  const [mantissa = '', exponentText] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const digits = mantissa.replace('.', '');
  if (exponent < 0) return `${signOf(value)}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return signOf(value) + (fraction === '' ? whole : `${whole}.${fraction}`);
}

function signOf(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

/** Thrown and caught in this file only. */
class JsonFault extends Error {}

/** An escape, a quote, a number, a bracket. */
const TOKEN = /\\.|"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[[\]{}]/gs;
const NUMBER = /^#(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * Marks each text with a number of its own, as in `"7$text"`, and makes numbers texts that are marked with `#`. So the
 * host's parser checks the grammar, and loses no digits, no repeated names, and not the order of names that are
 * numbers. Malformed numbers, such as `01` or `1.`, become texts that do not form JSON.
 */
function markTokens(text: string): string {
  let depth = 0;
  let texts = 0;
  let isInText = false;
  return text.replace(TOKEN, (token) => {
    if (token === '"') {
      isInText = !isInText;
      return isInText ? `"${texts++}$` : token;
    }
    if (isInText) return token;
    switch (token) {
      case '[':
      case '{':
        if (++depth > DEPTH_MAX) throw new JsonFault();
        return token;
      case ']':
      case '}':
        depth--;
        return token;
      default:
        return token.startsWith('\\') ? token : `"#${token}"`;
    }
  });
}

/** If members have the same name, the first determines the position and the last the value. */
function exactJson(marked: unknown): ExactJson {
  if (typeof marked === 'string') return marked.startsWith('#') ? readNumber(marked) : readText(marked);
  if (Array.isArray(marked)) return marked.map(exactJson);
  if (typeof marked !== 'object' || marked === null) return marked as boolean | null;
  return new Map(Object.entries(marked).map(([name, member]) => [readText(name), exactJson(member)]));
}

/** A number is not a name. */
function readText(marked: string): string {
  const text = marked.slice(marked.indexOf('$') + 1);
  if (marked.startsWith('#') || hasLoneSurrogate(text)) throw new JsonFault();
  return text;
}

function readNumber(marked: string): bigint | number {
  const [, sign, whole = '', fraction, exponent] = NUMBER.exec(marked)!;
  const isNegative = sign === '-';
  if (fraction === undefined && exponent === undefined && whole.length <= 20) {
    const integer = isNegative ? -BigInt(whole) : BigInt(whole);
    // Minus zero is a double, and so are integers that do not fit in 64 bits.
    if (integer <= U64_MAX && integer >= I64_MIN && !(isNegative && integer === 0n)) return integer;
  }
  const magnitude = doubleOf(whole, fraction ?? '', exponent);
  return isNegative ? -magnitude : magnitude;
}

/**
 * The double of a number: as many of its digits as fit a u64, rounded, then multiplied or divided by a power of ten.
 * Digits before the point that do not fit count as zeros; those after it are ignored.
 */
function doubleOf(whole: string, fraction: string, exponent: string | undefined): number {
  const integer = takeDigits(0n, whole);
  const all = takeDigits(integer.significand, fraction);
  const scale = whole.length - integer.taken - all.taken;
  return scaled(all.significand, addExponent(scale, exponent, all.significand === 0n));
}

function takeDigits(start: bigint, digits: string): { readonly significand: bigint; readonly taken: number } {
  let significand = start;
  let taken = 0;
  for (; taken < digits.length; taken++) {
    const next = significand * 10n + BigInt(digits.charCodeAt(taken) - ZERO);
    if (next > U64_MAX) break;
    significand = next;
  }
  return { significand, taken };
}

/** An exponent too large for an i32: if negative, the number is zero; if positive, only zero is allowed. */
function addExponent(scale: number, exponent: string | undefined, isZero: boolean): number {
  if (exponent === undefined) return scale;
  const magnitude = Number(exponent.replace(/^[+-]/, ''));
  if (magnitude > EXPONENT_MAX) {
    if (!isZero && !exponent.startsWith('-')) throw new JsonFault();
    return -Infinity;
  }
  return scale + (exponent.startsWith('-') ? -magnitude : magnitude);
}

const POWERS_OF_TEN: readonly number[] = Array.from({ length: 309 }, (_, exponent) => Number(`1e${exponent}`));

function scaled(significand: bigint, exponent: number): number {
  let value = Number(significand);
  let rest = exponent;
  while (Math.abs(rest) > 308) {
    if (value === 0) return 0;
    if (rest > 0) throw new JsonFault();
    value /= 1e308;
    rest += 308;
  }
  const power = POWERS_OF_TEN[Math.abs(rest)]!;
  const result = rest >= 0 ? value * power : value / power;
  if (result === Number.POSITIVE_INFINITY) throw new JsonFault();
  return result;
}
