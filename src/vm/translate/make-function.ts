/**
 * The one place where text becomes code.
 *
 * V8 keeps functions by their text, and functions of equal text share what it learns about the types that they see. Two
 * struct classes of two fields, or one generic function at two types, would so slow each other down tenfold (measured on
 * the kernel `packs`). A number in a comment keeps every text apart.
 * @module
 */

let made = 0;

/** A function of `parameters` with `body`. The text must be made of integers and generated names only. */
export function makeFunction(parameters: readonly string[], body: string): (...values: unknown[]) => unknown {
  made++;
  return new Function(...parameters, `"use strict";/*${made}*/${body}`) as (...values: unknown[]) => unknown;
}
