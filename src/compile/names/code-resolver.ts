/**
 * The resolution of names in code: locals, constants, calls, structs.
 * Source: the reference's `move-compiler/src/expansion/translate.rs` and `naming/translate.rs`.
 * @module
 */

import { didYouMean } from '../../base/nearest-name.ts';
import type {
  BinaryOperator,
  SyntaxArguments,
  SyntaxBlock,
  SyntaxBlockItem,
  SyntaxExpression,
  SyntaxLiteral,
  SyntaxPath,
  SyntaxPattern,
  SyntaxPatternList,
  SyntaxSpec,
  SyntaxType,
} from '../syntax/tree.ts';
import { DEPRECATED, Declarations, duplicate, Names, Syntax, Types } from '../text/diagnostic-kind.ts';
import type { Name, Span } from '../text/source-text.ts';
import type { ConstantDeclaration, Local, StructDeclaration } from './declaration.ts';
import { hexBytes, literalNumber, stringBytes } from './literal.ts';
import type { NameContext } from './name-context.ts';
import type {
  BuiltinFunction,
  PatternList,
  ResolvedArguments,
  ResolvedBlock,
  ResolvedExpression,
  ResolvedItem,
  ResolvedLiteral,
  ResolvedPattern,
  ResolvedPlace,
} from './resolved-tree.ts';
import type { ResolvedType } from './type.ts';
import { BUILTIN_FUNCTIONS, checkLocalName, isCapitalized } from './valid-name.ts';

const SPEC_OPERATORS: ReadonlySet<string> = new Set(['==>', '<==>', '..']);

/** The value of a literal; `undefined` with an error. */
export function literalOf(literal: SyntaxLiteral, names: NameContext): ResolvedLiteral | undefined {
  const { span } = literal;
  switch (literal.kind) {
    case 'bool':
      return { kind: 'bool', value: literal.value };
    case 'address':
      return { kind: 'address', value: names.addresses.resolve(literal.address).value };
    case 'number': {
      const found = literalNumber(literal.text, span, names.diagnostics);
      return found === undefined ? undefined : { kind: 'number', ...found };
    }
    default: {
      const read = literal.kind === 'hexString' ? hexBytes : stringBytes;
      const value = read(literal.text, span, names.diagnostics);
      return value === undefined ? undefined : { kind: 'bytes', value };
    }
  }
}

/** The locals of a block or lambda; later ones and inner ones hide others of their name. */
class LocalScope {
  readonly #outer: LocalScope | undefined;
  readonly #locals = new Map<string, Local>();

  constructor(outer: LocalScope | undefined) {
    this.#outer = outer;
  }

  add(local: Local): void {
    this.#locals.set(local.name, local);
  }

  get(name: string): Local | undefined {
    return this.#locals.get(name) ?? this.#outer?.get(name);
  }

  names(): string[] {
    return [...this.#locals.keys(), ...(this.#outer?.names() ?? [])];
  }
}

/** Resolves the code of one function or constant. */
export class CodeResolver {
  readonly #names: NameContext;
  /** By name: the constants of the script. */
  readonly #scriptConstants: ReadonlyMap<string, ConstantDeclaration>;
  #locals: LocalScope;

  constructor(
    names: NameContext,
    parameters: readonly Local[],
    scriptConstants: ReadonlyMap<string, ConstantDeclaration> = new Map(),
  ) {
    this.#names = names;
    this.#locals = new LocalScope(undefined);
    for (const local of parameters) this.#locals.add(local);
    this.#scriptConstants = scriptConstants;
  }

  block({ span, uses, items, lastSemicolon, value }: SyntaxBlock): ResolvedBlock {
    const outer = this.#locals;
    this.#locals = new LocalScope(outer);
    const resolved = this.#names.withUses(uses, () => {
      const found = items.map((item) => this.#item(item));
      const trailing = { kind: 'unit', span: lastSemicolon ?? span, isTrailing: true } as const;
      const last = value === undefined ? trailing : this.expression(value);
      return [...found, { kind: 'expression', span: last.span, expression: last } as const];
    });
    this.#locals = outer;
    return { span, items: resolved };
  }

