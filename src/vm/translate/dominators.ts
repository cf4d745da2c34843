/**
 * The shape of a control flow graph: dominators, loops, merges, and whether it is reducible.
 *
 * Blocks are numbered in reverse postorder, so an edge to a block of the same or a lower number is a back edge.
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
 * @module
 */
import type { Block } from '../link/blocks.ts';

export interface FlowShape {
  /** By block: the merges that it immediately dominates, in descending order. */
  readonly mergeChildren: readonly (readonly number[])[];
  /** Blocks that a back edge goes to. */
  readonly isLoopHead: readonly boolean[];
  /** Blocks that more than one forward edge goes to. */
  readonly isMerge: readonly boolean[];
  /** Whether every back edge goes to a block that dominates its source. */
  readonly isReducible: boolean;
}

export function findShape(blocks: readonly Block[]): FlowShape {
  const predecessors: number[][] = blocks.map(() => []);
  for (const [from, block] of blocks.entries()) {
    for (const to of block.successors) predecessors[to]!.push(from);
  }
  const dominators = findDominators(predecessors);
  const isLoopHead = blocks.map((_, block) => predecessors[block]!.some((from) => from >= block));
  const isMerge = blocks.map((_, block) => predecessors[block]!.filter((from) => from < block).length > 1);
  const mergeChildren: number[][] = blocks.map(() => []);
  for (let block = blocks.length - 1; block > 0; block--) {
    if (isMerge[block]) mergeChildren[dominators[block]!]!.push(block);
  }
  const isReducible = predecessors.every((sources, block) =>
    sources.every((from) => from < block || dominates(dominators, block, from)),
  );
  return { mergeChildren, isLoopHead, isMerge, isReducible };
}

/** By block: its immediate dominator; for the entry, itself. */
function findDominators(predecessors: readonly (readonly number[])[]): number[] {
  const dominators: number[] = new Array(predecessors.length).fill(-1);
  dominators[0] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (let block = 1; block < predecessors.length; block++) {
      let common = -1;
      for (const from of predecessors[block]!) {
        if (dominators[from] === -1) continue;
        common = common === -1 ? from : meet(dominators, common, from);
      }
      if (dominators[block] !== common) {
        dominators[block] = common;
        changed = true;
      }
    }
  }
  return dominators;
}

function meet(dominators: readonly number[], left: number, right: number): number {
  let a = left;
  let b = right;
  while (a !== b) {
    while (a > b) a = dominators[a]!;
    while (b > a) b = dominators[b]!;
  }
  return a;
}

function dominates(dominators: readonly number[], above: number, below: number): boolean {
  let block = below;
  while (block > above) block = dominators[block]!;
  return block === above;
}
