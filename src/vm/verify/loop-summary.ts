/**
 * Reducibility of a control flow graph: every loop is entered at its head only.
 *
 * Tarjan's test (1974) on a depth-first spanning tree: from the innermost loop outwards, the body of a loop is what
 * reaches its back edges against the arrows; every block of it must descend from the head; then the body is folded
 * into the head. The structured translation of code relies on it. Source: the reference's `loop_summary.rs` and
 * `control_flow.rs`.
 * @module
 */
import type { ControlFlowGraph } from './control-flow-graph.ts';

interface LoopFault {
  readonly kind: 'split' | 'tooDeep';
  /** The block that the fault is reported at. */
  readonly block: number;
}

/** Looks for a loop with a second entrance, or one nested more than `depthMax` deep. */
export function findLoopFault(graph: ControlFlowGraph, depthMax: number | undefined): LoopFault | undefined {
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
        if (!tree.isDescendant(head, predecessor)) return { kind: 'split', block: tree.blocks[predecessor]! };
        if (predecessor !== head && !body.has(predecessor)) {
          body.add(predecessor);
          frontier.push(predecessor);
        }
      }
    }
    const depth = partition.collapse(head, body);
    if (depthMax !== undefined && depth > depthMax) return { kind: 'tooDeep', block: tree.blocks[head]! };
  }
  return undefined;
}

/** Nodes are blocks in the order in which a depth-first walk first meets them. */
class SpanningTree {
  /** The block of each node. */
  readonly blocks: number[];
  /** How many nodes descend from each node; they are the ones numbered right after it. */
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

/** Which loop each node was folded into, and how deep loops nest within it. */
class LoopPartition {
  readonly #parents: number[];
  readonly #depths: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, node) => node);
    this.#depths = new Array(count).fill(0);
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

  /** Folds `body` into `head` and returns how deep loops nest there now. */
  collapse(head: number, body: ReadonlySet<number>): number {
    let depth = this.#depths[head]!;
    for (const node of body) {
      this.#parents[node] = head;
      depth = Math.max(depth, this.#depths[node]!);
    }
    this.#depths[head] = depth + 1;
    return depth + 1;
  }
}
