/**
 * The borrow graph: which references were borrowed from which, and along which path of fields.
 *
 * Nodes are references (numbers chosen by the caller). An edge from parent to child says that the child points into
 * what the parent points to: *strong* along exactly its path, *weak* along its path or any extension of it. Releasing a
 * reference joins the edges into and out of it. There are at most ten edges between two references; beyond that, a
 * single weak edge with an empty path replaces all of them.
 *
 * The bound makes the result depend on the order in which edges come between two references, so edges are kept and
 * visited in the order of the reference's sorted sets. Source: the reference's `move-borrow-graph`.
 *
 * There is a graph for each block of a function, and most blocks change little: copies share their nodes until one of
 * them changes a node, and entries of edges are never changed, only replaced.
 * @module
 */
import { assert } from '../../base/error.ts';
import type { StepMeter } from './step-meter.ts';

/** A field, local or resource; the caller gives each a number whose order is that of the reference's labels. */
export type BorrowLabel = number;

interface Edge {
  readonly isStrong: boolean;
  readonly path: readonly BorrowLabel[];
}

/** The edges between two references, in order. */
interface Edges {
  readonly child: number;
  readonly edges: readonly Edge[];
  readonly isOverflown: boolean;
}

interface Node {
  /** The `#owner` of the only graph that may change it. */
  readonly owner: object;
  readonly isMutable: boolean;
  /** By ascending child. No entry is without edges. */
  readonly children: Edges[];
  readonly parents: number[];
}

const EDGES_MAX = 10;
const EMPTY_PATH: readonly BorrowLabel[] = [];

export class BorrowGraph {
  /** By reference; holes where there is none. */
  #nodes: (Node | undefined)[] = [];
  /** Replaced after each copy, which shares all nodes that exist then. */
  #owner: object = {};
  readonly #meter: StepMeter;

  /** `meter` counts nodes and edges that are copied, added or searched in bulk. */
  constructor(meter: StepMeter) {
    this.#meter = meter;
  }

