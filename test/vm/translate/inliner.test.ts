/** Short functions in place of calls to them: outcome, gas, locations and bounds are those of calls. */
import { describe, expect, it } from 'vitest';
import { SMALL_SCHEDULE, World } from '../machine/world.ts';

const MODULE = `module 0x1::m
  struct Box has copy, drop { items: vector<address>, n: u64 }
  fun isEmpty(items: &vector<address>): bool { MoveLoc items; VecLen address; LdU64 0; Eq; Ret }
  fun isRoot(box: &Box): bool { MoveLoc box; ImmBorrowField Box.items; Call isEmpty; Ret }
  fun split(box: Box): Box, address {
    let last: address
    ImmBorrowLoc box; Call isRoot; BrTrue root
    MutBorrowLoc box; MutBorrowField Box.items; VecPopBack address; StLoc last
    MoveLoc box; MoveLoc last; Ret
   root:
    LdU64 7; Abort
  }
  fun bump(n: &mut u64, by: u64) { CopyLoc n; ReadRef; MoveLoc by; Add; MoveLoc n; WriteRef; Ret }
  fun either(yes: bool, a: u64, b: u64): u64 { MoveLoc yes; BrTrue first; MoveLoc b; Ret; first: MoveLoc a; Ret }
  fun make(count: u64): Box {
    let items: vector<address>
    VecPack address 0; StLoc items
   again:
    CopyLoc count; LdU64 0; Eq; BrTrue done
    MutBorrowLoc items; LdConst address 0x0000000000000000000000000000000000000000000000000000000000000005; VecPushBack address
    MoveLoc count; LdU64 1; Sub; StLoc count; Branch again
   done:
    MoveLoc items; MoveLoc count; Pack Box; Ret
  }
  public fun twice(count: u64): u64 {
    let whole: Box; let rest: Box
    MoveLoc count; Call make; StLoc whole
    CopyLoc whole; Call split; Pop; Call split; Pop; StLoc rest
    ImmBorrowLoc whole; ImmBorrowField Box.items; VecLen address
    ImmBorrowLoc rest; ImmBorrowField Box.items; VecLen address
    Sub; Ret
  }
  public fun sum(n: u64): u64 {
    let total: u64
    LdU64 18446744073709551600; StLoc total
    MutBorrowLoc total; CopyLoc n; Call bump; MutBorrowLoc total; CopyLoc n; Call bump
    CopyLoc n; LdU64 3; Lt; CopyLoc total; MoveLoc n; Call either; Ret
  }
  public fun held(n: u64): u64 { CopyLoc n; LdTrue; CopyLoc n; LdU64 1; Call either; Add; LdFalse; LdU64 5; MoveLoc n; Call either; Mul; Ret }
  fun down(n: u64): u64 { MoveLoc n; LdU64 1; Sub; Ret }
  public fun deep(n: u64): u64 { CopyLoc n; LdU64 0; Eq; BrTrue end; MoveLoc n; Call down; Call again; Ret; end: MoveLoc n; Call down; Ret }
  fun again(n: u64): u64 { MoveLoc n; Call deep; Ret }`;

describe('a short function', () => {
  it.each(['m::twice', 'm::sum', 'm::held'])('%s does what calls do, at every gas limit', (name) => {
    const world = new World([MODULE], { schedule: SMALL_SCHEDULE });
    for (const n of [0n, 1n, 2n, 3n, 9n]) world.agree(name, [n], true);
  });

  it('fails at its place in its own module', () => {
    const world = new World([MODULE]);
    expect(world.agree('m::twice', [1n]).result).toMatch(/^ABORTED.* at m:2:/);
    expect(world.agree('m::sum', [9n]).result).toMatch(/^ARITHMETIC_ERROR at m:3:/);
  });

  it('counts as a frame', () => {
    const world = new World([MODULE]);
    // Two frames a turn, and `down` on top of the last.
    for (let n = 508n; n <= 515n; n++) world.agree('m::deep', [n]);
    expect(world.agree('m::deep', [511n]).result).toMatch(/^ARITHMETIC_ERROR/);
    expect(world.agree('m::deep', [513n]).result).toMatch(/^CALL_STACK_OVERFLOW/);
  });
});
