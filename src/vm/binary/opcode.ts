/**
 * The instructions of Move bytecode, as data: number, name, operand, first format version that knows it, and the type
 * that it pushes where the opcode alone says which.
 *
 * Source: the reference's `move-binary-format/src/file_format_common.rs`.
 * @module
 */

/** Opcode numbers by their standard names; the numbers are those of the binary format. */
export const Op = {
  Pop: 0x01,
  Ret: 0x02,
  BrTrue: 0x03,
  BrFalse: 0x04,
  Branch: 0x05,
  LdU64: 0x06,
  LdConst: 0x07,
  LdTrue: 0x08,
  LdFalse: 0x09,
  CopyLoc: 0x0a,
  MoveLoc: 0x0b,
  StLoc: 0x0c,
  MutBorrowLoc: 0x0d,
  ImmBorrowLoc: 0x0e,
  MutBorrowField: 0x0f,
  ImmBorrowField: 0x10,
  Call: 0x11,
  Pack: 0x12,
  Unpack: 0x13,
  ReadRef: 0x14,
  WriteRef: 0x15,
  Add: 0x16,
  Sub: 0x17,
  Mul: 0x18,
  Mod: 0x19,
  Div: 0x1a,
  BitOr: 0x1b,
  BitAnd: 0x1c,
  Xor: 0x1d,
  Or: 0x1e,
  And: 0x1f,
  Not: 0x20,
  Eq: 0x21,
  Neq: 0x22,
  Lt: 0x23,
  Gt: 0x24,
  Le: 0x25,
  Ge: 0x26,
  Abort: 0x27,
  Nop: 0x28,
  Exists: 0x29,
  MutBorrowGlobal: 0x2a,
  ImmBorrowGlobal: 0x2b,
  MoveFrom: 0x2c,
  MoveTo: 0x2d,
  FreezeRef: 0x2e,
  Shl: 0x2f,
  Shr: 0x30,
  LdU8: 0x31,
  LdU128: 0x32,
  CastU8: 0x33,
  CastU64: 0x34,
  CastU128: 0x35,
  MutBorrowFieldGeneric: 0x36,
  ImmBorrowFieldGeneric: 0x37,
  CallGeneric: 0x38,
  PackGeneric: 0x39,
  UnpackGeneric: 0x3a,
  ExistsGeneric: 0x3b,
  MutBorrowGlobalGeneric: 0x3c,
  ImmBorrowGlobalGeneric: 0x3d,
  MoveFromGeneric: 0x3e,
  MoveToGeneric: 0x3f,
  VecPack: 0x40,
  VecLen: 0x41,
  VecImmBorrow: 0x42,
  VecMutBorrow: 0x43,
  VecPushBack: 0x44,
  VecPopBack: 0x45,
  VecUnpack: 0x46,
  VecSwap: 0x47,
  LdU16: 0x48,
  LdU32: 0x49,
  LdU256: 0x4a,
  CastU16: 0x4b,
  CastU32: 0x4c,
  CastU256: 0x4d,
} as const;

export type OpName = keyof typeof Op;
export type Op = (typeof Op)[OpName];

/**
 * What follows the opcode byte. The literals `u8` to `u256` are raw little endian, everything else is uleb128;
 * `signatureAndCount` is a signature index and a raw u64.
 */
export type OperandKind =
  | 'none'
  | 'codeOffset'
  | 'local'
  | 'constant'
  | 'fieldHandle'
  | 'fieldInstantiation'
  | 'functionHandle'
  | 'functionInstantiation'
  | 'structDefinition'
  | 'structInstantiation'
  | 'signature'
  | 'signatureAndCount'
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 'u128'
  | 'u256';

/**
 * What follows each opcode byte, and how many values the instruction pops and pushes; left out where that depends on the
 * operand, or on the function.
 */
