/**
 * Variables that are assigned once and used once, if what they hold can be computed where they are used.
 *
 * Source: the reference's `move-compiler/src/cfgir/optimize/eliminate_locals.rs`.
 * @module
 */
import {
  type Expression,
  type LoweredCommand,
  singleTypes,
  type Target,
  typeOfAll,
  unitExpression,
  type Variable,
  withOperands,
} from '../lower/lowered-tree.ts';
import { type FlowGraph, isIdle } from './flow-graph.ts';

/** Puts such values where they are used. Returns whether anything changed. */
export function removeSingleUses(graph: FlowGraph, variables: readonly Variable[]): boolean {
  const isChanged = removeIdle(graph);
  const removable = singleUses(graph, variables);
  if (removable.size === 0) return isChanged;
  const values = new Map<Variable, Expression>();
  // A use may stand in an earlier block than the assignment.
  while (removable.size > 0 || values.size > 0) {
    for (const label of graph.labels()) {
      graph.blocks[label] = graph.block(label).map((command) => replaced(command, removable, values));
    }
  }
  removeIdle(graph);
  return true;
}

/** Removes commands that do nothing. Returns whether there were any. */
function removeIdle(graph: FlowGraph): boolean {
  let isChanged = false;
  for (const label of graph.labels()) {
    const block = graph.block(label);
    const kept = block.filter((command) => !isIdle(command));
    isChanged ||= kept.length < block.length;
    graph.blocks[label] = kept;
  }
  return isChanged;
}

/** How often something happens to variables; infinity if it happens in a way that rules a replacement out. */
class Tally {
  readonly #counts = new Map<Variable, number>();

  add(variable: Variable, isReplaceable: boolean): void {
    this.#counts.set(variable, isReplaceable ? (this.#counts.get(variable) ?? 0) + 1 : Number.POSITIVE_INFINITY);
  }

  isOne(variable: Variable): boolean {
    return this.#counts.get(variable) === 1;
  }
}

function singleUses(graph: FlowGraph, variables: readonly Variable[]): Set<Variable> {
  const assigned = new Tally();
  const used = new Tally();
  for (const variable of variables) if (variable.isParameter) assigned.add(variable, false);
  for (const label of graph.labels()) {
    for (const command of graph.block(label)) {
      for (const operand of command.operands) countUses(used, operand);
      if (command.kind === 'assign') countAssignments(assigned, command.targets, command.operands[0]!);
    }
  }
  return new Set(variables.filter((variable) => assigned.isOne(variable) && used.isOne(variable)));
}

function countUses(used: Tally, expression: Expression): void {
  if (expression.kind === 'copy' || expression.kind === 'move') used.add(expression.variable, true);
  if (expression.kind === 'borrowLocal') used.add(expression.variable, false);
  if (expression.kind === 'spec') for (const variable of expression.variables) used.add(variable, false);
  for (const operand of expression.operands) countUses(used, operand);
}

/** Variables inside of an unpacked struct are never counted as assigned. */
function countAssignments(assigned: Tally, targets: readonly Target[], value: Expression): void {
  const values = valuesOf(targets, value);
  for (const [at, target] of targets.entries()) {
    if (target.kind !== 'variable') continue;
    const single = values?.[at];
    assigned.add(target.variable, single !== undefined && isMovable(single));
  }
}

/** The value of each target; `undefined` if they are not told apart. */
function valuesOf(targets: readonly Target[], value: Expression): readonly Expression[] | undefined {
  if (targets.length === 1) return [value];
  if (value.kind !== 'list' || value.operands.length !== targets.length) return undefined;
  return value.operands.some(({ type }) => singleTypes(type).length !== 1) ? undefined : value.operands;
}

/** Whether it does not matter when the expression is evaluated: it reads nothing and never aborts. */
function isMovable(expression: Expression): boolean {
  switch (expression.kind) {
    case 'unit':
    case 'value':
    case 'constant':
      return true;
    case 'binary':
      return (
        !['+', '-', '*', '%', '/', '<<', '>>'].includes(expression.operator) && expression.operands.every(isMovable)
      );
    case 'cast':
    case 'not':
    case 'list':
    case 'pack':
    case 'vector':
      return expression.operands.every(isMovable);
    default:
      return false;
  }
}

/**
 * The command with values in place of variables. An assignment to a removable variable becomes none, and its value waits
 * for its use.
 */
function replaced(
  command: LoweredCommand,
  removable: Set<Variable>,
  values: Map<Variable, Expression>,
): LoweredCommand {
  const changed = withOperands(command, (operand) => withValues(operand, values));
  if (changed.kind !== 'assign') return changed;
  const { targets } = changed;
  const isRemoved = targets.map((target) => target.kind === 'variable' && removable.delete(target.variable));
  if (!isRemoved.includes(true)) return changed;
  const value = changed.operands[0]!;
  for (const [at, single] of (valuesOf(targets, value) ?? []).entries()) {
    const target = targets[at]!;
    if (isRemoved[at] === true && target.kind === 'variable') values.set(target.variable, single);
  }
  const kept = <T>(items: readonly T[]): T[] => items.filter((_, at) => isRemoved[at] !== true);
  const operands = targets.length === 1 ? [] : kept(value.operands);
  const rest: Expression =
    operands.length === 0
      ? unitExpression(value.span, 'implicit')
      : { ...value, type: keptTuple(value, kept(singleTypes(value.type))), operands };
  return { ...changed, targets: kept(targets), operands: [rest] };
}

/** Of a list, even of one item. */
function keptTuple({ span }: Expression, items: ReturnType<typeof singleTypes>): Expression['type'] {
  return items.length === 1 ? { kind: 'tuple', span, items } : typeOfAll(span, items);
}

function withValues(expression: Expression, values: Map<Variable, Expression>): Expression {
  if (expression.kind === 'copy' || expression.kind === 'move') {
    const value = values.get(expression.variable);
    if (value === undefined) return expression;
    values.delete(expression.variable);
    return value;
  }
  return withOperands(expression, (operand) => withValues(operand, values));
}
