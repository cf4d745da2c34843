/**
 * Function bodies: reading and writing instruction streams.
 *
 * Bodies are decoded with the module, not on first use: a body has no length in the format, so finding its end is most
 * of the work of decoding it. Instructions with a small operand are shared among all modules, which keeps the decoded
 * framework (33,000 instructions) at a pointer each.
 * @module
 */
import type { ByteWriter } from '../../bytes/writer.ts';
import { EngineError } from '../../error.ts';
import { StatusCode } from '../status.ts';
import type { BinaryCursor } from './cursor.ts';
import { FORMAT_LIMITS } from './format.ts';
import type { Code, Instruction } from './module.ts';
import { OPCODES, type Opcode, opcodeName } from './opcode.ts';

const SHARED_OPERAND_MAX = 255;
const shared: (Instruction | undefined)[] = new Array(256 * (SHARED_OPERAND_MAX + 1)).fill(undefined);

/** The instruction with these parts; equal ones without a literal are usually one object. */
export function instruction(op: number, operand = 0, literal = 0n): Instruction {
  if (literal !== 0n || operand > SHARED_OPERAND_MAX) return { op, operand, literal };
  const slot = op * (SHARED_OPERAND_MAX + 1) + operand;
  let found = shared[slot];
  if (found === undefined) {
    found = { op, operand, literal };
    shared[slot] = found;
  }
  return found;
}

/**
 * Reads the index of the locals, a count, and that many instructions.
 * @throws {EngineError} `malformed-module`: MALFORMED, UNKNOWN_OPCODE, BAD_U16 to BAD_U256.
 */
export function readCode(cursor: BinaryCursor): Code {
  const locals = cursor.index('signature');
  const count = cursor.bounded(FORMAT_LIMITS.instructionCountMax, 'instruction count');
  const instructions: Instruction[] = [];
  for (let offset = 0; offset < count; offset++) instructions.push(readInstruction(cursor));
  return { locals, instructions };
}

function readInstruction(cursor: BinaryCursor): Instruction {
  const start = cursor.offset;
  const op = cursor.u8();
  const row = OPCODES[op];
  if (row === undefined) {
    throw cursor.error(StatusCode.UNKNOWN_OPCODE, `expected an opcode, got 0x${op.toString(16)}`, start);
  }
  if (cursor.version < row.since) {
    throw cursor.malformed(`${row.name} came with format version ${row.since}, this is ${cursor.version}`, start);
  }
  return readOperand(cursor, row);
}

function readOperand(cursor: BinaryCursor, { number: op, operand }: Opcode): Instruction {
  switch (operand) {
    case 'none':
      return instruction(op);
    case 'codeOffset':
      return instruction(op, cursor.bounded(FORMAT_LIMITS.codeOffsetMax, 'code offset'));
    case 'local':
      return instruction(op, cursor.bounded(FORMAT_LIMITS.localIndexMax, 'local'));
    case 'u8':
      return instruction(op, cursor.u8());
    case 'u16':
      return instruction(op, cursor.u16());
    case 'u32':
      return instruction(op, cursor.u32());
    case 'u64':
      return instruction(op, 0, cursor.u64());
    case 'u128':
      return instruction(op, 0, cursor.u128());
    case 'u256':
      return instruction(op, 0, cursor.u256());
    case 'signatureAndCount': {
      const signature = cursor.index('signature');
      return instruction(op, signature, cursor.u64());
    }
    default:
      return instruction(op, cursor.index(operand));
  }
}

/** @throws {EngineError} `limit-exceeded` for more instructions than the format holds. */
export function writeCode(writer: ByteWriter, code: Code, version: number): void {
  const count = code.instructions.length;
  if (count > FORMAT_LIMITS.instructionCountMax) {
    throw new EngineError(
      'limit-exceeded',
      `expected at most ${FORMAT_LIMITS.instructionCountMax} instructions, got ${count}`,
    );
  }
  writer.uleb128(code.locals);
  writer.uleb128(count);
  for (const item of code.instructions) writeInstruction(writer, item, version);
}

function writeInstruction(writer: ByteWriter, { op, operand, literal }: Instruction, version: number): void {
  const row = OPCODES[op];
  if (row === undefined || version < row.since) {
    throw new EngineError('invalid-argument', `format version ${version} has no instruction ${opcodeName(op)}`);
  }
  writer.u8(op);
  switch (row.operand) {
    case 'none':
      break;
    case 'u8':
      writer.u8(operand);
      break;
    case 'u16':
      writer.u16(operand);
      break;
    case 'u32':
      writer.u32(operand);
      break;
    case 'u64':
      writer.u64(literal);
      break;
    case 'u128':
      writer.u128(literal);
      break;
    case 'u256':
      writer.u256(literal);
      break;
    case 'signatureAndCount':
      writer.uleb128(operand);
      writer.u64(literal);
      break;
    default:
      writer.uleb128(operand);
  }
}
