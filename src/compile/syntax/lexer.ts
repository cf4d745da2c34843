/**
 * The tokens of Move sources, read one by one. Spaces and comments are skipped; block comments nest.
 *
 * Source: the token rules of the reference's `move-compiler/src/parser/lexer.rs`.
 * @module
 */
import type { Diagnostics } from '../text/diagnostic.ts';
import { Syntax } from '../text/diagnostic-kind.ts';
import type { SourceText, Span } from '../text/source-text.ts';

/** Keywords and punctuation are their own kind. */
export type TokenKind = 'name' | 'number' | 'typedNumber' | 'string' | 'end' | Keyword | Punctuation;

const KEYWORDS = [
  'abort',
  'acquires',
  'as',
  'break',
  'const',
  'continue',
  'copy',
  'else',
  'false',
  'friend',
  'fun',
  'if',
  'inline',
  'invariant',
  'let',
  'loop',
  'module',
  'move',
  'native',
  'public',
  'return',
  'script',
  'spec',
  'struct',
  'true',
  'use',
  'while',
] as const;
type Keyword = (typeof KEYWORDS)[number];
const KEYWORD_SET: ReadonlySet<string> = new Set(KEYWORDS);

export function isKeyword(word: string): boolean {
  return KEYWORD_SET.has(word);
}

/** Longer ones first, so that the first that fits is the longest. `&mut` has its space, without which it is `&`. */
const PUNCTUATION = [
  '<==>',
  '==>',
  '&mut ',
  '&&',
  '||',
  '==',
  '!=',
  '<=',
  '<<',
  '>=',
  '>>',
  '::',
  '..',
  '&',
  '|',
  '=',
  '!',
  '<',
  '>',
  ':',
  '.',
  '%',
  '(',
  ')',
  '[',
  ']',
  '*',
  '+',
  ',',
  '-',
  '/',
  ';',
  '^',
  '{',
  '}',
  '#',
  '@',
] as const;
type Punctuation = (typeof PUNCTUATION)[number];
const PUNCTUATION_BY_FIRST: ReadonlyMap<string, readonly Punctuation[]> = new Map(
  PUNCTUATION.map(({ 0: first }) => [first!, PUNCTUATION.filter((text) => text[0] === first)]),
);

const NUMBER = /(?:0x[0-9a-fA-F_]+|[0-9][0-9_]*)(u8|u16|u32|u64|u128|u256)?/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** To the closing quote, which is on the same line. */
const STRING = /[xb]"(?:\\[^\n]|[^"\\\n])*"/y;
const BYTES_NOTE = 'bytes are written b"hello", and `std::string::utf8(b"hello")` makes a String of them';
const REST_OF_LINE = /[^\r\n]*/y;
/** The first character that sources do not have: all but printable ASCII, tabs and ends of lines. */
const FOREIGN = /[^\t\n\r\x20-\x7e]|\r(?!\n)/;

/** A source that cannot be read on from here; the diagnostic for it has been added. */
export class UnreadableSource extends Error {}

interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** Reads the tokens of a source; at first the current token is the first one. */
export class Lexer {
  readonly source: SourceText;
  readonly diagnostics: Diagnostics;
  /** Of the current token. */
  kind: TokenKind = 'end';
  start = 0;
  end = 0;
  /** The end of the token before. */
  previousEnd = 0;
  /** Where the braces are that are open before the current token. */
  readonly #openBraces: number[] = [];
  readonly #text: string;
  /** Documentation comments that belong to no item yet. */
  #docComments: Token[] = [];

  /** @throws {UnreadableSource} */
  constructor(source: SourceText, diagnostics: Diagnostics) {
    this.source = source;
    this.diagnostics = diagnostics;
    this.#text = source.text;
    const foreign = FOREIGN.exec(this.#text);
    if (foreign !== null) {
      this.#fail(Syntax.character, foreign.index, foreign.index, `sources are in ASCII, this is ${shown(foreign[0])}`);
    }
    this.#take(this.#read(0, true));
  }

  /** The text of the current token. */
  get text(): string {
    return this.#text.slice(this.start, this.end);
  }

  /** How many braces are open before the current token. */
  get braceDepth(): number {
    return this.#openBraces.length;
  }

  /** Where the innermost of them is. */
  get openBrace(): number | undefined {
    return this.#openBraces.at(-1);
  }

  /** Of the current token. */
  get span(): Span {
    return this.spanOf(this.start, this.end);
  }

  spanOf(start: number, end: number): Span {
    return { source: this.source, start, end };
  }

  /** From `start` to the end of the token before the current one. */
  spanSince(start: number): Span {
    return this.spanOf(start, this.previousEnd);
  }

  /** @throws {UnreadableSource} */
  advance(): void {
    if (this.kind === '{') this.#openBraces.push(this.start);
    else if (this.kind === '}') this.#openBraces.pop();
    this.previousEnd = this.end;
    this.#take(this.#read(this.end, true));
  }

  /** The kinds of the next two tokens, without moving on; `end` for what cannot be read. */
  ahead(): readonly [TokenKind, TokenKind] {
    const first = this.#peek(this.end);
    return [first.kind, this.#peek(first.end).kind];
  }

  /** Cuts the current token, `>>`, to its first character; the rest is read again. */
  splitShift(): void {
    this.kind = '>';
    this.end = this.start + 1;
  }

  /** Takes documentation comments right before the current token as those of an item. */
  attachDocComments(): void {
    this.#docComments = this.#docComments.filter(({ start }) => start < this.previousEnd || start >= this.start);
  }

  /** Warns of documentation comments that no item has. */
  reportLooseDocComments(): void {
    for (const { start, end } of this.#docComments) {
      this.diagnostics.add(Syntax.docComment, this.spanOf(start, end), 'there is nothing here that this documents');
    }
  }

  #take({ kind, start, end }: Token): void {
    this.kind = kind;
    this.start = start;
    this.end = end;
  }

  #peek(offset: number): Token {
    try {
      return this.#read(offset, false);
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error;
      return { kind: 'end', start: offset, end: offset };
    }
  }

