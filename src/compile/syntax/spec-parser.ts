/**
 * The grammar of specifications. They are read, so that what is wrong in them is found, and then dropped, except for the
 * names that a specification inside of code takes from there.
 * Source: the reference's `move-compiler/src/parser/syntax.rs`.
 * @module
 */
import type { AbilityName } from '../../move/ability.ts';
import { duplicate, Syntax } from '../text/diagnostic-kind.ts';
import type { Name } from '../text/source-text.ts';
import { CodeParser } from './code-parser.ts';
import type {
  SyntaxAbility,
  SyntaxAttribute,
  SyntaxPath,
  SyntaxSpec,
  SyntaxType,
  SyntaxTypeParameter,
  SyntaxUse,
} from './tree.ts';

const ABILITIES: ReadonlySet<string> = new Set<AbilityName>(['copy', 'drop', 'store', 'key']);

/** Conditions of one expression. */
const SIMPLE_CONDITIONS: ReadonlySet<string> = new Set([
  ...['assert', 'assume', 'decreases', 'aborts_if', 'succeeds_if', 'ensures', 'requires', 'emits'],
]);

/** The names that a specification uses and those that it binds itself. */
interface Mentions {
  readonly used: Map<string, Name>;
  readonly bound: Set<string>;
  readonly paths: SyntaxPath[];
  readonly uses: SyntaxUse[];
  readonly declared: SyntaxSpec['declared'][number][];
}

export abstract class SpecParser extends CodeParser {
  #mentions: Mentions | undefined;

  protected override mention(name: Name): void {
    this.#mentions?.used.set(name.text, name);
  }

  protected override bindInSpec(name: Name): void {
    this.#mentions?.bound.add(name.text);
  }

  protected override mentionPath(path: SyntaxPath): void {
    this.#mentions?.paths.push(path);
  }

  /** Abilities with a separator between them; one that is given twice is an error and left out. */
  protected abilities(separator: '+' | ','): SyntaxAbility[] {
    const found: SyntaxAbility[] = [];
    do {
      const { span, text } = this.lexer;
      if (!ABILITIES.has(text)) this.unexpected('an ability: copy, drop, store or key');
      this.advance();
      const before = found.find(({ name }) => name === text);
      if (before === undefined) found.push({ name: text as AbilityName, span });
      else {
        const message = `the ability '${text}' is given twice`;
        this.diagnostics.add(...duplicate(span, message, before.span, 'it is here already'));
      }
    } while (this.accept(separator));
    return found;
  }

  /** `<T: copy + drop, phantom U>`, if it is there. */
  protected typeParameters(isStruct = false): SyntaxTypeParameter[] {
    if (this.kind !== '<') return [];
    return this.list('<', '>', () => this.#typeParameter(isStruct), 'a type parameter');
  }

  #typeParameter(isStruct: boolean): SyntaxTypeParameter {
    const isPhantom = isStruct && this.acceptWord('phantom');
    const name = this.name('a type parameter');
    let constraints: SyntaxAbility[] = [];
    if (this.accept(':')) {
      constraints = this.abilities('+');
      if (this.kind !== '>' && this.kind !== ',' && this.kind !== '>>') this.unexpected("one of '+', '>' or ','");
    }
    return { name, constraints, isPhantom };
  }

  protected parameters(): { name: Name; type: SyntaxType }[] {
    return this.list('(', ')', () => this.typedName('a parameter'), 'a parameter');
  }

  protected typedName(what: string): { name: Name; type: SyntaxType } {
    const name = this.name(what);
    this.expect(':');
    return { name, type: this.type() };
  }

  protected override spec(attributes: readonly SyntaxAttribute[], isInvariant = false): SyntaxSpec {
    this.lexer.attachDocComments();
    const spec = this.specOf(this.start, attributes, () => {
      this.expect('spec');
      const isModule = this.#target();
      this.#body(isInvariant, isModule);
    });
    if (this.#mentions !== undefined) {
      this.diagnostics.add(Syntax.specOnly, spec.span, 'a specification has no other specification in it');
    }
    return spec;
  }

  /** What `read` reads, as a specification. */
  protected specOf(start: number, attributes: readonly SyntaxAttribute[], read: () => void): SyntaxSpec {
    const outer = this.#mentions;
    const mentions: Mentions = { used: new Map(), bound: new Set(), paths: [], uses: [], declared: [] };
    this.#mentions = mentions;
    try {
      read();
    } finally {
      this.#mentions = outer;
    }
    const names = [...mentions.used.values()].filter(({ text }) => !mentions.bound.has(text));
    const { paths, uses, declared } = mentions;
    return { kind: 'spec', span: this.spanSince(start), attributes, uses, names, paths, declared };
  }

  /** `spec fun f(..): T;`, from the word `fun` or `native` on. */
  protected specFunction(isMember: boolean): void {
    const isNative = this.accept('native');
    this.expect('fun');
    const name = this.name('a function');
    if (isMember) this.#mentions?.declared.push({ kind: 'function', name });
    this.#signature();
    if (isNative || this.kind !== '{') this.expect(';');
    else this.block();
  }

