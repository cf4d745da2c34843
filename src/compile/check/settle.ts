/**
 * Puts in what inference has found: no type variable is left in what this makes. On the way, what needs complete types
 * is checked: that numbers fit their types, that global storage is used by the module that declares the type, that only
 * parameters of inline functions are functions.
 *
 * Source: `move-compiler/src/typing/expand.rs` and `globals.rs` of the reference.
 * @module
 */

import type { PrimitiveKind } from '../../move/type-tag.ts';
import { INTEGER_BITS } from '../../vm/value/integer.ts';
import type { FunctionDeclaration } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import { Types } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import type { BodyChecker } from './body-checker.ts';
import { mapType } from './substitution.ts';
import { settledTypeText } from './type-text.ts';
import { type PatternRole, TypedRewriter } from './typed-rewriter.ts';
import type { TypedExpression, TypedPattern } from './typed-tree.ts';

const BITS: Readonly<Partial<Record<PrimitiveKind, number>>> = INTEGER_BITS;

/** A call of a function with type arguments. */
export interface CallInstantiation {
  readonly span: Span;
  readonly function: FunctionDeclaration;
  readonly typeArguments: readonly ResolvedType[];
}

export class Settler extends TypedRewriter {
  /** The calls of generic functions that were seen. */
  readonly instantiations: CallInstantiation[] = [];
  readonly #checker: BodyChecker;
  readonly #isInline: boolean;
  readonly #settled = new Map<ResolvedType, ResolvedType>();

  /** `isInline` if the code is that of an inline function, which other modules may run. */
  constructor(checker: BodyChecker, isInline: boolean) {
    super();
    this.#checker = checker;
    this.#isInline = isInline;
  }

  override type(type: ResolvedType): ResolvedType {
    if (type.kind === 'primitive' || type.kind === 'parameter') return type;
    const known = this.#settled.get(type);
    if (known !== undefined) return known;
    const settled = this.#settle(type);
    this.#settled.set(type, settled);
    return settled;
  }

  override pattern(pattern: TypedPattern, role: PatternRole): TypedPattern {
    const settled = super.pattern(pattern, role);
    if (settled.kind === 'local') this.refuseFunction(settled.type);
    return settled;
  }

  override expression(expression: TypedExpression): TypedExpression {
    switch (expression.kind) {
      case 'loop': {
        if (expression.hasBreak) break;
        const { type } = expression;
        if (this.#checker.inference.resolve(type).kind !== 'variable') this.type(type);
        return super.expression({ ...expression, type: { kind: 'any', span: type.span } });
      }
      case 'literal':
        return this.#literal(expression);
      case 'builtin': {
        const settled = super.expression(expression);
        if (settled.kind === 'builtin') this.#storage(settled);
        return settled;
      }
      case 'call': {
        const settled = super.expression(expression);
        if (settled.kind === 'call' && settled.typeArguments.length > 0) {
          const { span, function: callee, typeArguments } = settled;
          this.instantiations.push({ span, function: callee, typeArguments });
        }
        return settled;
      }
    }
    return super.expression(expression);
  }

  refuseFunction(type: ResolvedType): void {
    if (type.kind !== 'function') return;
    const message = 'only parameters of inline functions may be functions';
    this.#checker.diagnostics.add(Types.functionType, type.span, message);
  }

  #settle(type: ResolvedType): ResolvedType {
    if (type.kind !== 'variable') return mapType(type, (part) => this.type(part));
    const resolved = this.#checker.inference.resolve(type);
    if (resolved.kind !== 'variable') return this.type(resolved);
    const message = 'the type of this cannot be inferred; write it';
    this.#checker.diagnostics.add(Types.uninferred, type.span, message);
    return { kind: 'error', span: type.span };
  }

  #literal(expression: TypedExpression & { readonly kind: 'literal' }): TypedExpression {
    const type = this.type(expression.type);
    const { literal, span } = expression;
    const bits = type.kind === 'primitive' ? BITS[type.name] : undefined;
    if (literal.kind === 'number' && bits !== undefined && literal.value >= 1n << BigInt(bits)) {
      const message = `${literal.value} is too large for the type '${settledTypeText(type)}'`;
      const label = { span: type.span, message: `the type '${settledTypeText(type)}' comes from here` };
      this.#checker.diagnostics.add(Types.number, span, message, [label]);
      return { kind: 'error', span, type };
    }
    return { ...expression, type };
  }

  #storage({ span, function: name, typeArgument }: TypedExpression & { readonly kind: 'builtin' }): void {
    if (typeArgument === undefined || name === 'freeze') return;
    const { diagnostics, module } = this.#checker;
    const text = settledTypeText(typeArgument);
    const label = { span: typeArgument.span, message: `the type '${text}' comes from here` };
    if (typeArgument.kind === 'parameter' && !this.#isInline) {
      const message = `'${name}' takes a struct of its own module, but '${text}' is a type parameter`;
      diagnostics.add(Types.specific, span, message, [label]);
    }
    if (typeArgument.kind !== 'struct' || typeArgument.struct.module === module) return;
    const message =
      module === undefined
        ? `'${name}' cannot be used in a script`
        : `'${name}' takes a struct of its own module, but '${text}' is of another`;
    diagnostics.add(Types.visibility, span, message, [label]);
  }
}
