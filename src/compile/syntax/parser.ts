/**
 * The grammar of files: address blocks, modules, scripts, their members and attributes.
 *
 * An error ends the member of a module that it is in, and reading goes on with the next member, so that a file gives
 * several errors at once.
 * Source: the reference's `move-compiler/src/parser/syntax.rs`.
 * @module
 */
import type { Diagnostics } from '../text/diagnostic.ts';
import { DEPRECATED, duplicate, Syntax } from '../text/diagnostic-kind.ts';
import type { Name, SourceText, Span } from '../text/source-text.ts';
import { type TokenKind, UnreadableSource } from './lexer.ts';
import { meantMember } from './meant.ts';
import { SpecParser } from './spec-parser.ts';
import { UnreadableItem } from './token-cursor.ts';
import type {
  SyntaxAddressBlock,
  SyntaxAttribute,
  SyntaxAttributeValue,
  SyntaxConstant,
  SyntaxDefinition,
  SyntaxFile,
  SyntaxFriend,
  SyntaxFunction,
  SyntaxMember,
  SyntaxModule,
  SyntaxModuleName,
  SyntaxPath,
  SyntaxScript,
  SyntaxStruct,
  SyntaxUse,
  SyntaxVisibility,
} from './tree.ts';

/** Reads a file. What has an error is left out of the tree. */
export function parseFile(source: SourceText, diagnostics: Diagnostics): SyntaxFile {
  const definitions: SyntaxDefinition[] = [];
  let isComplete = false;
  try {
    isComplete = new FileParser(source, diagnostics).file(definitions);
  } catch (error) {
    if (!(error instanceof UnreadableSource || error instanceof UnreadableItem)) throw error;
  }
  return { source, isComplete, definitions };
}

interface Modifiers {
  visibility: SyntaxVisibility | undefined;
  entry: Span | undefined;
  native: Span | undefined;
}

/** What a member of a module begins with, apart from words that are names elsewhere. */
const MEMBER_STARTS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...(['#', 'use', 'friend', 'spec', 'invariant', 'public', 'native', 'const', 'fun', 'inline', 'struct'] as const),
]);

class FileParser extends SpecParser {
  /** Whether nothing was left out. */
  #isComplete = true;

  /** Adds the definitions of the file; returns whether all of it could be read. */
  file(definitions: SyntaxDefinition[]): boolean {
    while (this.kind !== 'end') {
      const attributes = this.#attributes();
      if (this.kind === 'module' || this.kind === 'spec') definitions.push(this.#module(attributes));
      else if (this.kind === 'script') definitions.push(this.#script(attributes));
      else definitions.push(this.#addressBlock(attributes));
    }
    if (this.#isComplete) this.lexer.reportLooseDocComments();
    return this.#isComplete;
  }

  #addressBlock(attributes: readonly SyntaxAttribute[]): SyntaxAddressBlock {
    if (!this.acceptWord('address')) this.unexpected("'module', 'script' or 'address'");
    const { start } = this;
    const address = this.address();
    const span = this.spanSince(start);
    this.expect('{');
    const modules: SyntaxModule[] = [];
    while (this.kind !== '}') modules.push(this.#module(this.#attributes()));
    this.advance();
    return { kind: 'addressBlock', span, attributes, address, modules };
  }

  #module(attributes: readonly SyntaxAttribute[]): SyntaxModule {
    this.lexer.attachDocComments();
    const { start } = this;
    const isSpec = this.accept('spec');
    if (!isSpec) this.expect('module');
    const first = this.address();
    const isName = first.kind === 'name' && this.kind !== '::';
    if (!isName) this.expect('::');
    const name: Name = isName ? { text: first.text, span: first.span } : this.name('a module');
    const address = isName ? undefined : first;
    const depth = this.lexer.braceDepth;
    this.expect('{');
    const members: SyntaxMember[] = [];
    while (this.kind !== '}') this.#memberOrSkip(members, depth + 1);
    this.advance();
    return { kind: 'module', span: this.spanSince(start), attributes, address, name, isSpec, members };
  }

  /** Reads a member at a depth of braces; if it has an error, the next token is that of another member or the end. */
  #memberOrSkip(members: SyntaxMember[], depth: number): void {
    try {
      members.push(this.#member());
    } catch (error) {
      if (!(error instanceof UnreadableItem)) throw error;
      this.#isComplete = false;
      while (!this.#atMember(depth)) {
        // The end of the file, or of a brace too much: there is nothing to go on with.
        if (this.kind === 'end' || this.lexer.braceDepth < depth) throw error;
        this.advance();
      }
    }
  }

  #atMember(depth: number): boolean {
    if (this.lexer.braceDepth !== depth) return false;
    return this.kind === '}' || MEMBER_STARTS.has(this.kind) || this.isWord('entry');
  }

  #member(): SyntaxMember {
    const attributes = this.#attributes();
    const { start } = this;
    switch (this.kind) {
      case 'invariant':
        this.lexer.attachDocComments();
        return this.specOf(start, attributes, () => this.invariant());
      case 'spec':
        return this.#specMember(attributes);
      case 'use':
        return this.use(start, attributes);
      case 'friend':
        return this.#friend(attributes);
      default:
        return this.#declaration(attributes);
    }
  }

  #specMember(attributes: readonly SyntaxAttribute[]): SyntaxMember {
    const [next, second] = this.lexer.ahead();
    if (next !== 'fun' && next !== 'native') return this.spec(attributes);
    const { start } = this;
    this.lexer.attachDocComments();
    this.advance();
    if (second === 'name' && this.lexer.ahead()[1] === '{') this.#refuseSpecFunction();
    return this.specOf(start, attributes, () => this.specFunction(true));
  }

