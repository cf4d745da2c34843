/**
 * The fixed cost of an instruction; costs that depend on values are added where the value is known.
 *
 * Quirks of the reference that are kept: Ret costs what Abort costs, Neq has the base of Eq, a generic mutable field
 * borrow costs what the immutable one costs, casts to u32 and u256 cost what a cast to u16 costs, MoveTo costs what
 * MoveFrom costs. Source: `moveos/moveos/src/gas/table.rs` and the interpreter of the reference.
 * @module
 */
import { OPCODES, Op, type OpName } from '../binary/opcode.ts';
import { type GasSchedule, INITIAL_GAS_SCHEDULE, type InstructionPrices } from './schedule.ts';

/** Instructions with the price of another one. */
const QUIRKS: Readonly<Partial<Record<OpName, keyof InstructionPrices>>> = {
  Ret: 'abort',
  Neq: 'eq_base',
  Mod: 'mod_',
  MutBorrowFieldGeneric: 'imm_borrow_field_generic',
  CastU32: 'cast_u16',
  CastU256: 'cast_u16',
  MoveTo: 'move_from_base',
  MoveToGeneric: 'move_from_generic_base',
};

/** Names of prices that are the same wherever the instruction occurs: `vec_len_base` for VecLen. */
const FLAT: readonly (keyof InstructionPrices)[] = OPCODES.map((row) => {
  const name = row?.name ?? 'Nop';
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase() as keyof InstructionPrices;
  return QUIRKS[name] ?? (words in INITIAL_GAS_SCHEDULE.instruction ? words : (`${words}_base` as typeof words));
});

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

/** What a caller pays for a call; `locals` counts the callee's parameters and locals, none for natives. */
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
