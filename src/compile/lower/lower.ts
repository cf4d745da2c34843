/**
 * Lowering: from typed expressions to statements in the order of evaluation.
 *
 * What has control flow inside becomes statements before the expression that uses it, and values that would be evaluated
 * too late are bound to temporaries. Names of variables, and the order in which temporaries are made, are the
 * reference's (`move-compiler/src/hlir/translate.rs`), since they decide the order of locals in bytecode.
 * @module
 */
import { assert } from '../../base/error.ts';
import { ABILITY_COPY } from '../../move/ability.ts';
import type {
  TypedArguments,
  TypedBlock,
  TypedConstant,
  TypedExpression,
  TypedFunction,
  TypedItem,
  TypedPattern,
  TypedPatternList,
} from '../check/typed-tree.ts';
import type { Local } from '../names/declaration.ts';
import type { ResolvedLiteral } from '../names/resolved-tree.ts';
import type { ResolvedType } from '../names/type.ts';
import { abilitiesOf } from '../names/type-abilities.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Unused } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import {
  type Expression,
  type LoweredBody,
  type LoweredConstant,
  type LoweredFunction,
  NO_OPERANDS,
  type Statement,
  singleTypes,
  type Target,
  typeOfAll,
  unitExpression,
  type Variable,
} from './lowered-tree.ts';
import { dropTrailingUnits } from './trailing-unit.ts';
import { isInteger, type Value } from './value.ts';

export function lowerFunction({ declaration, body }: TypedFunction, diagnostics: Diagnostics): LoweredFunction {
  const lowering = new BodyLowering(declaration.result, diagnostics);
  const parameters = declaration.parameters.map(({ local, type }) => lowering.bind(local, type, true));
  return { declaration, parameters, body: body === undefined ? undefined : lowering.body(body) };
}

export function lowerConstant({ declaration, value }: TypedConstant, diagnostics: Diagnostics): LoweredConstant {
  const lowering = new BodyLowering(declaration.type, diagnostics);
  const { span } = value;
  const body = lowering.body({ span, items: [{ kind: 'expression', span, expression: value }] });
  return { declaration, body };
}

/** The prefix of the names of temporaries, which no name of a source has. */
const TEMPORARY = '%';

class BodyLowering {
  readonly #result: ResolvedType;
  readonly #diagnostics: Diagnostics;
  readonly #variables = new Map<string, Variable>();
  readonly #variableOf = new Map<Local, Variable>();
  readonly #used = new Set<Variable>();
  #counter = 0;

  constructor(result: ResolvedType, diagnostics: Diagnostics) {
    this.#result = result;
    this.#diagnostics = diagnostics;
  }

  body(block: TypedBlock): LoweredBody {
    const statements: Statement[] = [];
    const value = this.#block(statements, block, this.#result);
    if (value.kind !== 'unreachable') {
      statements.push({ kind: 'return', span: value.span, isWritten: false, operands: [value] });
    }
    this.#removeUnused();
    dropTrailingUnits(statements, this.#diagnostics);
    const variables = [...this.#variables.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    return { variables, statements };
  }

  /** The variable of a local that is in scope from now on. */
  bind(local: Local, type: ResolvedType, isParameter = false): Variable {
    let { name } = local;
    // Inlining numbers names too, so that a new one may be taken as well.
    while (this.#variables.has(name)) name = `${local.name}#${++this.#counter}`;
    const shownName = name.startsWith(TEMPORARY) ? undefined : local.name.split('#', 1)[0];
    const variable: Variable = { name, type, span: local.span, shownName, isParameter };
    this.#variables.set(name, variable);
    this.#variableOf.set(local, variable);
    return variable;
  }

  #temporary(span: Span, type: ResolvedType): Variable {
    const variable = this.bind(this.#temporaryLocal(span), type);
    this.#used.add(variable);
    return variable;
  }

  #temporaryLocal(span: Span): Local {
    return { name: `${TEMPORARY}#${++this.#counter}`, span };
  }

  #use(local: Local): Variable {
    const variable = this.#variableOf.get(local);
    assert(variable !== undefined, `${local.name} is used outside of its scope`);
    this.#used.add(variable);
    return variable;
  }

  #removeUnused(): void {
    for (const variable of this.#variables.values()) {
      if (this.#used.has(variable) || variable.name.startsWith('_')) continue;
      const kind = variable.isParameter ? 'parameter' : 'variable';
      const advice = `remove it, or call it _${variable.shownName} if it is meant to stay`;
      this.#diagnostics.add(
        Unused.variable,
        variable.span,
        `the ${kind} ${variable.shownName} is never used; ${advice}`,
      );
      if (!variable.isParameter) this.#variables.delete(variable.name);
    }
  }

