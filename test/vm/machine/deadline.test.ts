/** When an execution outside consensus must end, by a clock that counts how often it is read: nothing here is timed. */
import { describe, expect, it } from 'vitest';
import { MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import type { CallOutcome, ExecutionMode } from '../../../src/vm/call.ts';
import { Deadline, type DeadlineClock } from '../../../src/vm/deadline.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
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

/** A clock that goes on by a millisecond whenever it is read. */
function countingClock(): DeadlineClock & { looks: () => number } {
  let looks = 0;
  return { now: () => looks++, used: () => looks, looks: () => looks };
}

describe.each<[ExecutionMode, number]>([
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
    expectRefusal(() => run(name, args, new Deadline(40, clock)), 'deadline-exceeded', 'within 40 ms (viewMsMax)');
    // One reading to begin, and the one that found it passed.
    expect(clock.looks()).toBe(42);
  });

  it('the clock is read once per native, and every 8,388,608 units of gas', () => {
    const ticking = countingClock();
    expect(run('ticks', [u64(100)], new Deadline(1_000_000, ticking)).kind).toBe('returned');
    expect(ticking.looks()).toBeGreaterThan(100);
    expect(ticking.looks()).toBeLessThan(120);
    const spinning = countingClock();
    expect(run('spin', [], new Deadline(1_000_000, spinning), 100n * 8_388_608n).kind).toBe('failed');
    expect(spinning.looks()).toBeGreaterThanOrEqual(100);
    expect(spinning.looks()).toBeLessThan(110);
  });

  it('a call without one does not read the clock, even after a call whose deadline had passed', () => {
    const clock = countingClock();
    expectRefusal(() => run('spin', [], new Deadline(3, clock)), 'deadline-exceeded');
    const looks = clock.looks();
    expect(run('ticks', [u64(100)])).toEqual({ kind: 'returned', values: [] });
    expect(run('spin', [])).toMatchObject({ kind: 'failed' });
    expect(clock.looks()).toBe(looks);
  });
});

describe('a deadline', () => {
  it('is put off by the time that the process did not run', () => {
    let now = 0;
    let used = 700;
    const deadline = new Deadline(2_000, { now: () => now, used: () => used });
    [now, used] = [60_000, 1_700];
    deadline.check();
    expect(deadline.left).toBe(1_000);
    deadline.checkFor(1_000);
    [now, used] = [60_900, 2_600];
    expect(deadline.left).toBe(100);
    expectRefusal(() => deadline.checkFor(101), 'deadline-exceeded', 'would take longer');
    [now, used] = [61_001, 2_701];
    expectRefusal(() => deadline.check(), 'deadline-exceeded', 'took longer');
  });

  it('is not brought forward by threads that use several processors', () => {
    let used = 0;
    const deadline = new Deadline(2_000, { now: () => 1, used: () => used });
    used = 9_000;
    deadline.checkFor(2_000);
    expect(deadline.left).toBe(2_000);
  });
});
