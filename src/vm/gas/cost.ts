/**
 * The fixed cost of an instruction; what depends on values is added where the value is known.
 *
 * Quirks of the reference that are kept: Ret costs what Abort costs, Neq has the base of Eq, a generic mutable field
 * borrow costs what the immutable one costs, casts to u32 and u256 cost what a cast to u16 costs, MoveTo costs what
 * MoveFrom costs. Source: `moveos/moveos/src/gas/table.rs` and the interpreter of the reference.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import type { GasSchedule, InstructionPrices } from './schedule.ts';

/** Prices that are the same for every occurrence of the instruction. */
const FLAT: Readonly<Partial<Record<Op, keyof InstructionPrices>>> = {
  [Op.Pop]: 'pop',
  [Op.Ret]: 'abort',
  [Op.BrTrue]: 'br_true',
  [Op.BrFalse]: 'br_false',
  [Op.Branch]: 'branch',
  [Op.LdU8]: 'ld_u8',
  [Op.LdU16]: 'ld_u16',
  [Op.LdU32]: 'ld_u32',
  [Op.LdU64]: 'ld_u64',
  [Op.LdU128]: 'ld_u128',
  [Op.LdU256]: 'ld_u256',
  [Op.LdTrue]: 'ld_true',
  [Op.LdFalse]: 'ld_false',
  [Op.CopyLoc]: 'copy_loc_base',
  [Op.MoveLoc]: 'move_loc_base',
  [Op.StLoc]: 'st_loc_base',
  [Op.MutBorrowLoc]: 'mut_borrow_loc',
  [Op.ImmBorrowLoc]: 'imm_borrow_loc',
  [Op.MutBorrowField]: 'mut_borrow_field',
  [Op.ImmBorrowField]: 'imm_borrow_field',
  [Op.MutBorrowFieldGeneric]: 'imm_borrow_field_generic',
  [Op.ImmBorrowFieldGeneric]: 'imm_borrow_field_generic',
  [Op.ReadRef]: 'read_ref_base',
  [Op.WriteRef]: 'write_ref_base',
  [Op.FreezeRef]: 'freeze_ref',
  [Op.Add]: 'add',
  [Op.Sub]: 'sub',
  [Op.Mul]: 'mul',
  [Op.Mod]: 'mod_',
  [Op.Div]: 'div',
  [Op.BitOr]: 'bit_or',
  [Op.BitAnd]: 'bit_and',
  [Op.Xor]: 'xor',
  [Op.Shl]: 'shl',
  [Op.Shr]: 'shr',
  [Op.Or]: 'or',
  [Op.And]: 'and',
  [Op.Not]: 'not',
  [Op.Eq]: 'eq_base',
  [Op.Neq]: 'eq_base',
  [Op.Lt]: 'lt',
  [Op.Gt]: 'gt',
  [Op.Le]: 'le',
  [Op.Ge]: 'ge',
  [Op.Abort]: 'abort',
  [Op.Nop]: 'nop',
  [Op.CastU8]: 'cast_u8',
  [Op.CastU16]: 'cast_u16',
  [Op.CastU32]: 'cast_u16',
  [Op.CastU64]: 'cast_u64',
  [Op.CastU128]: 'cast_u128',
  [Op.CastU256]: 'cast_u16',
  [Op.Exists]: 'exists_base',
  [Op.ExistsGeneric]: 'exists_generic_base',
  [Op.MutBorrowGlobal]: 'mut_borrow_global_base',
  [Op.MutBorrowGlobalGeneric]: 'mut_borrow_global_generic_base',
  [Op.ImmBorrowGlobal]: 'imm_borrow_global_base',
  [Op.ImmBorrowGlobalGeneric]: 'imm_borrow_global_generic_base',
  [Op.MoveFrom]: 'move_from_base',
  [Op.MoveFromGeneric]: 'move_from_generic_base',
  [Op.MoveTo]: 'move_from_base',
  [Op.MoveToGeneric]: 'move_from_generic_base',
  [Op.VecLen]: 'vec_len_base',
  [Op.VecImmBorrow]: 'vec_imm_borrow_base',
  [Op.VecMutBorrow]: 'vec_mut_borrow_base',
  [Op.VecPushBack]: 'vec_push_back_base',
  [Op.VecPopBack]: 'vec_pop_back_base',
  [Op.VecSwap]: 'vec_swap_base',
};

/** Price of an instruction that costs the same wherever it occurs. */
export function flatCost(schedule: GasSchedule, op: Op): number {
  return schedule.instruction[FLAT[op]!];
}

export function constantCost({ instruction }: GasSchedule, bytes: number): number {
  return instruction.ld_const_base + instruction.ld_const_per_byte * bytes;
}

export function packCost({ instruction }: GasSchedule, op: Op, fields: number): number {
  switch (op) {
    case Op.Pack:
      return instruction.pack_base + instruction.pack_per_field * fields;
    case Op.PackGeneric:
      return instruction.pack_generic_base + instruction.pack_generic_per_field * fields;
    case Op.Unpack:
      return instruction.unpack_base + instruction.unpack_per_field * fields;
    default:
      return instruction.unpack_generic_base + instruction.unpack_generic_per_field * fields;
  }
}

export function vectorPackCost({ instruction }: GasSchedule, op: Op, elements: number): number {
  return op === Op.VecPack
    ? instruction.vec_pack_base + instruction.vec_pack_per_elem * elements
    : instruction.vec_unpack_base + instruction.vec_unpack_per_expected_elem * elements;
}

/** What the caller pays to call a function; `locals` counts the callee's parameters and locals, none for natives. */
export function callCost({ instruction }: GasSchedule, call: CallShape): number {
  if (!call.isGeneric) {
    return instruction.call_base + instruction.call_per_arg * call.arguments + instruction.call_per_local * call.locals;
  }
  return (
    instruction.call_generic_base +
    instruction.call_generic_per_ty_arg * call.typeArguments +
    instruction.call_generic_per_arg * call.arguments +
    instruction.call_generic_per_local * call.locals
  );
}

interface CallShape {
  /** Whether the instruction is CallGeneric. */
  readonly isGeneric: boolean;
  readonly typeArguments: number;
  readonly arguments: number;
  readonly locals: number;
}