  #block(into: Statement[], { span, items }: TypedBlock, expected: ResolvedType | undefined): Expression {
    const last = items.at(-1);
    if (last === undefined) return unitExpression(span, 'source');
    assert(last.kind === 'expression', 'a block ends with its value');
    for (const item of items.slice(0, -1)) this.#item(into, item);
    return this.#expression(into, last.expression, expected);
  }

  #item(into: Statement[], item: TypedItem): void {
    switch (item.kind) {
      case 'expression':
        this.#statement(into, item.expression);
        break;
      case 'declare':
        this.#declare(item.patterns);
        break;
      case 'bind': {
        const value = this.#expression(into, item.value, typeOfAll(item.span, item.patterns.types));
        this.#declare(item.patterns);
        this.#assign(into, item.span, item.patterns.patterns, value);
      }
    }
  }

  /** An expression whose value is dropped. */
  #statement(into: Statement[], expression: TypedExpression): void {
    const { span } = expression;
    switch (expression.kind) {
      case 'if':
        into.push({
          kind: 'if',
          span,
          condition: this.#expression(into, expression.condition),
          consequent: this.#dropped(expression.consequent),
          alternate: this.#dropped(expression.alternate),
        });
        break;
      case 'while':
      case 'loop':
        this.#loop(into, expression);
        break;
      case 'block':
        drop(into, this.#block(into, expression.block, undefined));
        break;
      default:
        drop(into, this.#expression(into, expression));
    }
  }

  /** The statements of such an expression. */
  #dropped(expression: TypedExpression): Statement[] {
    const statements: Statement[] = [];
    drop(statements, this.#expression(statements, expression));
    return statements;
  }

  #loop(into: Statement[], loop: TypedExpression & { readonly kind: 'while' | 'loop' }): void {
    const { span } = loop;
    if (loop.kind === 'loop') {
      into.push({ kind: 'loop', span, body: this.#dropped(loop.body), hasBreak: loop.hasBreak });
      return;
    }
    const before: Statement[] = [];
    const condition = this.#expression(before, loop.condition);
    into.push({ kind: 'while', span, before, condition, body: this.#dropped(loop.body) });
  }

  #declare({ patterns }: TypedPatternList): void {
    for (const pattern of patterns) this.#declarePattern(pattern);
  }

  #declarePattern(pattern: TypedPattern): void {
    if (pattern.kind === 'local') this.bind(pattern.local, pattern.type);
    if (pattern.kind !== 'unpack') return;
    const byName = pattern.fields.toSorted((left, right) => (left.field.name.text < right.field.name.text ? -1 : 1));
    for (const field of byName) this.#declarePattern(field.pattern);
  }

  /** Assigns the values to patterns; references that are taken apart come afterwards, field by field. */
  #assign(into: Statement[], span: Span, patterns: readonly TypedPattern[], value: Expression): void {
    const after: Statement[] = [];
    const types = singleTypes(value.type);
    const targets = patterns.map((pattern, at) => this.#target(after, pattern, types[at] ?? value.type));
    into.push({ kind: 'assign', span, targets, operands: [value] }, ...after);
  }

  #target(after: Statement[], pattern: TypedPattern, type: ResolvedType): Target {
    const { span } = pattern;
    if (pattern.kind === 'ignore') return { kind: 'ignore', span };
    if (pattern.kind === 'local') return { kind: 'variable', span, variable: this.#use(pattern.local) };
    const { struct, typeArguments, borrow } = pattern;
    const fields = pattern.fields.toSorted((left, right) => left.field.index - right.field.index);
    if (borrow === undefined) {
      return {
        kind: 'unpack',
        span,
        struct,
        typeArguments,
        fields: fields.map((field) => this.#target(after, field.pattern, field.type)),
      };
    }
    const variable = this.#temporary(span, type);
    for (const { field, type: fieldType, pattern: inner } of fields) {
      const reference: Expression = {
        kind: 'borrowField',
        span: inner.span,
        type: { kind: 'reference', span: inner.span, isMutable: borrow.isMutable, target: fieldType },
        operands: [{ kind: 'copy', span, type, operands: NO_OPERANDS, variable, isWritten: false }],
        struct,
        typeArguments,
        field,
        isMutable: borrow.isMutable,
      };
      this.#assign(after, inner.span, [inner], reference);
    }
    return { kind: 'variable', span, variable };
  }

  /** Lowers an expression; a mutable reference is frozen where an immutable one is expected. */
  #expression(into: Statement[], typed: TypedExpression, expected?: ResolvedType): Expression {
    const simple = simplified(typed, () => this.#temporaryLocal(typed.span));
    if (simple.kind === 'if') return this.#if(into, simple);
    const lowered = this.#unfrozen(into, simple);
    if (lowered.kind === 'unreachable' || expected === undefined) return lowered;
    return this.#frozen(into, lowered, expected);
  }

  #if(into: Statement[], expression: TypedExpression & { readonly kind: 'if' }): Expression {
    const { span, type } = expression;
    const condition = this.#expression(into, expression.condition);
    const consequent: Statement[] = [];
    const whenTrue = this.#expression(consequent, expression.consequent, type);
    const alternate: Statement[] = [];
    const whenFalse = this.#expression(alternate, expression.alternate, type);
    const statement: Statement = { kind: 'if', span, condition, consequent, alternate };
    if (whenTrue.kind === 'unreachable' && whenFalse.kind === 'unreachable') {
      into.push(statement);
      return unreachable(span, type);
    }
    const variables = this.#temporaries(span, type);
    const results = [
      bindTo(consequent, span, type, variables, whenTrue),
      bindTo(alternate, span, type, variables, whenFalse),
    ];
    into.push(statement);
    return results.find(({ kind }) => kind !== 'unreachable')!;
  }

  #unfrozen(into: Statement[], typed: TypedExpression): Expression {
    const { span, type } = typed;
    switch (typed.kind) {
      case 'while':
        this.#loop(into, typed);
        return implicitUnit(span, type);
      case 'loop':
        this.#loop(into, typed);
        return typed.hasBreak ? implicitUnit(span, type) : unreachable(span, type);
      case 'block':
        return this.#block(into, typed.block, undefined);
      case 'return': {
        const operands = [this.#expression(into, typed.value, this.#result)];
        into.push({ kind: 'return', span, isWritten: true, operands });
        return unreachable(span, type);
      }
      case 'abort':
        into.push({ kind: 'abort', span, operands: [this.#expression(into, typed.code)] });
        return unreachable(span, type);
      case 'break':
      case 'continue':
        into.push({ kind: typed.kind, span, operands: NO_OPERANDS });
        return unreachable(span, type);
      case 'assign': {
        const { patterns, types } = typed.targets;
        this.#assign(into, span, patterns, this.#expression(into, typed.value, typeOfAll(span, types)));
        return implicitUnit(span, type);
      }
      case 'mutate': {
        const value = this.#expression(into, typed.value);
        into.push({ kind: 'mutate', span, operands: [value, this.#expression(into, typed.reference)] });
        return implicitUnit(span, type);
      }
      case 'annotate':
        return this.#expression(into, typed.operand, typed.type);
      case 'use':
      case 'move':
      case 'copy':
        return this.#variable(typed);
      case 'builtin':
        return this.#builtin(into, typed);
      case 'borrowTemporary': {
        const value = this.#expression(into, typed.operand);
        const [variable] = this.#temporaries(value.span, value.type);
        assert(variable !== undefined, 'what is borrowed is a single value');
        into.push(assignment(value.span, [variable], value));
        const { isMutable } = typed;
        return { kind: 'borrowLocal', span, type, operands: NO_OPERANDS, isMutable, variable };
      }
      default:
        return this.#operation(into, typed);
    }
  }

  /** What has an instruction of its own, or is nothing but its operands. */
  #operation(into: Statement[], typed: TypedExpression): Expression {
    const { span, type } = typed;
    const operands = NO_OPERANDS;
    switch (typed.kind) {
      case 'unit':
        return { kind: 'unit', span, type, operands, origin: typed.isTrailing ? 'trailing' : 'source' };
      case 'literal':
        return { kind: 'value', span, type, operands, value: literalValue(typed.literal, type) };
      case 'constant':
        return { kind: 'constant', span, type, operands, constant: typed.constant };
      case 'borrowLocal': {
        const { isMutable } = typed;
        return { kind: 'borrowLocal', span, type, operands, isMutable, variable: this.#use(typed.local) };
      }
      case 'spec':
        return { kind: 'spec', span, type, operands, variables: typed.locals.map(({ local }) => this.#use(local)) };
      case 'error':
        return { kind: 'error', span, type, operands };
      case 'call': {
        const { function: called, typeArguments, parameterTypes } = typed;
        const passed = this.#expression(into, typed.arguments, typeOfAll(span, parameterTypes));
        return { kind: 'call', span, type, operands: [passed], function: called, typeArguments };
      }
      case 'vector': {
        const { element, items } = typed;
        const values = [this.#expression(into, items)];
        return { kind: 'vector', span, type, operands: values, element, count: valueCount(items) };
      }
      case 'dereference':
      case 'not':
        return { kind: typed.kind, span, type, operands: [this.#expression(into, typed.operand)] };
      case 'binary': {
        const { operator, operatorSpan } = typed;
        const expected = operator === '==' || operator === '!=' ? frozenType(typed.operandType) : undefined;
        const left = this.#expression(into, typed.left, expected);
        const both = [left, this.#expression(into, typed.right, expected)];
        return { kind: 'binary', span, type, operands: both, operator, operatorSpan };
      }
      case 'pack': {
        const { struct, typeArguments } = typed;
        return { kind: 'pack', span, type, operands: this.#fields(into, typed), struct, typeArguments };
      }
      case 'tuple':
        return {
          kind: 'list',
          span,
          type,
          operands: this.#inOrder(
            into,
            typed.items.map((value) => ({ value })),
          ),
        };
      case 'borrowField': {
        const operand = this.#expression(into, typed.operand);
        const { struct, field, isMutable } = typed;
        const typeArguments = typeArgumentsOf(operand.type);
        return { kind: 'borrowField', span, type, operands: [operand], struct, typeArguments, field, isMutable };
      }
      case 'cast':
        return { kind: 'cast', span, type, operands: [this.#expression(into, typed.operand)] };
      default:
        throw new Error(`${typed.kind} is not lowered here`);
    }
  }

  #variable({ kind, span, type, local }: TypedExpression & { readonly kind: 'use' | 'move' | 'copy' }): Expression {
    const operands = NO_OPERANDS;
    const variable = this.#use(local);
    if (kind === 'copy' || (kind === 'use' && (abilitiesOf(type) & ABILITY_COPY) !== 0)) {
      return { kind: 'copy', span, type, operands, variable, isWritten: kind === 'copy' };
    }
    // Only the compiler's own temporaries are moved without being told to.
    const isWritten = kind === 'move' && variable.shownName !== undefined;
    return { kind: 'move', span, type, operands, variable, reason: isWritten ? 'source' : 'noCopy' };
  }

  #builtin(into: Statement[], typed: TypedExpression & { readonly kind: 'builtin' }): Expression {
    const { span, type, nameSpan, typeArgument: resource } = typed;
    const operation = typed.function;
    assert(operation !== 'assert' && resource !== undefined, 'assert is simplified before');
    if (operation === 'freeze') {
      return { kind: 'freeze', span, type, operands: [this.#expression(into, typed.arguments)] };
    }
    const signer: ResolvedType = {
      kind: 'reference',
      span: nameSpan,
      isMutable: false,
      target: { kind: 'primitive', span: nameSpan, name: 'signer' },
    };
    const expected = operation === 'move_to' ? typeOfAll(nameSpan, [signer, resource]) : undefined;
    const operands = [this.#expression(into, typed.arguments, expected)];
    return { kind: 'global', span, type, operands, operation, resource, nameSpan };
  }

  /** The values of a struct's fields in declaration order, evaluated in the order in which they are written. */
  #fields(into: Statement[], { fields }: TypedExpression & { readonly kind: 'pack' }): Expression[] {
    if (fields.every(({ field }, at) => field.index === at)) {
      return this.#inOrder(into, fields);
    }
    const values: Expression[] = [];
    for (const { field, type, value } of fields) {
      values[field.index] = this.#bound(into, this.#expression(into, value, type));
    }
    return values;
  }

  /**
   * Several expressions whose values are wanted together. Where a later one needs statements, earlier ones are bound to
   * temporaries, so that they are still evaluated first.
   */
  #inOrder(
    into: Statement[],
    items: readonly { readonly value: TypedExpression; readonly type?: ResolvedType }[],
  ): Expression[] {
    let mustBind = false;
    const lowered = items.toReversed().map((item) => {
      const statements: Statement[] = [];
      const value = this.#expression(statements, item.value, item.type);
      const hasStatements = statements.length > 0;
      const result = { statements, value: mustBind ? this.#bound(statements, value) : value };
      mustBind ||= hasStatements;
      return result;
    });
    return lowered.reverse().map(({ statements, value }) => {
      for (const statement of statements) into.push(statement);
      return value;
    });
  }

  /** The value, in temporaries. */
  #bound(into: Statement[], value: Expression): Expression {
    if (value.kind === 'unreachable') return value;
    return bindTo(into, value.span, value.type, this.#temporaries(value.span, value.type), value);
  }

  #temporaries(span: Span, type: ResolvedType): Variable[] {
    return singleTypes(type).map((single) => this.#temporary(span, single));
  }

  #frozen(into: Statement[], value: Expression, expected: ResolvedType): Expression {
    const actualTypes = singleTypes(value.type);
    const expectedTypes = singleTypes(expected);
    if (actualTypes.length !== expectedTypes.length) return value;
    const isFrozen = actualTypes.map((actual, at) => needsFreeze(actual, expectedTypes[at]!));
    if (!isFrozen.includes(true)) return value;
    if (value.type.kind !== 'tuple') return freeze(value);
    const { span } = value;
    const variables = this.#temporaries(span, value.type);
    into.push(assignment(span, variables, value));
    const operands = variables.map((variable, at) => {
      const moved = moveTemporary(variable);
      return isFrozen[at] === true ? freeze(moved) : moved;
    });
    const type = typeOfAll(
      span,
      operands.map((operand) => operand.type),
    );
    return { kind: 'list', span, type, operands };
  }
}

/** `assert`, and `&&` and `||` whose right side is more than a value, as the `if` that they are. */
function simplified(typed: TypedExpression, temporary: () => Local): TypedExpression {
  const { span } = typed;
  if (typed.kind === 'binary' && (typed.operator === '&&' || typed.operator === '||') && hasWork(typed.right)) {
    const isOr = typed.operator === '||';
    const literal: TypedExpression = {
      kind: 'literal',
      span,
      type: typed.type,
      literal: { kind: 'bool', value: isOr },
    };
    return {
      kind: 'if',
      span,
      type: typed.type,
      condition: typed.left,
      consequent: isOr ? literal : typed.right,
      alternate: isOr ? typed.right : literal,
    };
  }
  if (typed.kind !== 'builtin' || typed.function !== 'assert') return typed;
  if (typed.isMacro) {
    const [condition, code] = typed.arguments.kind === 'tuple' ? typed.arguments.items : [];
    assert(condition !== undefined && code !== undefined, 'assert! has two arguments');
    return ifNotAbort(span, condition, code);
  }
  return assertCall(span, typed.arguments, temporary);
}

function ifNotAbort(span: Span, condition: TypedExpression, code: TypedExpression): TypedExpression {
  const type: ResolvedType = { kind: 'tuple', span, items: [] };
  return {
    kind: 'if',
    span,
    type,
    condition,
    consequent: { kind: 'unit', span, type, isTrailing: false },
    alternate: { kind: 'abort', span, type, code },
  };
}

/** `assert(condition, code)` as a function: both are evaluated first. */
function assertCall(span: Span, values: TypedArguments, temporary: () => Local): TypedExpression {
  const bool: ResolvedType = { kind: 'primitive', span, name: 'bool' };
  const u64: ResolvedType = { kind: 'primitive', span, name: 'u64' };
  const types = [bool, u64];
  const locals = types.map(temporary);
  const patterns: TypedPattern[] = types.map((type, at) => ({ kind: 'local', span, local: locals[at]!, type }));
  const [condition, code] = types.map(
    (type, at): TypedExpression => ({ kind: 'move', span, type, local: locals[at]! }),
  );
  const expression = ifNotAbort(span, condition!, code!);
  const items: TypedItem[] = [
    { kind: 'bind', span, patterns: { span, patterns, types }, value: values },
    { kind: 'expression', span, expression },
  ];
  return { kind: 'block', span, type: expression.type, block: { span, items } };
}

/** Whether the right side of `&&` or `||` must not be evaluated in vain. */
function hasWork(typed: TypedExpression): boolean {
  switch (typed.kind) {
    case 'literal':
    case 'constant':
    case 'use':
    case 'move':
    case 'copy':
    case 'error':
      return false;
    case 'annotate':
      return hasWork(typed.operand);
    case 'block': {
      const [only, ...others] = typed.block.items;
      return others.length > 0 || only?.kind !== 'expression' || hasWork(only.expression);
    }
    default:
      return true;
  }
}

function implicitUnit(span: Span, type: ResolvedType): Expression {
  return { kind: 'unit', span, type, operands: NO_OPERANDS, origin: 'implicit' };
}

function unreachable(span: Span, type: ResolvedType): Expression {
  return { kind: 'unreachable', span, type, operands: NO_OPERANDS };
}

function drop(into: Statement[], value: Expression): void {
  if (value.kind === 'unreachable') return;
  into.push({ kind: 'drop', span: value.span, count: singleTypes(value.type).length, operands: [value] });
}

function assignment(span: Span, variables: readonly Variable[], value: Expression): Statement {
  const targets = variables.map((variable): Target => ({ kind: 'variable', span: variable.span, variable }));
  return { kind: 'assign', span, targets, operands: [value] };
}

/** Puts a value into temporaries and returns what takes it out of them again. */
function bindTo(
  into: Statement[],
  span: Span,
  type: ResolvedType,
  variables: readonly Variable[],
  value: Expression,
): Expression {
  if (value.kind === 'unreachable') return value;
  if (variables.length === 0) {
    into.push({ kind: 'drop', span, count: 0, operands: [value] });
    return implicitUnit(span, type);
  }
  into.push(assignment(span, variables, value));
  const operands = variables.map(moveTemporary);
  return operands.length === 1 ? { ...operands[0]!, span, type } : { kind: 'list', span, type, operands };
}

function moveTemporary(variable: Variable): Expression {
  const { span, type } = variable;
  return { kind: 'move', span, type, operands: NO_OPERANDS, variable, reason: 'lastUse' };
}

function needsFreeze(actual: ResolvedType, expected: ResolvedType): boolean {
  return (
    actual.kind === 'reference' && actual.isMutable && expected.kind === 'reference' && expected.isMutable === false
  );
}

function freeze(value: Expression): Expression {
  return { kind: 'freeze', span: value.span, type: frozenType(value.type), operands: [value] };
}

function frozenType(type: ResolvedType): ResolvedType {
  return type.kind === 'reference' && type.isMutable ? { ...type, isMutable: false } : type;
}

function typeArgumentsOf(type: ResolvedType): readonly ResolvedType[] {
  const base = type.kind === 'reference' ? type.target : type;
  return base.kind === 'struct' ? base.arguments : [];
}

function valueCount(values: TypedArguments): number {
  return values.kind === 'tuple' ? values.items.length : singleTypes(values.type).length;
}

function literalValue(literal: ResolvedLiteral, type: ResolvedType): Value {
  if (literal.kind !== 'number') return literal;
  return { kind: 'number', type: isInteger(type) ? type.name : 'u64', value: literal.value };
}
