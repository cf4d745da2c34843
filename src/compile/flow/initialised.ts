/**
 * Which variables have a value: none is used without one, and none that must not be dropped is lost.
 *
 * Source: the reference's `move-compiler/src/cfgir/locals`.
 * @module
 */
import { ABILITY_DROP } from '../../move/ability.ts';
import type { BlockLabel, Expression, LoweredCommand, Target, Variable } from '../lower/lowered-tree.ts';
import { abilitiesOf } from '../names/type-abilities.ts';
import type { Diagnostics, Finding } from '../text/diagnostic.ts';
import { Moves } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { findFixpoint } from './fixpoint.ts';
import type { FlowGraph } from './flow-graph.ts';

/** Whether a variable has a value, and since where. */
type State =
  | { readonly kind: 'available'; readonly since: Span }
  | { readonly kind: 'unavailable'; readonly since: Span; readonly isMoved: boolean }
  /** It depends on the way. */
  | { readonly kind: 'maybe'; readonly since: Span; readonly lost: Span; readonly isMoved: boolean };

/** By index of the variable. */
type States = readonly State[];

/** What has a value before each block. */
export interface Availability {
  isAvailable(label: BlockLabel, variable: Variable): boolean;
}

/** Reports uses of variables without a value and losses of values, and returns what is available before each block. */
export function checkInitialised(
  graph: FlowGraph,
  variables: readonly Variable[],
  diagnostics: Diagnostics,
): Availability {
  const indexes = new Map(variables.map((variable, index) => [variable, index]));
  const { before, findings } = findFixpoint<States, Finding>(graph, {
    initial: variables.map(({ span, isParameter }) =>
      isParameter ? { kind: 'available', since: span } : { kind: 'unavailable', since: span, isMoved: false },
    ),
    visit: (label, known) => {
      const walk = new Walk(variables, indexes, known.slice());
      for (const command of graph.block(label)) walk.command(command);
      return { after: walk.states, findings: walk.findings };
    },
    join,
  });
  for (const finding of findings) diagnostics.add(...finding);
  return {
    isAvailable: (label, variable) => before.get(label)?.[indexes.get(variable)!]?.kind === 'available',
  };
}

function join(known: States, arriving: States): States | undefined {
  let joined: State[] | undefined;
  for (const [index, other] of arriving.entries()) {
    const state = known[index]!;
    if (state.kind === other.kind || state.kind === 'maybe') continue;
    joined ??= known.slice();
    joined[index] = both(state, other);
  }
  return joined;
}

function both(state: State, other: State): State {
  if (other.kind === 'maybe') return other;
  const [available, unavailable] = state.kind === 'available' ? [state, other] : [other, state];
  const isMoved = unavailable.kind === 'unavailable' && unavailable.isMoved;
  return { kind: 'maybe', since: available.since, lost: unavailable.since, isMoved };
}

function mayBeDropped({ type }: Variable): boolean {
  return (abilitiesOf(type) & ABILITY_DROP) !== 0;
}

class Walk {
  readonly states: State[];
  readonly findings: Finding[] = [];
  readonly #variables: readonly Variable[];
  readonly #indexes: ReadonlyMap<Variable, number>;

  constructor(variables: readonly Variable[], indexes: ReadonlyMap<Variable, number>, states: State[]) {
    this.#variables = variables;
    this.#indexes = indexes;
    this.states = states;
  }

  #state(variable: Variable): State | undefined {
    return this.states[this.#indexes.get(variable)!];
  }

  #set(variable: Variable, state: State): void {
    this.states[this.#indexes.get(variable)!] = state;
  }

  command(command: LoweredCommand): void {
    for (const operand of command.operands) this.#expression(operand);
    if (command.kind === 'assign') for (const target of command.targets) this.#target(target);
    if (command.kind === 'return') for (const variable of this.#variables) this.#leave(command.span, variable);
  }

  #expression(expression: Expression): void {
    const { span } = expression;
    for (const operand of expression.operands) this.#expression(operand);
    if (expression.kind === 'copy' || expression.kind === 'borrowLocal') this.#use(span, expression.variable);
    if (expression.kind === 'spec') for (const variable of expression.variables) this.#use(span, variable);
    if (expression.kind === 'move') {
      this.#use(span, expression.variable);
      this.#set(expression.variable, { kind: 'unavailable', since: span, isMoved: true });
    }
  }

  #use(span: Span, variable: Variable): void {
    const state = this.#state(variable);
    if (state === undefined || state.kind === 'available') return;
    const name = variable.shownName ?? 'a temporary value';
    const lost = state.kind === 'maybe' ? state.lost : state.since;
    const may = state.kind === 'maybe' ? 'may have' : 'has';
    if (!state.isMoved) {
      const message = `${name} ${may} no value here; assign one before it is used`;
      this.#add(Moves.unassigned, span, message, [{ span: lost, message: `${name} is declared without a value` }]);
      return;
    }
    const isSame = lost.start === span.start && lost.end === span.end;
    const reason = isSame ? 'an earlier round of the loop moved it' : `its value ${may} been moved here`;
    this.#add(Moves.unassigned, span, `${name} ${may} no value here: it was moved before`, [
      { span: lost, message: `${reason}; write 'copy ${name}' to keep it` },
    ]);
  }

  #target(target: Target): void {
    if (target.kind === 'unpack') for (const field of target.fields) this.#target(field);
    if (target.kind !== 'variable') return;
    const { variable, span } = target;
    const state = this.#state(variable);
    if (state !== undefined && state.kind !== 'unavailable' && !mayBeDropped(variable)) {
      const has = state.kind === 'maybe' ? 'may still have' : 'still has';
      const message = `${variable.shownName} ${has} a value, which cannot be dropped; use it up before another is assigned`;
      this.#add(Moves.undroppable, span, message, [{ span: state.since, message: 'the value comes from here' }]);
    }
    this.#set(variable, { kind: 'available', since: span });
  }

  #leave(span: Span, variable: Variable): void {
    const state = this.#state(variable)!;
    if (state.kind === 'unavailable' || mayBeDropped(variable)) return;
    const { shownName, isParameter } = variable;
    const has = state.kind === 'maybe' ? 'may still have' : 'still has';
    const what = shownName === undefined ? 'a value is not used' : `${shownName} ${has} a value`;
    const message = `${what}, which cannot be dropped; use it up before the function returns`;
    const origin = isParameter ? 'it is a parameter' : 'the value comes from here';
    this.#add(Moves.undroppable, span, message, [{ span: state.since, message: origin }]);
  }

  #add(...finding: Finding): void {
    this.findings.push(finding);
  }
}
