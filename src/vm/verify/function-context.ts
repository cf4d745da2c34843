/**
 * One body and its context for the passes over code.
 *
 * Basic blocks are numbered in the order of their code. The visiting order is the reverse post-order of a depth-first
 * walk from the entry; an edge to a block whose walk is under way is a back edge, its target a loop head. Unreachable
 * blocks have a number but no place in the order. Source: the reference's
 * `move-binary-format/src/control_flow_graph.rs`; the walk's order of choices is kept, since a fixed point reached in
 * another order may differ.
 *
 * An analysis runs until the state at the start of each block no longer changes. Blocks are visited in order; when a
 * back edge changes the state at a loop's head, the walk returns there. Source: the reference's
 * `move-bytecode-verifier/src/absint.rs`.
 * @module
 */
import type { AbilitySet } from '../../move/ability.ts';
import {
  type Binary,
  type Code,
  type FunctionHandle,
  type Instruction,
  type Module,
  namedBy,
} from '../binary/module.ts';
import { endsBlock, isJump, isUnconditionalBranch } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { Rejection, rejectCode } from '../verdict.ts';
import type { StepMeter } from './step-meter.ts';
import type { TableType, TypeTable } from './type-table.ts';

export interface FunctionContext {
  readonly binary: Binary;
  readonly types: TypeTable;
  /** Index of the function definition; 0 for a script's function. */
  readonly index: number;
  /** The abilities of each type parameter. */
  readonly typeParameters: readonly AbilitySet[];
  readonly parameters: readonly TableType[];
  readonly returns: readonly TableType[];
  /** Parameters and then declared locals. */
  readonly locals: readonly TableType[];
  readonly code: Code;
  readonly graph: ControlFlowGraph;
  /** Function definitions of the module by function handle. */
  readonly definitionOf: ReadonlyMap<number, number>;
  /** Shared by all bodies of the module. */
  readonly meter: StepMeter;
}

/** The function that a call names. */
export function handleOf(binary: Binary, call: Instruction): FunctionHandle {
  return binary.functionHandles[namedBy(binary, call)]!;
}

/** The module whose structs an instruction names. */
export function moduleOnly(binary: Binary): Module {
  if (binary.kind === 'module') return binary;
  throw new Rejection(StatusCode.INVALID_OPERATION_IN_SCRIPT, 'a script cannot use structs that it would define');
}

/** A rejection of the instruction at `codeOffset` of the body. */
export function rejectIn(body: FunctionContext, status: StatusCode, codeOffset: number, message: string): Rejection {
  return rejectCode(status, body.index, codeOffset, message);
}

const NOT_VISITED = 0;
const IN_PROGRESS = 1;
const DONE = 2;

export class ControlFlowGraph {
  /** First code offset of each block. */
  readonly starts: readonly number[];
  /** Last code offset of each block. */
  readonly ends: readonly number[];
  /** Blocks that may follow each block, in ascending order. */
  readonly successors: readonly (readonly number[])[];
  /** Blocks that can be reached, in visiting order. */
  readonly order: readonly number[];
  /** Place in `order` of each block that can be reached. */
  readonly positions: readonly number[];
  readonly backEdgeCount: number;

  /** `code` must not be empty and must not fall off its end. */
  constructor(code: readonly Instruction[]) {
    const { starts, ends, blockOf } = splitBlocks(code);
    this.starts = starts;
    this.ends = ends;
    this.successors = ends.map((end) => successorsOf(code, end).map((offset) => blockOf[offset]!));
    const { postOrder, backEdgeCount } = walk(this.successors);
    this.order = postOrder.reverse();
    this.backEdgeCount = backEdgeCount;
    const positions: number[] = [];
    for (const [position, block] of this.order.entries()) positions[block] = position;
    this.positions = positions;
  }

  get blockCount(): number {
    return this.starts.length;
  }
}

function splitBlocks(code: readonly Instruction[]): { starts: number[]; ends: number[]; blockOf: number[] } {
  const isStart = new Uint8Array(code.length + 1);
  isStart[0] = 1;
  for (let offset = 0; offset < code.length; offset++) {
    const { op, operand } = code[offset]!;
    if (isJump(op)) isStart[operand] = 1;
    if (endsBlock(op)) isStart[offset + 1] = 1;
  }
  isStart[code.length] = 1;
  const starts: number[] = [];
  const ends: number[] = [];
  const blockOf: number[] = [];
  for (let offset = 0; offset < code.length; offset++) {
    if (isStart[offset] === 1) starts.push(offset);
    blockOf[offset] = starts.length - 1;
    if (isStart[offset + 1] === 1) ends.push(offset);
  }
  return { starts, ends, blockOf };
}

/** Code offsets that may follow the instruction at `offset`, ascending, each once. */
function successorsOf(code: readonly Instruction[], offset: number): number[] {
  const { op, operand } = code[offset]!;
  const targets = isUnconditionalBranch(op) ? [] : [offset + 1];
  if (isJump(op) && operand !== targets[0]) targets.push(operand);
  return targets.sort((left, right) => left - right);
}

function walk(successors: readonly (readonly number[])[]): { postOrder: number[]; backEdgeCount: number } {
  const state = new Uint8Array(successors.length);
  let backEdgeCount = 0;
  const postOrder: number[] = [];
  const stack = [0];
  for (let block = stack.pop(); block !== undefined; block = stack.pop()) {
    if (state[block] === IN_PROGRESS) {
      // Everything after it has been walked.
      postOrder.push(block);
      state[block] = DONE;
    } else if (state[block] === NOT_VISITED) {
      state[block] = IN_PROGRESS;
      stack.push(block);
      for (const next of successors[block]!) {
        if (state[next] === NOT_VISITED) stack.push(next);
        else if (state[next] === IN_PROGRESS) backEdgeCount++;
      }
    }
  }
  return { postOrder, backEdgeCount };
}

export interface Analysis<State> {
  /** The state after the block, given the state before it, which must not be changed. Throws `Rejection`. */
  readonly executeBlock: (block: number, before: State) => State;
  /** The join of both states, or `undefined` if it equals `known`. */
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
    // A block is visited after the one from which the walk first reached it.
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