  /** `spec fun f {` of older sources, where `fun` is the current token. */
  #refuseSpecFunction(): never {
    const { span } = this.lexer;
    this.advance();
    return this.fail(Syntax.token, span, "a specification names its function without 'fun'");
  }

  #declaration(attributes: readonly SyntaxAttribute[]): SyntaxMember {
    this.lexer.attachDocComments();
    const { start } = this;
    const modifiers = this.#modifiers();
    switch (this.kind) {
      case 'const':
        return this.#constant(start, attributes, modifiers);
      case 'fun':
      case 'inline':
        return this.#function(start, attributes, modifiers);
      case 'struct':
        return this.#struct(start, attributes, modifiers);
      default:
        return this.unexpected(
          "a member: 'use', 'friend', 'const', 'struct', 'fun', 'inline' or 'spec'",
          this.kind === 'name' ? meantMember(this.lexer.text) : [],
        );
    }
  }

  #script(attributes: readonly SyntaxAttribute[]): SyntaxScript {
    const { start } = this;
    this.expect('script');
    this.expect('{');
    const uses: SyntaxUse[] = [];
    const constants: SyntaxConstant[] = [];
    let own = this.#attributes();
    for (; this.kind === 'use'; own = this.#attributes()) uses.push(this.use(this.start, own));
    const none = { visibility: undefined, entry: undefined, native: undefined };
    for (; this.kind === 'const'; own = this.#attributes()) constants.push(this.#constant(this.start, own, none));
    this.lexer.attachDocComments();
    const functionStart = this.start;
    const found = this.#function(functionStart, own, this.#modifiers());
    while (this.kind === '#' || this.kind === 'spec') this.spec(this.#attributes());
    if (this.kind !== '}') this.unexpected("'}': a script ends with its function");
    this.advance();
    return { kind: 'script', span: this.spanSince(start), attributes, uses, constants, function: found };
  }

  #attributes(): SyntaxAttribute[] {
    const found: SyntaxAttribute[] = [];
    while (this.accept('#')) found.push(...this.list('[', ']', () => this.#attribute(), 'an attribute'));
    return found;
  }

  #attribute(): SyntaxAttribute {
    return this.nested(() => {
      const { start } = this;
      const name = this.name('an attribute');
      if (this.accept('=')) {
        const value = this.#attributeValue();
        return { kind: 'assigned', span: this.spanSince(start), name, value };
      }
      if (this.kind !== '(') return { kind: 'word', span: name.span, name };
      const items = this.list('(', ')', () => this.#attribute(), 'an attribute');
      return { kind: 'list', span: this.spanSince(start), name, items };
    });
  }

  #attributeValue(): SyntaxAttributeValue {
    const literal = this.literal();
    if (literal !== undefined) return { kind: 'literal', span: literal.span, literal };
    const path = this.path('the value of an attribute');
    return { kind: 'path', span: path.span, path };
  }

  #modifiers(): Modifiers {
    const found: Modifiers = { visibility: undefined, entry: undefined, native: undefined };
    for (;;) {
      const { span } = this.lexer;
      if (this.kind === 'public') {
        const visibility = this.#visibility();
        this.#onlyOnce('visibility', visibility.span, found.visibility?.span);
        found.visibility = visibility;
      } else if (this.accept('native')) {
        this.#onlyOnce("'native'", span, found.native);
        found.native = span;
      } else if (this.acceptWord('entry')) {
        this.#onlyOnce("'entry'", span, found.entry);
        found.entry = span;
      } else return found;
    }
  }

  #onlyOnce(what: string, span: Span, before: Span | undefined): void {
    if (before === undefined) return;
    this.diagnostics.add(...duplicate(span, `${what} is given twice`, before, 'it is here already'));
  }

  /** `public`, `public(friend)`, `public(script)`. */
  #visibility(): SyntaxVisibility {
    const { start } = this;
    this.expect('public');
    if (!this.accept('(')) return { kind: 'public', span: this.spanSince(start) };
    const to = this.kind;
    this.advance();
    if (to !== ')') this.expect(')');
    const span = this.spanSince(start);
    if (to === 'script' || to === 'friend') return { kind: to, span };
    const notes = ['write `public(friend)`, and `friend address::module;` for each module that may call it'];
    return this.fail(Syntax.token, span, "expected 'public' or 'public(friend)'", notes);
  }

  /** Warns that a modifier is only for functions. */
  #refuseModifiers(what: string, { visibility, entry, native }: Modifiers): void {
    if (visibility !== undefined) {
      this.diagnostics.add(Syntax.modifier, visibility.span, `${what} has no visibility, which is for functions`);
    }
    if (entry !== undefined) this.diagnostics.add(Syntax.modifier, entry, `${what} is no entry, which functions are`);
    if (native !== undefined) this.diagnostics.add(Syntax.modifier, native, `${what} cannot be native`);
  }

  #constant(start: number, attributes: readonly SyntaxAttribute[], modifiers: Modifiers): SyntaxConstant {
    this.#refuseModifiers('a constant', modifiers);
    this.expect('const');
    const { name, type } = this.typedName('a constant');
    this.expect('=');
    const value = this.expression();
    this.expect(';');
    return { kind: 'constant', span: this.spanSince(start), attributes, name, type, value };
  }

  #struct(start: number, attributes: readonly SyntaxAttribute[], modifiers: Modifiers): SyntaxStruct {
    this.#refuseModifiers('a struct', { ...modifiers, native: undefined });
    this.expect('struct');
    const name = this.name('a struct');
    const typeParameters = this.typeParameters(true);
    let abilities: SyntaxStruct['abilities'] = [];
    if (this.acceptWord('has')) {
      abilities = this.abilities(',');
      if (this.kind !== '{' && this.kind !== ';') this.unexpected("one of ',', '{' or ';'");
    }
    let fields: SyntaxStruct['fields'];
    if (modifiers.native !== undefined) this.expect(';');
    else fields = this.list('{', '}', () => this.#field(), 'a field');
    return { kind: 'struct', span: this.spanSince(start), attributes, name, abilities, typeParameters, fields };
  }

  #field(): NonNullable<SyntaxStruct['fields']>[number] {
    this.lexer.attachDocComments();
    return this.typedName('a field');
  }

  #function(start: number, attributes: readonly SyntaxAttribute[], modifiers: Modifiers): SyntaxFunction {
    const { visibility, entry, native } = modifiers;
    if (visibility?.kind === 'script') {
      this.diagnostics.add(DEPRECATED, visibility.span, "instead of 'public(script)', write 'public entry'");
    }
    const isInline = this.accept('inline');
    this.expect('fun');
    const name = this.name('a function');
    const typeParameters = this.typeParameters();
    const parameters = this.parameters();
    const result = this.accept(':') ? this.type() : ({ kind: 'tuple', span: name.span, items: [] } as const);
    const acquires = this.#acquires();
    let body: SyntaxFunction['body'];
    if (native !== undefined) this.expect(';');
    else body = this.block();
    return {
      ...{ kind: 'function', span: this.spanSince(start), attributes, name, visibility, isInline, native },
      entry: entry ?? (visibility?.kind === 'script' ? visibility.span : undefined),
      ...{ typeParameters, parameters, result, acquires, body },
    };
  }

  #acquires(): SyntaxPath[] {
    const found: SyntaxPath[] = [];
    if (!this.accept('acquires')) return found;
    do {
      found.push(this.path('a struct'));
      if (this.at('{', ';')) return found;
      this.expect(',');
    } while (!this.at('{', ';'));
    return found;
  }

  #friend(attributes: readonly SyntaxAttribute[]): SyntaxFriend {
    const { start } = this;
    this.expect('friend');
    const module = this.path('a module');
    this.expect(';');
    return { kind: 'friend', span: this.spanSince(start), attributes, module };
  }

  protected override use(start: number, attributes: readonly SyntaxAttribute[]): SyntaxUse {
    this.expect('use');
    const module = this.#moduleName();
    const alias = this.#alias();
    let members: SyntaxUse['members'];
    if (alias === undefined && this.accept('::')) {
      const isList = this.kind === '{';
      members = isList ? this.list('{', '}', () => this.#usedMember(), 'a member') : [this.#usedMember()];
    }
    this.expect(';');
    return { kind: 'use', span: this.spanSince(start), attributes, module, members, alias };
  }

  #moduleName(): SyntaxModuleName {
    const { start } = this;
    const address = this.address();
    this.expect('::', ' and a module after the address');
    const name = this.name('a module');
    return { span: this.spanSince(start), address, name };
  }

  #usedMember(): { name: Name; alias: Name | undefined } {
    const name = this.name('a member');
    return { name, alias: this.#alias() };
  }

  #alias(): Name | undefined {
    return this.accept('as') ? this.name() : undefined;
  }
}
