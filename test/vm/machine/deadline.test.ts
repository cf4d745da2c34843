/** When an execution that is no consensus must end: by a clock that counts its looks, so nothing here is timed. */
import { describe, expect, it } from 'vitest';
import { MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { NativeWork } from '../../../src/runtime/native-work.ts';
import { Deadline } from '../../../src/vm/deadline.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';
import { type CallOutcome, type Engine, Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native-table.ts';
import { expectRefusal } from '../../refusal.ts';
import { assembleModule } from '../assemble.ts';

const module = assembleModule(`module 0x2::m
  public fun spin() { again: Branch again }
  public fun recurse(n: u64) { again: CopyLoc n; LdU64 0; Eq; BrTrue end; LdU64 0; Call recurse; Branch again; end: Ret }
  native fun tick()
  public fun ticks(n: u64) {
    again: CopyLoc n; LdU64 0; Eq; BrTrue end
    Call tick; MoveLoc n; LdU64 1; Sub; StLoc n; Branch again
    end: Ret
  }`);
const id = idOfHandle(module, module.selfHandle);
const u64 = (n: number): Uint8Array => Uint8Array.of(n & 255, n >> 8, 0, 0, 0, 0, 0, 0);

/** A clock that goes on by a millisecond whenever somebody looks at it. */
function countingClock(): { now: () => number; looks: () => number } {
  let looks = 0;
  return { now: () => looks++, looks: () => looks };
}

describe.each<[Engine, number]>([
  ['interpret', 0],
  ['translate', 0],
  ['translate', 64],
])('on the engine %s, translating after %i calls', (engine, translateAfter) => {
  const machine = Machine.create({
    natives: new NativeTable().add({ address: MOVEOS_STD_ADDRESS, name: 'm' }, { tick: () => undefined }),
    schedule: INITIAL_GAS_SCHEDULE,
    engine,
    translateAfter,
  });
  const run = (name: string, args: readonly Uint8Array[], deadline?: Deadline, budget = 5_000_000_000n): CallOutcome =>
    machine.call(
      { module: id, function: name, typeArguments: [], arguments: args.map((bytes) => ({ bytes })) },
      { source: { load: () => module }, gas: new GasMeter(budget), host: undefined, deadline },
    );

  it.each([
    ['a loop', 'spin', []],
    ['recursion', 'recurse', [u64(1)]],
    ['a loop of calls of natives', 'ticks', [u64(60_000)]],
  ])('%s ends at the deadline', (_what, name, args) => {
    const clock = countingClock();
    expectRefusal(() => run(name, args, new Deadline(40, clock.now)), 'deadline-exceeded', 'within 40 ms (viewMsMax)');
    // One look to begin, and the one that found it passed.
    expect(clock.looks()).toBe(42);
  });

  it('the clock is looked at once a native, and every 8,388,608 units of gas', () => {
    const ticking = countingClock();
    expect(run('ticks', [u64(100)], new Deadline(1_000_000, ticking.now)).kind).toBe('returned');
    expect(ticking.looks()).toBeGreaterThan(100);
    expect(ticking.looks()).toBeLessThan(120);
    const spinning = countingClock();
    expect(run('spin', [], new Deadline(1_000_000, spinning.now), 100n * 8_388_608n).kind).toBe('failed');
    expect(spinning.looks()).toBeGreaterThanOrEqual(100);
    expect(spinning.looks()).toBeLessThan(110);
  });

  it('a call without one does not look, also after a call whose deadline had passed', () => {
    const clock = countingClock();
    expectRefusal(() => run('spin', [], new Deadline(3, clock.now)), 'deadline-exceeded');
    const looks = clock.looks();
    expect(run('ticks', [u64(100)])).toEqual({ kind: 'returned', values: [] });
    expect(run('spin', [])).toMatchObject({ kind: 'failed' });
    expect(clock.looks()).toBe(looks);
  });
});

describe('the work of natives', () => {
  const now = (): number => 0;

  it('is refused where it would not be done in time, before it begins', () => {
    const work = new NativeWork(10_000_000, new Deadline(2_000, now));
    expect(work.left).toBe(2_000_000);
    work.spend(1_999_999);
    expectRefusal(() => work.spend(2_000_001), 'deadline-exceeded', 'would take longer');
  });

  it('without a deadline ends with what is counted alone', () => {
    const work = new NativeWork(3_000_000);
    expect(work.left).toBe(3_000_000);
    work.spend(2_900_000);
    expect(work.left).toBe(100_000);
    expect(() => work.spend(100_001)).toThrow();
    expect(work.left).toBe(0);
  });
});
