/**
 * The older check of control flow, for format versions up to 5: loops in the shape that a compiler gives them.
 *
 * Reading the code from top to bottom, a loop extends from a jump target to the last jump back to it. Jumps back go to
 * the head of their loop; jumps forward out of a loop go to the instruction right after it; no jump forward enters the
 * middle of a loop. Source: the reference's `move-bytecode-verifier/src/control_flow_v5.rs`.
 * @module
 */
import type { Code } from '../binary/module.ts';
import { StatusCode } from '../status.ts';
import { type Rejection, rejectCode } from '../verdict.ts';
import { isJump } from './control-flow-graph.ts';

interface Loop {
  readonly head: number;
  readonly lastContinue: number;
}

type JumpCheck = (loop: Loop | undefined, offset: number, target: number) => void;

export function checkControlFlowV5(code: Code, functionIndex: number, loopDepthMax: number | undefined): void {
  const lastContinues = lastContinuesOf(code);
  const reject = (status: StatusCode, offset: number, message: string): Rejection =>
    rejectCode(status, functionIndex, offset, message);

  forEachJump(code, lastContinues, (loop, offset, target) => {
    if (target <= offset && target !== loop?.head) {
      throw reject(StatusCode.INVALID_LOOP_CONTINUE, offset, `the jump to ${target} leaves its loop backwards`);
    }
  });
  forEachJump(code, lastContinues, (loop, offset, target) => {
    if (loop !== undefined && target > loop.lastContinue + 1) {
      throw reject(StatusCode.INVALID_LOOP_BREAK, offset, `expected a jump out of the loop to end right behind it`);
    }
  });
  const depths = loopDepths(code, lastContinues);
  forEachJump(code, lastContinues, (loop, offset, target) => {
    if (target <= offset || (loop !== undefined && target > loop.lastContinue)) return;
    const depth = lastContinues.has(target) ? depths[target]! - 1 : depths[target]!;
    if (depths[offset] !== depth) {
      throw reject(StatusCode.INVALID_LOOP_SPLIT, offset, `the jump to ${target} enters the middle of a loop`);
    }
  });
  if (loopDepthMax === undefined) return;
  const deep = depths.findIndex((depth) => depth > loopDepthMax);
  if (deep >= 0) {
    throw reject(StatusCode.LOOP_MAX_DEPTH_REACHED, deep, `expected loops of at most ${loopDepthMax} levels`);
  }
}

/** By loop head: the last instruction that jumps back to it. */
function lastContinuesOf({ instructions }: Code): Map<number, number> {
  const lastContinues = new Map<number, number>();
  for (const [offset, { op, operand }] of instructions.entries()) {
    if (isJump(op) && operand <= offset) lastContinues.set(operand, offset);
  }
  return lastContinues;
}

/** Calls `check` for each jump with the innermost loop that is open there. */
function forEachJump({ instructions }: Code, lastContinues: ReadonlyMap<number, number>, check: JumpCheck): void {
  const open: Loop[] = [];
  for (const [offset, { op, operand: target }] of instructions.entries()) {
    const lastContinue = lastContinues.get(offset);
    if (lastContinue !== undefined) open.push({ head: offset, lastContinue });
    if (!isJump(op)) continue;
    const loop = open.at(-1);
    check(loop, offset, target);
    if (target > offset) continue;
    // A jump back whose loop is not open was refused.
    if (offset === loop!.lastContinue) open.pop();
  }
}

/** How many loops each instruction is in; loops are well nested once jumps back have been checked. */
function loopDepths({ instructions }: Code, lastContinues: ReadonlyMap<number, number>): number[] {
  const ends = new Set(lastContinues.values());
  let depth = 0;
  return instructions.map((_, offset) => {
    if (lastContinues.has(offset)) depth++;
    const here = depth;
    if (ends.has(offset)) depth--;
    return here;
  });
}
