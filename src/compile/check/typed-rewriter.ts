/**
 * Copies of typed code in which parts are replaced: locals, types, whole expressions.
 *
 * Parts are visited in the order of the reference (`move-compiler/src/inlining/visitor.rs`), since names of inlined
 * locals are numbered by it.
 * @module
 */
import type { Local } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import type {
  TypedBlock,
  TypedExpression,
  TypedFieldValue,
  TypedItem,
  TypedPattern,
  TypedPatternList,
} from './typed-tree.ts';

type Binary = TypedExpression & { readonly kind: 'binary' };

/** Whether a pattern declares its locals or assigns to them. */
export type PatternRole = 'declare' | 'assign';

/** Copies code as it is; subclasses say what is replaced. */
export class TypedRewriter {
  /** The local in place of one that is declared here. */
  declare(local: Local): Local {
    return local;
  }

  /** The local in place of one that is used here. */
  protected use(local: Local): Local {
    return local;
  }

  type(type: ResolvedType): ResolvedType {
    return type;
  }

  protected types(types: readonly ResolvedType[]): readonly ResolvedType[] {
    return types.map((each) => this.type(each));
  }

  /** Of a chain of binary operators, which may be long, only the outermost is passed to this. */
  expression(expression: TypedExpression): TypedExpression {
    return this.parts(expression);
  }

  block({ span, items }: TypedBlock): TypedBlock {
    return { span, items: items.map((item) => this.item(item)) };
  }

  protected item(item: TypedItem): TypedItem {
    switch (item.kind) {
      case 'expression':
        return { ...item, expression: this.expression(item.expression) };
      case 'bind': {
        const value = this.expression(item.value);
        return { ...item, value, patterns: this.patterns(item.patterns, 'declare') };
      }
      default:
        return { ...item, patterns: this.patterns(item.patterns, 'declare') };
    }
  }

  protected patterns(list: TypedPatternList, role: PatternRole): TypedPatternList {
    const types = this.types(list.types);
    return { ...list, types, patterns: list.patterns.map((each) => this.pattern(each, role)) };
  }

  pattern(pattern: TypedPattern, role: PatternRole): TypedPattern {
    switch (pattern.kind) {
      case 'ignore':
        return pattern;
      case 'local': {
        const type = this.type(pattern.type);
        const local = role === 'declare' ? this.declare(pattern.local) : this.use(pattern.local);
        return { ...pattern, type, local };
      }
      default: {
        const typeArguments = this.types(pattern.typeArguments);
        const fields = inNameOrder(pattern.fields, (each) => {
          const type = this.type(each.type);
          return { ...each, type, pattern: this.pattern(each.pattern, role) };
        });
        return { ...pattern, typeArguments, fields };
      }
    }
  }

  /** The expression with its parts rewritten. */
  protected parts(original: TypedExpression): TypedExpression {
    const expression: TypedExpression = { ...original, type: this.type(original.type) };
    switch (expression.kind) {
      case 'move':
      case 'copy':
      case 'use':
      case 'borrowLocal':
        return { ...expression, local: this.use(expression.local) };
      case 'call': {
        const typeArguments = this.types(expression.typeArguments);
        const parameterTypes = this.types(expression.parameterTypes);
        return { ...expression, typeArguments, parameterTypes, arguments: this.expression(expression.arguments) };
      }
      case 'callLocal': {
        const local = this.use(expression.local);
        return { ...expression, local, arguments: this.expression(expression.arguments) };
      }
      case 'builtin': {
        const { typeArgument } = expression;
        const type = typeArgument === undefined ? undefined : this.type(typeArgument);
        return { ...expression, typeArgument: type, arguments: this.expression(expression.arguments) };
      }
      case 'vector': {
        const element = this.type(expression.element);
        return { ...expression, element, items: this.expression(expression.items) };
      }
      case 'pack': {
        const typeArguments = this.types(expression.typeArguments);
        return { ...expression, typeArguments, fields: inNameOrder(expression.fields, (each) => this.#field(each)) };
      }
      case 'tuple':
        return { ...expression, items: expression.items.map((item) => this.expression(item)) };
      case 'spec': {
        const locals = expression.locals.map(({ local, type }) => ({ type: this.type(type), local: this.use(local) }));
        return { ...expression, locals };
      }
      default:
        return this.#control(expression);
    }
  }

  #field(field: TypedFieldValue): TypedFieldValue {
    const type = this.type(field.type);
    return { ...field, type, value: this.expression(field.value) };
  }

  #control(expression: TypedExpression): TypedExpression {
    switch (expression.kind) {
      case 'if': {
        const condition = this.expression(expression.condition);
        const consequent = this.expression(expression.consequent);
        return { ...expression, condition, consequent, alternate: this.expression(expression.alternate) };
      }
      case 'while': {
        const condition = this.expression(expression.condition);
        return { ...expression, condition, body: this.expression(expression.body) };
      }
      case 'loop':
        return { ...expression, body: this.expression(expression.body) };
      case 'block':
        return { ...expression, block: this.block(expression.block) };
      case 'lambda': {
        const parameters = this.patterns(expression.parameters, 'declare');
        return { ...expression, parameters, body: this.expression(expression.body) };
      }
      case 'assign': {
        const targets = this.patterns(expression.targets, 'assign');
        return { ...expression, targets, value: this.expression(expression.value) };
      }
      case 'mutate': {
        const reference = this.expression(expression.reference);
        return { ...expression, reference, value: this.expression(expression.value) };
      }
      case 'return':
        return { ...expression, value: this.expression(expression.value) };
      case 'abort':
        return { ...expression, code: this.expression(expression.code) };
      default:
        return this.#operation(expression);
    }
  }

