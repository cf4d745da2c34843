/**
 * Whether a decoded value has what a test expects of it. Numbers are compared in the forms that `JSON.stringify` gives,
 * so that `7n`, `7` and `'7'` are equal; an address may be written in any form or be an account; and a test runner's
 * asymmetric matchers (`expect.any(String)`) decide for themselves.
 * @module
 */
import { argumentError } from '../base/argument.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { invalidArgument, unlessRefused } from '../base/error.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { addressNamedBy, parseAccount } from '../bitcoin/address.ts';
import { LazyReadable, type PlainJson, plainJson } from '../chain/value/readable.ts';
import { formatAddress } from '../move/address.ts';
import { Account } from '../query/account.ts';

/** What `expect.any(String)` and the like have in every test runner. */
interface AsymmetricMatcher {
  asymmetricMatch(actual: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

/**
 * Refuses what no decoded value can equal, and what must be a mistake: a member that is undefined, a promise or a map would
 * otherwise expect nothing, and so match everything.
 * @throws {EngineError} `invalid-argument`
 */
export function assertComparable(expected: unknown, path: string): void {
  if (isAsymmetric(expected) || typeof expected === 'bigint' || typeof expected === 'boolean') return;
  if (typeof expected === 'string' || expected === null || expected instanceof Uint8Array) return;
  if (typeof expected === 'number') {
    if (Number.isSafeInteger(expected)) return;
    throw argumentError(path, 'a whole number below 2^53, or a bigint', expected);
  }
  if (typeof expected !== 'object') throw argumentError(path, 'a value to compare with', expected);
  if (Array.isArray(expected)) {
    for (const [index, item] of expected.entries()) assertComparable(item, `${path}[${index}]`);
  } else if (!saysItsJson(expected)) {
    const members = Object.entries(expected);
    if (members.length === 0 && !isPlain(expected)) {
      throw argumentError(path, 'an object with the expected members', expected);
    }
    for (const [name, member] of members) assertComparable(member, `${path}.${name}`);
  }
}

/**
 * Refuses members that none of the values has: with a misspelt name, `not` would always pass.
 * @param what the values are
 * @throws {EngineError} `invalid-argument`
 */
export function assertPossible(expected: unknown, path: string, what: string, values: readonly unknown[]): void {
  if (!isRecord(expected) || isAsymmetric(expected) || saysItsJson(expected)) return;
  const records = values.filter(isRecord);
  if (records.length === 0) return;
  for (const [name, member] of Object.entries(expected)) {
    const having = records.filter((value) => Object.hasOwn(value, name));
    if (having.length > 0) {
      assertPossible(
        member,
        `${path}.${name}`,
        'it',
        having.map((value) => value[name]),
      );
      continue;
    }
    const names = [...new Set(records.flatMap((value) => Object.keys(value)))];
    const [hint] = didYouMean(name, names);
    const rest = hint === undefined ? '; it has' : `; ${hint} It has`;
    throw invalidArgument(`${path}.${name}: ${what} has no such member${rest} ${names.join(', ')}`);
  }
}

/** Members that are not expected may be present; lists must have the same length. */
export function hasSubset(actual: unknown, expected: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  if (expected instanceof Uint8Array) return isEqualBytes(actual, expected);
  if (Array.isArray(expected)) return isEqualList(actual instanceof Uint8Array ? [...actual] : actual, expected);
  if (typeof expected !== 'object' || expected === null) return isEqual(actual, expected);
  const address = typeof actual === 'string' ? addressNamedBy(expected) : undefined;
  if (address !== undefined) return hasSubset(actual, address);
  if (saysItsJson(expected)) return hasSubset(actual, expected.toJSON());
  const members = actual instanceof LazyReadable ? actual.shown() : actual;
  if (!isRecord(members)) return false;
  return Object.entries(expected).every(([name, value]) => {
    return Object.hasOwn(members, name) && hasSubset(members[name], value);
  });
}

/** Why a value does not have what is expected of it, a line for each member: `amount: expected 101, got 100`. */
export function differences(actual: unknown, expected: unknown, path = ''): string[] {
  if (hasSubset(actual, expected)) return [];
  const isNested = isRecord(expected) && !isAsymmetric(expected) && !saysItsJson(expected);
  if (isNested && isRecord(actual)) {
    return Object.entries(expected).flatMap(([name, member]) => {
      return differences(actual[name], member, path === '' ? name : `${path}.${name}`);
    });
  }
  const place = path === '' ? '' : `${path}: `;
  return [`${place}expected ${memberText(expected)}, got ${memberText(actual)}`];
}

/** Numbers and addresses as they are, everything else as JSON. */
function memberText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value === undefined) return 'nothing';
  return expectedText(value).replace(/^"(0x[0-9a-f]*)"$/, '$1');
}

/** What is expected, on one line. */
export function expectedText(expected: unknown): string {
  return JSON.stringify(expectedJson(expected));
}

function expectedJson(expected: unknown): PlainJson {
  if (isAsymmetric(expected)) return expected.toAsymmetricMatcher?.() ?? String(expected);
  if (Array.isArray(expected)) return expected.map(expectedJson);
  if (expected instanceof Uint8Array) return toHexPrefixed(expected);
  if (expected instanceof Account) return expected.address;
  if (typeof expected !== 'object' || expected === null || saysItsJson(expected)) return plainJson(expected);
  return Object.fromEntries(Object.entries(expected).map(([name, member]) => [name, expectedJson(member)]));
}

function isEqualBytes(actual: unknown, expected: Uint8Array): boolean {
  return actual instanceof Uint8Array ? equalBytes(actual, expected) : actual === toHexPrefixed(expected);
}

function isEqualList(actual: unknown, expected: readonly unknown[]): boolean {
  if (!Array.isArray(actual) || actual.length !== expected.length) return false;
  return expected.every((item, index) => hasSubset(actual[index], item));
}

function isEqual(actual: unknown, expected: unknown): boolean {
  const [left, right] = [actual, expected].map((value) =>
    typeof value === 'number' ? String(value) : plainJson(value),
  );
  return left === right || (typeof actual === 'string' && typeof expected === 'string' && isAddress(actual, expected));
}

/** Whether both texts are the same address, the second in any of its forms. */
function isAddress(actual: string, text: string): boolean {
  const isWhole = /^0x[0-9a-f]{64}$/.test(actual);
  return isWhole && unlessRefused(() => formatAddress(parseAccount(text))) === actual;
}

function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return typeof (value as Partial<AsymmetricMatcher> | null | undefined)?.asymmetricMatch === 'function';
}

/** Decoded structs have `toJSON`. Node's buffers have it too, but are compared as bytes before this is reached. */
function saysItsJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** True for plain objects of another realm too, as Jest's are. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
