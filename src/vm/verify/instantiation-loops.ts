/**
 * No cycle of generic calls builds ever larger types: every program has finitely many instantiations.
 *
 * Nodes are the type parameters of the module's generic functions. A call that passes a caller's parameter on is an
 * edge; one that passes a type built from it is an edge that grows. A component with a growing edge inside is refused,
 * even if the calls would end. Source: the reference's `move-bytecode-verifier/src/instantiation_loops.rs`.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';
import { type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { Rejection } from '../verdict.ts';
import { components } from './graph.ts';
import type { StepMeter } from './step-meter.ts';

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
      'expected generic functions that do not call each other in a circle with growing type arguments',
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