  #operation(expression: TypedExpression): TypedExpression {
    switch (expression.kind) {
      case 'binary':
        return this.#chain(expression);
      case 'cast':
      case 'annotate':
      case 'dereference':
      case 'not':
      case 'borrowField':
      case 'borrowTemporary':
        return { ...expression, operand: this.expression(expression.operand) };
      default:
        return expression;
    }
  }

  #chain(outermost: Binary): TypedExpression {
    const chain: Binary[] = [];
    let first: TypedExpression = outermost;
    for (; first.kind === 'binary'; first = first.left) chain.push(first);
    let left = this.expression(first);
    for (const link of chain.reverse()) {
      const operandType = this.type(link.operandType);
      const type = link === outermost ? link.type : this.type(link.type);
      left = { ...link, type, operandType, left, right: this.expression(link.right) };
    }
    return left;
  }
}

/** Rewrites fields in the order of their names, and returns them in their own order. */
function inNameOrder<T extends { readonly field: { readonly name: { readonly text: string } } }>(
  fields: readonly T[],
  rewrite: (field: T) => T,
): T[] {
  const nameOf = ({ field }: T): string => field.name.text;
  const sorted = fields.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  const rewritten = new Map(sorted.map((each) => [each, rewrite(each)]));
  return fields.map((each) => rewritten.get(each)!);
}

/** Calls `visit` for each expression of the code, each before its parts. */
export function visitExpressions(
  code: TypedBlock | TypedExpression,
  visit: (expression: TypedExpression) => void,
): void {
  const pending = 'kind' in code ? [code] : partsOfBlock(code).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    visit(next);
    const parts = partsOf(next);
    for (let index = parts.length - 1; index >= 0; index--) pending.push(parts[index]!);
  }
}

function partsOfBlock({ items }: TypedBlock): TypedExpression[] {
  return items.flatMap((item) => {
    if (item.kind === 'declare') return [];
    return [item.kind === 'bind' ? item.value : item.expression];
  });
}

/** The expressions directly inside of one. */
function partsOf(expression: TypedExpression): readonly TypedExpression[] {
  switch (expression.kind) {
    case 'call':
    case 'callLocal':
    case 'builtin':
      return [expression.arguments];
    case 'vector':
      return [expression.items];
    case 'pack':
      return expression.fields.map(({ value }) => value);
    case 'tuple':
      return expression.items;
    case 'if':
      return [expression.condition, expression.consequent, expression.alternate];
    case 'while':
      return [expression.condition, expression.body];
    case 'loop':
    case 'lambda':
      return [expression.body];
    case 'block':
      return partsOfBlock(expression.block);
    case 'assign':
    case 'return':
      return [expression.value];
    case 'mutate':
      return [expression.reference, expression.value];
    case 'abort':
      return [expression.code];
    case 'binary':
      return [expression.left, expression.right];
    case 'cast':
    case 'annotate':
    case 'dereference':
    case 'not':
    case 'borrowField':
    case 'borrowTemporary':
      return [expression.operand];
    default:
      return [];
  }
}
