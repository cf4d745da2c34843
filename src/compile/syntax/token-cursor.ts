/**
 * What all parts of the grammar share: tokens that must come, lists, names, paths and types.
 * @module
 */
import type { Diagnostics, Label } from '../text/diagnostic.ts';
import { Syntax } from '../text/diagnostic-kind.ts';
import type { Name, SourceText, Span } from '../text/source-text.ts';
import { addressOfNumber } from './address-number.ts';
import { Lexer, type TokenKind } from './lexer.ts';
import { meantForms } from './meant.ts';
import type { SyntaxAddress, SyntaxPath, SyntaxType } from './tree.ts';

/** How deep types, expressions and blocks may nest, so that no source overflows the stack of this or a later pass. */
export const NESTING_MAX = 200;

/** An item that cannot be read on from here; the diagnostic for it has been added. */
export class UnreadableItem extends Error {}

export abstract class TokenCursor {
  protected readonly lexer: Lexer;
  protected readonly diagnostics: Diagnostics;
  #depth = 0;
  #hasFailed = false;

  /** @throws {UnreadableSource} */
  constructor(source: SourceText, diagnostics: Diagnostics) {
    this.lexer = new Lexer(source, diagnostics);
    this.diagnostics = diagnostics;
  }

  protected get kind(): TokenKind {
    return this.lexer.kind;
  }

  protected get start(): number {
    return this.lexer.start;
  }

  protected spanSince(start: number): Span {
    return this.lexer.spanSince(start);
  }

  protected advance(): void {
    this.lexer.advance();
  }

