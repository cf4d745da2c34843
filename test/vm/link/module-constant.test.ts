import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { parseTypeTag } from '../../../src/move/type-tag.ts';
import { ModuleConstant } from '../../../src/vm/link/loaded-module.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { BoundedWork, ENGINES, SMALL_SCHEDULE, World } from '../machine/world.ts';

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
  public fun loads(n: u64): u64 {
    let a: vector<vector<u8>>
   again:
    LdU64 1; ${load}; StLoc a; ${load}; Pop; Pop
    CopyLoc n; LdU64 0; Eq; BrTrue end
    MoveLoc n; LdU64 1; Sub; StLoc n; Branch again
   end:
    MoveLoc n; Call after; Add; Ret
  }
  fun after(): u64 { let a: vector<vector<u8>>; ${load}; StLoc a; ImmBorrowLoc a; VecLen vector<u8>; Ret }
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

  // A transaction could load one of 60,000 empty lists 130 times: four seconds, counted nowhere.
  it('counts work for the vectors in a long one, each time, and fails where there is no more', () => {
    let room = 0;
    let work = new BoundedWork(room);
    const world = new World([MODULE], { schedule: SMALL_SCHEDULE, work: () => (work = new BoundedWork(room)) });
    const parameters = [5n];
    room = Number.POSITIVE_INFINITY;
    expect(world.agree('m::loads', parameters).result).toBe(String(COUNT));
    const each = Math.floor((COUNT * (15_000 + COUNT)) / 150_000);
    expect(work.done).toBe(each * 13);
    for (let loads = 0; loads < 13; loads++) {
      room = each * loads;
      expect(world.agree('m::loads', parameters, loads === 0).result).toBe('EXECUTION_LIMIT_REACHED at nowhere');
      expect(work.done).toBe(each * (loads + 1));
    }
  });

  it('counts nothing for what the instruction pays for: few bytes, or few vectors', () => {
    const machine = Machine.create({ natives: new NativeTable(), schedule: SMALL_SCHEDULE });
    const workOf = (type: string, hex: string): number => {
      const loaded = machine.loadType(parseTypeTag(type), { load: () => undefined });
      return new ModuleConstant(loaded as Type, fromHex(hex)).work;
    };
    expect(workOf('vector<vector<u8>>', lists(COUNT).slice(2))).toBeGreaterThan(0);
    expect(workOf('vector<vector<u8>>', lists(200).slice(2))).toBe(0);
    expect(workOf('vector<vector<u8>>', `01e807${'61'.repeat(COUNT)}`)).toBe(0);
    expect(workOf('vector<u8>', `e807${'61'.repeat(COUNT)}`)).toBe(0);
    expect(workOf('vector<vector<vector<u8>>>', `01${lists(COUNT).slice(2)}`)).toBeGreaterThan(0);
  });

  it('is the same however often what was loaded is changed', () => {
    const world = new World([MODULE], { schedule: SMALL_SCHEDULE });
    for (let round = 0; round < 3; round++) expect(world.agree('m::changes').result).toBe(`${COUNT - 1}, 5, 1`);
  });
});
