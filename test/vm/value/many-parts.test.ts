import { afterEach, expect, it, vi } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import { Type } from '../../../src/vm/value/type.ts';
import { SMALL_SCHEDULE, World } from '../machine/world.ts';

/** Structs of two fields, each being the struct before: 2^LEVELS parts. */
const LEVELS = 14;
const LOOKS_MAX = 2_000 * LEVELS;

afterEach(() => {
  vi.restoreAllMocks();
});

// With sixty levels, the process stood still for good once such a function was translated.
it.each(['u64', 'bool', 'address', 'vector<u8>'])('code may name a type of many parts, each a %s', (leaf) => {
  const structs = [`struct S0 has copy, drop { x: ${leaf} }`];
  for (let level = 1; level <= LEVELS; level++) {
    structs.push(`struct S${level} has copy, drop { a: S${level - 1}, b: S${level - 1} }`);
  }
  const type = `S${LEVELS}`;
  const natives = new NativeTable<undefined>().add(
    { address: addressOf(1), name: 'm' },
    { costly: (): bigint => 3n },
    { costly: 'costly' },
  );
  const text = `module 0x1::m ${structs.join('\n')}
    native fun costly(): u64
    fun never(code: u64): ${type} { Call costly; Pop; MoveLoc code; Abort }
    fun count(s: ${type}, n: u64): u64 { Call costly; Pop; MoveLoc s; Pop; MoveLoc n; Ret }
    fun same(a: &${type}, b: &${type}): bool { MoveLoc a; MoveLoc b; Eq; Ret }
    fun read(a: &${type}): ${type} { MoveLoc a; ReadRef; Ret }
    public fun main(code: u64): u64 {
      let s: ${type}
      MoveLoc code; Call never; StLoc s
      CopyLoc s; LdU64 1; Call count; Pop
      ImmBorrowLoc s; ImmBorrowLoc s; Call same; Pop
      ImmBorrowLoc s; Call read; LdU64 1; Call count; Ret
    }
    public fun lists(): u64 {
      let l: vector<${type}>
      VecPack ${type} 0; StLoc l
      CopyLoc l; ImmBorrowLoc l; ReadRef; Eq; BrTrue end
      LdU64 1; Call never; LdU64 1; Call count; Ret
     end:
      ImmBorrowLoc l; VecLen ${type}; Ret
    }`;
  const world = new World([text], { natives, schedule: SMALL_SCHEDULE });
  const looks = vi.spyOn(Type.prototype, 'fields', 'get');
  for (let round = 0; round < 20; round++) {
    expect(world.agree('m::main', [7n]).result).toMatch(/^ABORTED 7 /);
    expect(world.agree('m::lists').result).toBe('0');
  }
  expect(looks.mock.calls.length).toBeLessThan(LOOKS_MAX);
});
