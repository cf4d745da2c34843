/**
 * JSON forms, as the tables of spec/interface.md and spec/rpc.md give them: integer or string, hex or decimal, null or
 * not. A form finds what is wrong with a value, or nothing.
 */
import { expect } from 'vitest';
import { ExactNumber, type JsonValue } from '../../../src/server/rpc/json.ts';

/** The first thing that is wrong with a value; undefined if it has the form. */
export type Form = (value: JsonValue | undefined, path: string) => string | undefined;

function form(name: string, isFitting: (value: JsonValue | undefined) => boolean): Form {
  return (value, path) => (isFitting(value) ? undefined : `${path}: expected ${name}, got ${show(value)}`);
}

function show(value: JsonValue | undefined): string {
  if (value instanceof ExactNumber) return value.source;
  if (typeof value === 'bigint') return `${value}n`;
  return (
    JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member)) ?? 'nothing'
  ).slice(0, 200);
}

const matching = (name: string, pattern: RegExp): Form =>
  form(name, (value) => typeof value === 'string' && pattern.test(value));

export const text: Form = form('a string', (value) => typeof value === 'string');
export const boolean: Form = form('a boolean', (value) => typeof value === 'boolean');
export const integer: Form = form('an integer', (value) => typeof value === 'bigint' || Number.isInteger(value));
export const nothing: Form = form('null', (value) => value === null);
export const anything: Form = form('a member', (value) => value !== undefined);
/** u64, u128, u256: a decimal number without leading zeros in a string. */
export const decimal: Form = matching('a decimal string', /^(0|[1-9][0-9]*)$/);
export const hex: Form = matching('hex with 0x', /^0x([0-9a-f]{2})*$/);
export const hash: Form = matching('0x and 64 hex digits', /^0x[0-9a-f]{64}$/);
export const plainHash: Form = matching('64 hex digits', /^[0-9a-f]{64}$/);
export const address: Form = hash;
export const bech32: Form = matching('a rooch1 address', /^rooch1[02-9ac-hj-np-z]{58}$/);
export const bitcoinAddress: Form = matching('a Bitcoin address', /^(bcrt1|bc1|tb1|[123mn])[0-9a-zA-Z]{20,90}$/);
export const objectId: Form = matching('an object id', /^0x([0-9a-f]{64})*$/);
export const typeTag: Form = matching(
  'a type tag',
  /^(0x(0|[1-9a-f][0-9a-f]*)::\w+::\w+(<.*>)?|vector<.*>|bool|u\d+|address)$/,
);
export const functionId: Form = matching('64 hex digits, module and function', /^[0-9a-f]{64}::\w+::\w+$/);

export function exactly(...values: readonly JsonValue[]): Form {
  return form(values.map((value) => JSON.stringify(value)).join(' or '), (value) =>
    values.some((one) => one === value),
  );
}

export function either(...forms: readonly Form[]): Form {
  return (value, path) => {
    const found = forms.map((one) => one(value, path));
    return found.some((problem) => problem === undefined) ? undefined : found.join(', or ');
  };
}

export function nullable(one: Form): Form {
  return either(nothing, one);
}

export function array(item: Form): Form {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path}: expected an array, got ${show(value)}`;
    return first(value.map((entry: JsonValue, index) => item(entry, `${path}[${index}]`)));
  };
}

/** An object with at least these members. */
export function holding(members: Readonly<Record<string, Form>>): Form {
  return (value, path) => {
    if (!isObject(value)) return `${path}: expected an object, got ${show(value)}`;
    return first(Object.entries(members).map(([name, one]) => one(value[name], `${path}.${name}`)));
  };
}

/** An object with these members, no others, in this order. */
export function record(members: Readonly<Record<string, Form>>): Form {
  const names = Object.keys(members);
  return (value, path) => {
    if (!isObject(value)) return `${path}: expected an object, got ${show(value)}`;
    const found = Object.keys(value);
    if (found.join() !== names.join()) return `${path}: expected the members ${names.join()}, got ${found.join()}`;
    return holding(members)(value, path);
  };
}

function isObject(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

/** A decoded value: `{abilities, type, value}`, recursively. */
export const decodedValue: Form = (value, path) =>
  record({
    abilities: integer,
    type: typeTag,
    value: isObject(value) && isObject(value['value']!) ? fields : anything,
  })(value, path);

const fields: Form = (value, path) => {
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  if (names.join() !== [...names].sort().join()) return `${path}: expected sorted members, got ${names.join()}`;
  return first(names.map((name) => nested(value[name]!, `${path}.${name}`)));
};

const nested: Form = (value, path) => {
  if (!isObject(value) || !('abilities' in value)) return undefined;
  if (!('field' in value)) return decodedValue(value, path);
  return record({ abilities: integer, type: typeTag, field: array(text), value: array(array(anything)) })(value, path);
};

export function pageOf(item: Form, cursor: Form): Form {
  return record({ data: array(item), next_cursor: nullable(cursor), has_next_page: boolean });
}

/** Fails with the first thing that is wrong. */
export function expectForm(value: JsonValue | undefined, one: Form): void {
  expect(one(value, 'result')).toBeUndefined();
}

/** A member inside nested objects and arrays: `at(page, 'data', 0, 'value')`. */
export function at(value: JsonValue, ...path: readonly (string | number)[]): JsonValue {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    found = (found as { readonly [name: string]: JsonValue } | undefined)?.[step as string];
  }
  expect(found, path.join('.')).toBeDefined();
  return found!;
}
