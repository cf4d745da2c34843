/**
 * `0x2::decimal_value::DecimalValue` in JSON: a number if a double or u64 represents it exactly enough, otherwise text.
 *
 * A number of any kind is read as a double first, so integers above 2^53 lose digits, as in the reference.
 * Source: moveos/moveos-types/src/moveos_std/decimal_value.rs of the reference; `f64::to_string` of Rust for the text
 * of a double, which never has an exponent.
 * @module
 */
import { fatal } from './conversion.ts';
import type { JsonValue } from './json-value.ts';

export interface DecimalValue {
  /** u256 */
  readonly value: bigint;
  /** How many of its digits are after the point; u8. */
  readonly decimal: number;
}

const U64_MAX = (1n << 64n) - 1n;
const U128_MAX = (1n << 128n) - 1n;
const U256_MAX = (1n << 256n) - 1n;
const DOUBLE_INTEGER_MAX = 1n << 53n;

const WHITE_SPACE = /\p{White_Space}/u;

/** `undefined` for JSON that is not a decimal number. */
export function decimalFromJson(json: JsonValue): DecimalValue | undefined {
  if (typeof json === 'string') return parseDecimal(json);
  if (typeof json === 'number' || typeof json === 'bigint') return parseDecimal(positional(Number(json)));
  return undefined;
}

/** Fatal for a decimal whose power of ten does not fit a u64, unless it is written as text. */
export function decimalToJson({ value, decimal }: DecimalValue): JsonValue {
  if (value > U128_MAX) return formatDecimal(value, decimal);
  if (decimal === 0) return value <= U64_MAX ? value : formatDecimal(value, decimal);
  if (value > DOUBLE_INTEGER_MAX) return formatDecimal(value, decimal);
  const divisor = 10n ** BigInt(decimal);
  return divisor <= U64_MAX ? Number(value) / Number(divisor) : fatal(`expected at most 19 decimals, got ${decimal}`);
}

/** Reads the text of a u256: digits only; no digits mean zero. */
export function parseU256(text: string): bigint | undefined {
  const digits = text.replace(/^0+/, '');
  if (!/^[0-9]{0,78}$/.test(digits)) return undefined;
  const value = digits === '' ? 0n : BigInt(digits);
  return value <= U256_MAX ? value : undefined;
}

function parseDecimal(text: string): DecimalValue | undefined {
  const trimmed = trim(text);
  const [whole = '', fraction = '', ...more] = trimmed.split('.', 3);
  if (trimmed === '' || more.length > 0) return undefined;
  const value = parseU256(whole + fraction);
  return value === undefined ? undefined : { value, decimal: fraction.length & 0xff };
}

/** Without white space around it: that of Unicode, which `String.trim` does not quite remove. */
function trim(text: string): string {
  // From both ends, since an expression that is anchored at the end takes quadratic time for spaces within the text.
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start++;
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function formatDecimal(value: bigint, decimal: number): string {
  if (decimal === 0) return value.toString();
  const digits = value.toString().padStart(decimal + 1, '0');
  return `${digits.slice(0, -decimal)}.${digits.slice(-decimal)}`;
}

/** Shortest digits that read back, without an exponent, and without a point for an integer. */
function positional(value: number): string {
  const [mantissa = '', exponentText] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const digits = mantissa.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`);
}