  /** `invariant e;`, from the word on. */
  protected invariant(): void {
    this.expect('invariant');
    this.typeParameters();
    this.acceptWord('update');
    this.#properties();
    this.expression();
    this.expect(';');
  }

  /** What the specification is about; nothing for the code around. Returns whether it is the module. */
  #target(): boolean {
    if (this.accept('module')) return true;
    if (this.kind === '{') return false;
    if (this.at('fun', 'struct')) {
      const { span, text } = this.lexer;
      this.advance();
      this.fail(Syntax.token, span, `a specification names what it is about without '${text}'`);
    }
    if (this.kind !== 'name') this.unexpected("'module', 'schema', a name or '{'");
    if (this.acceptWord('schema')) {
      this.#mentions?.declared.push({ kind: 'schema', name: this.name('a schema') });
      this.typeParameters();
      return false;
    }
    this.advance();
    if (this.at('<', '(')) {
      this.typeParameters();
      this.parameters();
      if (this.accept(':')) this.type();
    }
    return false;
  }

  #body(isInvariant: boolean, isModule: boolean): void {
    this.expect('{');
    while (this.kind === 'use') this.#mentions?.uses.push(this.use(this.start, []));
    while (this.kind !== '}') {
      const { start, kind } = this;
      this.#member(isModule);
      if (isInvariant && kind !== 'invariant') {
        this.fail(Syntax.specMember, this.spanSince(start), 'after a loop, only invariants are specified');
      }
    }
    this.advance();
  }

  #member(isModule: boolean): void {
    this.lexer.attachDocComments();
    switch (this.kind) {
      case 'invariant':
        this.invariant();
        break;
      case 'let':
        this.#let();
        break;
      case 'fun':
      case 'native':
        this.specFunction(isModule);
        break;
      case 'name':
        this.#named();
        break;
      default:
        this.unexpected('a member of a specification');
    }
  }

  #let(): void {
    this.advance();
    this.acceptWord('post');
    this.bindInSpec(this.name());
    this.expect('=');
    this.expression();
    this.expect(';');
  }

  #named(): void {
    const word = this.lexer.text;
    if (SIMPLE_CONDITIONS.has(word)) {
      this.#condition(word);
    } else if (word === 'aborts_with' || word === 'modifies') {
      this.advance();
      this.#properties();
      this.listAfter(this.start, ',', ';', () => this.expression(), 'an expression');
    } else if (word === 'axiom' || word === 'include') {
      this.advance();
      if (word === 'axiom') this.typeParameters();
      this.#properties();
      this.expression();
      this.expect(';');
    } else if (word === 'apply') {
      this.#apply();
    } else if (word === 'pragma') {
      this.advance();
      this.listAfter(this.start, 'name', ';', () => this.#property(), 'a property');
    } else if (word === 'update') {
      this.advance();
      this.unary();
      this.expect('=');
      this.expression();
      this.expect(';');
    } else this.#variable();
  }

  #condition(word: string): void {
    this.advance();
    this.#properties();
    this.expression();
    if (word === 'aborts_if' && this.acceptWord('with')) this.expression();
    if (word === 'emits') {
      this.expectWord('to');
      this.expression();
      if (this.accept('if')) this.expression();
    }
    this.expect(';');
  }

  /** `apply S to f, *_g<T> except h;` */
  #apply(): void {
    this.advance();
    this.expression();
    this.expectWord('to');
    this.#patterns();
    if (this.acceptWord('except')) this.#patterns();
    this.expect(';');
  }

  #patterns(): void {
    do {
      if (!this.accept('public')) this.acceptWord('internal');
      if (this.kind !== 'name' && this.kind !== '*') this.unexpected("a part of a name or '*'");
      do this.advance();
      while ((this.kind === 'name' || this.kind === '*') && this.lexer.previousEnd === this.start);
      this.typeParameters();
    } while (this.accept(','));
  }

  /** `global x: T = e;`, `local x: T;`, `x: T;` */
  #variable(): void {
    const isGlobal = this.acceptWord('global');
    if (!isGlobal) this.acceptWord('local');
    this.bindInSpec(this.name());
    this.typeParameters();
    this.expect(':');
    this.type();
    if (isGlobal && this.accept('=')) this.expression();
    this.expect(';');
  }

  #signature(): void {
    this.typeParameters();
    for (const { name } of this.parameters()) this.bindInSpec(name);
    this.expect(':');
    this.type();
  }

  #properties(): void {
    if (this.kind === '[') this.list('[', ']', () => this.#property(), 'a property');
  }

  #property(): void {
    if (!this.accept('friend')) this.name('a property');
    if (!this.accept('=')) return;
    if (this.literal() === undefined) this.path('the value of a property');
  }
}
