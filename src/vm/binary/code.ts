/**
 * Function bodies: reading and writing instruction streams.
 *
 * The bodies of a module from outside are decoded with it; those of stored modules are skipped and decoded on first use
 * (`stored-module.ts`). The format does not store the length of a body, so its end is found by walking over it.
 * Instructions with a small operand are shared among all modules, which keeps the decoded framework (33,000
 * instructions) at a pointer each.
 * @module
 */
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import { StatusCode } from '../status.ts';
import { BinaryCursor } from './cursor.ts';
import { FORMAT_LIMITS } from './format.ts';
import type { Code, Instruction } from './module.ts';
import { OPCODES, type Opcode, type OperandKind, opcodeName } from './opcode.ts';

const SHARED_OPERAND_MAX = 255;
/** By opcode and operand. */
const shared: (Instruction | undefined)[][] = OPCODES.map(() => []);

/** A uleb128 number, in `SKIPPED`. */
const ULEB128 = -1;

/** The instruction with these parts; equal ones without a literal are usually one object. */
export function instruction(op: number, operand = 0, literal = 0n): Instruction {
  if (literal !== 0n || operand > SHARED_OPERAND_MAX) return { op, operand, literal };
  const known = shared[op]!;
  known[operand] ??= { op, operand, literal };
  return known[operand];
}

/**
 * Reads a body: the index of the locals' signature, the number of instructions, and the instructions.
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
    throw cursor.malformed(`${row.name} requires format version ${row.since}, this is ${cursor.version}`, start);
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
    case 'u16':
    case 'u32':
      return instruction(op, cursor[operand]());
    case 'u64':
    case 'u128':
    case 'u256':
      return instruction(op, 0, cursor[operand]());
    case 'signatureAndCount': {
      const signature = cursor.index('signature');
      return instruction(op, signature, cursor.u64());
    }
    default:
      return instruction(op, cursor.index(operand));
  }
}

/** A body that is decoded on first use. */
export class StoredCode implements Code {
  readonly locals: number;
  readonly #bytes: Uint8Array;
  readonly #version: number;
  readonly #start: number;
  readonly #end: number;
  /** Checks the decoded body; undefined once that is done. */
  #check: ((code: Code) => void) | undefined;
  #instructions: readonly Instruction[] | undefined;

  /** Skips the body at the cursor. */
  constructor(cursor: BinaryCursor) {
    this.#bytes = cursor.bytes;
    this.#version = cursor.version;
    this.#start = cursor.offset;
    this.locals = cursor.index('signature');
    const count = cursor.bounded(FORMAT_LIMITS.instructionCountMax, 'instruction count');
    for (let offset = 0; offset < count; offset++) skipInstruction(cursor);
    this.#end = cursor.offset;
  }

  /** Registers `check`, which runs when the body is decoded. */
  checkBy(check: (code: Code) => void): void {
    this.#check = check;
  }

  /** @throws {EngineError} `malformed-module` */
  get instructions(): readonly Instruction[] {
    if (this.#instructions === undefined) {
      const code = readCode(new BinaryCursor(this.#bytes, this.#version, this.#start, this.#end));
      this.#check?.(code);
      this.#check = undefined;
      this.#instructions = code.instructions;
    }
    return this.#instructions;
  }
}

/** Operand lengths in bytes, for operands other than a single uleb128 number. */
const OPERAND_BYTES: Readonly<Partial<Record<OperandKind, number>>> = {
  none: 0,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
  signatureAndCount: ULEB128 - 8,
};

/** By opcode, the number of bytes that follow it; negative if a uleb128 number comes first. */
const SKIPPED: readonly number[] = OPCODES.map((row) => OPERAND_BYTES[row?.operand ?? 'none'] ?? ULEB128);

/** An unknown opcode is refused when the body is decoded. */
function skipInstruction(cursor: BinaryCursor): void {
  const op = cursor.u8();
  const bytes = SKIPPED[op]!;
  if (bytes < 0) {
    cursor.bounded(Number.POSITIVE_INFINITY, 'operand');
    if (bytes < ULEB128) cursor.skip(ULEB128 - bytes);
  } else if (bytes > 0) {
    cursor.skip(bytes);
  }
}

/** @throws {EngineError} `limit-exceeded` for more instructions than the format allows. */
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
    case 'u16':
    case 'u32':
      writer[row.operand](operand);
      break;
    case 'u64':
    case 'u128':
    case 'u256':
      writer[row.operand](literal);
      break;
    case 'signatureAndCount':
      writer.uleb128(operand);
      writer.u64(literal);
      break;
    default:
      writer.uleb128(operand);
  }
}
