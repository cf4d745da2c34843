/**
 * Computing at compile time what has only values for operands.
 *
 * What would abort is left as it is. Source: the reference's `move-compiler/src/cfgir/optimize/constant_fold.rs`.
 * @module
 */

import { INTEGER_BITS } from '../../vm/value/integer.ts';
import { type Expression, type LoweredCommand, withOperands } from '../lower/lowered-tree.ts';
import { equalValues, isInRange, isInteger, type Value, vectorValue } from '../lower/value.ts';
import type { ResolvedType } from '../names/type.ts';
import type { BinaryOperator } from '../syntax/tree.ts';
import type { FlowGraph } from './flow-graph.ts';

/** Folds all blocks; values that are dropped at once go with their command. Returns whether anything changed. */
export function foldConstants(graph: FlowGraph): boolean {
  let isChanged = false;
  for (const label of graph.labels()) {
    const block = graph.block(label);
    const folded = block.map((command) => withOperands(command, fold)).filter((command) => !isDropOfValues(command));
    if (folded.length === block.length && folded.every((command, at) => command === block[at])) continue;
    isChanged = true;
    graph.blocks[label] = folded;
  }
  return isChanged;
}

function isDropOfValues({ kind, operands }: LoweredCommand): boolean {
  return kind === 'drop' && operands.every((operand) => valuesOf(operand) !== undefined);
}

function fold(expression: Expression): Expression {
  const folded = withOperands(expression, fold);
  const value = computed(folded);
  if (value === undefined) return folded;
  return { kind: 'value', span: folded.span, type: folded.type, operands: [], value };
}

/** The value of an expression whose operands are values. */
function computed(expression: Expression): Value | undefined {
  const [first, second] = expression.operands;
  switch (expression.kind) {
    case 'not':
      return first?.kind === 'value' && first.value.kind === 'bool'
        ? { kind: 'bool', value: !first.value.value }
        : undefined;
    case 'binary':
      if (first?.kind !== 'value' || second?.kind !== 'value') return undefined;
      return binary(expression.operator, first.value, second.value);
    case 'cast': {
      const { type: target } = expression;
      if (first?.kind !== 'value' || first.value.kind !== 'number' || !isInteger(target)) return undefined;
      const { value } = first.value;
      return isInRange(value, target.name) ? { kind: 'number', type: target.name, value } : undefined;
    }
    case 'vector': {
      if (first === undefined || !isConstantType(expression.element)) return undefined;
      const items = valuesOf(first);
      return items === undefined ? undefined : vectorValue(expression.element, items);
    }
    default:
      return undefined;
  }
}

/** The values that an expression consists of; `undefined` if there is anything else in it. */
function valuesOf(expression: Expression): readonly Value[] | undefined {
  if (expression.kind === 'unit') return [];
  if (expression.kind === 'value') return [expression.value];
  if (expression.kind !== 'list') return undefined;
  const values = expression.operands.map(valuesOf);
  return values.includes(undefined) ? undefined : values.flatMap((items) => items ?? []);
}

function isConstantType(type: ResolvedType): boolean {
  if (type.kind === 'vector') return isConstantType(type.element);
  return type.kind === 'primitive' && type.name !== 'signer';
}

function binary(operator: BinaryOperator, left: Value, right: Value): Value | undefined {
  const bool = (value: boolean): Value => ({ kind: 'bool', value });
  if (operator === '==') return bool(equalValues(left, right));
  if (operator === '!=') return bool(!equalValues(left, right));
  if (left.kind === 'bool' && right.kind === 'bool') {
    if (operator === '&&') return bool(left.value && right.value);
    return operator === '||' ? bool(left.value || right.value) : undefined;
  }
  if (left.kind !== 'number' || right.kind !== 'number') return undefined;
  const compared = compare(operator, left.value, right.value);
  if (compared !== undefined) return bool(compared);
  const value = calculate(operator, left.value, right.value, INTEGER_BITS[left.type]);
  return value === undefined || !isInRange(value, left.type) ? undefined : { ...left, value };
}

function compare(operator: BinaryOperator, left: bigint, right: bigint): boolean | undefined {
  switch (operator) {
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
    default:
      return undefined;
  }
}

function calculate(operator: BinaryOperator, left: bigint, right: bigint, bits: number): bigint | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0n ? undefined : left / right;
    case '%':
      return right === 0n ? undefined : left % right;
    case '|':
      return left | right;
    case '&':
      return left & right;
    case '^':
      return left ^ right;
    case '<<':
      return right >= BigInt(bits) ? undefined : BigInt.asUintN(bits, left << right);
    case '>>':
      return right >= BigInt(bits) ? undefined : left >> right;
    default:
      return undefined;
  }
}
