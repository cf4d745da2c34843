/**
 * The primitive types that opcodes push, where the opcode alone says which.
 * @module
 */
import { Op } from './opcode.ts';

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