  clone(): BorrowGraph {
    const copy = new BorrowGraph(this.#meter);
    for (const node of this.#nodes) if (node !== undefined) this.#meter.charge(1 + node.children.length);
    copy.#nodes = this.#nodes.slice();
    this.#owner = {};
    return copy;
  }

  isMutable(id: number): boolean {
    return this.#node(id).isMutable;
  }

  /** Adds a reference without edges; `id` must be unused. */
  add(id: number, isMutable: boolean): void {
    assert(this.#nodes[id] === undefined, `reference ${id} already exists`);
    this.#nodes[id] = { owner: this.#owner, isMutable, children: [], parents: [] };
  }

  /** Whether a borrow of all of `id` exists, one with an empty path. */
  hasFullBorrows(id: number): boolean {
    return this.#node(id).children.some((entry) => isFull(entry));
  }

  /** Whether anything is borrowed from `id`; with a label, only borrows that may be in that part of it. */
  hasBorrows(id: number, label: BorrowLabel | undefined): boolean {
    const { children } = this.#node(id);
    this.#meter.charge(children.length);
    return children.some((entry) => label === undefined || mayTouch(entry, label));
  }

  /** As `hasBorrows`, of mutable borrows only. */
  hasMutableBorrows(id: number, label: BorrowLabel | undefined): boolean {
    const { children } = this.#node(id);
    this.#meter.charge(children.length);
    return children.some(
      (entry) => this.#node(entry.child).isMutable && (label === undefined || mayTouch(entry, label)),
    );
  }

  /** The borrowers of `id` in ascending order, each with the part borrowed; `undefined` for all of it. */
  borrowsOf(id: number): { readonly borrower: number; readonly label: BorrowLabel | undefined }[] {
    const { children } = this.#node(id);
    return children.flatMap(({ child, edges }) => edges.map(({ path }) => ({ borrower: child, label: path[0] })));
  }

  /** `child` points to exactly what `parent` points to, or to its field `label`. */
  addStrong(parent: number, label: BorrowLabel | undefined, child: number): void {
    this.#factor(parent, label === undefined ? EMPTY_PATH : [label], child);
  }

  /** `child` may point to anything in `parent`, or in its field `label`. */
  addWeak(parent: number, label: BorrowLabel | undefined, child: number): void {
    this.#addEdge(parent, { isStrong: false, path: label === undefined ? EMPTY_PATH : [label] }, child);
  }

  /** Removes `id`; what borrows from it borrows from its parents afterwards. */
  release(id: number): void {
    const { children, parents } = this.#node(id);
    this.#nodes[id] = undefined;
    for (const parent of parents) {
      const siblings = this.#own(parent).children;
      const at = position(siblings, id);
      const { edges } = siblings[at]!;
      siblings.splice(at, 1);
      for (const into of edges) {
        for (const entry of children) {
          // Releasing a member of a cycle must not make a reference borrow from itself.
          if (entry.child === parent) continue;
          for (const out of entry.edges) this.#addEdge(parent, spliced(into, out), entry.child);
        }
      }
    }
    for (const { child } of children) removeNumber(this.#own(child).parents, id);
  }

  /** Renumbers references; those not in `renamed` keep their numbers. */
  rename(renamed: ReadonlyMap<number, number>): void {
    const nodes: (Node | undefined)[] = [];
    for (const [id, node] of this.#nodes.entries()) {
      if (node === undefined) continue;
      const to = renamed.get(id) ?? id;
      nodes[to] = this.#renamedNode(node, renamed);
    }
    this.#nodes = nodes;
  }

  #renamedNode(node: Node, renamed: ReadonlyMap<number, number>): Node {
    const isNamed = ({ child }: Edges): boolean => renamed.has(child);
    if (!node.children.some(isNamed) && !node.parents.some((parent) => renamed.has(parent))) return node;
    return {
      owner: this.#owner,
      isMutable: node.isMutable,
      children: node.children
        .map((entry) => (isNamed(entry) ? { ...entry, child: renamed.get(entry.child)! } : entry))
        .sort((left, right) => left.child - right.child),
      parents: node.parents.map((parent) => renamed.get(parent) ?? parent),
    };
  }

  /** Whether every edge of `other` is covered by one of this graph. */
  covers(other: BorrowGraph): boolean {
    return other.#nodes.every((node, parent) =>
      (node?.children ?? []).every(({ child, edges }) => {
        const known = this.#edgesBetween(parent, child);
        return edges.every((edge) => known.some((candidate) => isCovering(candidate, edge)));
      }),
    );
  }

  /** This graph and the edges of `other` that it does not cover. Both have the same references. */
  join(other: BorrowGraph): BorrowGraph {
    const joined = this.clone();
    for (const [parent, node] of other.#nodes.entries()) {
      for (const { child, edges } of node?.children ?? []) {
        const known = this.#edgesBetween(parent, child);
        let missing: Edges = { child, edges: [], isOverflown: false };
        for (const edge of edges) {
          if (!known.some((candidate) => isCovering(candidate, edge))) missing = withEdge(missing, edge);
        }
        for (const edge of missing.edges) joined.#addEdge(parent, edge, child);
      }
    }
    return joined;
  }

  #node(id: number): Node {
    const node = this.#nodes[id];
    assert(node !== undefined, `reference ${id} is not in the graph`);
    return node;
  }

  /** The node `id`, to be changed. */
  #own(id: number): Node {
    const node = this.#node(id);
    if (node.owner === this.#owner) return node;
    const { isMutable, children, parents } = node;
    const own = { owner: this.#owner, isMutable, children: children.slice(), parents: parents.slice() };
    this.#nodes[id] = own;
    return own;
  }

  #edgesBetween(parent: number, child: number): readonly Edge[] {
    const { children } = this.#node(parent);
    const entry = children[position(children, child)];
    return entry?.child === child ? entry.edges : [];
  }

  #addEdge(parent: number, edge: Edge, child: number): void {
    assert(parent !== child, 'a reference cannot borrow from itself');
    // Finding its place among the others costs more than a visit.
    this.#meter.charge(4 + edge.path.length);
    const { children } = this.#node(parent);
    const at = position(children, child);
    const known = children[at];
    if (known?.child !== child) {
      this.#own(parent).children.splice(at, 0, { child, edges: [edge], isOverflown: false });
      this.#own(child).parents.push(parent);
      return;
    }
    const more = withEdge(known, edge);
    if (more !== known) this.#own(parent).children[at] = more;
  }

