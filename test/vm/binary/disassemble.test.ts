import { describe, expect, it } from 'vitest';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { disassembleModule, disassembleScript } from '../../../src/vm/binary/disassemble.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { assembleModule, assembleScript } from '../assemble.ts';
import { hasKernels, hasReference, kernelModule, kernelsNote, referenceNote, releasedPackages } from '../corpus.ts';
import { randomProgram } from '../machine/random-program.ts';

describe('listings', () => {
  it('read like Move above the instructions', () => {
    const module = assembleModule(`
      module 0x1::bank
      extern 0x2::coin { struct Coin<phantom T> has store  fun value<T: drop>(&Coin<T>): u64 }
      struct Vault<phantom T> has store { coin: 0x2::coin::Coin<T>, owner: address }
      public(friend) fun worth<T: drop>(vault: &Vault<T>): u64 {
        let total: u64
        start: MoveLoc vault; ImmBorrowField Vault<T>.coin; Call 0x2::coin::value<T>; StLoc total
        LdConst vector<u8> 0x026f6b; Pop; LdFalse; BrTrue start; MoveLoc total; Ret
      }
      native fun rate(): u128`);
    expect(disassembleModule(module)).toBe(`version 6
module 0x1::bank

extern 0x2::coin {
  struct Coin<phantom T0> has store
  fun value<T0: drop>(a0: &0x2::coin::Coin<T0>): u64
}

struct Vault<phantom T0> has store {
  coin: 0x2::coin::Coin<T0>,
  owner: address,
}

public(friend) fun worth<T0: drop>(a0: &Vault<T0>): u64 {
  let l1: u64
  b0:
    MoveLoc a0                                   // 0
    ImmBorrowField Vault<T0>.coin                // 1
    Call 0x2::coin::value<T0>                    // 2
    StLoc l1                                     // 3
    LdConst vector<u8> 0x026f6b                  // 4: "ok"
    Pop                                          // 5
    LdFalse                                      // 6
    BrTrue b0                                    // 7
    MoveLoc l1                                   // 8
    Ret                                          // 9
}

native fun rate(): u128
`);
  });

  it('of scripts name what is called', () => {
    const script = assembleScript(`
      extern 0x1::m { fun f<T>(T) }
      script<T: copy drop>(x: T) { CopyLoc x; Call 0x1::m::f<T>; Ret }`);
    expect(disassembleScript(script)).toContain('script<T0: copy drop>(a0: T0) {\n    CopyLoc a0');
    expect(disassembleScript(script)).toContain('Call 0x1::m::f<T0>');
  });

  it('end at their bound, before the rest is made', () => {
    // Each of its instructions names a constant of 5 kB.
    const constant = `vector<u8> 0x${'88'}${'27'}${'61'.repeat(5_000)}`;
    const module = assembleModule(`
      module 0x1::long
      fun f() { ${`LdConst ${constant}; Pop; `.repeat(400)} Ret }`);
    const whole = disassembleModule(module);
    expect(whole.length).toBeGreaterThan(4_000_000);
    expect(disassembleModule(module, whole.length)).toBe(whole);
    expect(() => disassembleModule(module, 2_000_000)).toThrow(
      expect.objectContaining({
        code: 'limit-exceeded',
        message: expect.stringContaining('at most 2000000 characters'),
      }),
    );
  });

  it('say the same again after being assembled', () => {
    for (let number = 0; number < runs(16, 50); number++) {
      expectFaithful(assembleModule(randomProgram(randomNumbers(seed + number)).text));
    }
    for (const { modules } of FRAMEWORK_PACKAGES) for (const { bytes } of modules) expectFaithful(readModule(bytes));
  });

  it.skipIf(!hasKernels)(`of the compute kernels are faithful${kernelsNote}`, () => {
    expectFaithful(readModule(kernelModule()));
  });

  it.skipIf(!hasReference)(`of a released framework are faithful${referenceNote}`, () => {
    for (const { modules } of releasedPackages(27)) for (const bytes of modules) expectFaithful(readModule(bytes));
  });
});

/** The assembler orders tables its own way, so the texts are compared and not the tables. */
function expectFaithful(module: Module): void {
  const text = disassembleModule(module);
  const withoutMetadata = text.replace(/^\/\/ metadata.*\n/gm, '');
  expect(sorted(disassembleModule(assembleModule(text)))).toEqual(sorted(withoutMetadata));
}

/** Externs and their members come in the order of handles, which is not part of what a module says. */
function sorted(text: string): string[] {
  const externs = text.match(/^extern [^}]*\}/gm) ?? [];
  const members = externs.flatMap((block) => block.split('\n').map((line) => `${block.split(' ')[1]} ${line.trim()}`));
  return [...members.sort(), text.replace(/^extern [^}]*\}\n*/gm, '')];
}
