/**
 * The order of modules: dependencies before their users.
 *
 * Modules without relations are not ordered by them, and still the order must be one and the same, since tables of the
 * compiled modules follow it: it is that of the reference (`move-compiler/src/expansion/dependency_ordering.rs`).
 * @module
 */
import type { Diagnostics } from '../text/diagnostic.ts';
import { Declarations } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { shownModule } from './address-names.ts';
import type { ModuleDeclaration } from './declaration.ts';

/** What a module uses: by key, the first place. Friends are in its declaration. */
export interface ModuleUses {
  readonly module: ModuleDeclaration;
  readonly used: ReadonlyMap<string, Span>;
}

interface Relation {
  readonly kind: 'use' | 'friend';
  readonly span: Span;
}

/** By key of a module: the modules that it needs. A friend needs the module that declares it. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Relation>>;

/**
 * Ranks by key: a module has a greater one than those it needs. Modules without relations have 0. A cycle is an error,
 * and then all have 0.
 */
export function rankModules(modules: readonly ModuleUses[], diagnostics: Diagnostics): ReadonlyMap<string, number> {
  const graph = graphOf(modules);
  const order = orderOf(graph);
  const cycle = cycleIn(graph, order);
  if (cycle === undefined) return new Map(order.map((key, rank) => [key, rank]));
  reportCycle(cycle, graph, new Map(modules.map(({ module }) => [module.identity.key, module])), diagnostics);
  return new Map();
}

/** All modules with relations, each after those that it needs, if there is no cycle. */
function orderOf(graph: Graph): readonly string[] {
  const order = new Set<string>();
  const found = new Set<string>();
  for (const start of nodesOf(graph)) {
    const stack = [start];
    for (let key = stack.at(-1); key !== undefined; key = stack.at(-1)) {
      if (found.has(key)) {
        stack.pop();
        order.add(key);
      } else {
        found.add(key);
        for (const next of graph.get(key)?.keys() ?? []) if (!found.has(next)) stack.push(next);
      }
    }
  }
  return [...order];
}

function graphOf(modules: readonly ModuleUses[]): Graph {
  const graph = new Map<string, Map<string, Relation>>();
  const known = new Set(modules.map(({ module }) => module.identity.key));
  const relate = (from: string, to: string, relation: Relation): void => {
    const relations = graph.get(from) ?? new Map<string, Relation>();
    graph.set(from, relations);
    if (relations.get(to)?.kind !== 'use') relations.set(to, relation);
  };
  for (const { module, used } of modules) {
    const { key } = module.identity;
    for (const [to, span] of used) if (known.has(to)) relate(key, to, { kind: 'use', span });
    for (const [friend, { span }] of module.friends) {
      if (known.has(friend)) relate(friend, key, { kind: 'friend', span });
    }
  }
  return new Map(sorted(graph).map(([key, relations]) => [key, new Map(sorted(relations))]));
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** All keys, each module followed by those it needs, as they come first. */
function nodesOf(graph: Graph): ReadonlySet<string> {
  return new Set([...graph].flatMap(([key, relations]) => [key, ...relations.keys()]));
}

/** A cycle, if there is one: a shortest one through the module at which the reference finds it. */
function cycleIn(graph: Graph, order: readonly string[]): readonly string[] | undefined {
  const reversed = new Map<string, string[]>();
  for (const [key, relations] of graph) {
    for (const to of relations.keys()) reversed.set(to, [...(reversed.get(to) ?? []), key]);
  }
  const found = new Set<string>();
  for (const start of order.toReversed()) {
    if (found.has(start)) continue;
    found.add(start);
    // A module that needs this one comes before it, unless both are in a cycle.
    const user = reversed.get(start)?.findLast((each) => !found.has(each));
    if (user !== undefined) return cycleThrough(user, graph);
  }
  return undefined;
}

/** Breadth first, so that the cycle found is a shortest one. */
function cycleThrough(start: string, graph: Graph): readonly string[] | undefined {
  const before = new Map<string, string>();
  const queue = [start];
  for (const key of queue) {
    for (const next of graph.get(key)?.keys() ?? []) {
      if (next === start) {
        const cycle = [key];
        while (cycle[0] !== start) cycle.unshift(before.get(cycle[0]!)!);
        return cycle;
      }
      if (before.has(next)) continue;
      before.set(next, key);
      queue.push(next);
    }
  }
  return undefined;
}

function reportCycle(
  cycle: readonly string[],
  graph: Graph,
  modules: ReadonlyMap<string, ModuleDeclaration>,
  diagnostics: Diagnostics,
): void {
  const labels = cycle.map((key, index) => {
    const next = cycle[(index + 1) % cycle.length]!;
    const { kind, span } = graph.get(key)!.get(next)!;
    const [user, needed] = [key, next].map((each) => shownModule(modules.get(each)!.identity));
    return { span, message: kind === 'use' ? `${user} uses ${needed}` : `${user} is a friend of ${needed}` };
  });
  const { span, message } = labels.at(-1)!;
  diagnostics.add(Declarations.module, span, `modules need each other in a circle: ${message}`, labels.slice(0, -1));
}