  /** The token at or after an offset. `isKept`: its comments and errors count. */
  #read(offset: number, isKept: boolean): Token {
    const start = this.#skipBlank(offset, isKept);
    const first = this.#text[start];
    if (first === undefined) return { kind: 'end', start, end: start };
    if (first >= '0' && first <= '9') return this.#number(start);
    if ((first === 'x' || first === 'b') && this.#text[start + 1] === '"') return this.#string(start, isKept);
    const name = matchAt(NAME, this.#text, start)?.[0];
    if (name !== undefined) {
      return { kind: KEYWORD_SET.has(name) ? (name as Keyword) : 'name', start, end: start + name.length };
    }
    const mark = PUNCTUATION_BY_FIRST.get(first)?.find((text) => this.#text.startsWith(text, start));
    if (mark !== undefined) return { kind: mark, start, end: start + mark.length };
    const notes = first === '"' ? [BYTES_NOTE] : [];
    return this.#fail(Syntax.character, start, start, `no token begins with ${shown(first)}`, isKept, notes);
  }

  #number(start: number): Token {
    const found = matchAt(NUMBER, this.#text, start)!;
    return { kind: found[1] === undefined ? 'number' : 'typedNumber', start, end: start + found[0].length };
  }

  #string(start: number, isKept: boolean): Token {
    const found = matchAt(STRING, this.#text, start);
    if (found !== null) return { kind: 'string', start, end: start + found[0].length };
    const kind = this.#text[start] === 'x' ? Syntax.hexString : Syntax.byteString;
    const end = start + matchAt(REST_OF_LINE, this.#text, start)![0].length;
    return this.#fail(kind, start, end, 'the closing quote (") is missing on this line', isKept);
  }

  /** The offset of what comes after spaces and comments. */
  #skipBlank(offset: number, isKept: boolean): number {
    for (let at = offset; ; ) {
      const character = this.#text[at];
      if (character === ' ' || character === '\t' || character === '\n' || character === '\r') at++;
      else if (character !== '/') return at;
      else if (this.#text[at + 1] === '/') at = this.#skipLine(at, isKept);
      else if (this.#text[at + 1] === '*') at = this.#skipComment(at, isKept);
      else return at;
    }
  }

  #skipLine(start: number, isKept: boolean): number {
    const found = this.#text.indexOf('\n', start);
    const end = found === -1 ? this.#text.length : found;
    const isDoc = this.#text.startsWith('///', start) && this.#text[start + 3] !== '/';
    if (isDoc && isKept) this.#docComments.push({ kind: 'end', start, end });
    return end;
  }

  #skipComment(start: number, isKept: boolean): number {
    const isDoc = this.#text.startsWith('/**', start) && this.#text[start + 3] !== '*';
    const open: number[] = [];
    const mark = /\/\*|\*\//g;
    mark.lastIndex = start;
    for (let found = mark.exec(this.#text); found !== null; found = mark.exec(this.#text)) {
      if (found[0] === '/*') open.push(found.index);
      else open.pop();
      if (open.length > 0) continue;
      if (isDoc && isKept) this.#docComments.push({ kind: 'end', start, end: mark.lastIndex });
      return mark.lastIndex;
    }
    const last = open.at(-1)!;
    const end = last + (isDoc && open.length === 1 ? 3 : 2);
    return this.#fail(Syntax.endlessComment, last, end, 'this comment does not end', isKept);
  }

  #fail(
    kind: (typeof Syntax)[keyof typeof Syntax],
    start: number,
    end: number,
    message: string,
    isKept = true,
    notes: readonly string[] = [],
  ): never {
    if (isKept) this.diagnostics.add(kind, this.spanOf(start, end), message, [], notes);
    throw new UnreadableSource(message);
  }
}

function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** A character as users may see it, by its number if it is none that is shown. */
function shown(character: string): string {
  const code = character.codePointAt(0)!;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 0x20 && code < 0x7f ? `'${character}'` : number;
}
