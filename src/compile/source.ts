/**
 * What a Move source declares: modules with their functions, structs and constants, each with its attributes.
 *
 * Of bodies, only what they abort with is read, and some invalid sources pass: the compiler checks them as well.
 * Source: the grammar of the reference's `move-compiler/src/parser/syntax.rs`.
 * @module
 */
import type { EngineError } from '../base/error.ts';
import { type Attribute, readAttributes } from './attribute.ts';
import { lineOf, malformed, type Token, tokensOf } from './tokens.ts';

/** A function, struct or constant. */
export interface Declaration {
  readonly kind: 'function' | 'struct' | 'constant';
  readonly name: string;
  /** All of its attributes, flat; in declaration order. */
  readonly attributes: readonly Attribute[];
  /** Names, without constraints; of functions and structs. */
  readonly typeParameters: readonly string[];
  /** Names, of functions. */
  readonly parameters: readonly string[];
  /** Whether it is a function that compilers put where it is called, and nowhere else. */
  readonly isInline: boolean;
  /** Text of a constant's value. */
  readonly value: string | undefined;
  /** The line of its name. */
  readonly line: number;
}

/** A module of a source. */
export interface SourceModule {
  /** As written: a number, or the name of an address. */
  readonly address: string;
  readonly name: string;
  /** The line of its name. */
  readonly line: number;
  readonly attributes: readonly Attribute[];
  readonly declarations: readonly Declaration[];
  /** Names in what its functions give to `abort` and, as the code, to `assert!`. */
  readonly aborts: ReadonlySet<string>;
  /** By the name under which the module uses it: another module, as written. */
  readonly uses: ReadonlyMap<string, string>;
}

/** A source file. */
export interface Source {
  readonly text: string;
  readonly modules: readonly SourceModule[];
}

/**
 * Reads a source.
 * @throws {EngineError} `malformed-source` with the line, for text that cannot be read
 */
export function readSource(text: string): Source {
  const reader = new SourceReader(text);
  reader.file();
  return { text, modules: reader.modules };
}

const MODIFIERS: ReadonlySet<string> = new Set(['public', 'entry', 'native', 'inline', 'friend', 'package']);
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

