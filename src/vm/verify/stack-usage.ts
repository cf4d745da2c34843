/**
 * Checks that each basic block pops only what it pushed, and leaves the operand stack empty.
 *
 * So a block can be compiled, and its types inferred, in isolation. Source: the reference's
 * `move-bytecode-verifier/src/stack_usage_verifier.rs`.
 * @module
 */
import type { Binary, Instruction } from '../binary/module.ts';
import { Op, type OpName, opcodeName } from '../binary/opcode.ts';
import { OPERANDS_MAX } from '../machine-limits.ts';
import { StatusCode } from '../status.ts';
import { type FunctionContext, handleOf, moduleOnly, rejectIn } from './function-context.ts';

/** Pops and pushes of the instructions for which they are fixed. */
const EFFECTS: Readonly<Partial<Record<OpName, readonly [pops: number, pushes: number]>>> = {
  Pop: [1, 0],
  BrTrue: [1, 0],
  BrFalse: [1, 0],
  StLoc: [1, 0],
  Abort: [1, 0],
  LdU8: [0, 1],
  LdU16: [0, 1],
  LdU32: [0, 1],
  LdU64: [0, 1],
  LdU128: [0, 1],
  LdU256: [0, 1],
  LdTrue: [0, 1],
  LdFalse: [0, 1],
  LdConst: [0, 1],
  CopyLoc: [0, 1],
  MoveLoc: [0, 1],
  MutBorrowLoc: [0, 1],
  ImmBorrowLoc: [0, 1],
  Not: [1, 1],
  FreezeRef: [1, 1],
  ReadRef: [1, 1],
  Exists: [1, 1],
  ExistsGeneric: [1, 1],
  MutBorrowGlobal: [1, 1],
  MutBorrowGlobalGeneric: [1, 1],
  ImmBorrowGlobal: [1, 1],
  ImmBorrowGlobalGeneric: [1, 1],
  MutBorrowField: [1, 1],
  MutBorrowFieldGeneric: [1, 1],
  ImmBorrowField: [1, 1],
  ImmBorrowFieldGeneric: [1, 1],
  MoveFrom: [1, 1],
  MoveFromGeneric: [1, 1],
  CastU8: [1, 1],
  CastU16: [1, 1],
  CastU32: [1, 1],
  CastU64: [1, 1],
  CastU128: [1, 1],
  CastU256: [1, 1],
  VecLen: [1, 1],
  VecPopBack: [1, 1],
  Add: [2, 1],
  Sub: [2, 1],
  Mul: [2, 1],
  Mod: [2, 1],
  Div: [2, 1],
  BitOr: [2, 1],
  BitAnd: [2, 1],
  Xor: [2, 1],
  Shl: [2, 1],
  Shr: [2, 1],
  Or: [2, 1],
  And: [2, 1],
  Eq: [2, 1],
  Neq: [2, 1],
  Lt: [2, 1],
  Gt: [2, 1],
  Le: [2, 1],
  Ge: [2, 1],
  VecImmBorrow: [2, 1],
  VecMutBorrow: [2, 1],
  MoveTo: [2, 0],
  MoveToGeneric: [2, 0],
  WriteRef: [2, 0],
  VecPushBack: [2, 0],
  VecSwap: [3, 0],
  Branch: [0, 0],
  Nop: [0, 0],
};

/** In `POPS`: the effect depends on the operand, or on the function. */
const VARIABLE = 0xffff;
const POPS = new Uint16Array(256).fill(VARIABLE);
const PUSHES = new Uint16Array(256);
for (const [name, [pops, pushes]] of Object.entries(EFFECTS) as [OpName, readonly [number, number]][]) {
  POPS[Op[name]] = pops;
  PUSHES[Op[name]] = pushes;
}

export function checkStackUsage(body: FunctionContext): void {
  for (let block = 0; block < body.graph.blockCount; block++) checkBlock(body, block);
}

function checkBlock(body: FunctionContext, block: number): void {
  const start = body.graph.starts[block]!;
  const end = body.graph.ends[block]!;
  let height = 0;
  for (let offset = start; offset <= end; offset++) {
    const item = body.code.instructions[offset]!;
    const pops = popsOf(body, item);
    const pushes = pushesOf(body, item);
    if (height < pops) {
      const message = `${opcodeName(item.op)} at ${offset} takes ${pops} values, its block has put ${height}`;
      throw rejectIn(body, StatusCode.NEGATIVE_STACK_SIZE_WITHIN_BLOCK, start, message);
    }
    height += pushes - pops;
    if (height > OPERANDS_MAX) {
      const message = `expected at most ${OPERANDS_MAX} values on the operand stack`;
      throw rejectIn(body, StatusCode.VALUE_STACK_OVERFLOW, start, message);
    }
  }
  if (height === 0) return;
  const message = `expected an empty operand stack at the end of the block, got ${height} values`;
  throw rejectIn(body, StatusCode.POSITIVE_STACK_SIZE_AT_BLOCK_END, start, message);
}

/** How many values the instruction takes from the operand stack. */
export function popsOf(body: FunctionContext, item: Instruction): number {
  const pops = POPS[item.op]!;
  if (pops !== VARIABLE) return pops;
  const { binary } = body;
  switch (item.op) {
    case Op.Ret:
      return body.returns.length;
    case Op.Call:
    case Op.CallGeneric:
      return binary.signatures[handleOf(binary, item, item.op === Op.CallGeneric).parameters]!.length;
    case Op.Pack:
    case Op.PackGeneric:
      return fieldCount(binary, item, item.op === Op.PackGeneric);
    case Op.VecPack:
      return Number(item.literal);
    default:
      return 1;
  }
}

/** How many values the instruction puts on the operand stack. */
export function pushesOf(body: FunctionContext, item: Instruction): number {
  if (POPS[item.op] !== VARIABLE) return PUSHES[item.op]!;
  const { binary } = body;
  switch (item.op) {
    case Op.Ret:
      return 0;
    case Op.Call:
    case Op.CallGeneric:
      return binary.signatures[handleOf(binary, item, item.op === Op.CallGeneric).returns]!.length;
    case Op.Unpack:
    case Op.UnpackGeneric:
      return fieldCount(binary, item, item.op === Op.UnpackGeneric);
    case Op.VecUnpack:
      return Number(item.literal);
    default:
      return 1;
  }
}

/** Number of fields of the struct that an instruction packs or unpacks; a native struct has none and fails later. */
function fieldCount(binary: Binary, { operand }: Instruction, isGeneric: boolean): number {
  const { structInstantiations, structDefinitions } = moduleOnly(binary);
  const definition = isGeneric ? structInstantiations[operand]!.generic : operand;
  return structDefinitions[definition]!.fields?.length ?? 0;
}
