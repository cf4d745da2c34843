/**
 * JSON text as the reference's parser and printer have it: serde_json 1.0.148, with objects in their order of
 * insertion.
 *
 * JavaScript's `JSON` will not do: integers up to 64 bits are exact, text that is not UTF-8 or has a lone surrogate is
 * refused, nesting is bounded, and other numbers become doubles by the parser's own two roundings, and are printed in
 * its form. These doubles are the one place where floating point decides a result; each step is one IEEE 754 operation,
 * which gives the same bits on every host.
 * Source: RFC 8259; `src/de.rs` and `src/chain/value` of serde_json 1.0.148, zmij 1.0.1 for the form of doubles.
 * @module
 */

/** Nested arrays and objects. */
const DEPTH_MAX = 127;
const U64_MAX = (1n << 64n) - 1n;
const I64_MIN = -(1n << 63n);
const EXPONENT_MAX = 2 ** 31 - 1;
const ZERO = 0x30;
const SPACES = ' \t\n\r';

/** An integer that was written as one and fits u64 or i64 is a bigint; any other number is a double. */
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
  const parser = new JsonParser(text);
  try {
    return parser.whole();
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
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

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const NUMBER = /(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/y;

class JsonParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): ExactJson {
    const value = this.#value();
    this.#space();
    if (this.#at !== this.#text.length) throw new JsonFault();
    return value;
  }

  #space(): void {
    while (this.#at < this.#text.length && SPACES.includes(this.#text.charAt(this.#at))) this.#at++;
  }

  /** The next character that is not white space; empty at the end. */
  #peek(): string {
    this.#space();
    return this.#text.charAt(this.#at);
  }

  #take(expected: string): void {
    if (!this.#text.startsWith(expected, this.#at)) throw new JsonFault();
    this.#at += expected.length;
  }

  #value(): ExactJson {
    switch (this.#peek()) {
      case 'n':
        this.#take('null');
        return null;
      case 't':
        this.#take('true');
        return true;
      case 'f':
        this.#take('false');
        return false;
      case '"':
        return this.#string();
      case '[':
        return this.#nested(() => this.#array());
      case '{':
        return this.#nested(() => this.#object());
      default:
        return this.#number();
    }
  }

  #nested<Value>(read: () => Value): Value {
    if (++this.#depth > DEPTH_MAX) throw new JsonFault();
    const value = read();
    this.#depth--;
    return value;
  }

  #array(): ExactJson[] {
    const items: ExactJson[] = [];
    this.#at++;
    if (this.#peek() !== ']') {
      items.push(this.#value());
      while (this.#peek() === ',') {
        this.#at++;
        items.push(this.#value());
      }
    }
    this.#take(']');
    return items;
  }

  /** If members have the same name, the first determines the position and the last the value. */
  #object(): ReadonlyMap<string, ExactJson> {
    const members = new Map<string, ExactJson>();
    this.#at++;
    if (this.#peek() !== '}') {
      this.#member(members);
      while (this.#peek() === ',') {
        this.#at++;
        this.#member(members);
      }
    }
    this.#take('}');
    return members;
  }

  #member(members: Map<string, ExactJson>): void {
    if (this.#peek() !== '"') throw new JsonFault();
    const name = this.#string();
    this.#space();
    this.#take(':');
    members.set(name, this.#value());
  }

  #string(): string {
    const parts: string[] = [];
    this.#at++;
    for (;;) {
      parts.push(this.#plain());
      const stop = this.#text.charAt(this.#at++);
      if (stop === '"') return parts.join('');
      if (stop !== '\\') throw new JsonFault();
      parts.push(this.#escape());
    }
  }

  /** Characters up to a quote, a backslash, a control character or the end. */
  #plain(): string {
    const start = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code < 0x20 || code === 0x22 || code === 0x5c) break;
    }
    return this.#text.slice(start, this.#at);
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at++);
    if (letter !== 'u') {
      const character = ESCAPES[letter];
      if (character === undefined) throw new JsonFault();
      return character;
    }
    const first = this.#hexDigits();
    if (first >= 0xdc00 && first <= 0xdfff) throw new JsonFault();
    if (first < 0xd800 || first > 0xdbff) return String.fromCharCode(first);
    this.#take('\\u');
    const second = this.#hexDigits();
    if (second < 0xdc00 || second > 0xdfff) throw new JsonFault();
    return String.fromCharCode(first, second);
  }

  #hexDigits(): number {
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new JsonFault();
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }

  #number(): bigint | number {
    NUMBER.lastIndex = this.#at;
    const [text, sign, whole, fraction, exponent] = NUMBER.exec(this.#text) ?? [];
    if (text === undefined || whole === undefined) throw new JsonFault();
    this.#at += text.length;
    // These do not form a number: a digit after a leading zero, a point or an exponent without digits.
    if (/[0-9.eE]/.test(this.#text.charAt(this.#at))) throw new JsonFault();
    const isNegative = sign === '-';
    if (fraction === undefined && exponent === undefined && whole.length <= 20) {
      const integer = isNegative ? -BigInt(whole) : BigInt(whole);
      // Minus zero is a double, and so are integers that do not fit in 64 bits.
      if (integer <= U64_MAX && integer >= I64_MIN && !(isNegative && integer === 0n)) return integer;
    }
    const magnitude = doubleOf(whole, fraction ?? '', exponent);
    return isNegative ? -magnitude : magnitude;
  }
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