  #item(item: SyntaxBlockItem): ResolvedItem {
    const { span } = item;
    if (item.kind === 'expression') return { kind: 'expression', span, expression: this.expression(item.expression) };
    const declared: Local[] = [];
    // Paths of the patterns are resolved before the value, which does not see what they bind.
    const patterns = this.#patterns(item.patterns, declared);
    const type = item.type === undefined ? undefined : this.#names.type(item.type);
    const value = item.value === undefined ? undefined : this.expression(item.value);
    for (const local of declared) this.#locals.add(local);
    if (patterns === undefined) return { kind: 'expression', span, expression: { kind: 'error', span } };
    if (value === undefined) return { kind: 'declare', span, patterns, type };
    if (type === undefined) return { kind: 'bind', span, patterns, value };
    return { kind: 'bind', span, patterns, value: { kind: 'annotate', span: value.span, operand: value, type } };
  }

  /** The locals that patterns declare are added to `declared`. */
  #patterns({ span, patterns }: SyntaxPatternList, declared: Local[]): PatternList | undefined {
    return allOf(
      span,
      patterns.map((each) => this.#pattern(each, declared)),
    );
  }

  #pattern(pattern: SyntaxPattern, declared: Local[]): ResolvedPattern | undefined {
    const { span } = pattern;
    if (pattern.kind === 'name') {
      checkLocalName(pattern.name, this.#names.diagnostics);
      if (pattern.name.text === '_') return { kind: 'ignore', span };
      const before = declared.find(({ name }) => name === pattern.name.text);
      const local = { name: pattern.name.text, span };
      if (before !== undefined) this.#reportDuplicate(local.name, span, before.span, 'declared');
      else declared.push(local);
      return { kind: 'local', span, local: before ?? local };
    }
    const fields = pattern.fields.map(({ name, pattern: inner }) => ({
      name,
      pattern: this.#pattern(inner, declared),
    }));
    return this.#unpack(span, pattern.path, pattern.typeArguments, fields);
  }

  #unpack(
    span: Span,
    path: SyntaxPath,
    typeArguments: readonly SyntaxType[] | undefined,
    fields: readonly { readonly name: Name; readonly pattern: ResolvedPattern | undefined }[],
  ): ResolvedPattern | undefined {
    const struct = this.#names.struct(path);
    const given = this.#names.optionalTypes(typeArguments);
    const found = fields.flatMap(({ name, pattern }) => (pattern === undefined ? [] : [{ name, pattern }]));
    const unique = this.#uniqueFields(found, span);
    if (struct === undefined || found.length < fields.length) return undefined;
    const fitting = this.#fitting(struct, given, span);
    return { kind: 'unpack', span, struct, typeArguments: fitting, fields: unique };
  }

  #fitting(
    struct: StructDeclaration,
    given: readonly ResolvedType[] | undefined,
    span: Span,
  ): readonly ResolvedType[] | undefined {
    return given === undefined ? undefined : this.#names.typeArguments(struct, given, span);
  }

  #uniqueFields<T extends { readonly name: Name }>(fields: readonly T[], span: Span): T[] {
    const seen = new Map<string, T>();
    for (const field of fields) {
      const before = seen.get(field.name.text);
      if (before === undefined) seen.set(field.name.text, field);
      else {
        const secondary = [
          { span: field.name.span, message: 'the second time' },
          { span: before.name.span, message: 'the first time' },
        ];
        const message = `the field '${field.name.text}' is given twice`;
        this.#names.diagnostics.add(Declarations.duplicate, span, message, secondary);
      }
    }
    return [...seen.values()];
  }

  #reportDuplicate(name: string, span: Span, before: Span, verb: string): void {
    this.#names.diagnostics.add(...duplicate(span, `'${name}' is ${verb} twice`, before, 'the first time'));
  }

  #expressions(expressions: readonly SyntaxExpression[]): ResolvedExpression[] {
    return expressions.map((each) => this.expression(each));
  }

  #arguments({ span, items }: SyntaxArguments): ResolvedArguments {
    return { span, items: this.#expressions(items) };
  }

  expression(expression: SyntaxExpression): ResolvedExpression {
    const { span } = expression;
    switch (expression.kind) {
      case 'literal': {
        const literal = literalOf(expression.literal, this.#names);
        return literal === undefined ? { kind: 'error', span } : { kind: 'literal', span, literal };
      }
      case 'move':
      case 'copy': {
        const local = this.#local(expression.name.text, span);
        return local === undefined ? { kind: 'error', span } : { kind: expression.kind, span, local };
      }
      case 'path':
        return this.#path(expression);
      case 'call':
        return this.#call(expression);
      case 'pack':
        return this.#pack(expression);
      case 'vector':
        return this.#vector(expression);
      case 'tuple':
        if (expression.items.length === 0) return { kind: 'unit', span, isTrailing: false };
        return { kind: 'tuple', span, items: this.#expressions(expression.items) };
      case 'if':
      case 'while':
      case 'loop':
      case 'block':
      case 'lambda':
      case 'return':
      case 'abort':
      case 'break':
      case 'continue':
        return this.#control(expression);
      case 'assign':
        return this.#assign(expression);
      case 'spec':
        return this.#spec(expression.spec);
      case 'quantifier':
        return this.#specOnly(span, 'quantifiers');
      case 'index':
        return this.#specOnly(span, "'a[i]'", ['write `vector::borrow(&a, i)`']);
      default:
        return this.#operation(expression);
    }
  }

  #specOnly(span: Span, what: string, notes: readonly string[] = []): ResolvedExpression {
    this.#names.diagnostics.add(Syntax.specOnly, span, `only specifications have ${what}`, [], notes);
    return { kind: 'error', span };
  }

  /** The local of a name; `undefined` with an error. */
  #local(name: string, span: Span): Local | undefined {
    const local = this.#locals.get(name);
    if (local === undefined) {
      const notes = didYouMean(name, this.#locals.names());
      this.#names.diagnostics.add(Names.variable, span, `no variable is called '${name}' here`, [], notes);
    }
    return local;
  }

  #path({ span, path, typeArguments }: SyntaxExpression & { kind: 'path' }): ResolvedExpression {
    if (typeArguments !== undefined) {
      const message = 'type arguments are followed by the fields of a struct or by the arguments of a call';
      this.#names.diagnostics.add(Syntax.specOnly, span, message);
      return { kind: 'error', span };
    }
    const found = this.#names.path(path, 'value');
    if (found === undefined) return { kind: 'error', span };
    if (found.kind === 'name' && !isCapitalized(found.name.text)) {
      const local = this.#local(found.name.text, span);
      return local === undefined ? { kind: 'error', span } : { kind: 'use', span, local };
    }
    const constant =
      found.kind === 'member'
        ? this.#names.constantMember(found, path.span)
        : this.#scriptConstant(found.name, path.span);
    return constant === undefined ? { kind: 'error', span } : { kind: 'constant', span, constant };
  }

  #scriptConstant({ text }: Name, span: Span): ConstantDeclaration | undefined {
    const constant = this.#scriptConstants.get(text);
    if (constant === undefined) {
      const known = [...this.#scriptConstants.keys(), ...(this.#names.module?.constants.keys() ?? [])];
      const notes = didYouMean(text, known);
      const message = `no constant is called '${text}' here`;
      this.#names.diagnostics.add(Names.unscoped, span, message, [], notes, this.#names.isReported(text));
    }
    return constant;
  }

  #call({
    span,
    path,
    isMacro,
    typeArguments,
    arguments: given,
  }: SyntaxExpression & { kind: 'call' }): ResolvedExpression {
    const types = this.#names.optionalTypes(typeArguments);
    const args = this.#arguments(given);
    const found = this.#names.path(path, 'call');
    if (found === undefined) return { kind: 'error', span };
    const nameSpan = path.span;
    if (found.kind === 'member') {
      const called = this.#names.functionMember(found, nameSpan);
      if (called === undefined) return { kind: 'error', span };
      return { kind: 'call', span, function: called, isMacro, typeArguments: types, arguments: args };
    }
    const { text } = found.name;
    if (BUILTIN_FUNCTIONS.has(text)) return this.#builtin(span, found.name, isMacro, types, args);
    const local = this.#locals.get(text);
    if (local !== undefined) return { kind: 'callLocal', span, local, nameSpan, arguments: args };
    const known = [...(this.#names.module?.functions.keys() ?? []), ...BUILTIN_FUNCTIONS, ...this.#locals.names()];
    const notes = didYouMean(text, known);
    const message = `no function is called '${text}' here`;
    this.#names.diagnostics.add(Names.variable, nameSpan, message, [], notes, this.#names.isReported(text));
    // The types of the arguments are checked all the same.
    return { kind: 'callLocal', span, local: { name: text, span: nameSpan }, nameSpan, arguments: args };
  }

  #builtin(
    span: Span,
    name: Name,
    isMacro: boolean,
    types: readonly ResolvedType[] | undefined,
    args: ResolvedArguments,
  ): ResolvedExpression {
    const { diagnostics } = this.#names;
    const nameSpan = name.span;
    const called = name.text as BuiltinFunction;
    const what = (): string => `'${name.text}'`;
    let typeArgument: ResolvedType | undefined;
    if (called !== 'assert') {
      [typeArgument] = types === undefined ? [] : this.#names.fitTypeArguments(types, 1, span, what, nameSpan);
    } else if (isMacro) {
      if (types !== undefined) diagnostics.add(Types.tooManyArguments, span, "'assert!' takes no type arguments");
    } else {
      diagnostics.add(DEPRECATED, nameSpan, "write 'assert!', which evaluates the code only if it is needed");
      if (types !== undefined) this.#names.fitTypeArguments(types, 0, span, what, nameSpan);
    }
    return { kind: 'builtin', span, function: called, nameSpan, isMacro, typeArgument, arguments: args };
  }

  #pack({ span, path, typeArguments, fields }: SyntaxExpression & { kind: 'pack' }): ResolvedExpression {
    const struct = this.#names.struct(path);
    const given = this.#names.optionalTypes(typeArguments);
    const values = fields.map(({ name, value }) => ({ name, value: this.expression(value) }));
    const unique = this.#uniqueFields(values, span);
    if (struct === undefined) return { kind: 'error', span };
    return { kind: 'pack', span, struct, typeArguments: this.#fitting(struct, given, span), fields: unique };
  }

  #vector({ span, nameSpan, typeArguments, items }: SyntaxExpression & { kind: 'vector' }): ResolvedExpression {
    const given = this.#names.optionalTypes(typeArguments);
    const resolved = this.#arguments(items);
    const what = (): string => "'vector'";
    const fitting = given === undefined ? [] : this.#names.fitTypeArguments(given, 1, span, what, nameSpan);
    return { kind: 'vector', span, nameSpan, element: fitting[0], items: resolved };
  }

  #control(expression: SyntaxExpression): ResolvedExpression {
    const { span } = expression;
    const unit: ResolvedExpression = { kind: 'unit', span, isTrailing: false };
    switch (expression.kind) {
      case 'if': {
        const condition = this.expression(expression.condition);
        const consequent = this.expression(expression.consequent);
        const alternate = expression.alternate === undefined ? unit : this.expression(expression.alternate);
        return { kind: 'if', span, condition, consequent, alternate };
      }
      case 'while': {
        const condition = this.expression(expression.condition);
        return { kind: 'while', span, condition, body: this.expression(expression.body) };
      }
      case 'loop':
        return { kind: 'loop', span, body: this.expression(expression.body) };
      case 'block':
        return { kind: 'block', span, block: { ...this.block(expression.block), span } };
      case 'lambda':
        return this.#lambda(expression);
      case 'return': {
        const value = expression.value === undefined ? unit : this.expression(expression.value);
        return { kind: 'return', span, value };
      }
      case 'abort':
        return { kind: 'abort', span, code: this.expression(expression.code) };
      default:
        return { kind: expression.kind as 'break' | 'continue', span };
    }
  }

  #lambda({ span, parameters, body }: SyntaxExpression & { kind: 'lambda' }): ResolvedExpression {
    const outer = this.#locals;
    const declared: Local[] = [];
    const patterns = this.#patterns(parameters, declared);
    this.#locals = new LocalScope(outer);
    for (const local of declared) this.#locals.add(local);
    const resolved = this.expression(body);
    this.#locals = outer;
    if (patterns === undefined) return { kind: 'error', span };
    return { kind: 'lambda', span, parameters: patterns, body: resolved };
  }

  #operation(expression: SyntaxExpression): ResolvedExpression {
    const { span } = expression;
    switch (expression.kind) {
      case 'dereference':
      case 'not':
        return { kind: expression.kind, span, operand: this.expression(expression.operand) };
      case 'binary': {
        const { operator, operatorSpan } = expression;
        if (SPEC_OPERATORS.has(operator)) return this.#specOnly(span, `the operator '${operator}'`);
        const left = this.expression(expression.left);
        const right = this.expression(expression.right);
        return { kind: 'binary', span, operator: operator as BinaryOperator, operatorSpan, left, right };
      }
      case 'borrow': {
        const place = this.#place(expression.operand);
        if (place === undefined) return { kind: 'error', span };
        return { kind: 'borrow', span, isMutable: expression.isMutable, place };
      }
      case 'field': {
        const place = this.#place(expression);
        return place === undefined ? { kind: 'error', span } : { kind: 'readField', span, place };
      }
      case 'cast':
      case 'annotate': {
        const operand = this.expression(expression.operand);
        return { kind: expression.kind, span, operand, type: this.#names.type(expression.type) };
      }
      default:
        return { kind: 'error', span };
    }
  }

  /** An expression as a place; `undefined` with an error, since a field of nothing has no further error. */
  #place(expression: SyntaxExpression): ResolvedPlace | undefined {
    const { span } = expression;
    if (expression.kind === 'field') {
      const of = this.#place(expression.operand);
      return of === undefined ? undefined : { kind: 'field', span, of, name: expression.name };
    }
    const found = this.expression(expression);
    return found.kind === 'error' ? undefined : { kind: 'expression', span, expression: found };
  }

  #assign({ span, target, value }: SyntaxExpression & { kind: 'assign' }): ResolvedExpression {
    if (target.kind === 'dereference') {
      const reference = this.expression(target.operand);
      return { kind: 'mutate', span, reference, value: this.expression(value) };
    }
    if (target.kind === 'field') {
      const place = this.#place(target);
      const found = this.expression(value);
      return place === undefined ? { kind: 'error', span } : { kind: 'mutateField', span, target: place, value: found };
    }
    const seen = new Map<string, Span>();
    const items = target.kind === 'tuple' ? target.items : [target];
    const targets = allOf(
      target.span,
      items.map((each) => this.#target(each, seen)),
    );
    const found = this.expression(value);
    return targets === undefined ? { kind: 'error', span } : { kind: 'assign', span, targets, value: found };
  }

  /** What is assigned to, as a pattern; `undefined` with an error. */
  #target(target: SyntaxExpression, seen: Map<string, Span>): ResolvedPattern | undefined {
    const { span } = target;
    if (target.kind === 'path') return this.#targetPath(target, seen);
    if (target.kind !== 'pack') {
      const message = 'only variables, fields, references (`*r = ..`) and structs that are taken apart are assigned to';
      this.#names.diagnostics.add(Syntax.target, span, message);
      return undefined;
    }
    const fields = target.fields.map(({ name, value }) => ({ name, pattern: this.#target(value, seen) }));
    return this.#unpack(span, target.path, target.typeArguments, fields);
  }

  #targetPath(
    { span, path, typeArguments }: SyntaxExpression & { kind: 'path' },
    seen: Map<string, Span>,
  ): ResolvedPattern | undefined {
    const found = this.#names.path(path, 'value');
    if (found === undefined && path.names.length === 1) return undefined;
    if (typeArguments !== undefined || found?.kind !== 'name') {
      const message = 'a struct that is taken apart has fields in braces: `S { f: x } = ..`';
      this.#names.diagnostics.add(Syntax.specOnly, span, message);
      return undefined;
    }
    const { text } = found.name;
    if (text === '_') return { kind: 'ignore', span };
    const before = seen.get(text);
    if (before !== undefined) this.#reportDuplicate(text, span, before, 'assigned');
    seen.set(text, span);
    const local = this.#local(text, span);
    return local === undefined ? undefined : { kind: 'local', span, local };
  }

  #spec({ span, uses, names, paths }: SyntaxSpec): ResolvedExpression {
    this.#names.withUses(uses, () => useInSpecification(this.#names, paths));
    const locals = names.flatMap(({ text }) => this.#locals.get(text) ?? []);
    locals.sort((left, right) => (left.name < right.name ? -1 : 1));
    return { kind: 'spec', span, locals };
  }
}

/** Counts the modules and members that a specification names as used. What it names wrongly is not reported. */
export function useInSpecification(names: NameContext, paths: readonly SyntaxPath[]): void {
  for (const {
    number,
    names: [first, second],
    span,
  } of paths) {
    if (number !== undefined || first === undefined) continue;
    const alias = second === undefined ? names.memberAlias(first.text) : names.moduleAlias(first.text);
    if (alias !== undefined) names.countUse(alias.module, span);
  }
}

/** All patterns, if none had an error. */
function allOf(span: Span, patterns: readonly (ResolvedPattern | undefined)[]): PatternList | undefined {
  const found = patterns.filter((each) => each !== undefined);
  return found.length < patterns.length ? undefined : { span, patterns: found };
}