  /** Whether the current token is one of these. */
  protected at(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.kind);
  }

  /** Whether the current token is this word, which is a name elsewhere. */
  protected isWord(word: string): boolean {
    return this.kind === 'name' && this.lexer.text === word;
  }

  /** Moves on if the current token is of this kind. */
  protected accept(kind: TokenKind): boolean {
    if (this.kind !== kind) return false;
    this.advance();
    return true;
  }

  protected acceptWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.advance();
    return true;
  }

  /** @throws {UnreadableItem} if the current token is another */
  protected expect(kind: TokenKind, after = ''): void {
    if (!this.accept(kind)) this.unexpected(`'${kind.trim()}'${after}`);
  }

  protected expectWord(word: string): void {
    if (!this.acceptWord(word)) this.unexpected(`'${word}'`);
  }

  /** The current token is not what was expected. */
  protected unexpected(expected: string, notes: readonly string[] = []): never {
    // A brace that is missing at the end was most likely lost where reading went on after the last error.
    if (this.kind === 'end' && this.#hasFailed) throw new UnreadableItem('the end of the file');
    const found = this.kind === 'end' ? 'the end of the file' : `'${this.lexer.text.trim()}'`;
    const meant = notes.length > 0 ? notes : this.#meant();
    const places = meant.length > 0 ? [] : this.#placesToMend(expected);
    return this.fail(Syntax.token, this.lexer.span, `expected ${expected}, got ${found}`, meant, places);
  }

  #meant(): string[] {
    const { source, previousEnd, start } = this.lexer;
    return meantForms(source.text, previousEnd, start);
  }

  /** Where something is probably missing, if that is not where it was noticed. */
  #placesToMend(expected: string): Label[] {
    const { source, previousEnd, start, openBrace } = this.lexer;
    if (openBrace !== undefined && this.at('end', 'else', 'fun', 'public', 'struct', 'const')) {
      return [{ span: this.lexer.spanOf(openBrace, openBrace + 1), message: "this '{' is not closed" }];
    }
    const isOnNextLine = source.text.slice(previousEnd, start).includes('\n');
    if (expected !== "';'" || !isOnNextLine) return [];
    return [{ span: this.lexer.spanOf(previousEnd, previousEnd), message: "a ';' is missing here" }];
  }

  protected fail(
    kind: (typeof Syntax)[keyof typeof Syntax],
    span: Span,
    message: string,
    notes: readonly string[] = [],
    secondary: readonly Label[] = [],
  ): never {
    this.#hasFailed = true;
    this.diagnostics.add(kind, span, message, secondary, notes);
    throw new UnreadableItem(message);
  }

  /** Reads something that may contain itself. */
  protected nested<T>(read: () => T): T {
    if (this.#depth >= NESTING_MAX) {
      this.fail(Syntax.token, this.lexer.span, `this is nested deeper than ${NESTING_MAX} times; take it apart`);
    }
    this.#depth++;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  /** `open`, items with commas between and perhaps after them, `close`. */
  protected list<T>(open: TokenKind, close: TokenKind, item: () => T, what: string): T[] {
    const start = this.start;
    this.expect(open);
    return this.listAfter(start, open, close, item, what);
  }

  /** The rest of a list whose opening token, at `start`, has been read. */
  protected listAfter<T>(start: number, open: TokenKind, close: TokenKind, item: () => T, what: string): T[] {
    const items: T[] = [];
    while (!this.#acceptClosing(close)) {
      if (this.kind === ',') {
        this.fail(Syntax.token, this.lexer.spanOf(this.start, this.start), `expected ${what} before the comma`);
      }
      items.push(item());
      if (this.#acceptClosing(close)) break;
      if (!this.accept(',')) this.#unclosed(start, open, close);
    }
    return items;
  }

  #acceptClosing(close: TokenKind): boolean {
    if (this.kind === '>>' && close === '>') this.lexer.splitShift();
    return this.accept(close);
  }

  #unclosed(start: number, open: TokenKind, close: TokenKind): never {
    const message = `expected '${close}' or a comma`;
    const opening = { span: this.lexer.spanOf(start, start), message: `the list began with this '${open}'` };
    this.diagnostics.add(Syntax.token, this.lexer.spanOf(this.start, this.start), message, [opening], this.#meant());
    throw new UnreadableItem(message);
  }

  protected name(what = 'a name'): Name {
    if (this.kind !== 'name') this.unexpected(what);
    const name = { text: this.lexer.text, span: this.lexer.span };
    this.advance();
    return name;
  }

  /** A number or a name that stands for an address. */
  protected address(what = 'an address or a name'): SyntaxAddress {
    if (this.kind === 'name') return { kind: 'name', ...this.name() };
    if (this.kind !== 'number') this.unexpected(what);
    const { span, text } = this.lexer;
    if (addressOfNumber(text) === undefined) {
      this.diagnostics.add(Syntax.address, span, 'an address has 32 bytes, this number needs more');
    }
    this.advance();
    return { kind: 'number', text, span };
  }

  protected path(what: string): SyntaxPath {
    const start = this.start;
    const first = this.address(what);
    const names: Name[] = [];
    if (first.kind === 'name') names.push({ text: first.text, span: first.span });
    else if (this.kind !== '::') this.unexpected(`'::' after the address of a module`);
    const most = first.kind === 'name' ? 3 : 2;
    while (names.length < most && this.accept('::')) names.push(this.name());
    const number = first.kind === 'number' ? first : undefined;
    const path = { span: this.spanSince(start), number, names };
    this.mentionPath(path);
    return path;
  }

  /** Notes a path, for the specification around it. */
  protected abstract mentionPath(path: SyntaxPath): void;

  protected type(): SyntaxType {
    return this.nested(() => this.#type());
  }

  #type(): SyntaxType {
    const { start } = this;
    switch (this.kind) {
      case '(': {
        const items = this.types('(', ')');
        const span = this.spanSince(start);
        return items.length === 1 ? { ...items[0]!, span } : { kind: 'tuple', span, items };
      }
      case '&':
      case '&mut ': {
        const isMutable = this.kind !== '&';
        this.advance();
        const target = this.type();
        return { kind: 'reference', span: this.spanSince(start), isMutable, target };
      }
      case '|': {
        const parameters = this.types('|', '|');
        const unitSpan = this.lexer.spanOf(start, this.start);
        const result: SyntaxType = this.#atType() ? this.type() : { kind: 'tuple', span: unitSpan, items: [] };
        return { kind: 'function', span: this.spanSince(start), parameters, result };
      }
      default: {
        const path = this.path('a type');
        const typeArguments = this.typeArguments() ?? [];
        return { kind: 'path', span: this.spanSince(start), path, arguments: typeArguments };
      }
    }
  }

  #atType(): boolean {
    return ['(', '&', '&mut ', '|', 'name'].includes(this.kind);
  }

  protected types(open: TokenKind, close: TokenKind): SyntaxType[] {
    return this.list(open, close, () => this.type(), 'a type');
  }

  /** `<..>`, if it is there. */
  protected typeArguments(): SyntaxType[] | undefined {
    return this.kind === '<' ? this.types('<', '>') : undefined;
  }
}
