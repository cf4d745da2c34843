/**
 * Which variables are used later: the last use of a copy is a move, and references that a loop leaves alive are dropped
 * behind it.
 *
 * Source: the reference's `move-compiler/src/cfgir/liveness`.
 * @module
 */
import { ABILITY_DROP } from '../../move/ability.ts';
import {
  type BlockLabel,
  type Expression,
  type LoweredCommand,
  NO_OPERANDS,
  type Target,
  type Variable,
} from '../lower/lowered-tree.ts';
import { abilitiesOf } from '../names/type-abilities.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Unused } from '../text/diagnostic-kind.ts';
import { findFixpoint } from './fixpoint.ts';
import { type FlowGraph, ReverseGraph } from './flow-graph.ts';
import type { Availability } from './initialised.ts';

type Live = ReadonlySet<Variable>;

interface Liveness {
  /** By block: what is alive behind it. */
  readonly behind: ReadonlyMap<BlockLabel, Live>;
  /** By block: the same when the analysis last saw the block, from which it told what is alive inside. */
  readonly seenBehind: ReadonlyMap<BlockLabel, Live>;
}

function analyse(graph: FlowGraph, endless: ReadonlySet<BlockLabel>): Liveness {
  const reverse = new ReverseGraph(graph, endless);
  const seenBehind = new Map<BlockLabel, Live>();
  const { before: behind } = findFixpoint<Live, never>(reverse, {
    initial: new Set(),
    visit: (label, live) => {
      seenBehind.set(label, live);
      if (reverse.isExit(label)) return { after: live, findings: [] };
      const after = new Set(live);
      for (const command of graph.block(label).toReversed()) stepBack(after, command);
      return { after, findings: [] };
    },
    join: (known, arriving) => {
      for (const variable of arriving) if (!known.has(variable)) return new Set([...known, ...arriving]);
      return undefined;
    },
  });
  return { behind, seenBehind };
}

/** Changes what is alive behind a command to what is alive before it. */
function stepBack(live: Set<Variable>, command: LoweredCommand): void {
  if (command.kind === 'assign') for (const target of command.targets) removeTargets(live, target);
  for (const operand of command.operands) addUses(live, operand);
}

function removeTargets(live: Set<Variable>, target: Target): void {
  if (target.kind === 'variable') live.delete(target.variable);
  if (target.kind === 'unpack') for (const field of target.fields) removeTargets(live, field);
}

function addUses(live: Set<Variable>, expression: Expression): void {
  if (expression.kind === 'move' || expression.kind === 'copy' || expression.kind === 'borrowLocal') {
    live.add(expression.variable);
  }
  if (expression.kind === 'spec') for (const variable of expression.variables) live.add(variable);
  for (const operand of expression.operands) addUses(live, operand);
}

/** Turns inferred copies that are the last use into moves, and assignments of unused values into drops. */
export function inferLastUses(graph: FlowGraph, endless: ReadonlySet<BlockLabel>, diagnostics: Diagnostics): void {
  const { behind, seenBehind } = analyse(graph, endless);
  for (const label of graph.labels()) {
    const block = graph.block(label);
    let next: Live = behind.get(label) ?? new Set();
    const live = new Set(seenBehind.get(label));
    for (let at = block.length - 1; at >= 0; at--) {
      const command = block[at]!;
      block[at] = withLastUses(command, next, diagnostics);
      stepBack(live, command);
      next = live;
    }
  }
}

/** @param next what is alive behind the command */
function withLastUses(command: LoweredCommand, next: Live, diagnostics: Diagnostics): LoweredCommand {
  const dying = new Set<Variable>();
  for (const operand of command.operands) addUses(dying, operand);
  for (const variable of dying) if (next.has(variable)) dying.delete(variable);
  let changed = command;
  if (command.kind === 'assign') {
    const targets = command.targets.map((target) => usedTarget(target, dying, next, diagnostics));
    if (targets.some((target, at) => target !== command.targets[at])) changed = { ...command, targets };
  }
  if (dying.size === 0) return changed;
  const operands = usesFromTheLast(changed.operands, dying);
  return operands === changed.operands ? changed : { ...changed, operands };
}

function usedTarget(target: Target, dying: Set<Variable>, next: Live, diagnostics: Diagnostics): Target {
  if (target.kind === 'unpack') {
    return { ...target, fields: target.fields.map((field) => usedTarget(field, dying, next, diagnostics)) };
  }
  if (target.kind === 'ignore') return target;
  const { variable, span } = target;
  dying.add(variable);
  if (next.has(variable) || variable.shownName === undefined) return target;
  if (!variable.name.startsWith('_')) {
    const { shownName } = variable;
    const advice = `remove the assignment, or put _ or _${shownName} in its place`;
    diagnostics.add(Unused.assignment, span, `what is assigned to ${shownName} here is never used; ${advice}`);
  }
  return (abilitiesOf(variable.type) & ABILITY_DROP) === 0 ? target : { kind: 'ignore', span };
}

/** Replaces copies of variables that die, the last of each, by moves; what is seen is no longer dying. */
function usesFromTheLast(operands: readonly Expression[], dying: Set<Variable>): readonly Expression[] {
  const changed = operands.slice();
  for (let at = operands.length - 1; at >= 0; at--) changed[at] = lastUse(operands[at]!, dying);
  return changed.every((operand, at) => operand === operands[at]) ? operands : changed;
}

function lastUse(expression: Expression, dying: Set<Variable>): Expression {
  switch (expression.kind) {
    case 'copy':
      if (!dying.delete(expression.variable) || expression.isWritten) return expression;
      return { ...expression, kind: 'move', reason: 'lastUse' };
    case 'move':
    case 'borrowLocal':
      dying.delete(expression.variable);
      return expression;
    case 'spec':
      for (const variable of expression.variables) dying.delete(variable);
      return expression;
    default: {
      const operands = usesFromTheLast(expression.operands, dying);
      return operands === expression.operands ? expression : { ...expression, operands };
    }
  }
}

/**
 * Drops references at the start of blocks that no longer need them, where all blocks before keep them: behind loops.
 * Everywhere else the last use moves the reference.
 */
export function dropDeadReferences(
  graph: FlowGraph,
  variables: readonly Variable[],
  endless: ReadonlySet<BlockLabel>,
  available: Availability,
): void {
  if (!variables.some(({ type }) => type.kind === 'reference')) return;
  const { behind } = analyse(graph, endless);
  for (const label of graph.labels()) {
    const [first, ...others] = graph
      .predecessors(label)
      .map((predecessor) => behind.get(predecessor) ?? new Set<Variable>());
    if (first === undefined) continue;
    const block = graph.block(label);
    const live = new Set(behind.get(label));
    for (const command of block.toReversed()) stepBack(live, command);
    const { span } = block[0]!;
    const dead = [...first].filter(
      (variable) =>
        variable.type.kind === 'reference' &&
        !live.has(variable) &&
        others.every((other) => other.has(variable)) &&
        available.isAvailable(label, variable),
    );
    for (const variable of dead.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const { type } = variable;
      const moved: Expression = { kind: 'move', span, type, operands: NO_OPERANDS, variable, reason: 'lastUse' };
      block.unshift({ kind: 'drop', span, count: 1, operands: [moved] });
    }
  }
}