  /** Puts `between` between `parent` and those children whose paths begin with `path`. */
  #factor(parent: number, path: readonly BorrowLabel[], between: number): void {
    const node = this.#own(parent);
    this.#meter.charge(node.children.length);
    const moved: { readonly child: number; readonly edge: Edge }[] = [];
    for (let at = node.children.length - 1; at >= 0; at--) {
      const entry = node.children[at]!;
      const kept = entry.edges.filter((edge) => !isPrefix(path, edge.path));
      if (kept.length === entry.edges.length) continue;
      const gone = entry.edges.filter((edge) => isPrefix(path, edge.path));
      moved.unshift(...gone.map((edge) => ({ child: entry.child, edge })));
      if (kept.length > 0) {
        node.children[at] = { ...entry, edges: kept };
        continue;
      }
      node.children.splice(at, 1);
      removeNumber(this.#own(entry.child).parents, parent);
    }
    for (const { child, edge } of moved) {
      this.#addEdge(between, { isStrong: edge.isStrong, path: edge.path.slice(path.length) }, child);
    }
    this.#addEdge(parent, { isStrong: true, path }, between);
  }
}

function isFull({ edges }: Edges): boolean {
  return edges.some((edge) => edge.path.length === 0);
}

/** Whether an edge leads to all of the parent or to its part `label`. */
function mayTouch({ edges }: Edges, label: BorrowLabel): boolean {
  return edges.some((edge) => edge.path.length === 0 || edge.path[0] === label);
}

/** The edge that replaces two consecutive ones. */
function spliced(into: Edge, out: Edge): Edge {
  // Beyond a weak edge, the position in the parent is unknown.
  if (!into.isStrong) return { isStrong: false, path: into.path };
  return { isStrong: out.isStrong, path: [...into.path, ...out.path] };
}

/** Whether `edge` says no more than `candidate`. */
function isCovering(candidate: Edge, edge: Edge): boolean {
  if (!candidate.isStrong) return isPrefix(candidate.path, edge.path);
  return edge.isStrong && candidate.path.length === edge.path.length && isPrefix(candidate.path, edge.path);
}

function isPrefix(prefix: readonly BorrowLabel[], path: readonly BorrowLabel[]): boolean {
  return prefix.every((label, at) => label === path[at]);
}

/** The entry with the edge added, or itself if it already has it. */
function withEdge(set: Edges, edge: Edge): Edges {
  if (set.isOverflown) return set;
  const { child, edges } = set;
  if (edges.length === EDGES_MAX) return { child, edges: [{ isStrong: false, path: EMPTY_PATH }], isOverflown: true };
  let at = 0;
  while (at < edges.length) {
    const order = compareEdges(edges[at]!, edge);
    if (order === 0) return set;
    if (order > 0) break;
    at++;
  }
  return { child, edges: [...edges.slice(0, at), edge, ...edges.slice(at)], isOverflown: false };
}

/** Weak edges first, then by path, label by label. */
function compareEdges(left: Edge, right: Edge): number {
  if (left.isStrong !== right.isStrong) return left.isStrong ? 1 : -1;
  const length = Math.min(left.path.length, right.path.length);
  for (let at = 0; at < length; at++) {
    const order = left.path[at]! - right.path[at]!;
    if (order !== 0) return order;
  }
  return left.path.length - right.path.length;
}

/** Where the entry of `child` is, or would be inserted. */
function position(children: readonly Edges[], child: number): number {
  let low = 0;
  let high = children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (children[middle]!.child < child) low = middle + 1;
    else high = middle;
  }
  return low;
}

function removeNumber(numbers: number[], number: number): void {
  const at = numbers.indexOf(number);
  assert(at >= 0, `reference ${number} is not a parent`);
  numbers.splice(at, 1);
}
