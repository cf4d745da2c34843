/**
 * Cycles that types must not have: structs that contain themselves, and calls in a circle that each time nest their type
 * arguments deeper. Both are looked for inside of one module, since modules do not depend on each other in circles.
 *
 * Source: `recursive_structs.rs` and `infinite_instantiations.rs` of the reference's `move-compiler/src/typing`. Which
 * edge of a cycle an error points to follows from the order in which its graph is walked.
 * @module
 */
import { components } from '../../vm/verify/recursion.ts';
import type { ModuleDeclaration, StructDeclaration } from '../names/declaration.ts';
import { innerTypes, type ResolvedType, type TypeParameter } from '../names/type.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Types } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import type { CallInstantiation } from './settle.ts';
import { settledTypeText } from './type-text.ts';

/** Structs of a cycle that an error names; of a longer one the last ones are left out. */
const CYCLE_NAMED_MAX = 8;

/** A directed graph; nodes are in the order in which edges name them first. */
class Graph<Node, Edge> {
  readonly #successors = new Map<Node, Map<Node, Edge>>();

  edge(from: Node, to: Node): Edge | undefined {
    return this.#successors.get(from)?.get(to);
  }

  connect(from: Node, to: Node, edge: Edge): void {
    for (const node of [from, to]) {
      if (!this.#successors.has(node)) this.#successors.set(node, new Map());
    }
    this.#successors.get(from)!.set(to, edge);
  }

  successors(node: Node): Node[] {
    return [...(this.#successors.get(node)?.keys() ?? [])];
  }

  /** The strongly connected components, each from the node that a walk enters last to the one it enters first. */
  components(): Node[][] {
    const nodes = [...this.#successors.keys()];
    const positions = new Map(nodes.map((node, position) => [node, position]));
    const numbers = components(nodes.map((node) => this.successors(node).map((next) => positions.get(next)!)));
    const entered = new Set<Node>();
    for (const root of nodes) {
      const path = [root];
      for (let node = path.pop(); node !== undefined; node = path.pop()) {
        if (entered.has(node)) continue;
        entered.add(node);
        path.push(...this.successors(node).reverse());
      }
    }
    const members = new Map<number, Node[]>();
    for (const node of entered) {
      const number = numbers[positions.get(node)!]!;
      const component = members.get(number);
      if (component === undefined) members.set(number, [node]);
      else component.unshift(node);
    }
    return [...members.values()];
  }

  /** A shortest path, with both ends. */
  path(from: Node, to: Node): Node[] | undefined {
    const before = new Map<Node, Node | undefined>([[from, undefined]]);
    for (const node of before.keys()) {
      if (node === to) {
        const path: Node[] = [];
        for (let step: Node | undefined = node; step !== undefined; step = before.get(step)) path.unshift(step);
        return path;
      }
      for (const next of this.successors(node)) {
        if (!before.has(next)) before.set(next, node);
      }
    }
    return undefined;
  }
}

function sortedByName<Item extends { readonly name: { readonly text: string } }>(items: Iterable<Item>): Item[] {
  return [...items].sort((left, right) => (left.name.text < right.name.text ? -1 : 1));
}

/** Reports structs of the module that contain themselves. */
export function checkRecursiveStructs(module: ModuleDeclaration, diagnostics: Diagnostics): void {
  const graph = new Graph<StructDeclaration, Span>();
  for (const struct of sortedByName(module.structs.values())) {
    const used = new Map<StructDeclaration, Span>();
    const visit = (type: ResolvedType): void => {
      if (type.kind === 'struct' && type.struct.module === module) used.set(type.struct, type.span);
      for (const inner of innerTypes(type)) visit(inner);
    };
    for (const field of struct.fields?.values() ?? []) visit(field.type);
    for (const other of sortedByName(used.keys())) graph.connect(struct, other, used.get(other)!);
  }
  for (const component of graph.components()) {
    const [start] = component;
    if (start === undefined || (component.length === 1 && graph.edge(start, start) === undefined)) continue;
    const cycles = graph.successors(start).flatMap((next) => {
      const path = graph.path(next, start);
      return path === undefined ? [] : [[start, ...path]];
    });
    const cycle = cycles.reduce((best, other) => (other.length < best.length ? other : best));
    const [user, used] = cycle.length > 2 ? cycle.slice(-2) : cycle;
    const named = cycle.length > CYCLE_NAMED_MAX ? [...cycle.slice(0, CYCLE_NAMED_MAX - 1), ...cycle.slice(-1)] : cycle;
    const names = named.map((struct) => `'${struct.name.text}'`).join(' contains ');
    const message = `'${user!.name.text}' cannot contain '${used!.name.text}': ${names}`;
    diagnostics.add(Types.cyclicData, graph.edge(user!, used!)!, message, [
      { span: user!.name.span, message: `'${user!.name.text}' is declared here` },
    ]);
  }
}

interface ArgumentEdge extends CallInstantiation {
  readonly argument: ResolvedType;
  /** Whether the parameter is inside of the argument, and not the argument itself. */
  readonly isNested: boolean;
}

/** Reports type arguments that grow without end among the calls in the code of one module. */
export function checkInstantiationCycles(
  module: ModuleDeclaration,
  calls: readonly CallInstantiation[],
  diagnostics: Diagnostics,
): void {
  const graph = parameterGraph(module, calls);
  for (const component of graph.components()) {
    const positions = new Map(component.map((node, position) => [node, position]));
    const isNested = (from: TypeParameter, to: TypeParameter): boolean =>
      positions.has(to) && graph.edge(from, to)?.isNested === true;
    const from = component.find((node) => graph.successors(node).some((to) => isNested(node, to)));
    if (from === undefined) continue;
    const heads = graph.successors(from).filter((to) => isNested(from, to));
    const head = heads.reduce((first, to) => (positions.get(to)! < positions.get(first)! ? to : first));
    const edge = graph.edge(from, head)!;
    const message = `each call of '${edge.function.name.text}' in this circle has larger type arguments, without end`;
    const text = settledTypeText(edge.argument);
    diagnostics.add(Types.cyclicInstantiation, edge.span, message, [
      { span: edge.argument.span, message: `the type argument '${text}' contains the parameter '${from.name.text}'` },
    ]);
  }
}

/** From each type parameter to those whose arguments contain it. */
function parameterGraph(
  module: ModuleDeclaration,
  calls: readonly CallInstantiation[],
): Graph<TypeParameter, ArgumentEdge> {
  const edges = new Map<TypeParameter, Map<TypeParameter, ArgumentEdge>>();
  for (const call of calls) {
    if (call.function.module !== module) continue;
    for (const [index, parameter] of call.function.typeParameters.entries()) {
      const argument = call.typeArguments[index];
      if (argument === undefined) continue;
      const visit = (type: ResolvedType, isNested: boolean): void => {
        if (type.kind === 'parameter') {
          const users = edges.get(type.parameter) ?? new Map<TypeParameter, ArgumentEdge>();
          edges.set(type.parameter, users);
          if (users.get(parameter)?.isNested !== true) users.set(parameter, { ...call, argument, isNested });
        }
        for (const inner of innerTypes(type)) visit(inner, true);
      };
      visit(argument, false);
    }
  }
  const graph = new Graph<TypeParameter, ArgumentEdge>();
  const parameters = sortedByName(module.functions.values()).flatMap((declaration) => declaration.typeParameters);
  const order = new Map(parameters.map((parameter, position) => [parameter, position]));
  for (const from of parameters) {
    const users = [...(edges.get(from) ?? [])];
    for (const [to, edge] of users.sort(([left], [right]) => order.get(left)! - order.get(right)!)) {
      graph.connect(from, to, edge);
    }
  }
  return graph;
}
