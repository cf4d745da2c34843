import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalBytes } from '../../../src/bytes/compare.ts';
import { EngineError } from '../../../src/error.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/framework/framework.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModuleBytes } from '../assemble.ts';
import { hasKernels, hasReference, kernelModule, releasedPackages } from '../corpus.ts';
import { mutateBytes, mutateModule, randomFrom } from '../mutate.ts';

// A long run: MOVELET_MUTATIONS=1000000 npx vitest run test/vm/verify/mutated.test.ts
const { MOVELET_MUTATIONS } = process.env;
const runs = Number(MOVELET_MUTATIONS ?? 4_000);

/** Small enough that thousands of runs take seconds, varied enough to reach every pass. */
const SEED_MODULE = `
  module 0x1::seed
  friend 0x1::other
  extern 0x2::far { struct Far<phantom T> has copy, drop, store  fun far<T: drop>(0x2::far::Far<T>): u64 }
  struct Pair<A, B> has copy, drop, store { left: A, right: B }
  struct Plain has copy, drop, store { count: u64, list: vector<u64> }
  struct Resource has key { plain: Plain, far: 0x2::far::Far<u8> }
  public fun sum(list: &vector<u64>): u64 {
    let total: u64 let at: u64
    LdU64 0; StLoc total; LdU64 0; StLoc at
    head: CopyLoc at; CopyLoc list; VecLen u64; Lt; BrFalse done
    CopyLoc total; CopyLoc list; CopyLoc at; VecImmBorrow u64; ReadRef; Add; StLoc total
    MoveLoc at; LdU64 1; Add; StLoc at
    Branch head
    done: MoveLoc list; Pop; MoveLoc total; Ret
  }
  public fun swap<A: copy drop, B: copy drop>(pair: Pair<A, B>): Pair<B, A> {
    let left: A let right: B
    MoveLoc pair; Unpack Pair<A, B>; StLoc right; StLoc left
    MoveLoc right; MoveLoc left; Pack Pair<B, A>; Ret
  }
  public fun grow(plain: &mut Plain, by: u64) {
    let count: &mut u64
    CopyLoc plain; MutBorrowField Plain.count; StLoc count
    CopyLoc count; ReadRef; MoveLoc by; Add; MoveLoc count; WriteRef
    MoveLoc plain; MutBorrowField Plain.list; LdU64 7; VecPushBack u64
    Ret
  }
  entry fun main(owner: &signer) {
    let plain: Plain
    LdU64 1; VecPack u64 0; Pack Plain; StLoc plain
    MutBorrowLoc plain; LdU64 5; Call grow
    ImmBorrowLoc plain; ImmBorrowField Plain.list; Call sum; LdU64 7; Eq; BrTrue fine
    MoveLoc owner; Pop; LdU64 1; Abort
    fine: MoveLoc owner; Pop; LdConst vector<u8> 0x020102; Pop; Ret
  }
  public fun pairs(): u64 {
    let pair: Pair<u8, bool>
    LdU8 1; LdTrue; Pack Pair<u8, bool>; Call swap<u8, bool>; ImmBorrowField Pair<bool, u8>.right
    Pop; LdU64 0; Ret
  }`;

function seeds(): Uint8Array[] {
  const framework = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes));
  const found = [assembleModuleBytes(SEED_MODULE), ...framework.filter((it) => it.length < 4000)];
  if (hasKernels) found.push(kernelModule());
  if (hasReference)
    found.push(...releasedPackages(27).flatMap(({ modules }) => modules.filter((it) => it.length < 4000)));
  return found;
}

/** Reading and verifying ends in a verdict or in `malformed-module`; nothing else may escape. */
function judge(bytes: Uint8Array): 'read' | 'accepted' | 'rejected' | 'malformed' {
  let module: Module;
  try {
    module = readModule(bytes);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EngineError);
    expect((thrown as EngineError).code).toBe('malformed-module');
    expect((thrown as EngineError).details).toMatchObject({ statusCode: expect.any(Number) });
    return 'malformed';
  }
  const verdict = verifyModule(module);
  return verdict.ok ? 'accepted' : 'rejected';
}

describe(`mutated modules (${runs} runs; set MOVELET_MUTATIONS for more)`, () => {
  const binaries = seeds();
  const modules = binaries.map((bytes) => readModule(bytes));
  const seed = MOVELET_MUTATIONS === undefined ? { seed: 7 } : {};

  it('with changed bytes neither crash nor hang the reader or the verifier', () => {
    const outcomes = new Set<string>();
    const property = fc.property(fc.nat(), (start) => {
      const random = randomFrom(start);
      outcomes.add(judge(mutateBytes(binaries[random(binaries.length)]!, random)));
    });
    fc.assert(property, { numRuns: runs / 2, ...seed });
    expect([...outcomes].sort()).toEqual(['accepted', 'malformed', 'rejected']);
  }, 600_000);

  it('with changed tables neither crash nor hang the verifier, and come back as written', () => {
    const property = fc.property(fc.nat(), (start) => {
      const random = randomFrom(start);
      const mutated = mutateModule(modules[random(modules.length)]!, random);
      let bytes: Uint8Array;
      try {
        bytes = writeModule(mutated);
      } catch (thrown) {
        // Version 5 does not know all instructions.
        expect((thrown as EngineError).code).toBe('invalid-argument');
        return;
      }
      if (judge(bytes) !== 'malformed') expect(equalBytes(writeModule(readModule(bytes)), bytes)).toBe(true);
    });
    fc.assert(property, { numRuns: runs / 2, ...seed });
  }, 600_000);
});
