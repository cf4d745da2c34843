/**
 * The numbers in a module's code, as inputs for a fuzzer: behaviour often changes next to one of them.
 * @module
 */
import type { Module } from './module.ts';
import { Op } from './opcode.ts';

const LITERALS: ReadonlySet<number> = new Set([Op.LdU8, Op.LdU16, Op.LdU32, Op.LdU64, Op.LdU128, Op.LdU256]);

/** Each number once. */
export function literalsOf({ functionDefinitions }: Pick<Module, 'functionDefinitions'>): readonly bigint[] {
  const found = new Set<bigint>();
  for (const { code } of functionDefinitions) {
    for (const { op, operand, literal } of code?.instructions ?? []) {
      if (LITERALS.has(op)) found.add(literal === 0n ? BigInt(operand) : literal);
    }
  }
  return [...found];
}
