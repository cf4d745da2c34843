/**
 * Generic instructions name generic things and plain ones plain things; a vector's length fits 16 bits.
 * Source: the reference's `move-bytecode-verifier/src/instruction_consistency.rs`.
 * @module
 */
import { type Binary, type Code, type Instruction, type Module, namedBy } from '../binary/module.ts';
import { OPCODES, opcodeName, plainOp } from '../binary/opcode.ts';
import { StatusCode } from '../status.ts';
import { rejectCode } from '../verdict.ts';
import { handleOf, moduleOnly } from './function-context.ts';

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
  const count = typeParametersNamed(binary, item);
  if (count === undefined || (plainOp(item.op) !== item.op) === count > 0) return undefined;
  const message = `${opcodeName(item.op)} names a definition with ${count} type parameters`;
  return { status: StatusCode.GENERIC_MEMBER_OPCODE_MISMATCH, message };
}

/** Number of type parameters of the named struct or function; undefined for an instruction that names none. */
function typeParametersNamed(binary: Binary, item: Instruction): number | undefined {
  switch (OPCODES[plainOp(item.op)]?.operand) {
    case 'functionHandle':
      return handleOf(binary, item).typeParameters.length;
    case 'structDefinition':
      return typeParametersOf(moduleOnly(binary), namedBy(binary, item));
    case 'fieldHandle': {
      const module = moduleOnly(binary);
      return typeParametersOf(module, module.fieldHandles[namedBy(module, item)]!.struct);
    }
    default:
      return undefined;
  }
}

function typeParametersOf({ structDefinitions, structHandles }: Module, definition: number): number {
  return structHandles[structDefinitions[definition]!.handle]!.typeParameters.length;
}
