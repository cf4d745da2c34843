/**
 * The control flow graph of a body, and the orders in which analyses visit it.
 *
 * Where an analysis has several orders to choose from, they are the reference's, since what inference finds depends on
 * them. Source: the reference's `move-compiler/src/cfgir/cfg.rs`.
 * @module
 */
import { assert } from '../../base/error.ts';
import type { BlockLabel, LoweredCommand } from '../lower/lowered-tree.ts';
import type { Loop } from './block-builder.ts';

/** What an analysis needs to know of a graph, forwards or backwards. */
export interface Direction {
  readonly start: BlockLabel;
  /** Ascending. */
  successors(label: BlockLabel): readonly BlockLabel[];
  /** The block that is visited after this one. */
  next(label: BlockLabel): BlockLabel | undefined;
  isBackEdge(from: BlockLabel, to: BlockLabel): boolean;
}

export class FlowGraph implements Direction {
  readonly start: BlockLabel = 0;
  /** By label; holes where a block went. */
  readonly blocks: (LoweredCommand[] | undefined)[];
  #successors: (readonly BlockLabel[])[] = [];
  #predecessors: BlockLabel[][] = [];
  #next = new Map<BlockLabel, BlockLabel>();
  #labels: BlockLabel[] = [];

  /** Commands that do nothing are left out, and so are blocks that are never reached: `dead` says which. */
  constructor(blocks: readonly LoweredCommand[][]) {
    this.blocks = blocks.map((block) => block.filter((command) => !isIdle(command)));
    this.dead = this.recompute();
  }

  /** The blocks that were not reached at first. */
  readonly dead: readonly LoweredCommand[][];

  /** Ascending. */
  labels(): readonly BlockLabel[] {
    return this.#labels;
  }

  block(label: BlockLabel): LoweredCommand[] {
    const block = this.blocks[label];
    assert(block !== undefined, `there is no block ${label}`);
    return block;
  }

  successors(label: BlockLabel): readonly BlockLabel[] {
    return this.#successors[label] ?? [];
  }

  /** Ascending. */
  predecessors(label: BlockLabel): readonly BlockLabel[] {
    return this.#predecessors[label] ?? [];
  }

  next(label: BlockLabel): BlockLabel | undefined {
    return this.#next.get(label);
  }

  isBackEdge(from: BlockLabel, to: BlockLabel): boolean {
    return to <= from && this.successors(from).includes(to);
  }

  /** Finds the edges again after blocks changed, and removes and returns blocks that are no longer reached. */
  recompute(): LoweredCommand[][] {
    this.#successors = [];
    this.#predecessors = [];
    const found = [this.start];
    const seen = new Set(found);
    for (const label of found) {
      const successors = targetsOf(this.block(label).at(-1));
      this.#successors[label] = successors;
      for (const successor of successors) {
        if (!seen.has(successor)) found.push(successor);
        seen.add(successor);
      }
    }
    for (const label of found.sort((left, right) => left - right)) {
      for (const successor of this.successors(label)) {
        this.#predecessors[successor] ??= [];
        this.#predecessors[successor].push(label);
      }
    }
    this.#next = inSequence(postOrder(this.start, (label) => this.successors(label)).reverse());
    this.#labels = found;
    const dead: LoweredCommand[][] = [];
    for (const [label, block] of this.blocks.entries()) {
      if (block === undefined || seen.has(label)) continue;
      dead.push(block);
      this.blocks[label] = undefined;
    }
    return dead;
  }
}

/** A graph seen backwards, from a block behind all ends. */
export class ReverseGraph implements Direction {
  readonly start: BlockLabel;
  readonly #graph: FlowGraph;
  readonly #exit: BlockLabel;
  readonly #ends: readonly BlockLabel[];
  readonly #next: ReadonlyMap<BlockLabel, BlockLabel>;

  /** @param endless starts of loops that never end; what jumps there counts as an end */
  constructor(graph: FlowGraph, endless: ReadonlySet<BlockLabel>) {
    const labels = graph.labels();
    this.#graph = graph;
    this.#exit = labels.at(-1)! + 1;
    this.#ends = labels.filter((label) => {
      const last = graph.block(label).at(-1);
      if (last?.kind === 'return' || last?.kind === 'abort') return true;
      return graph.successors(label).some((successor) => successor <= label && endless.has(successor));
    });
    const ends = new Set(this.#ends);
    const order = postOrder(graph.start, (label) => {
      const successors = graph.successors(label);
      return ends.has(label) ? [...successors, this.#exit] : successors;
    });
    this.start = order[0]!;
    this.#next = inSequence(order);
  }

  /** Whether a block is the one behind all ends, which has no commands. */
  isExit(label: BlockLabel): boolean {
    return label === this.#exit;
  }

  successors(label: BlockLabel): readonly BlockLabel[] {
    return this.isExit(label) ? this.#ends : this.#graph.predecessors(label);
  }

  next(label: BlockLabel): BlockLabel | undefined {
    return this.#next.get(label);
  }

  isBackEdge(from: BlockLabel, to: BlockLabel): boolean {
    return this.#graph.isBackEdge(to, from);
  }
}

/** The starts of `loop`s that are never left. */
export function endlessLoops(graph: FlowGraph, loops: readonly Loop[]): Set<BlockLabel> {
  const endless = new Set<BlockLabel>();
  const around: Loop[] = [];
  const loopAt = new Map(loops.filter(({ isEndless }) => isEndless).map((loop) => [loop.start, loop]));
  const current = graph.labels().map((label) => {
    if (around.at(-1)?.end === label) around.pop();
    const loop = loopAt.get(label);
    if (loop !== undefined) {
      endless.add(label);
      around.push(loop);
    }
    return { label, loop: around.at(-1) };
  });
  for (const { label, loop } of current) {
    if (loop === undefined) continue;
    const last = graph.block(label).at(-1);
    const isLeft =
      last?.kind === 'return' ||
      last?.kind === 'abort' ||
      (loop.end !== undefined && targetsOf(last).includes(loop.end));
    if (isLeft) endless.delete(loop.start);
  }
  return endless;
}

/** Where a block's last command may go on, ascending and each once. */
function targetsOf(last: LoweredCommand | undefined): readonly BlockLabel[] {
  if (last?.kind === 'jump') return [last.target];
  if (last?.kind !== 'branch') return [];
  const { whenTrue, whenFalse } = last;
  if (whenTrue === whenFalse) return [whenTrue];
  return whenTrue < whenFalse ? [whenTrue, whenFalse] : [whenFalse, whenTrue];
}

/** Whether a command does nothing. */
export function isIdle(command: LoweredCommand): boolean {
  if (command.operands[0]?.kind !== 'unit') return false;
  return command.kind === 'drop' || (command.kind === 'assign' && command.targets.length === 0);
}

function inSequence(order: readonly BlockLabel[]): Map<BlockLabel, BlockLabel> {
  return new Map(order.slice(1).map((label, at) => [order[at]!, label]));
}

/** Blocks after those that they lead to; edges to earlier blocks, which close loops, do not count. */
function postOrder(start: BlockLabel, successors: (label: BlockLabel) => readonly BlockLabel[]): BlockLabel[] {
  const order: BlockLabel[] = [];
  const finished = new Set<BlockLabel>();
  const stack = [{ label: start, isFirst: true }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { label, isFirst } = top;
    if (isFirst) {
      stack.push({ label, isFirst: false });
      for (const successor of successors(label)) {
        if (successor > label && !finished.has(successor)) stack.push({ label: successor, isFirst: true });
      }
    } else if (!finished.has(label)) {
      finished.add(label);
      order.push(label);
    }
  }
  return order;
}
