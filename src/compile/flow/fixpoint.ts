/**
 * Abstract interpretation: what is known at the start of each block, however it is reached.
 *
 * Source: the reference's `move-compiler/src/cfgir/absint.rs`.
 * @module
 */
import type { BlockLabel } from '../lower/lowered-tree.ts';
import type { Direction } from './flow-graph.ts';

export interface FlowAnalysis<State, Finding> {
  readonly initial: State;
  /** What is known after a block, and what is to be said about it. `before` is not changed. */
  readonly visit: (
    label: BlockLabel,
    before: State,
  ) => { readonly after: State; readonly findings: readonly Finding[] };
  /** What is known on both ways; `undefined` if `known` says it already. */
  readonly join: (known: State, arriving: State) => State | undefined;
}

export interface Fixpoint<State, Finding> {
  /** By block. */
  readonly before: ReadonlyMap<BlockLabel, State>;
  /** In the order of blocks. */
  readonly findings: readonly Finding[];
}

/** Visits blocks until nothing changes. A state that changes at the start of a loop takes the analysis back there. */
export function findFixpoint<State, Finding>(
  graph: Direction,
  { initial, visit, join }: FlowAnalysis<State, Finding>,
): Fixpoint<State, Finding> {
  const before = new Map<BlockLabel, State>();
  const findings = new Map<BlockLabel, readonly Finding[]>();
  let current: BlockLabel | undefined = graph.start;
  while (current !== undefined) {
    const label: BlockLabel = current;
    const known = before.get(label) ?? initial;
    before.set(label, known);
    const result = visit(label, known);
    findings.set(label, result.findings);
    current = graph.next(label);
    for (const successor of graph.successors(label)) {
      const there = before.get(successor);
      if (there === undefined) {
        before.set(successor, result.after);
        continue;
      }
      const joined = join(there, result.after);
      if (joined === undefined) continue;
      before.set(successor, joined);
      findings.delete(successor);
      if (graph.isBackEdge(label, successor)) current = successor;
    }
  }
  const ordered = [...findings].sort(([left], [right]) => left - right);
  return { before, findings: ordered.flatMap(([, found]) => found) };
}
