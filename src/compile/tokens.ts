/**
 * The tokens of Move sources: names, numbers, quoted bytes and punctuation, each with its place. Comments are skipped;
 * block comments nest.
 * @module
 */
import { EngineError } from '../base/error.ts';

/** A token; `start` and `end` are offsets in the source. */
export interface Token {
  readonly kind: 'name' | 'number' | 'bytes' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const PIECE =
  /(?<space>\s+)|(?<line>\/\/[^\n]*)|(?<block>\/\*)|(?<bytes>[bx]"(?:\\[\s\S]|[^"\\])*")|(?<number>\d[\w]*)|(?<name>[A-Za-z_]\w*)|(?<mark>::|[\s\S])/y;

/**
 * The tokens of a source.
 * @throws {EngineError} `malformed-source` for a comment or a quotation that does not end
 */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(source);
    if (found === null) break;
    const [text] = found;
    const groups = found.groups ?? {};
    if (groups['block'] !== undefined) {
      at = endOfComment(source, at);
      continue;
    }
    if (text === '"') throw malformed(source, at, 'a quotation that does not end');
    const end = at + text.length;
    const kind = KINDS.find((name) => groups[name] !== undefined);
    if (kind !== undefined) tokens.push({ kind, text, start: at, end });
    at = end;
  }
  return tokens;
}

const KINDS = ['name', 'number', 'bytes', 'mark'] as const;

function endOfComment(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; ) {
    const two = source.slice(at, at + 2);
    if (two === '/*') depth++;
    else if (two === '*/') depth--;
    at += two === '/*' || two === '*/' ? 2 : 1;
    if (depth === 0) return at;
  }
  throw malformed(source, start, 'a comment that does not end');
}

/** The line of an offset; the first is 1. */
export function lineOf(source: string, offset: number): number {
  let line = 1;
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) line++;
  return line;
}

/** The error for a source that cannot be read. */
export function malformed(source: string, offset: number, what: string): EngineError {
  return new EngineError('malformed-source', `line ${lineOf(source, offset)}: ${what}`);
}
