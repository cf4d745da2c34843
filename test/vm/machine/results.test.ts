/** Results of pure functions, which a machine keeps: nothing that code can see may depend on that. */

import { describe, expect, it } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { TooMuchPrepared } from '../../../src/vm/link/preparation.ts';
import { type NativeContext, type NativeSignature, NativeTable } from '../../../src/vm/native.ts';
import { RESULT_KEY_BYTES_MAX } from '../../../src/vm/result-cache.ts';
import { ByteVector } from '../../../src/vm/value/vector.ts';
import { SMALL_SCHEDULE, World } from './world.ts';

const calls = { digest: 0, other: 0 };

/** The bytes and then their number, at a price that grows with it; too many abort. */
function digest(name: keyof typeof calls) {
  return (context: NativeContext, _signature: NativeSignature, bytes: ByteVector): ByteVector => {
    calls[name]++;
    context.charge(3 + bytes.length);
    if (bytes.length > RESULT_KEY_BYTES_MAX + 8) context.abort(7);
    return new ByteVector(Uint8Array.from([...bytes.view(), bytes.length & 0xff]));
  };
}

const natives = new NativeTable<undefined>().add(
  { address: addressOf(1), name: 'm' },
  { digest: digest('digest'), other: digest('other') },
  { digest: 'costly' },
);

const MODULE = `module 0x1::m
  struct Pair has copy, drop { a: address, b: vector<u8> }
  native fun digest(bytes: vector<u8>): vector<u8>
  native fun other(bytes: vector<u8>): vector<u8>
  fun constant(): vector<u8> { LdU8 1; LdU8 2; VecPack u8 2; Call digest; Ret }
  fun keyed(n: u64, a: address, b: vector<u8>): Pair, u64 {
    MoveLoc a; MoveLoc b; Call digest; Pack Pair; MoveLoc n; Ret
  }
  fun nested(pair: Pair): vector<u8> {
    let bytes: vector<u8>
    LdU64 5; ImmBorrowLoc pair; ImmBorrowField Pair.a; ReadRef; ImmBorrowLoc pair; ImmBorrowField Pair.b; ReadRef
    Call keyed; Pop; Unpack Pair; Call digest; StLoc bytes; Pop; MoveLoc bytes; Ret
  }
  fun outer(): vector<u8> {
    LdConst address 0x0000000000000000000000000000000000000000000000000000000000000005
    Call constant; Pack Pair; Call nested; Ret
  }
  fun impure(bytes: vector<u8>): vector<u8> { MoveLoc bytes; Call other; Ret }
  fun changed(): vector<u8>, vector<u8> {
    let first: vector<u8>
    Call constant; StLoc first
    LdU8 77; MutBorrowLoc first; LdU64 0; VecMutBorrow u8; WriteRef
    MutBorrowLoc first; VecPopBack u8; Pop; MutBorrowLoc first; LdU8 9; VecPushBack u8
    MoveLoc first; Call constant; Ret
  }
  fun ofAddress(a: address): vector<u8> { Call constant; Ret }
  fun deep(n: u64): vector<u8> {
    CopyLoc n; LdU64 0; Eq; BrTrue done
    MoveLoc n; LdU64 1; Sub; Call deep; Ret
   done:
    Call constant; Ret
  }
  fun tall(n: u64): u64 {
    let bytes: vector<u8>
    CopyLoc n; LdU64 0; Eq; BrTrue done
    LdU64 1; LdU64 1; LdU64 1; LdU64 1; MoveLoc n; LdU64 1; Sub; Call tall; Add; Add; Add; Add; Ret
   done:
    Call constant; StLoc bytes; ImmBorrowLoc bytes; VecLen u8; Ret
  }`;

function makeWorld(): World {
  return new World([MODULE], { natives, schedule: SMALL_SCHEDULE });
}

const bytes = (length: number, first = 1): ByteVector => new ByteVector(new Uint8Array(length).fill(first));

describe('a pure function that calls a costly native', () => {
  it('runs once for the same arguments, for the same gas each time', () => {
    const world = makeWorld();
    const run = (n: bigint, a: number, b: ByteVector): unknown =>
      world.run('translate', 'm::keyed', [n, addressOf(a), b]);
    const before = calls.digest;
    const first = run(1n, 2, bytes(3));
    expect(run(1n, 2, bytes(3))).toEqual(first);
    expect(calls.digest).toBe(before + 1);
    for (const other of [run(2n, 2, bytes(3)), run(1n, 3, bytes(3)), run(1n, 2, bytes(4)), run(1n, 2, bytes(3, 2))]) {
      expect(other).not.toEqual(first);
    }
    expect(calls.digest).toBe(before + 5);
  });

  it('always runs if a native that is not pure is called', () => {
    const world = makeWorld();
    const before = calls.other;
    for (let times = 0; times < 3; times++) world.run('translate', 'm::impure', [bytes(1)]);
    expect(calls.other).toBe(before + 3);
  });

  it('has the same outcome and gas on all engines, at every limit of gas', () => {
    const world = makeWorld();
    world.agree('m::constant', [], true);
    world.agreeOn(
      (engine, budget) => world.run(engine, 'm::keyed', [1n, addressOf(2), bytes(3)], budget),
      'keyed',
      true,
    );
    world.agree('m::changed', [], true);
    world.agree('m::outer', [], true);
    world.agree('m::deep', [3n], true);
  });

  it('gives each caller a result of its own', () => {
    const world = makeWorld();
    for (let times = 0; times < 3; times++) expect(world.agree('m::changed').result).toBe('[77, 2, 9], [1, 2, 2]');
  });

  it('counts in each execution what it would have prepared, however its result was found', () => {
    const world = makeWorld();
    const { preparation } = world.machine('translate');
    const address = addressOf(7);
    const run = (): unknown => world.run('translate', 'm::ofAddress', [address]);
    for (let times = 0; times < 2; times++) run();
    preparation.begin(1);
    expect(run).toThrow(TooMuchPrepared);
  });

  it('takes arguments that are too long for a key', () => {
    const world = makeWorld();
    const run = (length: number) => (engine: Parameters<World['run']>[0], budget?: bigint) =>
      world.run(engine, 'm::keyed', [1n, addressOf(2), bytes(length)], budget);
    for (const length of [RESULT_KEY_BYTES_MAX - 44, RESULT_KEY_BYTES_MAX - 43, RESULT_KEY_BYTES_MAX + 8]) {
      world.agreeOn(run(length), `keyed of ${length} bytes`);
    }
    expect(world.agreeOn(run(RESULT_KEY_BYTES_MAX + 9), 'too many').result).toBe('ABORTED 7 at m:0:0');
  });

  it('meets the bounds of frames and operands where it would if nothing were kept', () => {
    const world = makeWorld();
    for (const n of [0n, 1022n, 1023n, 1024n]) world.agree('m::deep', [n]);
    expect(world.agree('m::deep', [1023n]).result).toMatch(/^\[|CALL_STACK_OVERFLOW/);
    const results = new Set<string>();
    for (let n = 195n; n < 210n; n++) results.add(world.agree('m::tall', [n]).result.slice(0, 9));
    for (let n = 250n; n < 260n; n++) results.add(world.agree('m::tall', [n]).result.slice(0, 9));
    expect(results).toContain('EXECUTION');
  });
});
