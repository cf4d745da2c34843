/**
 * Fewer jumps: branches whose condition is known, and blocks that only one jump leads to.
 *
 * Source: the reference's `simplify_jumps.rs` and `inline_blocks.rs` (`move-compiler/src/cfgir/optimize`).
 * @module
 */
import { type BlockLabel, type LoweredCommand, NO_OPERANDS } from '../lower/lowered-tree.ts';
import { withTargets } from './block-builder.ts';
import type { FlowGraph } from './flow-graph.ts';

/** Turns branches on a known condition into jumps. Returns whether there were any. */
export function removeKnownBranches(graph: FlowGraph): boolean {
  let isChanged = false;
  for (const label of graph.labels()) {
    const block = graph.block(label);
    for (const [at, command] of block.entries()) {
      const jump = knownJump(command);
      if (jump === undefined) continue;
      block[at] = jump;
      isChanged = true;
    }
  }
  if (isChanged) graph.recompute();
  return isChanged;
}

function knownJump(command: LoweredCommand): LoweredCommand | undefined {
  if (command.kind !== 'branch') return undefined;
  const [condition] = command.operands;
  if (condition?.kind !== 'value' || condition.value.kind !== 'bool') return undefined;
  const target = condition.value.value ? command.whenTrue : command.whenFalse;
  return { kind: 'jump', span: command.span, operands: NO_OPERANDS, target, isWritten: false };
}

/**
 * Joins blocks with the only block that jumps to them. The joined block has the label of the last, so that no block
 * from behind a loop comes to lie inside of it; only the first block of all keeps its own.
 */
export function joinBlocks(graph: FlowGraph): boolean {
  const once = jumpedToOnce(graph);
  const lastOf = new Map<BlockLabel, BlockLabel>();
  const joined = new Map<BlockLabel, LoweredCommand[]>();
  const rest = new Map(graph.labels().map((label) => [label, graph.block(label)]));
  for (const label of graph.labels()) {
    let block = rest.get(label);
    if (block === undefined) continue;
    rest.delete(label);
    for (
      let last = block.at(-1);
      last?.kind === 'jump' && once.has(last.target) && rest.has(last.target);
      last = block.at(-1)
    ) {
      const { target } = last;
      lastOf.set(label, target);
      block = [...block.slice(0, -1), ...(rest.get(target) ?? [])];
      rest.delete(target);
    }
    joined.set(label, block);
  }
  if (lastOf.size === 0) return false;
  lastOf.delete(graph.start);
  const labelOf = (label: BlockLabel): BlockLabel => lastOf.get(label) ?? label;
  graph.blocks.fill(undefined);
  for (const [label, block] of joined) {
    graph.blocks[labelOf(label)] = block.map((command) => withTargets(command, labelOf));
  }
  graph.recompute();
  return true;
}

/** The labels that a single jump leads to; the start counts as if something jumped to it. */
function jumpedToOnce(graph: FlowGraph): Set<BlockLabel> {
  const counts = new Map<BlockLabel, number>([[graph.start, 1]]);
  const count = (label: BlockLabel): Map<BlockLabel, number> => counts.set(label, (counts.get(label) ?? 0) + 1);
  for (const label of graph.labels()) {
    const last = graph.block(label).at(-1);
    if (last?.kind === 'jump') count(last.target);
    if (last?.kind !== 'branch') continue;
    count(last.whenTrue);
    count(last.whenFalse);
  }
  return new Set([...counts].flatMap(([label, uses]) => (uses === 1 ? [label] : [])));
}
