/**
 * Combines the code of basic blocks into one function body.
 *
 * Structured form: a loop head becomes `for(;;)`, a merge becomes the end of a labelled block, every other block is
 * written at the jump to it (Ramsey, "Beyond Relooper", 2022). It needs a reducible graph, which format version 6
 * guarantees. Switch form: `for(;;)switch(p)` over all blocks, for the irreducible code that version 5 allows and for
 * nesting that could exhaust the JavaScript parser's stack. It runs up to 3.5 times slower.
 *
 * The shape of a control flow graph: dominators, loops, merges, and whether it is reducible.
 *
 * Blocks are numbered in reverse postorder, so an edge to a block of the same or a lower number is a back edge.
 * Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
 * @module
 */
import type { Block } from '../link/function-body.ts';

interface FlowShape {
  /** By block: the merges that it immediately dominates, in descending order. */
  readonly mergeChildren: readonly (readonly number[])[];
  /** Targets of back edges. */
  readonly isLoopHead: readonly boolean[];
  /** Targets of more than one forward edge. */
  readonly isMerge: readonly boolean[];
  /** Whether every back edge goes to a block that dominates its source. */
  readonly isReducible: boolean;
}

function findShape(blocks: readonly Block[]): FlowShape {
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

/** How a block ends. */
export type Ending =
  /** The code returns or throws. */
  | { readonly kind: 'none' }
  | { readonly kind: 'jump'; readonly to: number }
  | { readonly kind: 'branch'; readonly condition: string; readonly yes: number; readonly no: number };

export interface BlockCode {
  readonly code: string;
  readonly ending: Ending;
}

/** The deepest nesting of the structured form, in labelled blocks, loops and conditions. */
const NESTING_MAX = 500;
/** The most blocks of the structured form: the writer recurses over them. */
const BLOCKS_MAX = 1500;

/** @param preferSwitch writes the switch form even if the structured one is possible, for tests */
export function structure(blocks: readonly Block[], codes: readonly BlockCode[], preferSwitch: boolean): string {
  if (preferSwitch || blocks.length > BLOCKS_MAX) return switchForm(codes);
  const shape = findShape(blocks);
  if (!shape.isReducible) return switchForm(codes);
  const writer = new StructuredWriter(shape, codes);
  return writer.write() ?? switchForm(codes);
}

class StructuredWriter {
  readonly #shape: FlowShape;
  readonly #codes: readonly BlockCode[];
  readonly #parts: string[] = [];
  #nesting = 0;
  #tooDeep = false;

  constructor(shape: FlowShape, codes: readonly BlockCode[]) {
    this.#shape = shape;
    this.#codes = codes;
  }

  /** `undefined` if it nests too deeply. */
  write(): string | undefined {
    this.#tree(0);
    return this.#tooDeep ? undefined : this.#parts.join('');
  }

  #tree(block: number): void {
    if (this.#tooDeep) return;
    if (!this.#shape.isLoopHead[block]) {
      this.#within(block, 0);
      return;
    }
    this.#open(`L${block}:for(;;){`);
    this.#within(block, 0);
    this.#close();
  }

  /** The block inside labelled blocks for its merge children from number `from` on, each followed by that child. */
  #within(block: number, from: number): void {
    const child = this.#shape.mergeChildren[block]![from];
    if (child === undefined) {
      this.#block(block);
      return;
    }
    this.#open(`B${child}:{`);
    this.#within(block, from + 1);
    this.#close();
    this.#tree(child);
  }

  #block(block: number): void {
    const { code, ending } = this.#codes[block]!;
    this.#parts.push(code);
    if (ending.kind === 'jump') {
      this.#go(block, ending.to);
    } else if (ending.kind === 'branch') {
      // An arm that is only a jump goes inside the condition, so that the other one is not nested.
      const swap = this.#isJump(block, ending.no) && !this.#isJump(block, ending.yes);
      const [condition, inner, outer] = swap
        ? [`!(${ending.condition})`, ending.no, ending.yes]
        : [ending.condition, ending.yes, ending.no];
      this.#open(`if(${condition}){`);
      this.#go(block, inner);
      this.#close();
      this.#go(block, outer);
    }
  }

  #isJump(from: number, to: number): boolean {
    return to <= from || this.#shape.isMerge[to]!;
  }

  #go(from: number, to: number): void {
    if (to <= from) this.#parts.push(`continue L${to};`);
    else if (this.#shape.isMerge[to]) this.#parts.push(`break B${to};`);
    else this.#tree(to);
  }

  #open(text: string): void {
    this.#parts.push(text);
    this.#nesting++;
    if (this.#nesting > NESTING_MAX) this.#tooDeep = true;
  }

  #close(): void {
    this.#parts.push('}');
    this.#nesting--;
  }
}

function switchForm(codes: readonly BlockCode[]): string {
  const cases = codes.map(({ code, ending }, block) => `case ${block}:{${code}${switchEnding(ending)}}`);
  return `let p=0;for(;;)switch(p){${cases.join('')}}`;
}

function switchEnding(ending: Ending): string {
  if (ending.kind === 'none') return '';
  if (ending.kind === 'jump') return `p=${ending.to};continue;`;
  return `p=${ending.condition}?${ending.yes}:${ending.no};continue;`;
}
