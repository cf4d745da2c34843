/**
 * The types of the code of one function or constant: gives each expression a type, which may hold variables, and notes
 * what the types must satisfy. `settle.ts` puts in what the variables stand for.
 *
 * Source: `exp_` of the reference's `move-compiler/src/typing/translate.rs`. The order in which types are compared, and
 * which of two is called expected, are the reference's, since the place of an error depends on them.
 * @module
 */

import { didYouMean } from '../../base/nearest-name.ts';
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, type AbilitySet } from '../../move/ability.ts';
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type {
  ConstantDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  Local,
  ModuleDeclaration,
  StructDeclaration,
} from '../names/declaration.ts';
import type {
  PatternList,
  ResolvedArguments,
  ResolvedBlock,
  ResolvedExpression,
  ResolvedItem,
  ResolvedLiteral,
  ResolvedPattern,
  ResolvedPlace,
} from '../names/resolved-tree.ts';
import type { ResolvedType, TypeParameter } from '../names/type.ts';
import type { Diagnostics, Label } from '../text/diagnostic.ts';
import { Names, References, Types } from '../text/diagnostic-kind.ts';
import type { Name, Span } from '../text/source-text.ts';
import { type Constraint, elsewhere, solveConstraints } from './constraints.ts';
import { type FitMode, Inference, type Misfit } from './inference.ts';
import { type Substitution, substitute, substitution } from './substitution.ts';
import { structNameText } from './type-text.ts';
import type {
  TypedBlock,
  TypedExpression,
  TypedFieldPattern,
  TypedFieldValue,
  TypedItem,
  TypedPattern,
  TypedPatternList,
} from './typed-tree.ts';

type Expression<Kind extends ResolvedExpression['kind']> = Extract<ResolvedExpression, { readonly kind: Kind }>;

/** What fields are taken of, typed; `type` is that of the value, without a reference. */
type TypedPlace =
  /** A reference. */
  | {
      readonly kind: 'reference';
      readonly span: Span;
      readonly type: ResolvedType;
      readonly expression: TypedExpression;
    }
  /** A value, which is borrowed first. */
  | { readonly kind: 'value'; readonly span: Span; readonly type: ResolvedType; readonly expression: TypedExpression }
  | {
      readonly kind: 'field';
      readonly span: Span;
      readonly type: ResolvedType;
      readonly of: TypedPlace;
      readonly name: Name;
      /** `undefined` if there is no such field, for which there is an error. */
      readonly found: { readonly struct: StructDeclaration; readonly field: FieldDeclaration } | undefined;
    };

export function unitType(span: Span): ResolvedType {
  return { kind: 'tuple', span, items: [] };
}

function errorType(span: Span): ResolvedType {
  return { kind: 'error', span };
}

function primitive(name: PrimitiveKind, span: Span): ResolvedType {
  return { kind: 'primitive', span, name };
}

/** In the order in which the reference looks at fields. */
function byName<Item extends { readonly name: Name }>(fields: readonly Item[]): Item[] {
  return fields.toSorted((left, right) => (left.name.text < right.name.text ? -1 : 1));
}

export class BodyChecker {
  readonly inference: Inference = new Inference();
  readonly diagnostics: Diagnostics;
  /** `undefined` in a script. */
  readonly module: ModuleDeclaration | undefined;
  readonly #locals = new Map<Local, ResolvedType>();
  #constraints: Constraint[] = [];
  #result: ResolvedType | undefined;
  /** The innermost loop, with the place of its first `break`. */
  #loop: { firstBreak: Span | undefined } | undefined;

  constructor(module: ModuleDeclaration | undefined, diagnostics: Diagnostics) {
    this.module = module;
    this.diagnostics = diagnostics;
  }

  /** Reports the constraints that do not hold, and forgets all. */
  solve(): void {
    const constraints = this.#constraints;
    this.#constraints = [];
    solveConstraints(constraints, this.inference, this.diagnostics);
  }

  /** Declares the parameters of a function and what it returns. */
  signature(declaration: FunctionDeclaration): void {
    for (const { local, type } of declaration.parameters) {
      const instance = this.instantiate(type);
      this.require('single', type.span, instance, 'a parameter');
      this.#locals.set(local, instance);
    }
    this.#result = this.instantiate(declaration.result);
    this.solve();
  }

