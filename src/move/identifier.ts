/**
 * Names of modules, structs, functions and fields.
 * Source: third_party/move/language/move-core/types/src/identifier.rs of the reference.
 * @module
 */
import type { Codec } from '../base/bcs/codec.ts';
import { string } from '../base/bcs/primitive.ts';
import { EngineError } from '../base/error.ts';

/** Length of a Move identifier in bytes; the module format's own bound. */
export const IDENTIFIER_BYTES_MAX = 255;

const IDENTIFIER = /^(?:[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$/;

/** A letter and then letters, digits or underscores; or an underscore and at least one of these. */
export function isIdentifier(text: string): boolean {
  return text.length <= IDENTIFIER_BYTES_MAX && (IDENTIFIER.test(text) || text === '<SELF>');
}

/** A string that must be an identifier, for reading and writing. */
export const identifier: Codec<string> = {
  write: (writer, value) => string.write(writer, requireIdentifier(value, 'invalid-argument')),
  read: (reader) => requireIdentifier(string.read(reader), 'malformed-bytes'),
};

function requireIdentifier(text: string, code: 'invalid-argument' | 'malformed-bytes'): string {
  if (!isIdentifier(text)) {
    throw new EngineError(code, `expected a Move identifier, got ${JSON.stringify(text.slice(0, 80))}`);
  }
  return text;
}
