/**
 * The grammar of code: literals, patterns, expressions and blocks.
 * Source: the reference's `move-compiler/src/parser/syntax.rs`.
 * @module
 */
import { Syntax } from '../text/diagnostic-kind.ts';
import type { Name } from '../text/source-text.ts';
import type { TokenKind } from './lexer.ts';
import { NESTING_MAX, TokenCursor } from './token-cursor.ts';
import type {
  BinaryOperator,
  SpecOperator,
  SyntaxArguments,
  SyntaxAttribute,
  SyntaxBlock,
  SyntaxBlockItem,
  SyntaxExpression,
  SyntaxLiteral,
  SyntaxPath,
  SyntaxPattern,
  SyntaxPatternList,
  SyntaxSpec,
  SyntaxType,
  SyntaxUse,
} from './tree.ts';

/** How tightly the binary operators bind; all of them from left to right. */
const PRECEDENCE: Readonly<Partial<Record<TokenKind, number>>> = {
  '==>': 2,
  '<==>': 2,
  '||': 3,
  '&&': 4,
  '==': 5,
  '!=': 5,
  '<': 5,
  '>': 5,
  '<=': 5,
  '>=': 5,
  '..': 6,
  '|': 7,
  '^': 8,
  '&': 9,
  '<<': 10,
  '>>': 10,
  '+': 11,
  '-': 11,
  '*': 12,
  '/': 12,
  '%': 12,
};

/** What may begin the value of `return`, or follow `break` by mistake. */
const STARTS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...(['number', 'typedNumber', 'string', 'name', '@', 'copy', 'move', 'false', 'true', '&', '&mut ', '*'] as const),
  ...(['!', '(', '{', 'abort', 'break', 'continue', 'if', 'loop', 'return', 'while'] as const),
]);

/** What may follow an expression. */
const ENDS: ReadonlySet<TokenKind> = new Set<TokenKind>(['else', '}', ')', ',', ':', ';']);

/** How many operators or fields may follow each other, since each makes the tree one deeper. */
const CHAIN_MAX = 5 * NESTING_MAX;

/** An expression, and whether it ends with a block, after which no operator continues it. */
interface Branch {
  readonly expression: SyntaxExpression;
  readonly isBlock: boolean;
}

/** How many `else if` may be open at a place. */
const ELSE_IF_MAX = 2 * NESTING_MAX;

export abstract class CodeParser extends TokenCursor {
  #elseIfs = 0;

  /** A `use`, from the word on. */
  protected abstract use(start: number, attributes: readonly SyntaxAttribute[]): SyntaxUse;
  /** A specification, from the word on. */
  protected abstract spec(attributes: readonly SyntaxAttribute[], isInvariant?: boolean): SyntaxSpec;
  /** Notes that an expression names something, for the specification around it. */
  protected abstract mention(name: Name): void;
  /** Notes that a pattern in a specification binds names of its own. */
  protected abstract bindInSpec(name: Name): void;

  /** A literal, if one begins here; a number before `::` is the address of a path. */
  protected literal(): SyntaxLiteral | undefined {
    const { start } = this;
    const { span, text } = this.lexer;
    switch (this.kind) {
      case '@': {
        this.advance();
        const address = this.address();
        return { kind: 'address', span: this.spanSince(start), address };
      }
      case 'true':
      case 'false':
        this.advance();
        return { kind: 'bool', span, value: text === 'true' };
      case 'number':
        if (this.lexer.ahead()[0] === '::') return undefined;
        this.advance();
        return { kind: 'number', span, text };
      case 'typedNumber':
        this.advance();
        return { kind: 'number', span, text };
      case 'string':
        this.advance();
        return { kind: text.startsWith('x') ? 'hexString' : 'byteString', span, text: text.slice(2, -1) };
      default:
        return undefined;
    }
  }

  protected pattern(): SyntaxPattern {
    return this.nested(() => this.#pattern());
  }

  #pattern(): SyntaxPattern {
    const { start } = this;
    if (this.kind === 'name') {
      const [next] = this.lexer.ahead();
      if (next !== '{' && next !== '<' && next !== '::') {
        const name = this.name();
        this.bindInSpec(name);
        return { kind: 'name', span: name.span, name };
      }
    }
    const path = this.path('a variable or a struct');
    const typeArguments = this.typeArguments();
    const fields = this.list('{', '}', () => this.#fieldPattern(), 'a field');
    return { kind: 'unpack', span: this.spanSince(start), path, typeArguments, fields };
  }

  #fieldPattern(): { name: Name; pattern: SyntaxPattern } {
    const name = this.name('a field');
    if (this.accept(':')) return { name, pattern: this.pattern() };
    this.bindInSpec(name);
    return { name, pattern: { kind: 'name', span: name.span, name } };
  }

