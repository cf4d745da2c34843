/**
 * Checks that a body is not empty, cannot fall off its end, and (from format version 6) has a reducible control flow
 * graph.
 * Source: the reference's `move-bytecode-verifier/src/control_flow.rs`.
 *
 * Up to version 5, loops must have the shape that a compiler gives them. Reading the code from top to bottom, a loop
 * extends from a jump target to the last jump back to it. Backward jumps go to the head of their loop; forward jumps
 * out of a loop go to the instruction right after it; no forward jump enters the middle of a loop. Source: the
 * reference's `move-bytecode-verifier/src/control_flow_v5.rs`.
 *
 * A graph is reducible if every loop is entered at its head only. Tarjan's test (1974) on a depth-first spanning tree:
 * from the innermost loop outwards, the body of a loop consists of the blocks that reach its back edges; each must
 * descend from the head; then the body is folded into the head. The structured translation of code relies on it.
 * Source: the reference's `loop_summary.rs` and `control_flow.rs`.
 * @module
 */
import type { Code } from '../binary/module.ts';
import { isJump, isUnconditionalBranch, opcodeName } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { type Rejection, rejectCode, rejectEntry } from '../verdict.ts';
import { ControlFlowGraph } from './function-context.ts';

interface Loop {
  readonly head: number;
  readonly lastContinue: number;
}

type JumpCheck = (loop: Loop | undefined, offset: number, target: number) => void;

function checkControlFlowV5(code: Code, functionIndex: number): void {
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
      throw reject(StatusCode.INVALID_LOOP_BREAK, offset, `expected a jump out of the loop to lead right behind it`);
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
    // A backward jump whose loop is not open was refused.
    if (offset === loop!.lastContinue) open.pop();
  }
}

/** Number of loops around each instruction; loops are well nested once backward jumps have been checked. */
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

/** A block that enters a loop elsewhere than at its head. */
function findSecondEntrance(graph: ControlFlowGraph): number | undefined {
  const tree = new SpanningTree(graph);
  const partition = new LoopPartition(graph.blockCount);
  for (let head = graph.blockCount - 1; head >= 0; head--) {
    const sources = tree.backEdges[head]!;
    if (sources.length === 0) continue;
    const body = new Set<number>();
    for (const source of sources) {
      const node = partition.find(source);
      if (node !== head) body.add(node);
    }
    const frontier = [...body].sort((left, right) => left - right);
    for (let node = frontier.pop(); node !== undefined; node = frontier.pop()) {
      for (const edge of tree.otherEdges[node]!) {
        const predecessor = partition.find(edge);
        if (!tree.isDescendant(head, predecessor)) return tree.blocks[predecessor]!;
        if (predecessor !== head && !body.has(predecessor)) {
          body.add(predecessor);
          frontier.push(predecessor);
        }
      }
    }
    partition.collapse(head, body);
  }
  return undefined;
}

/** Nodes are blocks in the order in which a depth-first walk first meets them. */
class SpanningTree {
  /** The block of each node. */
  readonly blocks: number[];
  /** Number of descendants of each node; they are numbered right after it. */
  readonly #descendants: number[];
  /** Sources of edges into each node from its own descendants. */
  readonly backEdges: number[][];
  /** Sources of all other edges into each node. */
  readonly otherEdges: number[][];

  constructor(graph: ControlFlowGraph) {
    const { blockCount } = graph;
    this.blocks = new Array(blockCount).fill(0);
    this.#descendants = new Array(blockCount).fill(0);
    this.backEdges = Array.from({ length: blockCount }, () => []);
    this.otherEdges = Array.from({ length: blockCount }, () => []);
    this.#walk(graph);
  }

  /** Whether `node` is `ancestor` or descends from it. */
  isDescendant(ancestor: number, node: number): boolean {
    return ancestor <= node && node <= ancestor + this.#descendants[ancestor]!;
  }

  #walk(graph: ControlFlowGraph): void {
    const nodeOf: number[] = new Array(graph.blockCount).fill(-1);
    const isDone = new Uint8Array(graph.blockCount);
    const open: { readonly node: number; readonly parent: number; readonly block: number; readonly next: number[] }[] =
      [];
    let count = 0;
    const enter = (block: number, parent: number): void => {
      const node = count++;
      nodeOf[block] = node;
      this.blocks[node] = block;
      open.push({ node, parent, block, next: [...graph.successors[block]!] });
    };
    enter(0, -1);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      // The last successor is walked first.
      const next = top.next.pop();
      if (next === undefined) {
        open.pop();
        isDone[top.node] = 1;
        if (top.parent >= 0) this.#descendants[top.parent]! += 1 + this.#descendants[top.node]!;
        continue;
      }
      const known = nodeOf[next]!;
      if (known < 0) {
        this.otherEdges[count]!.push(top.node);
        enter(next, top.node);
      } else if (isDone[known] === 1) this.otherEdges[known]!.push(top.node);
      else this.backEdges[known]!.push(top.node);
    }
  }
}

/** Which loop each node was folded into. */
class LoopPartition {
  readonly #parents: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, node) => node);
  }

  find(node: number): number {
    let root = node;
    while (this.#parents[root] !== root) root = this.#parents[root]!;
    // Later look-ups go straight to the root.
    for (let at = node; at !== root; ) {
      const parent = this.#parents[at]!;
      this.#parents[at] = root;
      at = parent;
    }
    return root;
  }

  /** Folds `body` into `head`. */
  collapse(head: number, body: ReadonlySet<number>): void {
    for (const node of body) this.#parents[node] = head;
  }
}

/** The graph of a body that passes. */
export function checkControlFlow(code: Code, version: number, functionIndex: number): ControlFlowGraph {
  const last = code.instructions.at(-1);
  if (last === undefined) {
    const message = `function definition ${functionIndex} has no instructions`;
    throw rejectEntry(StatusCode.EMPTY_CODE_UNIT, 'functionDefinition', functionIndex, message);
  }
  if (!isUnconditionalBranch(last.op)) {
    throw rejectCode(
      StatusCode.INVALID_FALL_THROUGH,
      functionIndex,
      code.instructions.length - 1,
      `expected Ret, Abort or Branch at the end, got ${opcodeName(last.op)}`,
    );
  }
  if (version <= 5) {
    checkControlFlowV5(code, functionIndex);
    return new ControlFlowGraph(code.instructions);
  }
  const graph = new ControlFlowGraph(code.instructions);
  const entrance = graph.backEdgeCount === 0 ? undefined : findSecondEntrance(graph);
  if (entrance === undefined) return graph;
  const message = 'expected a loop to be entered at its head only';
  throw rejectCode(StatusCode.INVALID_LOOP_SPLIT, functionIndex, graph.starts[entrance]!, message);
}