  /** The code of a function, whose signature has been declared. */
  body(block: ResolvedBlock): TypedBlock {
    const typed = this.block(block);
    const last = typed.items.at(-1);
    const type = blockType(typed);
    this.subtype(last?.span ?? typed.span, 'the value of the function', type, this.#result ?? unitType(typed.span));
    return typed;
  }

  /** The value of a constant, which is declared to have this type. */
  constantValue(value: ResolvedExpression, declared: ResolvedType): TypedExpression {
    this.#result = declared;
    const typed = this.expression(value);
    this.subtype(declared.span, 'the value of the constant', typed.type, declared);
    return typed;
  }

  /** A written type, with a variable where nothing is written, and the constraints of its arguments. */
  instantiate(type: ResolvedType): ResolvedType {
    switch (type.kind) {
      case 'any':
        return this.inference.variable(type.span);
      case 'reference':
        this.require('base', type.span, type.target, 'what a reference points to');
        return { ...type, target: this.instantiate(type.target) };
      case 'vector':
        return { ...type, element: this.#argument(type.span, type.element, undefined) };
      case 'struct': {
        const { typeParameters } = type.struct;
        const given = type.arguments.map((argument, at) => this.#argument(type.span, argument, typeParameters[at]));
        return { ...type, arguments: given };
      }
      case 'tuple':
        return { ...type, items: type.items.map((item) => this.#single(type.span, this.instantiate(item))) };
      case 'function': {
        const parameters = type.parameters.map((one) => this.#single(type.span, this.instantiate(one)));
        return { ...type, parameters, result: this.instantiate(type.result) };
      }
      default:
        return type;
    }
  }

  subtype(span: Span, what: string, given: ResolvedType, expected: ResolvedType): ResolvedType {
    return this.#fitted('subtype', span, what, given, expected) ?? expected;
  }

  expression(expression: ResolvedExpression): TypedExpression {
    const { span } = expression;
    switch (expression.kind) {
      case 'unit':
        return { kind: 'unit', span, type: unitType(span), isTrailing: expression.isTrailing };
      case 'literal':
        return this.#literal(expression.literal, span);
      case 'constant':
        return this.#constant(expression);
      case 'move':
      case 'copy':
      case 'use': {
        const type = this.#locals.get(expression.local) ?? errorType(span);
        if (expression.kind === 'copy') this.#ability(span, type, ABILITY_COPY, "'copy' needs");
        return { kind: expression.kind, span, type, local: expression.local };
      }
      case 'call':
        return this.#call(expression);
      case 'callLocal':
        return this.#callLocal(expression);
      case 'builtin':
        return this.#builtin(expression);
      case 'vector':
        return this.#vector(expression);
      case 'if':
        return this.#if(expression);
      case 'while':
      case 'loop':
        return this.#loopExpression(expression);
      case 'break':
      case 'continue':
        return this.#loopControl(expression.kind, span);
      case 'block': {
        const block = this.block(expression.block);
        return { kind: 'block', span, type: blockType(block), block };
      }
      case 'lambda':
        return this.#lambda(expression);
      case 'assign': {
        const value = this.expression(expression.value);
        const targets = this.#patterns('assign', expression.targets, value.type);
        return { kind: 'assign', span, type: unitType(span), targets, value };
      }
      case 'mutate': {
        const reference = this.expression(expression.reference);
        return this.#mutate(span, reference, this.expression(expression.value));
      }
      case 'mutateField': {
        const value = this.expression(expression.value);
        const place = this.#place(expression.target);
        return this.#mutate(span, this.#borrowPlace(place, expression.target.span, true), value);
      }
      case 'return': {
        const value = this.expression(expression.value);
        this.subtype(span, 'what is returned', value.type, this.#result ?? errorType(span));
        return { kind: 'return', span, type: { kind: 'any', span }, value };
      }
      case 'abort': {
        const code = this.expression(expression.code);
        this.subtype(span, "the code of 'abort'", code.type, primitive('u64', span));
        return { kind: 'abort', span, type: { kind: 'any', span }, code };
      }
      case 'dereference':
        return this.#dereference(expression);
      case 'not': {
        const operand = this.expression(expression.operand);
        this.subtype(operand.span, "the operand of '!'", operand.type, primitive('bool', operand.span));
        return { kind: 'not', span, type: primitive('bool', span), operand };
      }
      case 'binary':
        return this.#binary(expression);
      case 'pack':
        return this.#pack(expression);
      case 'tuple':
        return this.#tuple(expression);
      case 'readField':
        return this.#readField(expression);
      case 'borrow':
        return this.#borrow(expression);
      case 'cast': {
        const operand = this.expression(expression.operand);
        const type = this.instantiate(expression.type);
        this.#number(operand.span, 'as', operand.type);
        this.#number(expression.type.span, 'as', type);
        return { kind: 'cast', span, type, operand };
      }
      case 'annotate': {
        const operand = this.expression(expression.operand);
        const type = this.instantiate(expression.type);
        this.subtype(expression.type.span, 'the value', operand.type, type);
        return { kind: 'annotate', span, type, operand };
      }
      case 'spec': {
        const locals = expression.locals.flatMap((local) => {
          const type = this.#locals.get(local);
          return type === undefined ? [] : [{ local, type }];
        });
        return { kind: 'spec', span, type: unitType(span), locals };
      }
      case 'error':
        return { kind: 'error', span, type: errorType(span) };
    }
  }

  block(block: ResolvedBlock): TypedBlock {
    const last = block.items.length - 1;
    const items = block.items.map((item, index) => this.#item(item, index < last));
    return { span: block.span, items };
  }

  #item(item: ResolvedItem, isDropped: boolean): TypedItem {
    const { span } = item;
    switch (item.kind) {
      case 'expression': {
        const expression = this.expression(item.expression);
        if (isDropped) this.#ability(span, expression.type, ABILITY_DROP, 'a value that is not used needs');
        return { kind: 'expression', span, expression };
      }
      case 'declare': {
        const type = item.type === undefined ? undefined : this.instantiate(item.type);
        return { kind: 'declare', span, patterns: this.#patterns('bind', item.patterns, type) };
      }
      case 'bind': {
        const value = this.expression(item.value);
        return { kind: 'bind', span, patterns: this.#patterns('bind', item.patterns, value.type), value };
      }
    }
  }

  #fitted(mode: FitMode, span: Span, what: string, left: ResolvedType, right: ResolvedType): ResolvedType | undefined {
    const type = this.inference.fit(mode, left, right);
    if (type.kind !== 'misfit') return type;
    this.#misfit(mode, span, what, left, right, type);
    return undefined;
  }

  #join(span: Span, what: string, left: ResolvedType, right: ResolvedType): ResolvedType {
    return this.#fitted('join', span, what, left, right) ?? errorType(span);
  }

  #misfit(mode: FitMode, span: Span, what: string, left: ResolvedType, right: ResolvedType, misfit: Misfit): void {
    if ('span' in misfit) {
      const fault = misfit.reason === 'recursive' ? 'would contain itself' : 'is too large';
      const label = { span: misfit.span, message: `this type ${fault}` };
      this.diagnostics.add(Types.recursive, span, `the type of ${what} ${fault}`, [label]);
      return;
    }
    const [leftText, rightText] = [this.inference.text(left), this.inference.text(right)];
    const message =
      mode === 'subtype'
        ? `${what} must have the type '${rightText}', but has '${leftText}'`
        : `${what} must have the same type, but have '${leftText}' and '${rightText}'`;
    const label = (type: ResolvedType, role: string): Label => ({
      span: this.inference.spanOf(type),
      message: `${role}'${this.inference.text(type)}'`,
    });
    const labels =
      mode === 'subtype'
        ? [label(misfit.left, 'given: '), label(misfit.right, 'expected: ')]
        : [label(misfit.left, ''), label(misfit.right, '')];
    const kind = misfit.reason === 'mutability' ? Types.subtype : Types.join;
    const notes = remedies(leftText, rightText, mode === 'subtype');
    this.diagnostics.add(kind, span, message, elsewhere(labels, span), notes);
  }

  #ability(span: Span, type: ResolvedType, abilities: AbilitySet, reason: string): void {
    this.#constraints.push({ kind: 'abilities', span, type, abilities, reason });
  }

  #number(span: Span, operator: string, type: ResolvedType): void {
    this.#constraints.push({ kind: 'number', span, type, operator });
  }

  require(kind: 'base' | 'single', span: Span, type: ResolvedType, what: string): void {
    this.#constraints.push({ kind, span, type, what });
  }

  #single(span: Span, type: ResolvedType): ResolvedType {
    this.require('single', span, type, 'an item of a list');
    return type;
  }

  /** A type argument as written, with what its parameter asks for. */
  #argument(span: Span, written: ResolvedType, parameter: TypeParameter | undefined): ResolvedType {
    const type = this.instantiate(written);
    this.#constrain(span, type, parameter);
    return type;
  }

  #constrain(span: Span, type: ResolvedType, parameter: TypeParameter | undefined): void {
    if (parameter !== undefined && parameter.constraints !== 0) {
      const reason = `the type parameter '${parameter.name.text}' needs`;
      this.#constraints.push({ kind: 'abilities', span, type, abilities: parameter.constraints, reason, parameter });
    }
    this.require('base', span, type, 'a type argument');
  }

  /** One for each parameter: those that are written, or variables. */
  #typeArguments(
    span: Span,
    given: readonly ResolvedType[] | undefined,
    parameters: readonly TypeParameter[],
  ): ResolvedType[] {
    return parameters.map((parameter, index) => {
      if (given !== undefined) return this.#argument(span, given[index] ?? errorType(span), parameter);
      const type = this.inference.variable(span);
      this.#constrain(span, type, parameter);
      return type;
    });
  }

