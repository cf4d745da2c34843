/**
 * Checks that a body is not empty, cannot fall off its end, and (from format version 6) has a reducible control flow
 * graph.
 * Source: the reference's `move-bytecode-verifier/src/control_flow.rs`.
 * @module
 */
import type { Code } from '../binary/module.ts';
import { opcodeName } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { rejectCode, rejectEntry } from '../verdict.ts';
import { ControlFlowGraph, isUnconditionalBranch } from './control-flow-graph.ts';
import { checkControlFlowV5 } from './control-flow-v5.ts';
import { findLoopFault } from './loop-summary.ts';

/** The graph of a body that passes. */
export function checkControlFlow(
  code: Code,
  version: number,
  functionIndex: number,
  loopDepthMax: number | undefined,
): ControlFlowGraph {
  const last = code.instructions.at(-1);
  if (last === undefined) {
    const message = `function definition ${functionIndex} has no instructions`;
    throw rejectEntry(StatusCode.EMPTY_CODE_UNIT, 'functionDefinition', functionIndex, message);
  }
  if (!isUnconditionalBranch(last.op)) {
    throw rejectCode(
      StatusCode.INVALID_FALL_THROUGH,
      functionIndex,
      code.instructions.length - 1,
      `expected Ret, Abort or Branch at the end, got ${opcodeName(last.op)}`,
    );
  }
  if (version <= 5) {
    checkControlFlowV5(code, functionIndex, loopDepthMax);
    return new ControlFlowGraph(code.instructions);
  }
  const graph = new ControlFlowGraph(code.instructions);
  const fault = graph.backEdgeCount === 0 ? undefined : findLoopFault(graph, loopDepthMax);
  if (fault === undefined) return graph;
  const offset = graph.starts[fault.block]!;
  if (fault.kind === 'tooDeep') {
    const message = `expected loops of at most ${loopDepthMax} levels`;
    throw rejectCode(StatusCode.LOOP_MAX_DEPTH_REACHED, functionIndex, offset, message);
  }
  throw rejectCode(
    StatusCode.INVALID_LOOP_SPLIT,
    functionIndex,
    offset,
    'expected a loop to be entered at its head only',
  );
}
