/**
 * Generic instructions name generic things and plain ones plain things; a vector's length fits 16 bits.
 * Source: the reference's `move-bytecode-verifier/src/instruction_consistency.rs`.
 * @module
 */
import type { Binary, Code, Instruction, Module } from '../binary/module.ts';
import { OPCODES, opcodeName } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { rejectCode } from '../verdict.ts';
import { moduleOnly } from './function-context.ts';

const VECTOR_COUNT_MAX = 0xffffn;

export function checkInstructionConsistency(binary: Binary): void {
  const bodies = binary.kind === 'script' ? [binary.code] : binary.functionDefinitions.map(({ code }) => code);
  for (const [index, code] of bodies.entries()) {
    if (code !== undefined) checkCode(binary, code, index);
  }
}

function checkCode(binary: Binary, code: Code, functionIndex: number): void {
  for (const [codeOffset, item] of code.instructions.entries()) {
    const fault = faultOf(binary, item);
    if (fault !== undefined) throw rejectCode(fault.status, functionIndex, codeOffset, fault.message);
  }
}

function faultOf(binary: Binary, item: Instruction): { status: StatusCode; message: string } | undefined {
  if (OPCODES[item.op]?.operand === 'signatureAndCount') {
    if (item.literal <= VECTOR_COUNT_MAX) return undefined;
    const message = `expected ${opcodeName(item.op)} of at most ${VECTOR_COUNT_MAX} elements, got ${item.literal}`;
    return { status: StatusCode.CONSTRAINT_NOT_SATISFIED, message };
  }
  const use = useOf(binary, item);
  if (use === undefined || use.isGenericForm === use.typeParameters > 0) return undefined;
  const message = `${opcodeName(item.op)} names something with ${use.typeParameters} type parameters`;
  return { status: StatusCode.GENERIC_MEMBER_OPCODE_MISMATCH, message };
}

interface Use {
  readonly isGenericForm: boolean;
  /** How many the named struct or function declares. */
  readonly typeParameters: number;
}

function useOf(binary: Binary, { op, operand }: Instruction): Use | undefined {
  switch (OPCODES[op]?.operand) {
    case 'functionHandle':
      return useOfFunction(binary, operand, false);
    case 'functionInstantiation':
      return useOfFunction(binary, binary.functionInstantiations[operand]!.generic, true);
    case 'structDefinition':
      return useOfStruct(moduleOnly(binary), operand, false);
    case 'structInstantiation':
      return useOfStruct(moduleOnly(binary), moduleOnly(binary).structInstantiations[operand]!.generic, true);
    case 'fieldHandle':
      return useOfField(moduleOnly(binary), operand, false);
    case 'fieldInstantiation':
      return useOfField(moduleOnly(binary), moduleOnly(binary).fieldInstantiations[operand]!.generic, true);
    default:
      return undefined;
  }
}

function useOfFunction(binary: Binary, handle: number, isGenericForm: boolean): Use {
  return { isGenericForm, typeParameters: binary.functionHandles[handle]!.typeParameters.length };
}

function useOfStruct(module: Module, definition: number, isGenericForm: boolean): Use {
  const { handle } = module.structDefinitions[definition]!;
  return { isGenericForm, typeParameters: module.structHandles[handle]!.typeParameters.length };
}

function useOfField(module: Module, fieldHandle: number, isGenericForm: boolean): Use {
  return useOfStruct(module, module.fieldHandles[fieldHandle]!.struct, isGenericForm);
}
