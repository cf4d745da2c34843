/**
 * Whether a decoded value has what a test expects of it. Both are compared in the forms that `JSON.stringify` gives, so
 * that `7n`, `7` and `'7'` are the same number, and an address or a hash is its text.
 * @module
 */
import { type PlainJson, plainJson } from '../value/readable.ts';

/** Members that are not expected may be present; lists must have the same number of items. */
export function hasSubset(actual: unknown, expected: unknown): boolean {
  return contains(plainJson(actual), plainJson(expected));
}

function contains(actual: PlainJson, expected: PlainJson): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((item, index) => contains(actual[index], item));
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return false;
    return Object.entries(expected).every(([name, value]) => name in actual && contains(actual[name]!, value));
  }
  const [left, right] = [actual, expected].map((value) => (typeof value === 'number' ? String(value) : value));
  return left === right;
}

function isRecord(value: PlainJson): value is { readonly [name: string]: PlainJson } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
