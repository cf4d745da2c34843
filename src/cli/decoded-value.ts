/**
 * Decoded Move values as the command line prints them.
 * @module
 */

import { fromHex } from '../base/bytes/bytes.ts';

const TEXT_TYPE = /^0x1::(?:string|ascii)::String$/;

/** A single value as it is, so that shells can take it. */
export function decodedText(value: unknown): string {
  const read = plain(value);
  const text = typeof read === 'string' ? read : JSON.stringify(read);
  // Addresses in their short form, as in names of types.
  return text.replace(/\b0x0{56,63}([0-9a-f]{1,8})(?=::)/g, '0x$1');
}

/** A decoded value without the types of its structs. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { type, abilities, field, value: inner } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || typeof abilities !== 'number') {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  }
  if (!Array.isArray(field) || !Array.isArray(inner)) return plain(inner);
  // A string in a vector is a struct like any other to a node; alone it is text.
  if (TEXT_TYPE.test(type)) return inner.map(([digits]) => new TextDecoder().decode(fromHex(digits)));
  return inner.map((row: readonly unknown[]) => Object.fromEntries(field.map((name, at) => [name, plain(row[at])])));
}
