/**
 * Attributes of Move declarations: `#[test]`, `#[private_generics(T)]`, `#[expected_failure(abort_code = 1)]`.
 * @module
 */
import { malformed, type Token } from './tokens.ts';

/** One attribute; `#[a, b(c)]` are two. */
export interface Attribute {
  readonly name: string;
  /** What follows `=`, as text without spaces: `@0x1`, `a::b::C`, `3`. */
  readonly value: string | undefined;
  /** The attributes in its brackets. */
  readonly items: readonly Attribute[];
}

/**
 * Reads the attributes of the group whose `#` is token `at`.
 * @throws {EngineError} `malformed-source`
 */
export function readAttributes(
  source: string,
  tokens: readonly Token[],
  at: number,
): { readonly attributes: readonly Attribute[]; readonly next: number } {
  const reader = new AttributeReader(source, tokens, at + 1);
  const attributes = reader.list('[', ']');
  return { attributes, next: reader.at };
}

class AttributeReader {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  at: number;

  constructor(source: string, tokens: readonly Token[], at: number) {
    this.#source = source;
    this.#tokens = tokens;
    this.at = at;
  }

  list(opening: string, closing: string): Attribute[] {
    this.#expect(opening);
    const found: Attribute[] = [];
    while (this.#text() !== closing) {
      found.push(this.#attribute());
      if (this.#text() !== closing) this.#expect(',');
    }
    this.at++;
    return found;
  }

  #attribute(): Attribute {
    const name = this.#path();
    if (this.#text() === '(') return { name, value: undefined, items: this.list('(', ')') };
    if (this.#text() !== '=') return { name, value: undefined, items: [] };
    this.at++;
    return { name, value: this.#value(), items: [] };
  }

  #value(): string {
    if (this.#text() !== '@') return this.#path();
    this.at++;
    return `@${this.#path()}`;
  }

  /** A word, a literal, or words joined by `::`. */
  #path(): string {
    const { kind, text } = this.#next();
    if (kind === 'mark') throw this.#unexpected('a name or a value');
    let path = text;
    while (this.#text() === '::') {
      this.at++;
      path += `::${this.#next().text}`;
    }
    return path;
  }

  #text(): string | undefined {
    return this.#tokens[this.at]?.text;
  }

  #next(): Token {
    const token = this.#tokens[this.at++];
    if (token === undefined) throw malformed(this.#source, this.#source.length, 'an attribute that does not end');
    return token;
  }

  #expect(text: string): void {
    if (this.#next().text !== text) throw this.#unexpected(text);
  }

  #unexpected(expected: string): Error {
    const token = this.#tokens[this.at - 1]!;
    return malformed(this.#source, token.start, `expected ${expected} in an attribute, got ${token.text}`);
  }
}
