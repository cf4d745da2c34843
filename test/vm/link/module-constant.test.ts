import { afterEach, describe, expect, it, vi } from 'vitest';
import { ByteReader } from '../../../src/bytes/reader.ts';
import { ENGINES, SMALL_SCHEDULE, World } from '../machine/world.ts';

/** A list of `count` empty lists, which takes a hundred bytes of memory for each byte of the module. */
const lists = (count: number): string => `0x${(0x80 | (count & 0x7f)).toString(16)}0${count >> 7}${'00'.repeat(count)}`;
const COUNT = 1000;
const load = `LdConst vector<vector<u8>> ${lists(COUNT)}`;

const MODULE = `module 0x1::m
  public fun skips(n: u64): u64 {
    CopyLoc n; LdU64 0; Eq; BrTrue end
    ${`${load}; Pop;`.repeat(50)}
   end:
    MoveLoc n; Ret
  }
  public fun changes(): u64, u64, u64 {
    let a: vector<vector<u8>>
    let b: vector<u64>
    let c: vector<u8>
    let turn: u64
    LdU64 0; StLoc turn
   again:
    ${load}; StLoc a
    MutBorrowLoc a; VecPopBack vector<u8>; Pop
    MutBorrowLoc a; LdU64 0; VecMutBorrow vector<u8>; LdU8 7; VecPushBack u8
    LdConst vector<u64> 0x0205000000000000000600000000000000; StLoc b
    MutBorrowLoc b; VecPopBack u64; Pop
    LdU64 9; MutBorrowLoc b; LdU64 0; VecMutBorrow u64; WriteRef
    LdConst vector<u8> 0x020102; StLoc c
    MutBorrowLoc c; VecPopBack u8; Pop
    MoveLoc turn; LdU64 1; Add; StLoc turn
    CopyLoc turn; LdU64 5; Lt; BrTrue again
    ImmBorrowLoc a; VecLen vector<u8>
    LdConst vector<u64> 0x0205000000000000000600000000000000; VecUnpack u64 2; Pop
    LdConst vector<u8> 0x020102; VecUnpack u8 2; Pop; CastU64
    Ret
  }`;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a constant', () => {
  // A module of 65 KB named one in 200 places that no call reached; preparing them took gigabytes and stopped the process.
  it('is not decoded for instructions that do not run', () => {
    const world = new World([MODULE], { schedule: SMALL_SCHEDULE });
    const lengths = vi.spyOn(ByteReader.prototype, 'uleb128');
    for (const engine of ENGINES) expect(world.run(engine, 'm::skips', [0n]).result).toBe('0');
    expect(lengths.mock.calls.length).toBeLessThan(COUNT);
  });

  it('is the same however often what was loaded is changed', () => {
    const world = new World([MODULE], { schedule: SMALL_SCHEDULE });
    for (let round = 0; round < 3; round++) expect(world.agree('m::changes').result).toBe(`${COUNT - 1}, 5, 1`);
  });
});
