/**
 * One body and what the passes over code need to know around it.
 * @module
 */
import type { AbilitySet } from '../../move/ability.ts';
import type { Binary, Code, FunctionHandle, Instruction, Module } from '../binary/module.ts';
import { StatusCode } from '../status.ts';
import { Rejection, rejectCode } from '../verdict.ts';
import type { ControlFlowGraph } from './control-flow-graph.ts';
import type { StepMeter } from './step-meter.ts';
import type { Type, TypeTable } from './type-table.ts';

export interface FunctionContext {
  readonly binary: Binary;
  readonly types: TypeTable;
  /** Index of the function definition; 0 for a script's function. */
  readonly index: number;
  /** What each type parameter can do. */
  readonly typeParameters: readonly AbilitySet[];
  readonly parameters: readonly Type[];
  readonly returns: readonly Type[];
  /** Parameters and then declared locals. */
  readonly locals: readonly Type[];
  readonly code: Code;
  readonly graph: ControlFlowGraph;
  /** Function definitions of the module by function handle. */
  readonly definitionOf: ReadonlyMap<number, number>;
  /** Shared by all bodies of the module. */
  readonly meter: StepMeter;
}

/** The function that `Call` or `CallGeneric` calls, by its handle. */
export function calleeOf(binary: Binary, { operand }: Instruction, isGeneric: boolean): number {
  return isGeneric ? binary.functionInstantiations[operand]!.generic : operand;
}

export function handleOf(binary: Binary, item: Instruction, isGeneric: boolean): FunctionHandle {
  return binary.functionHandles[calleeOf(binary, item, isGeneric)]!;
}

/** The module whose structs an instruction names. */
export function moduleOnly(binary: Binary): Module {
  if (binary.kind === 'module') return binary;
  throw new Rejection(StatusCode.INVALID_OPERATION_IN_SCRIPT, 'a script cannot use structs that it would define');
}

/** A rejection of the instruction at `codeOffset` of the body. */
export function rejectIn(body: FunctionContext, status: StatusCode, codeOffset: number, message: string): Rejection {
  return rejectCode(status, body.index, codeOffset, message);
}