  #patternList(open: '(' | '|', close: ')' | '|'): SyntaxPatternList {
    const { start } = this;
    const patterns = this.list(open, close, () => this.pattern(), 'a variable or a struct');
    return { span: this.spanSince(start), patterns };
  }

  /** What `let` binds. */
  #bound(): SyntaxPatternList {
    if (this.kind === '(') return this.#patternList('(', ')');
    const pattern = this.pattern();
    return { span: pattern.span, patterns: [pattern] };
  }

  /** From the opening brace on. */
  protected block(): SyntaxBlock {
    const { start } = this;
    this.expect('{');
    const uses: SyntaxUse[] = [];
    while (this.kind === 'use') uses.push(this.use(this.start, []));
    const items: SyntaxBlockItem[] = [];
    let lastSemicolon: SyntaxBlock['lastSemicolon'];
    let value: SyntaxExpression | undefined;
    while (!this.at('}')) {
      const item = this.#item();
      if (this.at('}') && item.kind === 'expression') {
        value = item.expression;
        break;
      }
      items.push(item);
      lastSemicolon = this.lexer.span;
      this.expect(';');
    }
    this.advance();
    return { span: this.spanSince(start), uses, items, lastSemicolon, value };
  }

  #item(): SyntaxBlockItem {
    const { start } = this;
    if (!this.accept('let')) {
      const expression = this.expression();
      return { kind: 'expression', span: this.spanSince(start), expression };
    }
    const patterns = this.#bound();
    const type = this.accept(':') ? this.type() : undefined;
    const value = this.accept('=') ? this.expression() : undefined;
    return { kind: 'let', span: this.spanSince(start), patterns, type, value };
  }

  protected expression(): SyntaxExpression {
    return this.nested(() => this.#expression());
  }

  #expression(): SyntaxExpression {
    const { start } = this;
    if (this.kind === '|') {
      const parameters = this.#patternList('|', '|');
      const body = this.expression();
      return { kind: 'lambda', span: this.spanSince(start), parameters, body };
    }
    if (this.#atQuantifier()) return this.#quantifier();
    const target = this.unary();
    if (!this.accept('=')) return this.#operators(target, 1);
    const value = this.expression();
    return { kind: 'assign', span: this.spanSince(start), target, value };
  }

  /** The operators after `left` that bind at least as tightly as `least`. */
  #operators(left: SyntaxExpression, least: number): SyntaxExpression {
    let result = left;
    let precedence = PRECEDENCE[this.kind] ?? 0;
    for (let count = 0; precedence >= least; count++) {
      this.#boundChain(count);
      const operator = this.kind as BinaryOperator | SpecOperator;
      const operatorSpan = this.lexer.span;
      this.advance();
      let right = this.unary();
      let next = PRECEDENCE[this.kind] ?? 0;
      if (next > precedence) {
        const [operand, tighter] = [right, precedence + 1];
        right = this.nested(() => this.#operators(operand, tighter));
        next = PRECEDENCE[this.kind] ?? 0;
      }
      precedence = next;
      const span = this.spanSince(left.span.start);
      result = { kind: 'binary', span, operator, operatorSpan, left: result, right };
    }
    return result;
  }

  #boundChain(count: number): void {
    if (count < CHAIN_MAX) return;
    this.fail(Syntax.token, this.lexer.span, `more than ${CHAIN_MAX} operators follow each other; take this apart`);
  }

  protected unary(): SyntaxExpression {
    const { start, kind } = this;
    switch (kind) {
      case '!':
      case '*': {
        this.advance();
        const operand = this.nested(() => this.unary());
        return { kind: kind === '!' ? 'not' : 'dereference', span: this.spanSince(start), operand };
      }
      case '&':
      case '&mut ': {
        this.advance();
        const operand = this.nested(() => this.unary());
        return { kind: 'borrow', span: this.spanSince(start), isMutable: kind !== '&', operand };
      }
      case 'move':
      case 'copy': {
        this.advance();
        const name = this.name('a variable');
        this.mention(name);
        return { kind, span: this.spanSince(start), name };
      }
      default:
        return this.#chain();
    }
  }

  /** A term and the fields and indexes after it. */
  #chain(): SyntaxExpression {
    const { start } = this;
    let operand = this.#term();
    for (let count = 0; ; count++) {
      this.#boundChain(count);
      if (this.accept('.')) {
        const name = this.name('a field');
        operand = { kind: 'field', span: this.spanSince(start), operand, name };
      } else if (this.accept('[')) {
        const index = this.expression();
        this.expect(']');
        operand = { kind: 'index', span: this.spanSince(start), operand, index };
      } else return operand;
    }
  }

  #term(): SyntaxExpression {
    const { start, kind } = this;
    switch (kind) {
      case 'if':
      case 'while':
      case 'loop':
      case 'return':
      case 'abort': {
        const { expression, isBlock } = this.#control();
        return isBlock && !ENDS.has(this.kind) ? this.#operators(expression, 1) : expression;
      }
      case 'break':
        this.advance();
        if (STARTS.has(this.kind)) this.unexpected('the end of the expression', ['`break` takes no value']);
        return { kind, span: this.spanSince(start) };
      case 'continue':
        this.advance();
        return { kind, span: this.spanSince(start) };
      case '(':
        return this.#parenthesized();
      case '{': {
        const block = this.block();
        return { kind: 'block', span: block.span, block };
      }
      case 'spec': {
        const spec = this.spec([]);
        return { kind: 'spec', span: spec.span, spec };
      }
      default: {
        const literal = this.literal();
        if (literal !== undefined) return { kind: 'literal', span: literal.span, literal };
        if (kind !== 'name' && kind !== 'number') this.unexpected('an expression');
        return this.#named();
      }
    }
  }

  /** `()`, `(e)`, `(a, b)`, `(e: T)`, `(e as T)`. */
  #parenthesized(): SyntaxExpression {
    const { start } = this;
    this.advance();
    if (this.accept(')')) return { kind: 'tuple', span: this.spanSince(start), items: [] };
    const first = this.expression();
    const mark = this.kind;
    if (mark === ':' || mark === 'as') {
      this.advance();
      const type = this.type();
      this.expect(')');
      return { kind: mark === ':' ? 'annotate' : 'cast', span: this.spanSince(start), operand: first, type };
    }
    if (mark !== ')') this.expect(',');
    const others = this.listAfter(start, '(', ')', () => this.expression(), 'an expression');
    const span = this.spanSince(start);
    return others.length === 0 ? { ...first, span } : { kind: 'tuple', span, items: [first, ...others] };
  }

  #branch(): Branch {
    if (this.kind !== '{') return { expression: this.expression(), isBlock: false };
    const block = this.block();
    return { expression: { kind: 'block', span: block.span, block }, isBlock: true };
  }

  /** What follows `else`. A chain of `else if` counts by itself, since it reads as a list and not as nesting. */
  #alternate(): Branch {
    if (this.kind !== 'if') return this.#branch();
    if (this.#elseIfs >= ELSE_IF_MAX) {
      this.fail(Syntax.token, this.lexer.span, `more than ${ELSE_IF_MAX} 'else if' follow each other; take this apart`);
    }
    this.#elseIfs++;
    try {
      return { expression: this.#expression(), isBlock: false };
    } finally {
      this.#elseIfs--;
    }
  }

  /**
   * `if`, `while`, `loop`, `return`, `abort`. If it ends with a block, it is a whole operand of what follows:
   * `if (c) a else { b } + 1` adds to what the `if` gives, and `if (c) a else b + 1` to b.
   */
  #control(): Branch {
    const { start, kind } = this;
    this.advance();
    switch (kind) {
      case 'if': {
        const condition = this.#condition();
        const consequent = this.#branch();
        const alternate = this.accept('else') ? this.#alternate() : undefined;
        const branches = { consequent: consequent.expression, alternate: alternate?.expression };
        const expression: SyntaxExpression = { kind, span: this.spanSince(start), condition, ...branches };
        return { expression, isBlock: (alternate ?? consequent).isBlock };
      }
      case 'while':
        return this.#while(start);
      case 'loop': {
        const body = this.#branch();
        return { expression: { kind, span: this.spanSince(start), body: body.expression }, isBlock: body.isBlock };
      }
      case 'return': {
        const value = STARTS.has(this.kind) ? this.#branch() : undefined;
        const span = this.spanSince(start);
        return { expression: { kind, span, value: value?.expression }, isBlock: value?.isBlock ?? false };
      }
      default: {
        const code = this.#branch();
        const span = this.spanSince(start);
        return { expression: { kind: 'abort', span, code: code.expression }, isBlock: code.isBlock };
      }
    }
  }

  #condition(): SyntaxExpression {
    this.expect('(');
    const condition = this.expression();
    this.expect(')');
    return condition;
  }

  /** `while (c) body`, and perhaps invariants after it, which are evaluated with the condition. */
  #while(start: number): Branch {
    let condition = this.#condition();
    let { expression: body, isBlock } = this.#branch();
    if (this.kind === 'spec') {
      const spec = this.spec([], true);
      const { span } = condition;
      const item: SyntaxBlockItem = {
        kind: 'expression',
        span: spec.span,
        expression: { kind: 'spec', span: spec.span, spec },
      };
      const block = { span, uses: [], items: [item], lastSemicolon: undefined, value: condition };
      condition = { kind: 'block', span, block };
      isBlock = true;
    }
    return { expression: { kind: 'while', span: this.spanSince(start), condition, body }, isBlock };
  }

  /** A name, a call, or a struct that is built. */
  #named(): SyntaxExpression {
    const { start } = this;
    const [next] = this.lexer.ahead();
    if (this.isWord('vector') && (next === '<' || next === '[')) return this.#vector();
    const path = this.path('a name');
    if (this.accept('!')) return this.#call(start, path, true, undefined);
    // After a space, `<` compares.
    const isAdjacent = this.kind === '<' && path.span.end === this.start;
    const typeArguments = isAdjacent ? this.typeArguments() : undefined;
    switch (this.kind) {
      case '{': {
        const fields = this.list('{', '}', () => this.#field(), 'a field');
        return { kind: 'pack', span: this.spanSince(start), path, typeArguments, fields };
      }
      case '(':
        return this.#call(start, path, false, typeArguments);
      case '!':
        return this.unexpected("'(' after type arguments");
      default:
        if (path.number === undefined && path.names.length === 1) this.mention(path.names[0]!);
        return { kind: 'path', span: this.spanSince(start), path, typeArguments };
    }
  }

  #call(
    start: number,
    path: SyntaxPath,
    isMacro: boolean,
    typeArguments: readonly SyntaxType[] | undefined,
  ): SyntaxExpression {
    const { start: open } = this;
    const items = this.list('(', ')', () => this.expression(), 'an argument');
    const span = this.spanSince(start);
    if (path.number === undefined && path.names.length === 1) this.mention(path.names[0]!);
    return { kind: 'call', span, path, isMacro, typeArguments, arguments: { span: this.spanSince(open), items } };
  }

  #vector(): SyntaxExpression {
    const { start } = this;
    const nameSpan = this.lexer.span;
    this.advance();
    const typeArguments = this.typeArguments();
    const { start: open } = this;
    const found = this.list('[', ']', () => this.expression(), 'an element');
    const items: SyntaxArguments = { span: this.spanSince(open), items: found };
    return { kind: 'vector', span: this.spanSince(start), nameSpan, typeArguments, items };
  }

  #field(): { name: Name; value: SyntaxExpression } {
    const name = this.name('a field');
    if (this.accept(':')) return { name, value: this.expression() };
    this.mention(name);
    const path = { span: name.span, number: undefined, names: [name] };
    return { name, value: { kind: 'path', span: name.span, path, typeArguments: undefined } };
  }

  #atQuantifier(): boolean {
    if (this.kind !== 'name' || !['exists', 'forall', 'choose'].includes(this.lexer.text)) return false;
    const [first, second] = this.lexer.ahead();
    return first === 'name' && (second === ':' || second === 'name');
  }

  /** `forall x: T: e`, `exists x in v where c: e`, `choose min x: T where c`. */
  #quantifier(): SyntaxExpression {
    const { start } = this;
    const isChoice = this.isWord('choose');
    this.advance();
    if (isChoice) {
      this.acceptWord('min');
      this.#range();
      this.expectWord('where');
    } else {
      do this.#range();
      while (this.accept(','));
      while (this.kind === '{') this.list('{', '}', () => this.expression(), 'a trigger');
      if (this.acceptWord('where')) this.expression();
      this.expect(':');
    }
    this.expression();
    return { kind: 'quantifier', span: this.spanSince(start) };
  }

  #range(): void {
    this.bindInSpec(this.name('a variable'));
    if (this.accept(':')) this.type();
    else {
      this.expectWord('in');
      this.expression();
    }
  }
}
