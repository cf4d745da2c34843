/**
 * Basic blocks of a function.
 *
 * A block runs from a leader to the instruction before the next leader. Verified code leaves nothing on the operand
 * stack at the edge of a block, so each block can be treated alone. Unreachable blocks are left out: no verifier pass
 * says anything about their values.
 * @module
 */
import type { Instruction } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';

export interface Block {
  /** Code offset of the first instruction. */
  readonly start: number;
  /** Code offset after the last instruction. */
  readonly end: number;
  /** Indexes of blocks; for a conditional branch, the fall-through comes first. */
  readonly successors: readonly number[];
}

/**
 * The blocks that control reaches from `entry`, which is a leader: the entry first, in reverse postorder (every block
 * before its successors, loops aside).
 */
export function findBlocks(instructions: readonly Instruction[], entry = 0): Block[] {
  const leaders = findLeaders(instructions);
  const order = reversePostorder(instructions, leaders, entry);
  const indexOf = new Map(order.map((start, index) => [start, index]));
  return order.map((start) => {
    const end = blockEnd(instructions, leaders, start);
    return { start, end, successors: targets(instructions, end - 1).map((target) => indexOf.get(target)!) };
  });
}

function findLeaders(instructions: readonly Instruction[]): Set<number> {
  const leaders = new Set([0]);
  for (let offset = 0; offset < instructions.length; offset++) {
    const { op, operand } = instructions[offset]!;
    if (op === Op.Branch || op === Op.BrTrue || op === Op.BrFalse) leaders.add(operand);
    if (endsBlock(op)) leaders.add(offset + 1);
  }
  return leaders;
}

function endsBlock(op: number): boolean {
  return op === Op.Branch || op === Op.BrTrue || op === Op.BrFalse || op === Op.Ret || op === Op.Abort;
}

function blockEnd(instructions: readonly Instruction[], leaders: ReadonlySet<number>, start: number): number {
  let end = start + 1;
  while (end < instructions.length && !leaders.has(end)) end++;
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
function reversePostorder(instructions: readonly Instruction[], leaders: ReadonlySet<number>, entry: number): number[] {
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
