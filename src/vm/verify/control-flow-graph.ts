/**
 * Basic blocks of a function body, their successors, and the order in which analyses visit them.
 *
 * Blocks are numbered in the order of their code. The visiting order is the reverse post-order of a depth-first walk
 * from the entry; an edge to a block whose walk is under way is a back edge, its target a loop head. Unreachable blocks
 * have a number but no place in the order. Source: the reference's `move-binary-format/src/control_flow_graph.rs`; the
 * walk's order of choices is kept, since a fixed point reached in another order may differ.
 * @module
 */
import type { Instruction } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';

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

/** Whether control never continues with the next instruction. */
export function isUnconditionalBranch(op: number): boolean {
  return op === Op.Ret || op === Op.Abort || op === Op.Branch;
}

function isConditionalBranch(op: number): boolean {
  return op === Op.BrTrue || op === Op.BrFalse;
}

/** Whether the operand is a code offset. */
export function isJump(op: number): boolean {
  return op === Op.Branch || isConditionalBranch(op);
}

function splitBlocks(code: readonly Instruction[]): { starts: number[]; ends: number[]; blockOf: number[] } {
  const isStart = new Uint8Array(code.length + 1);
  isStart[0] = 1;
  for (let offset = 0; offset < code.length; offset++) {
    const { op, operand } = code[offset]!;
    if (isJump(op)) isStart[operand] = 1;
    if (isUnconditionalBranch(op) || isConditionalBranch(op)) isStart[offset + 1] = 1;
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
