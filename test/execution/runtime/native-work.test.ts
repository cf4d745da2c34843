/** The bound on the work of natives in one execution. */
import { describe, expect, it } from 'vitest';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';

describe('work that is not counted', () => {
  it('leaves what was left before, also if it fails', () => {
    const work = new NativeWork(100);
    work.spend(30);
    expect(work.uncounted(() => work.spend(1_000))).toBeUndefined();
    expect(work.left).toBe(70);
    const fail = (): never => {
      throw new Error('no state');
    };
    expect(() => work.uncounted(fail)).toThrow('no state');
    expect(work.left).toBe(70);
  });
});
