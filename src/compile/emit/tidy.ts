/**
 * The last pass over code: jumps to what follows anyway, values that are stored only to be taken out again, and locals
 * that nothing uses.
 *
 * The passes repeat until none changes anything, in the reference's order (`move-compiler/src/to_bytecode/optimize`).
 * @module
 */
import { Op } from '../../vm/binary/opcode.ts';
import type { BlockLabel, Variable } from '../lower/lowered-tree.ts';
import type { SymbolicBlock, SymbolicInstruction } from './symbolic-code.ts';

export interface SymbolicBody {
  /** Beyond the parameters. */
  locals: Variable[];
  blocks: SymbolicBlock[];
}

export function tidy(body: SymbolicBody): void {
  const passes = [removeFallThrough, removeStoredAndMoved, removeLoadedAndStored, removeUnusedLocals];
  let unchanged = 0;
  for (let at = 0; unchanged < passes.length; at = (at + 1) % passes.length) {
    unchanged = passes[at]!(body) ? 0 : unchanged + 1;
  }
}

/** Jumps to the next block, but for those that a loop starts with; and the blocks that are empty without them. */
function removeFallThrough(body: SymbolicBody): boolean {
  let isChanged = false;
  for (const [at, block] of body.blocks.entries()) {
    const next = body.blocks[at + 1];
    const last = block.instructions.at(-1);
    if (next === undefined || block.isLoopStart || last?.kind !== 'jump') continue;
    if (last.op !== Op.Branch || last.target !== next.label) continue;
    block.instructions.pop();
    isChanged = true;
  }
  return removeEmptyBlocks(body) || isChanged;
}

function removeEmptyBlocks(body: SymbolicBody): boolean {
  const kept = body.blocks.filter(({ instructions }) => instructions.length > 0);
  if (kept.length === body.blocks.length) return false;
  const labelOf = new Map<BlockLabel, BlockLabel>();
  let next: BlockLabel | undefined;
  for (const { label, instructions } of body.blocks.toReversed()) {
    if (instructions.length > 0) next = label;
    if (next !== undefined) labelOf.set(label, next);
  }
  body.blocks = kept;
  for (const block of kept) {
    block.instructions = block.instructions.map((instruction) =>
      instruction.kind === 'jump' ? { ...instruction, target: labelOf.get(instruction.target)! } : instruction,
    );
  }
  return true;
}

function removeStoredAndMoved(body: SymbolicBody): boolean {
  return removePairs(body, (first, second) => first.op === Op.StLoc && second.op === Op.MoveLoc);
}

function removeLoadedAndStored(body: SymbolicBody): boolean {
  return removePairs(
    body,
    (first, second) => (first.op === Op.CopyLoc || first.op === Op.MoveLoc) && second.op === Op.StLoc,
  );
}

/** Removes neighbours of the same local that undo each other. */
function removePairs(
  body: SymbolicBody,
  isPair: (first: SymbolicInstruction, second: SymbolicInstruction) => boolean,
): boolean {
  let isChanged = false;
  for (const block of body.blocks) {
    const kept: SymbolicInstruction[] = [];
    for (let at = 0; at < block.instructions.length; at++) {
      const first = block.instructions[at]!;
      const second = block.instructions[at + 1];
      const isSame = first.kind === 'local' && second?.kind === 'local' && first.variable === second.variable;
      if (isSame && isPair(first, second)) at++;
      else kept.push(first);
    }
    isChanged ||= kept.length < block.instructions.length;
    block.instructions = kept;
  }
  return isChanged;
}

function removeUnusedLocals(body: SymbolicBody): boolean {
  const used = new Set<Variable>();
  for (const { instructions } of body.blocks) {
    for (const instruction of instructions) if (instruction.kind === 'local') used.add(instruction.variable);
  }
  const kept = body.locals.filter((local) => used.has(local));
  const isChanged = kept.length < body.locals.length;
  body.locals = kept;
  return isChanged;
}