const ROWS: Readonly<Record<OpName, readonly [operand: OperandKind, pops?: number, pushes?: number]>> = {
  Pop: ['none', 1, 0],
  Ret: ['none'],
  BrTrue: ['codeOffset', 1, 0],
  BrFalse: ['codeOffset', 1, 0],
  Branch: ['codeOffset', 0, 0],
  LdU64: ['u64', 0, 1],
  LdConst: ['constant', 0, 1],
  LdTrue: ['none', 0, 1],
  LdFalse: ['none', 0, 1],
  CopyLoc: ['local', 0, 1],
  MoveLoc: ['local', 0, 1],
  StLoc: ['local', 1, 0],
  MutBorrowLoc: ['local', 0, 1],
  ImmBorrowLoc: ['local', 0, 1],
  MutBorrowField: ['fieldHandle', 1, 1],
  ImmBorrowField: ['fieldHandle', 1, 1],
  Call: ['functionHandle'],
  Pack: ['structDefinition'],
  Unpack: ['structDefinition'],
  ReadRef: ['none', 1, 1],
  WriteRef: ['none', 2, 0],
  Add: ['none', 2, 1],
  Sub: ['none', 2, 1],
  Mul: ['none', 2, 1],
  Mod: ['none', 2, 1],
  Div: ['none', 2, 1],
  BitOr: ['none', 2, 1],
  BitAnd: ['none', 2, 1],
  Xor: ['none', 2, 1],
  Or: ['none', 2, 1],
  And: ['none', 2, 1],
  Not: ['none', 1, 1],
  Eq: ['none', 2, 1],
  Neq: ['none', 2, 1],
  Lt: ['none', 2, 1],
  Gt: ['none', 2, 1],
  Le: ['none', 2, 1],
  Ge: ['none', 2, 1],
  Abort: ['none', 1, 0],
  Nop: ['none', 0, 0],
  Exists: ['structDefinition', 1, 1],
  MutBorrowGlobal: ['structDefinition', 1, 1],
  ImmBorrowGlobal: ['structDefinition', 1, 1],
  MoveFrom: ['structDefinition', 1, 1],
  MoveTo: ['structDefinition', 2, 0],
  FreezeRef: ['none', 1, 1],
  Shl: ['none', 2, 1],
  Shr: ['none', 2, 1],
  LdU8: ['u8', 0, 1],
  LdU128: ['u128', 0, 1],
  CastU8: ['none', 1, 1],
  CastU64: ['none', 1, 1],
  CastU128: ['none', 1, 1],
  MutBorrowFieldGeneric: ['fieldInstantiation', 1, 1],
  ImmBorrowFieldGeneric: ['fieldInstantiation', 1, 1],
  CallGeneric: ['functionInstantiation'],
  PackGeneric: ['structInstantiation'],
  UnpackGeneric: ['structInstantiation'],
  ExistsGeneric: ['structInstantiation', 1, 1],
  MutBorrowGlobalGeneric: ['structInstantiation', 1, 1],
  ImmBorrowGlobalGeneric: ['structInstantiation', 1, 1],
  MoveFromGeneric: ['structInstantiation', 1, 1],
  MoveToGeneric: ['structInstantiation', 2, 0],
  VecPack: ['signatureAndCount'],
  VecLen: ['signature', 1, 1],
  VecImmBorrow: ['signature', 2, 1],
  VecMutBorrow: ['signature', 2, 1],
  VecPushBack: ['signature', 2, 0],
  VecPopBack: ['signature', 1, 1],
  VecUnpack: ['signatureAndCount'],
  VecSwap: ['signature', 3, 0],
  LdU16: ['u16', 0, 1],
  LdU32: ['u32', 0, 1],
  LdU256: ['u256', 0, 1],
  CastU16: ['none', 1, 1],
  CastU32: ['none', 1, 1],
  CastU256: ['none', 1, 1],
};

/** The first format version of the opcodes that came after version 1. */
function sinceVersion(op: Op): number {
  if (op >= Op.LdU16 && op <= Op.CastU256) return 6;
  if (op >= Op.VecPack && op <= Op.VecSwap) return 4;
  return 1;
}

/** One row of the instruction set. */
export interface Opcode {
  readonly number: Op;
  readonly name: OpName;
  readonly operand: OperandKind;
  /** How many values it pops and pushes; undefined if that depends on the operand, or on the function. */
  readonly pops: number | undefined;
  readonly pushes: number | undefined;
  /** The first format version that has it. */
  readonly since: number;
}

/** Rows by opcode number; numbers without an instruction are `undefined`. */
export const OPCODES: readonly (Opcode | undefined)[] = listOpcodes();

function listOpcodes(): (Opcode | undefined)[] {
  const rows: (Opcode | undefined)[] = new Array(256).fill(undefined);
  for (const [name, number] of Object.entries(Op) as [OpName, Op][]) {
    const [operand, pops, pushes] = ROWS[name];
    rows[number] = { number, name, operand, pops, pushes, since: sinceVersion(number) };
  }
  return rows;
}

/** The name of an opcode that was read before, for messages and listings. */
export function opcodeName(op: number): string {
  return OPCODES[op]?.name ?? `0x${op.toString(16)}`;
}

/** Whether the operand is a code offset. */
export function isJump(op: number): boolean {
  return op === Op.Branch || op === Op.BrTrue || op === Op.BrFalse;
}

/** Whether control never continues with the next instruction. */
export function isUnconditionalBranch(op: number): boolean {
  return op === Op.Branch || op === Op.Ret || op === Op.Abort;
}

/** Whether a basic block ends with it, wherever it is. */
export function endsBlock(op: number): boolean {
  return isJump(op) || isUnconditionalBranch(op);
}

type IntegerName = 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'u256';

/** By opcode: the type of the literal that it pushes. */
export const LITERAL_TYPES: Readonly<Record<number, IntegerName | 'bool' | undefined>> = {
  [Op.LdTrue]: 'bool',
  [Op.LdFalse]: 'bool',
  [Op.LdU8]: 'u8',
  [Op.LdU16]: 'u16',
  [Op.LdU32]: 'u32',
  [Op.LdU64]: 'u64',
  [Op.LdU128]: 'u128',
  [Op.LdU256]: 'u256',
};

/** By opcode: the target type of a cast. */
export const CAST_TARGETS: Readonly<Record<number, IntegerName | undefined>> = {
  [Op.CastU8]: 'u8',
  [Op.CastU16]: 'u16',
  [Op.CastU32]: 'u32',
  [Op.CastU64]: 'u64',
  [Op.CastU128]: 'u128',
  [Op.CastU256]: 'u256',
};

const PLAIN = Uint8Array.from({ length: 256 }, (_, op) => {
  const plain = /^(\w+)Generic$/.exec(opcodeName(op))?.[1];
  return plain === undefined ? op : Op[plain as OpName];
});

/** The plain form of a generic instruction; any other instruction itself. */
export function plainOp(op: number): Op {
  return PLAIN[op] as Op;
}

/** The plain instructions on global storage, which the chain bans at publish. */
export const GLOBAL_STORAGE: ReadonlySet<Op> = new Set([
  Op.Exists,
  Op.MutBorrowGlobal,
  Op.ImmBorrowGlobal,
  Op.MoveFrom,
  Op.MoveTo,
]);
