import { describe, expect, it } from 'vitest';
import { Op } from '../../src/vm/binary/opcode.ts';
import { readModule, readScript } from '../../src/vm/binary/read.ts';
import { assembleModule, assembleModuleBytes, assembleScript, assembleScriptBytes } from './assemble.ts';

const BANK = `
  module 0x1::bank
  friend 0x1::till
  extern 0x2::coin {
    struct Coin<phantom T> has store
    fun value<T>(&Coin<T>): u64
  }
  struct Vault<phantom T> has key, store { coin: 0x2::coin::Coin<T>, owner: address }
  public fun worth<T>(vault: &Vault<T>): u64 {
    let total: u64
    again:
    MoveLoc vault
    ImmBorrowField Vault<T>.coin
    Call 0x2::coin::value<T>
    StLoc total
    LdFalse
    BrTrue again
    MoveLoc total
    Ret
  }
  public(friend) entry fun main() { Call other; Pop; Ret }
  native fun other(): u64`;

describe('the assembler for tests', () => {
  it('gives the tables that its binary form reads back as', () => {
    expect(readModule(assembleModuleBytes(BANK))).toEqual(assembleModule(BANK));
  });

  it('resolves names, labels and generic forms', () => {
    const module = assembleModule(BANK);
    const [worth, main, other] = module.functionDefinitions;
    expect(worth?.code?.instructions.map(({ op, operand }) => [op, operand])).toEqual([
      [Op.MoveLoc, 0],
      [Op.ImmBorrowFieldGeneric, 0],
      [Op.CallGeneric, 0],
      [Op.StLoc, 1],
      [Op.LdFalse, 0],
      [Op.BrTrue, 0],
      [Op.MoveLoc, 1],
      [Op.Ret, 0],
    ]);
    expect([main?.visibility, main?.isEntry, other?.code]).toEqual([3, true, undefined]);
    expect(module.identifiers[module.functionHandles[main!.code!.instructions[0]!.operand]!.name]).toBe('other');
  });

  it('assembles scripts', () => {
    const text = `version 5
      extern 0x1::m { fun f<T>(T) }
      script<T: drop>(x: T) { MoveLoc x; Call 0x1::m::f<T>; Ret }`;
    expect(readScript(assembleScriptBytes(text))).toEqual(assembleScript(text));
    expect(assembleScript(text).version).toBe(5);
  });

  it('names the line of what it cannot read', () => {
    expect(() => assembleModule('module 0x1::m\nfun f() {\n Frobnicate\n}')).toThrow(/line 3/);
  });
});
