/**
 * Checks that a function's list of acquired resources names exactly what the function, and those that it calls in the
 * module, access in global storage. Source: the reference's `move-bytecode-verifier/src/acquires_list_verifier.rs`.
 * @module
 */
import { ABILITY_KEY } from '../../move/ability.ts';
import type { Instruction, Module } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { rejectEntry } from '../verdict.ts';
import { calleeOf, type FunctionContext, rejectIn } from './function-body.ts';

export function checkAcquires(module: Module, body: FunctionContext): void {
  const annotated = new Set(module.functionDefinitions[body.index]!.acquires);
  const actual = new Set<number>();
  const seen = new Set<number>();
  for (const [offset, item] of body.code.instructions.entries()) {
    const key = item.op * 65_536 + item.operand;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const resource of acquiredBy(module, item, body.definitionOf)) {
      if (!annotated.has(resource)) {
        const message = `expected struct definition ${resource} among the acquired resources`;
        throw rejectIn(body, StatusCode.MISSING_ACQUIRES_ANNOTATION, offset, message);
      }
      actual.add(resource);
    }
  }
  // In the order of struct definitions, as the reference's set has them.
  for (const resource of [...annotated].sort((left, right) => left - right)) {
    if (!actual.has(resource)) {
      const message = `struct definition ${resource} is said to be acquired and is not`;
      throw rejectEntry(StatusCode.EXTRANEOUS_ACQUIRES_ANNOTATION, 'functionDefinition', body.index, message);
    }
    const { abilities } = module.structHandles[module.structDefinitions[resource]!.handle]!;
    if ((abilities & ABILITY_KEY) === 0) {
      const message = `struct definition ${resource} is acquired and lacks key`;
      throw rejectEntry(StatusCode.INVALID_ACQUIRES_ANNOTATION, 'functionDefinition', body.index, message);
    }
  }
}

function acquiredBy(module: Module, item: Instruction, definitionOf: ReadonlyMap<number, number>): readonly number[] {
  switch (item.op) {
    case Op.Call:
    case Op.CallGeneric: {
      const definition = definitionOf.get(calleeOf(module, item, item.op === Op.CallGeneric));
      return definition === undefined ? [] : module.functionDefinitions[definition]!.acquires;
    }
    case Op.MoveFrom:
    case Op.MutBorrowGlobal:
    case Op.ImmBorrowGlobal:
      return [item.operand];
    case Op.MoveFromGeneric:
    case Op.MutBorrowGlobalGeneric:
    case Op.ImmBorrowGlobalGeneric:
      return [module.structInstantiations[item.operand]!.generic];
    default:
      return [];
  }
}
