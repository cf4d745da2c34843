/**
 * Names of modules, structs, functions and fields, and the files that a build writes for modules.
 * Source: third_party/move/language/move-core/types/src/identifier.rs of the reference.
 * @module
 */
import { type Codec, string } from '../base/bcs.ts';
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

interface Named {
  /** As text; it precedes the name of a file if modules of different addresses share a name. */
  readonly address: string;
  readonly name: string;
}

/**
 * The name of a module's file among those of `all`, without its extension. No two names differ only in case, since many
 * file systems would treat them as one file.
 */
export function fileNameOf({ address, name }: Named, all: readonly Named[]): string {
  const alike = all.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  if (alike.length <= 1) return name;
  const there = alike.filter((each) => each.address === address).map((each) => each.name);
  const number = [...new Set(there)].sort().indexOf(name);
  return number > 0 ? `${address}-${name}-${number + 1}` : `${address}-${name}`;
}
