/**
 * Runs an analysis over a control flow graph until what is known at each block's start no longer changes.
 *
 * Blocks are visited in order; when a back edge changes what is known at a loop's head, the walk goes back there.
 * Source: the reference's `move-bytecode-verifier/src/absint.rs`.
 * @module
 */
import type { FunctionContext } from './function-body.ts';

export interface Analysis<State> {
  /** What is known after the block if `before` is known before it; must leave `before` as it is. Throws `Rejection`. */
  readonly executeBlock: (block: number, before: State) => State;
  /** What both paths agree on, or `undefined` if that is already `known`. */
  readonly join: (known: State, arriving: State) => State | undefined;
}

export function analyze<State>(
  { graph, locals, meter }: FunctionContext,
  initial: State,
  analysis: Analysis<State>,
): void {
  const known: (State | undefined)[] = new Array(graph.blockCount).fill(undefined);
  known[0] = initial;
  let position = 0;
  while (position < graph.order.length) {
    const block = graph.order[position]!;
    position++;
    // Each block is visited after the one from which the walk first reached it.
    const before = known[block]!;
    // Each instruction, and each local when states are copied and joined.
    meter.charge(graph.ends[block]! - graph.starts[block]! + 1 + locals.length * (1 + graph.successors[block]!.length));
    const after = analysis.executeBlock(block, before);
    for (const next of graph.successors[block]!) {
      const there = known[next];
      if (there === undefined) {
        known[next] = after;
        continue;
      }
      const joined = analysis.join(there, after);
      if (joined === undefined) continue;
      known[next] = joined;
      position = Math.min(position, graph.positions[next]!);
    }
  }
}
