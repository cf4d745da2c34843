/**
 * The one place where text becomes code.
 *
 * V8 caches functions by their text, and functions of equal text share its type feedback. Two struct classes of two
 * fields, or one generic function with two types, would slow each other down.
 * A number in a comment makes every text different.
 * @module
 */

let made = 0;

/** A function of `parameters` with `body`. The text must consist only of integers and generated names. */
export function makeFunction(parameters: readonly string[], body: string): (...values: unknown[]) => unknown {
  made++;
  return new Function(...parameters, `"use strict";/*${made}*/${body}`) as (...values: unknown[]) => unknown;
}