  #literal(literal: ResolvedLiteral, span: Span): TypedExpression {
    const typed = (type: ResolvedType): TypedExpression => ({ kind: 'literal', span, type, literal });
    switch (literal.kind) {
      case 'number':
        return typed(literal.type === undefined ? this.inference.numberVariable(span) : primitive(literal.type, span));
      case 'bytes':
        return typed({ kind: 'vector', span, element: primitive('u8', span) });
      default:
        return typed(primitive(literal.kind, span));
    }
  }

  #constant({ span, constant }: Expression<'constant'>): TypedExpression {
    this.#requireOwn(span, constant, `the constant '${constant.name.text}' can only be used`);
    return { kind: 'constant', span, type: constant.type, constant };
  }

  #if(expression: Expression<'if'>): TypedExpression {
    const { span } = expression;
    const condition = this.expression(expression.condition);
    this.subtype(condition.span, "the condition of 'if'", condition.type, primitive('bool', condition.span));
    const consequent = this.expression(expression.consequent);
    const alternate = this.expression(expression.alternate);
    const type = this.#join(span, "the branches of 'if'", consequent.type, alternate.type);
    return { kind: 'if', span, type, condition, consequent, alternate };
  }

  #loopExpression(expression: Expression<'while' | 'loop'>): TypedExpression {
    const { span } = expression;
    let condition: TypedExpression | undefined;
    if (expression.kind === 'while') {
      condition = this.expression(expression.condition);
      this.subtype(condition.span, "the condition of 'while'", condition.type, primitive('bool', condition.span));
    }
    const outer = this.#loop;
    const loop: { firstBreak: Span | undefined } = { firstBreak: undefined };
    this.#loop = loop;
    const body = this.expression(expression.body);
    this.#loop = outer;
    this.subtype(body.span, 'the body of a loop', body.type, unitType(body.span));
    if (condition !== undefined) return { kind: 'while', span, type: unitType(span), condition, body };
    const hasBreak = loop.firstBreak !== undefined;
    const type = hasBreak ? unitType(span) : { ...this.inference.variable(body.span), span };
    return { kind: 'loop', span, type, hasBreak, body };
  }

  #loopControl(kind: 'break' | 'continue', span: Span): TypedExpression {
    if (this.#loop === undefined) {
      this.diagnostics.add(Types.loopControl, span, `'${kind}' can only be used in the body of a loop`);
    } else if (kind === 'break') {
      this.#loop.firstBreak ??= span;
    }
    return { kind, span, type: { kind: 'any', span } };
  }

  #lambda(expression: Expression<'lambda'>): TypedExpression {
    const { span } = expression;
    const parameters = this.#patterns('bind', expression.parameters, undefined);
    const body = this.expression(expression.body);
    const types = parameters.patterns.flatMap((pattern) => (pattern.kind === 'local' ? [pattern.type] : []));
    const type: ResolvedType = { kind: 'function', span, parameters: types, result: body.type };
    return { kind: 'lambda', span, type, parameters, body };
  }

  #mutate(span: Span, reference: TypedExpression, value: TypedExpression): TypedExpression {
    const target = this.inference.variable(reference.span);
    const expected: ResolvedType = { kind: 'reference', span: reference.span, isMutable: true, target };
    this.subtype(reference.span, 'the reference that is assigned to', reference.type, expected);
    this.subtype(reference.span, 'the new value', value.type, target);
    this.#ability(reference.span, target, ABILITY_DROP, 'assigning needs, since the old value is dropped');
    return { kind: 'mutate', span, type: unitType(span), reference, value };
  }

  #dereference({ span, operand }: Expression<'dereference' | 'not'>): TypedExpression {
    const reference = this.expression(operand);
    const target = this.inference.variable(span);
    this.subtype(span, "the operand of '*'", reference.type, { kind: 'reference', span, isMutable: false, target });
    this.#ability(span, target, ABILITY_COPY, "reading through a reference with '*' needs");
    return { kind: 'dereference', span, type: target, operand: reference };
  }

  /** Chains of operators are as long as the source wants, so they are not descended by recursion. */
  #binary(expression: Expression<'binary'>): TypedExpression {
    const chain: Expression<'binary'>[] = [];
    let first: ResolvedExpression = expression;
    for (; first.kind === 'binary'; first = first.left) chain.push(first);
    let left = this.expression(first);
    for (const link of chain.reverse()) left = this.#operation(link, left, this.expression(link.right));
    return left;
  }

  #operation(
    { span, operator, operatorSpan }: Expression<'binary'>,
    left: TypedExpression,
    right: TypedExpression,
  ): TypedExpression {
    const typed = (type: ResolvedType, operandType: ResolvedType): TypedExpression => ({
      kind: 'binary',
      span,
      type,
      operator,
      operatorSpan,
      operandType,
      left,
      right,
    });
    const join = (): ResolvedType => this.#join(operatorSpan, `the operands of '${operator}'`, left.type, right.type);
    const subtype = (operand: TypedExpression, expected: ResolvedType): ResolvedType =>
      this.subtype(operand.span, `an operand of '${operator}'`, operand.type, expected);
    switch (operator) {
      case '<<':
      case '>>':
        this.#number(left.span, operator, left.type);
        subtype(right, primitive('u8', right.span));
        return typed(left.type, left.type);
      case '&&':
      case '||':
        subtype(left, primitive('bool', operatorSpan));
        subtype(right, primitive('bool', operatorSpan));
        return typed(primitive('bool', span), primitive('bool', span));
      case '==':
      case '!=': {
        const reason = `'${operator}' needs, since it uses up both values`;
        this.#ability(left.span, left.type, ABILITY_DROP, reason);
        this.#ability(right.span, right.type, ABILITY_DROP, reason);
        const type = join();
        this.require('single', span, type, `an operand of '${operator}'`);
        return typed(primitive('bool', span), type);
      }
      case '<':
      case '>':
      case '<=':
      case '>=':
        this.#number(left.span, operator, left.type);
        this.#number(right.span, operator, left.type);
        return typed(primitive('bool', span), join());
      default: {
        this.#number(left.span, operator, left.type);
        this.#number(right.span, operator, left.type);
        const type = join();
        return typed(type, type);
      }
    }
  }

  #tuple({ span, items }: Expression<'tuple'>): TypedExpression {
    const expressions = items.map((item) => this.expression(item));
    const types = expressions.map((item) => {
      const variable = this.inference.variable(item.span);
      this.require('single', span, variable, 'an item of a list');
      this.inference.fit('join', item.type, variable);
      return variable;
    });
    return {
      kind: 'tuple',
      span,
      type: { kind: 'tuple', span, items: types },
      items: expressions,
    };
  }

  #vector(expression: Expression<'vector'>): TypedExpression {
    const { span, nameSpan } = expression;
    const given = expression.items.items.map((item) => this.expression(item));
    let element: ResolvedType = this.inference.variable(span);
    for (const { type } of given) element = this.#join(span, 'the elements of a vector', element, type);
    if (expression.element !== undefined) {
      const written = this.instantiate(expression.element);
      this.subtype(span, 'an element of the vector', element, written);
      element = written;
    }
    this.require('base', span, element, 'an element of a vector');
    const types = given.map((item) => item.type);
    const items = this.#argumentList(expression.items.span, given, types);
    return { kind: 'vector', span, type: { kind: 'vector', span, element }, nameSpan, element, items };
  }

  // --- patterns ---

  #patterns(role: 'bind' | 'assign', list: PatternList, valueType: ResolvedType | undefined): TypedPatternList {
    const { span } = list;
    const variables = list.patterns.map((pattern) => {
      const variable = this.inference.variable(pattern.span);
      this.require('single', span, variable, 'a variable');
      return variable;
    });
    const [only] = variables;
    const type: ResolvedType =
      variables.length === 1 && only !== undefined ? { ...only, span } : { kind: 'tuple', span, items: variables };
    if (valueType !== undefined) {
      const what = role === 'bind' ? 'the value of the declaration' : 'the value of the assignment';
      if (this.#fitted('subtype', span, what, valueType, type) === undefined) {
        for (const variable of variables) this.inference.fit('join', variable, errorType(variable.span));
      }
    }
    const patterns = list.patterns.map((pattern, index) => this.#pattern(role, pattern, variables[index]!));
    return { span, patterns, types: patterns.map(patternType) };
  }

  #pattern(role: 'bind' | 'assign', pattern: ResolvedPattern, type: ResolvedType): TypedPattern {
    const { span } = pattern;
    switch (pattern.kind) {
      case 'ignore':
        this.#ability(span, type, ABILITY_DROP, 'a value that is not used needs');
        return { kind: 'ignore', span };
      case 'local': {
        const { local } = pattern;
        let localType = type;
        if (role === 'bind') {
          this.#locals.set(local, type);
        } else {
          localType = this.#locals.get(local) ?? errorType(span);
          this.subtype(span, `what '${local.name}' is assigned`, type, localType);
        }
        return { kind: 'local', span, local, type: localType };
      }
      case 'unpack':
        return this.#unpack(role, pattern, type);
    }
  }

  #unpack(
    role: 'bind' | 'assign',
    pattern: ResolvedPattern & { readonly kind: 'unpack' },
    type: ResolvedType,
  ): TypedPattern {
    const { span, struct } = pattern;
    const typeArguments = this.#typeArguments(span, pattern.typeArguments, struct.typeParameters);
    const resolved = this.inference.resolve(type);
    const borrow = resolved.kind === 'reference' ? resolved : undefined;
    const expected: ResolvedType = { kind: 'struct', span, struct, arguments: typeArguments };
    this.subtype(span, 'the pattern', expected, borrow?.target ?? type);
    const types = this.#fieldTypes(span, struct, typeArguments, pattern.fields, 'taken apart');
    const typed = new Map<string, TypedFieldPattern>();
    for (const { name, pattern: inner } of byName(pattern.fields)) {
      const fieldType = types.get(name.text) ?? errorType(name.span);
      const given: ResolvedType =
        borrow === undefined
          ? fieldType
          : { kind: 'reference', span: name.span, isMutable: borrow.isMutable, target: fieldType };
      const innerTyped = this.#pattern(role, inner, given);
      const field = struct.fields?.get(name.text);
      if (field !== undefined) typed.set(name.text, { field, type: fieldType, pattern: innerTyped });
    }
    this.#requireOwn(span, struct, `'${structNameText(struct)}' can only be taken apart`);
    const fields = pattern.fields.flatMap(({ name }) => typed.get(name.text) ?? []);
    const borrowKind = borrow === undefined ? undefined : { isMutable: borrow.isMutable };
    return { kind: 'unpack', span, struct, typeArguments, borrow: borrowKind, fields };
  }

  // --- fields ---

  /** The types of the fields that are written; reports those that are unknown or missing. */
  #fieldTypes(
    span: Span,
    struct: StructDeclaration,
    typeArguments: readonly ResolvedType[],
    written: readonly { readonly name: Name }[],
    verb: string,
  ): Map<string, ResolvedType> {
    const types = new Map<string, ResolvedType>();
    if (struct.fields === undefined) {
      const message = `the native struct '${structNameText(struct)}' cannot be ${verb}`;
      this.diagnostics.add(Types.native, span, message, [declaredHere(struct.name)]);
      return types;
    }
    const pairs = substitution(struct.typeParameters, typeArguments);
    const names = new Set(written.map(({ name }) => name.text));
    for (const field of struct.fields.values()) {
      if (names.has(field.name.text)) {
        types.set(field.name.text, substitute(field.type, pairs));
        continue;
      }
      const message = `the field '${field.name.text}' of '${structNameText(struct)}' is missing`;
      this.diagnostics.add(Types.tooFewArguments, span, message, [declaredHere(field.name)]);
    }
    for (const { name } of written) {
      if (!struct.fields.has(name.text)) this.#noField(span, struct, name.text);
    }
    return types;
  }

  #requireOwn(span: Span, { module, name }: Pick<ConstantDeclaration, 'module' | 'name'>, what: string): void {
    if (module === this.module) return;
    this.diagnostics.add(Types.visibility, span, `${what} in its own module`, [declaredHere(name)]);
  }

  #noField(span: Span, struct: StructDeclaration, name: string): void {
    const known = [...(struct.fields?.keys() ?? [])];
    const message = `'${structNameText(struct)}' has no field '${name}'`;
    const label = known.length === 0 ? 'it is declared here' : `it has the fields ${known.join(', ')}`;
    this.diagnostics.add(
      Names.field,
      span,
      message,
      [{ span: struct.name.span, message: label }],
      didYouMean(name, known),
    );
  }

  #pack(expression: Expression<'pack'>): TypedExpression {
    const { span, struct } = expression;
    const typeArguments = this.#typeArguments(span, expression.typeArguments, struct.typeParameters);
    const types = this.#fieldTypes(span, struct, typeArguments, expression.fields, 'constructed');
    const typed = new Map<string, TypedFieldValue>();
    for (const { name, value } of byName(expression.fields)) {
      const type = types.get(name.text) ?? errorType(name.span);
      const argument = this.expression(value);
      this.subtype(argument.span, `the field '${name.text}'`, argument.type, type);
      const field = struct.fields?.get(name.text);
      if (field !== undefined) typed.set(name.text, { field, type, value: argument });
    }
    this.#requireOwn(span, struct, `'${structNameText(struct)}' can only be constructed`);
    const fields = expression.fields.flatMap(({ name }) => typed.get(name.text) ?? []);
    return {
      kind: 'pack',
      span,
      type: { kind: 'struct', span, struct, arguments: typeArguments },
      struct,
      typeArguments,
      fields,
    };
  }

  #place(place: ResolvedPlace): TypedPlace {
    const names: (ResolvedPlace & { readonly kind: 'field' })[] = [];
    let root = place;
    for (; root.kind === 'field'; root = root.of) names.push(root);
    const expression = this.expression(root.expression);
    const resolved = this.inference.resolve(expression.type);
    let typed: TypedPlace;
    if (resolved.kind === 'reference') {
      typed = { kind: 'reference', span: root.span, type: resolved.target, expression };
    } else {
      this.require('single', root.span, expression.type, 'what fields are taken of');
      typed = { kind: 'value', span: root.span, type: expression.type, expression };
    }
    for (const { span, name } of names.reverse()) {
      const { type, found } = this.#field(span, typed.type, name);
      typed = { kind: 'field', span, type, of: typed, name, found };
    }
    return typed;
  }

  #field(span: Span, given: ResolvedType, name: Name): Pick<TypedPlace & { readonly kind: 'field' }, 'type' | 'found'> {
    const type = this.inference.resolve(given);
    const unknown = { type: errorType(span), found: undefined };
    if (type.kind === 'error') return unknown;
    if (type.kind === 'any' || (type.kind === 'variable' && !this.inference.isOpenNumber(type))) {
      const message = `the type of what the field '${name.text}' is taken of is not known here`;
      this.diagnostics.add(Types.uninferred, span, message, [{ span: type.span, message: 'write the type here' }]);
      return unknown;
    }
    if (type.kind !== 'struct') {
      const message = `the field '${name.text}' is taken of '${this.inference.text(type)}', which is no struct`;
      this.diagnostics.add(Types.specific, span, message, [
        { span: type.span, message: `the type '${this.inference.text(type)}' comes from here` },
      ]);
      return unknown;
    }
    const { struct } = type;
    this.#requireOwn(span, struct, `the fields of '${structNameText(struct)}' can only be used`);
    const field = struct.fields?.get(name.text);
    if (field === undefined) {
      this.#noField(span, struct, name.text);
      return unknown;
    }
    const pairs = substitution(struct.typeParameters, type.arguments);
    return { type: substitute(field.type, pairs), found: { struct, field } };
  }

  /** A reference to the place, whose type is at `span`. */
  #borrowPlace(place: TypedPlace, span: Span, isMutable: boolean): TypedExpression {
    const path: (TypedPlace & { readonly kind: 'field' })[] = [];
    let root = place;
    for (; root.kind === 'field'; root = root.of) path.push(root);
    path.reverse();
    const spanAt = (index: number): Span => path[index + 1]?.span ?? span;
    let borrowed: TypedExpression = root.expression;
    if (root.kind === 'value') {
      const rootSpan = path[0]?.span ?? span;
      const type: ResolvedType = { kind: 'reference', span: rootSpan, isMutable, target: root.type };
      borrowed = borrowOfValue(root.expression, root.span, type, isMutable);
    }
    for (const [index, { span: fieldSpan, type, found }] of path.entries()) {
      const outer = spanAt(index);
      const operandType = this.inference.resolve(borrowed.type);
      if (isMutable && operandType.kind === 'reference' && !operandType.isMutable) {
        const message = 'this changes what an immutable reference refers to';
        const secondary = [{ span: operandType.span, message: 'the reference is immutable because of this' }];
        const note = 'take a `&mut`, as `object::borrow_mut`, `table::borrow_mut` and `vector::borrow_mut` return it';
        this.diagnostics.add(References.transparency, outer, message, secondary, [note]);
      }
      const reference: ResolvedType = { kind: 'reference', span: outer, isMutable, target: type };
      borrowed =
        found === undefined
          ? { kind: 'error', span: fieldSpan, type: reference }
          : { kind: 'borrowField', span: fieldSpan, type: reference, isMutable, operand: borrowed, ...found };
    }
    return borrowed;
  }

  #borrow({ span, isMutable, place }: Expression<'borrow'>): TypedExpression {
    if (place.kind === 'field') return { ...this.#borrowPlace(this.#place(place), span, isMutable), span };
    const operand = this.expression(place.expression);
    this.require('base', span, operand.type, 'what is borrowed');
    const type: ResolvedType = { kind: 'reference', span, isMutable, target: operand.type };
    return borrowOfValue(operand, span, type, isMutable);
  }

  #readField({ span, place }: Expression<'readField'>): TypedExpression {
    const typed = this.#place(place);
    const operand = this.#borrowPlace(typed, span, false);
    const name = typed.kind === 'field' ? typed.name.text : '';
    this.#ability(span, typed.type, ABILITY_COPY, `reading the field '${name}' needs, since it copies the value`);
    return { kind: 'dereference', span, type: typed.type, operand };
  }

  // --- calls ---

  #call(expression: Expression<'call'>): TypedExpression {
    const { span, function: callee } = expression;
    const name = callee.name.text;
    const given = expression.arguments.items.map((item) => this.expression(item));
    const { typeParameters } = callee;
    const written = expression.typeArguments;
    if (written !== undefined && written.length !== typeParameters.length) {
      const kind = written.length < typeParameters.length ? Names.tooFewTypeArguments : Names.tooManyTypeArguments;
      const message = `'${name}' takes ${counted(typeParameters.length, 'type argument')}, but got ${written.length}`;
      this.diagnostics.add(kind, span, message, [declaredHere(callee.name)]);
    }
    const typeArguments = this.#typeArguments(span, written, typeParameters);
    this.#visibility(span, callee);
    if (expression.isMacro) {
      const message = `'${name}' is a function, which is called without '!'`;
      this.diagnostics.add(Types.callTarget, span, message, [declaredHere(callee.name)]);
    }
    const pairs: Substitution = substitution(typeParameters, typeArguments);
    const parameterTypes = callee.parameters.map(({ type }) => substitute(type, pairs));
    const types = this.#argumentTypes(span, name, parameterTypes.length, expression.arguments, given);
    for (const [index, type] of types.entries()) {
      const parameter = callee.parameters[index]!.local.name;
      this.subtype(span, `the argument '${parameter}' of '${name}'`, type, parameterTypes[index]!);
    }
    const typed = this.#argumentList(expression.arguments.span, given, types);
    const type = substitute(callee.result, pairs);
    const isOwn = callee.module === this.module;
    return { kind: 'call', span, type, function: callee, isOwn, typeArguments, parameterTypes, arguments: typed };
  }

  #visibility(span: Span, callee: FunctionDeclaration): void {
    const { module, visibility, name } = callee;
    if (module === undefined || module === this.module || visibility.kind === 'public') return;
    const isFriend = this.module !== undefined && module.friends.has(this.module.identity.key);
    if (visibility.kind === 'friend' && isFriend) return;
    const callers = visibility.kind === 'friend' ? `friends of '${module.identity.name}'` : 'its own module';
    this.diagnostics.add(Types.visibility, span, `'${name.text}' can only be called by ${callers}`, [
      { span: visibility.span, message: `it is declared here, and ${visibility.kind}` },
    ]);
  }

  #callLocal(expression: Expression<'callLocal'>): TypedExpression {
    const { span, local, nameSpan } = expression;
    const given = expression.arguments.items.map((item) => this.expression(item));
    const type = this.#locals.get(local) ?? errorType(span);
    if (type.kind !== 'function') {
      if (type.kind !== 'error') {
        const message = `'${local.name}' must be a function, but has the type '${this.inference.text(type)}'`;
        this.diagnostics.add(Types.join, nameSpan, message);
      }
      return { kind: 'error', span, type: errorType(type.span) };
    }
    const types = this.#argumentTypes(span, local.name, type.parameters.length, expression.arguments, given);
    for (const [index, argument] of types.entries()) {
      this.subtype(span, `an argument of '${local.name}'`, argument, type.parameters[index]!);
    }
    const typed = this.#argumentList(expression.arguments.span, given, types);
    return { kind: 'callLocal', span, type: type.result, local, arguments: typed };
  }

  #builtin(expression: Expression<'builtin'>): TypedExpression {
    const { span, function: name, nameSpan, isMacro } = expression;
    const given = expression.arguments.items.map((item) => this.expression(item));
    let typeArgument: ResolvedType | undefined;
    if (name !== 'assert') {
      const written = expression.typeArgument;
      typeArgument = written === undefined ? this.inference.variable(span) : this.instantiate(written);
      if (name !== 'freeze') this.#ability(span, typeArgument, ABILITY_KEY, `'${name}' needs`);
    }
    const { parameters, result } = builtinSignature(name, typeArgument ?? unitType(span), nameSpan, span);
    const types = this.#argumentTypes(span, name, parameters.length, expression.arguments, given);
    for (const [index, type] of types.entries()) {
      this.subtype(span, `the argument ${index + 1} of '${name}'`, type, parameters[index]!);
    }
    const typed = this.#argumentList(expression.arguments.span, given, types);
    return { kind: 'builtin', span, type: result, function: name, nameSpan, isMacro, typeArgument, arguments: typed };
  }

  /** The types of as many arguments as are expected. */
  #argumentTypes(
    span: Span,
    name: string,
    expected: number,
    written: ResolvedArguments,
    given: readonly TypedExpression[],
  ): ResolvedType[] {
    if (given.length !== expected) {
      const kind = given.length < expected ? Types.tooFewArguments : Types.tooManyArguments;
      this.diagnostics.add(
        kind,
        span,
        `'${name}' takes ${counted(expected, 'argument')}, but got ${given.length}`,
        [{ span: written.span, message: `here: ${counted(given.length, 'argument')}` }],
        name === 'assert' && given.length === 1 ? ['add a code to abort with: `assert!(condition, 1)`'] : [],
      );
    }
    return Array.from({ length: expected }, (_, index) => given[index]?.type ?? errorType(written.span));
  }

  #argumentList(span: Span, given: readonly TypedExpression[], types: readonly ResolvedType[]): TypedExpression {
    const [only] = given;
    if (only === undefined) return { kind: 'unit', span, type: unitType(span), isTrailing: false };
    if (given.length === 1) return only;
    return { kind: 'tuple', span, type: { kind: 'tuple', span, items: types }, items: given };
  }
}

