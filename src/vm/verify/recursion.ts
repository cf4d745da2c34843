/**
 * Checks that no struct contains itself, directly, through others or as a type argument, so that values have a finite
 * layout. Other modules cannot close a cycle, since dependencies between modules have none. Source: the reference's
 * `move-bytecode-verifier/src/struct_defs.rs`.
 *
 * No cycle of generic calls may build ever larger types, so that every program has finitely many instantiations. Nodes
 * are the type parameters of the module's generic functions. A call that passes a caller's parameter on is an edge; one
 * that passes a type built from it is an edge that grows. A component with a growing edge inside is refused, even if
 * the calls would end. Source: the reference's `move-bytecode-verifier/src/instantiation_loops.rs`.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';
import { isStructToken, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { Rejection, rejectEntry } from '../verdict.ts';
import type { StepMeter } from './step-meter.ts';

/** Component number of each node; nodes are in one component if each reaches the other. */
export function components(successors: readonly (readonly number[])[]): number[] {
  const count = successors.length;
  const component: number[] = new Array(count).fill(-1);
  const order: number[] = new Array(count).fill(-1);
  const low: number[] = new Array(count).fill(0);
  const pending: number[] = [];
  let nextOrder = 0;
  let nextComponent = 0;
  for (let root = 0; root < count; root++) {
    if (order[root] !== -1) continue;
    const path: { readonly node: number; edge: number }[] = [];
    const enter = (node: number): void => {
      order[node] = nextOrder;
      low[node] = nextOrder;
      nextOrder++;
      pending.push(node);
      path.push({ node, edge: 0 });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const next = successors[node]![top.edge];
      top.edge++;
      if (next !== undefined) {
        if (order[next] === -1) enter(next);
        else if (component[next] === -1) low[node] = Math.min(low[node]!, order[next]!);
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
      if (low[node] !== order[node]) continue;
      for (let member = pending.pop()!; ; member = pending.pop()!) {
        component[member] = nextComponent;
        if (member === node) break;
      }
      nextComponent++;
    }
  }
  return component;
}

export function checkStructRecursion(module: Module): void {
  const definitionOf = new Map(module.structDefinitions.map(({ handle }, index) => [handle, index]));
  const contained = module.structDefinitions.map(({ fields }) => {
    const found = new Set<number>();
    for (const { type } of fields ?? []) collectStructs(type, definitionOf, found);
    return [...found];
  });
  const component = components(contained);
  const members = new Map<number, number>();
  for (const number of component) members.set(number, (members.get(number) ?? 0) + 1);
  const recursive = contained.findIndex(
    (others, index) => others.includes(index) || (members.get(component[index]!) ?? 0) > 1,
  );
  if (recursive >= 0) {
    const message = `struct definition ${recursive} contains itself`;
    throw rejectEntry(StatusCode.RECURSIVE_STRUCT_DEFINITION, 'structDefinition', recursive, message);
  }
}

function collectStructs(type: SignatureToken, definitionOf: ReadonlyMap<number, number>, found: Set<number>): void {
  const definition = isStructToken(type) ? definitionOf.get(type.index) : undefined;
  if (definition !== undefined) found.add(definition);
  for (const argument of type.arguments) collectStructs(argument, definitionOf, found);
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly isGrowing: boolean;
}

export function checkInstantiationLoops(module: Module, meter: StepMeter): void {
  const { edges, nodeCount } = callEdges(module, meter);
  if (!edges.some((edge) => edge.isGrowing)) return;
  const successors: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const { from, to } of edges) successors[from]!.push(to);
  const component = components(successors);
  if (edges.some(({ from, to, isGrowing }) => isGrowing && component[from] === component[to])) {
    throw new Rejection(
      StatusCode.LOOP_IN_INSTANTIATION_GRAPH,
      'expected generic functions without a cycle of calls whose type arguments grow',
    );
  }
}

function callEdges(module: Module, meter: StepMeter): { edges: Edge[]; nodeCount: number } {
  const definitionOf = new Map(module.functionDefinitions.map(({ handle }, index) => [handle, index]));
  const firstNode: number[] = [];
  let nodeCount = 0;
  for (const { handle } of module.functionDefinitions) {
    firstNode.push(nodeCount);
    nodeCount += module.functionHandles[handle]!.typeParameters.length;
  }
  const edges: Edge[] = [];
  for (const [caller, { code }] of module.functionDefinitions.entries()) {
    const calls = (code?.instructions ?? []).filter(({ op }) => op === Op.CallGeneric);
    for (const operand of new Set(calls.map((call) => call.operand))) {
      const { generic, typeArguments } = module.functionInstantiations[operand]!;
      const callee = definitionOf.get(generic);
      if (callee === undefined) continue;
      for (const [formal, type] of module.signatures[typeArguments]!.entries()) {
        const isGrowing = type.tag !== TokenTag.TypeParameter;
        const parameters = parametersIn(type);
        meter.charge(parameters.size);
        for (const parameter of parameters) {
          edges.push({ from: firstNode[caller]! + parameter, to: firstNode[callee]! + formal, isGrowing });
        }
      }
    }
  }
  return { edges, nodeCount };
}

function parametersIn(type: SignatureToken): Set<number> {
  const found = new Set<number>();
  const visit = (token: SignatureToken): void => {
    if (token.tag === TokenTag.TypeParameter) found.add(token.index);
    token.arguments.forEach(visit);
  };
  visit(type);
  return found;
}
