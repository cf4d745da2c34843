/**
 * The gas schedule: prices of instructions and sizes of values, as the chain's gas schedule object lists them.
 *
 * Keys are `instruction.<name>` and `storage.<name>`. The object on chain changes by governance; the values here are
 * the initial ones. Source: the reference's `moveos/moveos/src/gas/parameters/`.
 * @module
 */
import { EngineError } from '../../base/error.ts';

/** Initial prices of instructions, in gas units. */
const INSTRUCTION = {
  nop: 36,
  ret: 220,
  abort: 220,
  br_true: 441,
  br_false: 441,
  branch: 294,
  pop: 147,
  ld_u8: 220,
  ld_u16: 220,
  ld_u32: 220,
  ld_u64: 220,
  ld_u128: 294,
  ld_u256: 294,
  ld_true: 220,
  ld_false: 220,
  ld_const_base: 2389,
  ld_const_per_byte: 128,
  imm_borrow_loc: 220,
  mut_borrow_loc: 220,
  imm_borrow_field: 735,
  mut_borrow_field: 735,
  imm_borrow_field_generic: 735,
  mut_borrow_field_generic: 735,
  copy_loc_base: 294,
  copy_loc_per_abs_val_unit: 14,
  move_loc_base: 441,
  st_loc_base: 441,
  call_base: 3676,
  call_per_arg: 367,
  call_per_local: 367,
  call_generic_base: 3676,
  call_generic_per_ty_arg: 367,
  call_generic_per_arg: 367,
  call_generic_per_local: 367,
  pack_base: 808,
  pack_per_field: 147,
  pack_generic_base: 808,
  pack_generic_per_field: 147,
  unpack_base: 808,
  unpack_per_field: 147,
  unpack_generic_base: 808,
  unpack_generic_per_field: 147,
  read_ref_base: 735,
  read_ref_per_abs_val_unit: 14,
  write_ref_base: 735,
  freeze_ref: 36,
  cast_u8: 441,
  cast_u16: 441,
  cast_u32: 441,
  cast_u64: 441,
  cast_u128: 441,
  cast_u256: 441,
  add: 588,
  sub: 588,
  mul: 588,
  mod_: 588,
  div: 588,
  bit_or: 588,
  bit_and: 588,
  xor: 588,
  shl: 588,
  shr: 588,
  or: 588,
  and: 588,
  not: 588,
  lt: 588,
  gt: 588,
  le: 588,
  ge: 588,
  eq_base: 367,
  eq_per_abs_val_unit: 14,
  neq_base: 367,
  neq_per_abs_val_unit: 14,
  imm_borrow_global_base: 1838,
  imm_borrow_global_generic_base: 1838,
  mut_borrow_global_base: 1838,
  mut_borrow_global_generic_base: 1838,
  exists_base: 919,
  exists_generic_base: 919,
  move_from_base: 1286,
  move_from_generic_base: 1286,
  move_to_base: 1838,
  move_to_generic_base: 1838,
  vec_len_base: 808,
  vec_imm_borrow_base: 1213,
  vec_mut_borrow_base: 1213,
  vec_push_back_base: 1396,
  vec_pop_back_base: 955,
  vec_swap_base: 1102,
  vec_pack_base: 2205,
  vec_pack_per_elem: 147,
  vec_unpack_base: 1838,
  vec_unpack_per_expected_elem: 147,
} as const;

/** Initial abstract sizes of values, in size units. */
const SIZE = {
  u8: 40,
  u16: 40,
  u32: 40,
  u64: 40,
  u128: 40,
  u256: 40,
  bool: 40,
  address: 40,
  struct: 40,
  vector: 40,
  reference: 40,
  per_u8_packed: 1,
  per_u16_packed: 2,
  per_u32_packed: 4,
  per_u64_packed: 8,
  per_u128_packed: 16,
  per_u256_packed: 32,
  per_bool_packed: 1,
  per_address_packed: 32,
} as const;

export type InstructionPrices = Readonly<Record<keyof typeof INSTRUCTION, number>>;
export type ValueSizes = Readonly<Record<keyof typeof SIZE, number>>;

export interface GasSchedule {
  readonly instruction: InstructionPrices;
  readonly size: ValueSizes;
}

/** The schedule of the reference's main network at genesis. */
export const INITIAL_GAS_SCHEDULE: GasSchedule = { instruction: INSTRUCTION, size: SIZE };

/** Sums of prices, and their products with counts of up to 2^16, are exact as numbers. */
const PRICE_MAX = 2n ** 32n;

/**
 * The schedule listed by a gas schedule object; entries of natives are skipped.
 * @throws {EngineError} `invalid-argument` for a missing entry, `limit-exceeded` for a price above 2^32.
 */
export function readGasSchedule(entries: ReadonlyMap<string, bigint>): GasSchedule {
  return {
    instruction: readPrices(entries, 'instruction', INSTRUCTION),
    size: readPrices(entries, 'storage', SIZE),
  };
}

/** Prices as a gas schedule object lists them. */
export function listPrices(
  prefix: 'instruction' | 'storage',
  prices: Readonly<Record<string, number>>,
): [name: string, amount: bigint][] {
  return Object.entries(prices).map(([name, price]) => [`${prefix}.${name}`, BigInt(price)]);
}

function readPrices<Name extends string>(
  entries: ReadonlyMap<string, bigint>,
  prefix: string,
  names: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const prices: Record<Name, number> = { ...names };
  for (const name of Object.keys(names) as Name[]) {
    const key = `${prefix}.${name}`;
    const price = entries.get(key);
    if (price === undefined) throw new EngineError('invalid-argument', `the gas schedule has no entry ${key}`);
    if (price > PRICE_MAX) {
      throw new EngineError('limit-exceeded', `expected a price of at most ${PRICE_MAX} for ${key}, got ${price}`);
    }
    prices[name] = Number(price);
  }
  return prices;
}