const declaredHere = ({ span }: Name): Label => ({ span, message: 'it is declared here' });

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const INTEGER = /^u(?:8|16|32|64|128|256)$/;

/** What to do about two types that do not fit, if it is plain. `isGiven`: the first is given, and the second expected. */
function remedies(one: string, other: string, isGiven: boolean): string[] {
  if (INTEGER.test(one) && INTEGER.test(other)) {
    const wider = isGiven || Number(other.slice(1)) > Number(one.slice(1)) ? other : one;
    return [`\`(x as ${wider})\` makes a '${wider}' of it`];
  }
  if (isGiven && other === '()') return ["nothing is expected here: a ';' after the expression drops its value"];
  if (one === '()' || other === '()') {
    return ["a block has the value of its last expression, if no ';' follows; an `if` has one only with `else`"];
  }
  if (!isGiven) return [];
  if (other === 'std::string::String' && one === 'vector<u8>')
    return ['`std::string::utf8(..)` makes a String of bytes'];
  const [isReference, toReference] = [one.startsWith('&'), other.startsWith('&')];
  if (toReference && !isReference)
    return [`a reference is expected: put \`${other.startsWith('&mut') ? '&mut ' : '&'}\` before it`];
  if (isReference && !toReference) return ['this is a reference: `*` before it copies the value'];
  if (other.startsWith('&mut') && isReference) return ['the reference has to be made by `&mut`'];
  return [];
}

