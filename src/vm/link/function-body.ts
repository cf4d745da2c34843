/**
 * The instructions of a function instance with everything resolved: types, callees, constants, prices.
 *
 * Both engines run from this. Generic instructions are replaced by their plain forms, which do the same once type
 * arguments are fixed. Failures that the reference detects when an instruction runs, but that depend only on types
 * (type arguments with too many nodes, values that nest too deep), are detected here and recorded as the step's
 * `fault`.
 *
 * A basic block runs from a leader to the instruction before the next leader. Verified code leaves nothing on the
 * operand stack at the edge of a block, so each block can be processed by itself. Unreachable blocks are omitted: no
 * verifier pass guarantees anything about their values.
 * @module
 */

import type { Instruction } from '../binary/module.ts';
import { endsBlock, isJump, Op } from '../binary/opcode.ts';
import type { Type } from '../value/type.ts';
import type { FunctionInstance } from './function-instance.ts';

/**
 * One instruction. What `type` is:
 * - of the local for CopyLoc, MoveLoc, StLoc and the borrows of locals; of the value for Pop, LdConst, Eq and Neq
 * - of the target for ReadRef, WriteRef and FreezeRef; of the struct for Pack, Unpack, borrows of fields and globals
 * - of the element for vector instructions; of the left operand for arithmetic, of the operand for casts
 */
export interface ResolvedInstruction {
  /** Never a generic form. */
  readonly op: Op;
  /** The fixed charge. */
  readonly cost: number;
  /** Local, branch target, field position, literal below 2^32, number of elements. */
  readonly operand: number;
  readonly type: Type | undefined;
  /** The literal of LdU64, LdU128 and LdU256; of LdConst, a `ModuleConstant`. */
  readonly value: unknown;
  readonly callee: FunctionInstance | undefined;
  /** A status with which the instruction fails before anything is charged for it; 0 for none. */
  readonly fault: number;
}

export interface FunctionBody {
  /** By code offset; `undefined` where it is unreachable. */
  readonly steps: readonly (ResolvedInstruction | undefined)[];
  readonly blocks: readonly Block[];
  /** Greatest number of values that this frame has on the operand stack. */
  readonly heightMax: number;
  /** By local: whether it is a primitive that is borrowed mutably and therefore kept in a cell. */
  readonly inCell: readonly boolean[];
  /** Locals that hold counted references. */
  readonly countedLocals: readonly number[];
}

export interface Block {
  /** Code offset of the first instruction. */
  readonly start: number;
  /** Code offset after the last instruction. */
  readonly end: number;
  /** Indexes of blocks; for a conditional branch, the fall-through comes first. */
  readonly successors: readonly number[];
}

/**
 * The blocks reachable from `entry`, which is a leader: the entry first, in reverse postorder (every block before its
 * successors, loops aside).
 */
export function findBlocks(instructions: readonly Instruction[], entry = 0): Block[] {
  const last = instructions.length - 1;
  if (entry === 0 && firstEnd(instructions) === last && targets(instructions, last).length === 0) {
    return [{ start: 0, end: last + 1, successors: [] }];
  }
  const leaders = findLeaders(instructions);
  const order = reversePostorder(instructions, leaders, entry);
  const indexOf = new Map(order.map((start, index) => [start, index]));
  return order.map((start) => {
    const end = blockEnd(instructions, leaders, start);
    return { start, end, successors: targets(instructions, end - 1).map((target) => indexOf.get(target)!) };
  });
}

/** The offset of the first instruction that ends a block: in most functions, the last one. */
function firstEnd(instructions: readonly Instruction[]): number {
  let offset = 0;
  while (offset < instructions.length && !endsBlock(instructions[offset]!.op)) offset++;
  return offset;
}

/** By code offset: 1 where a block begins. */
type Leaders = Uint8Array;

function findLeaders(instructions: readonly Instruction[]): Leaders {
  const leaders = new Uint8Array(instructions.length + 1);
  leaders[0] = 1;
  for (let offset = 0; offset < instructions.length; offset++) {
    const { op, operand } = instructions[offset]!;
    if (isJump(op)) leaders[operand] = 1;
    if (endsBlock(op)) leaders[offset + 1] = 1;
  }
  return leaders;
}

function blockEnd(instructions: readonly Instruction[], leaders: Leaders, start: number): number {
  let end = start + 1;
  while (end < instructions.length && leaders[end] === 0) end++;
  return end;
}

/** The successors of a block's last instruction. */
function targets(instructions: readonly Instruction[], last: number): number[] {
  const { op, operand } = instructions[last]!;
  switch (op) {
    case Op.Ret:
    case Op.Abort:
      return [];
    case Op.Branch:
      return [operand];
    case Op.BrTrue:
    case Op.BrFalse:
      return [last + 1, operand];
    default:
      return [last + 1];
  }
}

/** Without recursion: a function may have tens of thousands of blocks in a row. */
function reversePostorder(instructions: readonly Instruction[], leaders: Leaders, entry: number): number[] {
  const postorder: number[] = [];
  const seen = new Set([entry]);
  const path: { start: number; pending: number[] }[] = [];
  const enter = (start: number): void => {
    // The jump target is visited first, so in the reversed order the fall-through block comes next, as in the code.
    path.push({ start, pending: targets(instructions, blockEnd(instructions, leaders, start) - 1) });
  };
  enter(entry);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.pending.pop();
    if (next === undefined) {
      postorder.push(top.start);
      path.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      enter(next);
    }
  }
  return postorder.reverse();
}
