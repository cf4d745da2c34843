/**
 * Bounds the type nodes and identifiers that a module may name, relative to its size: a small module must not be
 * expensive to load. Source: the reference's `moveos-verifier/src/check_complexity.rs`.
 * @module
 */
import type { Binary, Code, Module } from '../binary/module.ts';
import { OPCODES } from '../binary/opcode.ts';
import { type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { writeModule } from '../binary/write.ts';
import { StatusCode } from '../status.ts';
import { Rejection } from '../verdict.ts';

const BUDGET_BASE = 2048;
const BUDGET_PER_BYTE = 5;
const COST_PER_TYPE_NODE = 8;

/** Status TOO_MANY_TYPE_NODES. */
export function checkComplexity(module: Module): void {
  const budget = BUDGET_BASE + BUDGET_PER_BYTE * writeModule(module).length;
  const cost = complexityOf(module, budget);
  if (cost <= budget) return;
  throw new Rejection(StatusCode.TOO_MANY_TYPE_NODES, `expected a complexity of at most ${budget}, got more`);
}

/** The cost of a module; counting stops once it exceeds `max`. */
export function complexityOf(module: Module, max: number): number {
  const signatureCosts = module.signatures.map((signature) =>
    signature.reduce((sum, token) => sum + tokenCost(module, token), 0),
  );
  const signatures = (indexes: Iterable<number>): number => {
    let sum = 0;
    for (const index of indexes) {
      sum += signatureCosts[index]!;
      if (sum > max) break;
    }
    return sum;
  };
  let cost = signatures(signatureCosts.keys());
  const { functionInstantiations, structInstantiations, fieldInstantiations } = module;
  for (const table of [functionInstantiations, structInstantiations, fieldInstantiations]) {
    cost += signatures(table.map((entry) => entry.typeArguments));
  }
  for (const { module: owner, name, parameters, returns } of module.functionHandles) {
    cost += nameLength(module, owner, name) + signatures([parameters, returns]);
  }
  for (const { module: owner, name } of module.structHandles) cost += nameLength(module, owner, name);
  for (const { code } of module.functionDefinitions) {
    if (code !== undefined && cost <= max) cost += signatures(signaturesOf(module, code));
  }
  for (const { fields } of module.structDefinitions) {
    for (const { type } of fields ?? []) cost += nodeCount(type);
  }
  return cost;
}

/** The signatures that a body names, with repetition. */
function* signaturesOf(module: Module, code: Code): Generator<number> {
  yield code.locals;
  for (const { op, operand } of code.instructions) {
    switch (OPCODES[op]?.operand) {
      case 'functionInstantiation':
        yield module.functionInstantiations[operand]!.typeArguments;
        break;
      case 'structInstantiation':
        yield module.structInstantiations[operand]!.typeArguments;
        break;
      case 'fieldInstantiation':
        yield module.fieldInstantiations[operand]!.typeArguments;
        break;
      case 'signature':
      case 'signatureAndCount':
        yield operand;
        break;
      default:
    }
  }
}

function tokenCost(binary: Binary, token: SignatureToken): number {
  let cost = COST_PER_TYPE_NODE;
  if (token.tag === TokenTag.Struct || token.tag === TokenTag.StructInstantiation) {
    const { module, name } = binary.structHandles[token.index]!;
    cost += nameLength(binary, module, name);
  }
  return token.arguments.reduce((sum, inner) => sum + tokenCost(binary, inner), cost);
}

/** Identifiers are ASCII, so characters are bytes. */
function nameLength(binary: Binary, moduleHandle: number, name: number): number {
  const module = binary.identifiers[binary.moduleHandles[moduleHandle]!.name]!;
  return module.length + binary.identifiers[name]!.length;
}

function nodeCount(token: SignatureToken): number {
  return token.arguments.reduce((sum, inner) => sum + nodeCount(inner), 1);
}