/** The type of what a block ends with. */
function blockType(block: TypedBlock): ResolvedType {
  const last = block.items.at(-1);
  return last?.kind === 'expression' ? last.expression.type : unitType(block.span);
}

/** The type that the pattern expects of its value; any, if it ignores it. */
function patternType(pattern: TypedPattern): ResolvedType {
  const { span } = pattern;
  switch (pattern.kind) {
    case 'ignore':
      return { kind: 'any', span };
    case 'local':
      return pattern.type;
    case 'unpack': {
      const type: ResolvedType = { kind: 'struct', span, struct: pattern.struct, arguments: pattern.typeArguments };
      if (pattern.borrow === undefined) return type;
      return { kind: 'reference', span, isMutable: pattern.borrow.isMutable, target: type };
    }
  }
}

function borrowOfValue(value: TypedExpression, span: Span, type: ResolvedType, isMutable: boolean): TypedExpression {
  if (value.kind === 'use') return { kind: 'borrowLocal', span, type, isMutable, local: value.local };
  return { kind: 'borrowTemporary', span, type, isMutable, operand: value };
}

function builtinSignature(
  name: Expression<'builtin'>['function'],
  typeArgument: ResolvedType,
  nameSpan: Span,
  span: Span,
): { parameters: ResolvedType[]; result: ResolvedType } {
  const reference = (isMutable: boolean, target: ResolvedType, at: Span): ResolvedType => ({
    kind: 'reference',
    span: at,
    isMutable,
    target,
  });
  const address = primitive('address', nameSpan);
  switch (name) {
    case 'move_to': {
      const signer = reference(false, primitive('signer', nameSpan), nameSpan);
      return { parameters: [signer, typeArgument], result: unitType(span) };
    }
    case 'move_from':
      return { parameters: [address], result: typeArgument };
    case 'borrow_global':
      return { parameters: [address], result: reference(false, typeArgument, span) };
    case 'borrow_global_mut':
      return { parameters: [address], result: reference(true, typeArgument, span) };
    case 'exists':
      return { parameters: [address], result: primitive('bool', span) };
    case 'freeze':
      return { parameters: [reference(true, typeArgument, nameSpan)], result: reference(false, typeArgument, span) };
    case 'assert':
      return { parameters: [primitive('bool', nameSpan), primitive('u64', nameSpan)], result: unitType(span) };
  }
}
