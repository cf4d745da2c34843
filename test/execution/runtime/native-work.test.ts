import { describe, expect, it } from 'vitest';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';
import { Deadline, type DeadlineClock } from '../../../src/vm/deadline.ts';
import { expectRefusal } from '../../refusal.ts';

describe('the work of natives', () => {
  /** No time has passed, and the process has used the processor all along. */
  let used = 0;
  const STANDING_STILL: DeadlineClock = { now: () => 0, used: () => (used += 2_000) };

  it('is refused before it begins if it would not be done in time', () => {
    const work = new NativeWork(10_000_000, new Deadline(2_000, STANDING_STILL));
    expect(work.left).toBe(2_000_000);
    work.spend(1_999_999);
    expectRefusal(() => work.spend(2_000_001), 'deadline-exceeded', 'would take longer');
  });

  it('is bounded by what is counted alone if there is no deadline', () => {
    const work = new NativeWork(3_000_000);
    expect(work.left).toBe(3_000_000);
    work.spend(2_900_000);
    expect(work.left).toBe(100_000);
    work.spend(100_000);
    expect(() => work.spend(1)).toThrow();
    expect(work.left).toBe(0);
  });
});