class SourceReader {
  readonly modules: SourceModule[] = [];
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  /** Modules, scripts and address blocks, to the end. */
  file(address?: string): void {
    while (this.#at < this.#tokens.length) {
      if (this.#peek() === '}') return;
      const attributes = this.#attributes();
      const word = this.#next().text;
      if (word === 'address') {
        const owner = this.#next().text;
        this.#expect('{');
        this.file(owner);
        this.#expect('}');
      } else if (word === 'module') this.#module(attributes, address);
      else if (word === 'script' || word === 'spec') this.#skipItem();
      else throw this.#unexpected('a module, a script or an address', -1);
    }
  }

  #module(attributes: readonly Attribute[], owner: string | undefined): void {
    let address = owner ?? '';
    let { text: name, start: nameStart } = this.#next();
    if (this.#peek() === '::') {
      this.#at++;
      address = name;
      ({ text: name, start: nameStart } = this.#next());
    }
    const declarations: Declaration[] = [];
    const start = this.#at;
    const uses = new Map<string, string>();
    const opening = this.#next().text;
    if (opening !== '{' && opening !== ';') throw this.#unexpected('{', -1);
    while (this.#at < this.#tokens.length && this.#peek() !== '}') this.#item(declarations, uses);
    if (opening === '{') this.#expect('}');
    const aborts = abortsIn(this.#tokens.slice(start, this.#at));
    const line = lineOf(this.#text, nameStart);
    this.modules.push({ address, name, line, attributes, declarations, aborts, uses });
  }

  #item(declarations: Declaration[], uses: Map<string, string>): void {
    const attributes = this.#attributes();
    const begin = this.#at;
    let isInline = false;
    while (MODIFIERS.has(this.#peek())) {
      isInline ||= this.#next().text === 'inline';
      if (this.#peek() === '(') this.#skipBrackets();
    }
    const word = this.#peek();
    if (word === 'fun') this.#function(attributes, isInline, declarations);
    else if (word === 'struct' || word === 'enum') this.#struct(attributes, declarations);
    else if (word === 'const') this.#constant(attributes, declarations);
    else {
      if (word === 'use') this.#use(uses);
      this.#at = begin;
      this.#skipItem();
    }
  }

  #function(attributes: readonly Attribute[], isInline: boolean, declarations: Declaration[]): void {
    const name = this.#name();
    const typeParameters = this.#typeParameters();
    if (this.#peek() !== '(') throw this.#unexpected('( after the name of a function', 0);
    const parameters = this.#firstNames('(');
    declarations.push({
      ...name,
      kind: 'function',
      attributes,
      typeParameters,
      parameters,
      isInline,
      value: undefined,
    });
    this.#skipItem();
  }

  #struct(attributes: readonly Attribute[], declarations: Declaration[]): void {
    const name = this.#name();
    const typeParameters = this.#typeParameters();
    declarations.push({
      ...name,
      kind: 'struct',
      attributes,
      typeParameters,
      parameters: [],
      isInline: false,
      value: undefined,
    });
    this.#skipItem();
  }

  #constant(attributes: readonly Attribute[], declarations: Declaration[]): void {
    const name = this.#name();
    while (this.#peek() !== '=') this.#next();
    this.#next();
    const start = this.#at;
    while (this.#peek() !== ';') this.#next();
    const value = this.#textOf(start, this.#at);
    this.#expect(';');
    declarations.push({
      ...name,
      kind: 'constant',
      isInline: false,
      attributes,
      typeParameters: [],
      parameters: [],
      value,
    });
  }

  /** `use a::m;`, `use a::m as n;`, `use a::m::{Self, f};`, `use a::{m, n as o};`. */
  #use(uses: Map<string, string>): void {
    const start = ++this.#at;
    while (this.#peek() !== ';') this.#next();
    const words = this.#textOf(start, this.#at);
    const whole = /^(\w+)::(\w+)(?:(?:::.*)?| as (\w+))$/.exec(words);
    if (whole !== null) uses.set(whole[3] ?? whole[2]!, `${whole[1]}::${whole[2]}`);
    const renamed = /^(\w+)::(\w+)::\{.*\bSelf as (\w+)/.exec(words);
    if (renamed !== null) uses.set(renamed[3]!, `${renamed[1]}::${renamed[2]}`);
    const several = /^(\w+)::\{(.*)\}$/.exec(words);
    for (const part of several?.[2]?.split(',') ?? []) {
      const [module = '', alias] = part.trim().split(' as ');
      if (/^\w+$/.test(module)) uses.set(alias ?? module, `${several?.[1]}::${module}`);
    }
  }

  #attributes(): Attribute[] {
    const found: Attribute[] = [];
    while (this.#peek() === '#') {
      const { attributes, next } = readAttributes(this.#text, this.#tokens, this.#at);
      found.push(...attributes);
      this.#at = next;
    }
    return found;
  }

  #name(): { readonly name: string; readonly line: number } {
    this.#at++;
    const { kind, text, start } = this.#next();
    if (kind !== 'name') throw this.#unexpected('a name', -1);
    return { name: text, line: lineOf(this.#text, start) };
  }

  #typeParameters(): string[] {
    return this.#peek() === '<' ? this.#firstNames('<') : [];
  }

  /** The first name of each part of a list in brackets: of a parameter, or of a type parameter. */
  #firstNames(opening: '(' | '<'): string[] {
    const names: string[] = [];
    let depth = 0;
    let isFirst = true;
    do {
      const { kind, text } = this.#next();
      if ('(<[{|'.includes(text) && text !== '|') depth++;
      else if (')>]}'.includes(text)) depth--;
      else if (depth === 1 && text === ',') isFirst = true;
      else if (depth === 1 && isFirst && kind === 'name' && text !== 'phantom' && text !== 'mut') {
        // The type of a lambda has commas of its own.
        if (opening === '(' && this.#peek() !== ':') continue;
        names.push(text);
        isFirst = false;
      }
      if (opening === '<' && text === ';') throw this.#unexpected('>', -1);
    } while (depth > 0);
    return names;
  }

  /** To the end of an item: the semicolon, or the closing brace of its body. */
  #skipItem(): void {
    for (;;) {
      const text = this.#peek();
      if (text === '{') {
        this.#skipBrackets();
        // `struct A { .. } has copy;` of Move 2, `use a::{b, c};`
        if (this.#peek() === 'has' || this.#peek() === ';') continue;
        return;
      }
      if (text === '(' || text === '[') this.#skipBrackets();
      else if (this.#next().text === ';') return;
    }
  }

  #skipBrackets(): void {
    const closing = [CLOSING[this.#next().text]];
    while (closing.length > 0) {
      const { text, kind } = this.#next();
      if (kind !== 'mark') continue;
      if (text === closing.at(-1)) closing.pop();
      else if (CLOSING[text] !== undefined) closing.push(CLOSING[text]);
      else if ('})]'.includes(text)) throw this.#unexpected(closing.at(-1)!, -1);
    }
  }

  /** Tokens as one text, with single spaces between words. */
  #textOf(from: number, to: number): string {
    let text = '';
    for (const { kind, text: piece } of this.#tokens.slice(from, to)) {
      const isWord = kind !== 'mark';
      text += isWord && /\w$/.test(text) ? ` ${piece}` : piece;
    }
    return text;
  }

  #peek(): string {
    return this.#tokens[this.#at]?.text ?? '';
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw malformed(this.#text, this.#text.length, 'the source ends inside of a declaration');
    return token;
  }

  #expect(text: string): void {
    if (this.#next().text !== text) throw this.#unexpected(text, -1);
  }

  #unexpected(expected: string, offset: number): EngineError {
    const token = this.#tokens[this.#at + offset];
    return malformed(
      this.#text,
      token?.start ?? this.#text.length,
      `expected ${expected}, got ${token?.text ?? 'the end'}`,
    );
  }
}

/** The names in the expressions after `abort`, and in the last argument of each `assert!`. */
function abortsIn(tokens: readonly Token[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'name') continue;
    const isAssert = text === 'assert' && tokens[at + 1]?.text === '!';
    const parts = text === 'abort' ? namesOf(tokens, at + 1).slice(0, 1) : isAssert ? namesOf(tokens, at + 3) : [];
    for (const name of parts.at(-1) ?? []) found.add(name);
  }
  return found;
}

/** The names in an expression up to where it ends, or in each of several that have commas between them. */
function namesOf(tokens: readonly Token[], start: number): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!;
    if (kind === 'name') parts.at(-1)!.push(text);
    if (CLOSING[text] !== undefined) depth++;
    else if ('})]'.includes(text)) depth--;
    if (depth < 0 || (depth === 0 && text === ';')) break;
    if (depth === 0 && text === ',') parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}
