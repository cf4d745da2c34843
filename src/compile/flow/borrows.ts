/**
 * Borrow checking: no value is changed, moved or lost while a reference to it is in use.
 *
 * Source: the reference's `move-compiler/src/cfgir/borrows`.
 * @module
 */

import { Rejection } from '../../vm/verdict.ts';
import { StepMeter, VERIFY_STEPS_MAX } from '../../vm/verify/step-meter.ts';
import type { Expression, LoweredCommand, Target, Variable } from '../lower/lowered-tree.ts';
import type { FunctionDeclaration, StructDeclaration } from '../names/declaration.ts';
import type { Diagnostics, Finding } from '../text/diagnostic.ts';
import { Defects } from '../text/diagnostic-kind.ts';
import { BorrowLabels, BorrowState, type ReferenceNumber } from './borrow-state.ts';
import { type FlowAnalysis, findFixpoint } from './fixpoint.ts';
import type { FlowGraph } from './flow-graph.ts';

/** Checks a body; `declaration` is undefined for a constant's. */
export function checkBorrows(
  graph: FlowGraph,
  variables: readonly Variable[],
  declaration: FunctionDeclaration | undefined,
  diagnostics: Diagnostics,
): void {
  const labels = new BorrowLabels(variables);
  const acquired = [...(declaration?.acquires.keys() ?? [])];
  const analysis: FlowAnalysis<BorrowState, Finding> = {
    initial: BorrowState.initial(variables, labels, new StepMeter(VERIFY_STEPS_MAX)),
    visit: (label, before) => {
      const state = before.clone();
      for (const command of graph.block(label)) {
        checkCommand(state, command, declaration, acquired);
        state.canonicalize();
      }
      return { after: state, findings: state.findings };
    },
    join: (known, arriving) => known.join(arriving),
  };
  try {
    for (const finding of findFixpoint(graph, analysis).findings) diagnostics.add(...finding);
  } catch (thrown) {
    if (!(thrown instanceof Rejection) || declaration === undefined) throw thrown;
    const { name } = declaration;
    const message = `${name.text} has too many references to be checked; take it apart`;
    diagnostics.add(Defects.unsupported, name.span, message);
  }
}

function checkCommand(
  state: BorrowState,
  command: LoweredCommand,
  declaration: FunctionDeclaration | undefined,
  acquired: readonly StructDeclaration[],
): void {
  const { span } = command;
  const values = command.operands.map((operand) => evaluate(state, operand, declaration));
  const [first = [], second = []] = values;
  switch (command.kind) {
    case 'assign':
      for (const [at, target] of command.targets.entries()) assign(state, target, first[at]);
      break;
    case 'mutate':
      state.mutate(span, second[0]);
      break;
    case 'drop':
      for (const value of first) state.release(value);
      break;
    case 'return':
      state.leave(span, first, acquired);
      break;
    case 'abort':
      state.forget();
      break;
    default:
  }
}

function assign(state: BorrowState, target: Target, value: ReferenceNumber): void {
  if (target.kind === 'ignore') state.release(value);
  else if (target.kind === 'variable') state.assign(target.span, target.variable, value);
  else for (const field of target.fields) assign(state, field, undefined);
}

/** The values of an expression, of which only references are told apart. */
function evaluate(
  state: BorrowState,
  expression: Expression,
  declaration: FunctionDeclaration | undefined,
): readonly ReferenceNumber[] {
  const { span } = expression;
  const values = expression.operands.flatMap((operand) => evaluate(state, operand, declaration));
  switch (expression.kind) {
    case 'unit':
      return [];
    case 'list':
      return values;
    case 'move':
      return [state.move(span, expression.variable, expression.reason === 'lastUse')];
    case 'copy':
      return [state.copy(span, expression.variable)];
    case 'borrowLocal':
      return [state.borrowLocal(span, expression.variable, expression.isMutable)];
    case 'freeze':
      return [state.freeze(span, values[0])];
    case 'dereference':
      state.dereference(span, values[0]);
      return [undefined];
    case 'borrowField':
      return [state.borrowField(span, values[0], expression.field.name.text, expression.isMutable)];
    case 'global': {
      const { operation, resource } = expression;
      if (resource.kind !== 'struct') return [undefined];
      if (operation === 'move_from') {
        state.takeResource(span, resource.struct);
        return [undefined];
      }
      if (operation === 'borrow_global' || operation === 'borrow_global_mut') {
        return [state.borrowResource(span, resource.struct, operation === 'borrow_global_mut')];
      }
      return state.call(span, values, [], expression.type);
    }
    case 'call': {
      const isOwn = expression.function.module !== undefined && expression.function.module === declaration?.module;
      return state.call(span, values, isOwn ? expression.function.acquires.keys() : [], expression.type);
    }
    case 'binary':
      for (const value of values) if (value !== undefined) state.dereference(expression.operands[0]!.span, value);
      return [undefined];
    default:
      for (const value of values) state.release(value);
      return [undefined];
  }
}
