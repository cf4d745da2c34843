/** Closing several things: each of them, in order, whatever became of those before it. */
import { describe, expect, it } from 'vitest';
import { closeEach } from '../src/base/closing.ts';

describe('closeEach', () => {
  it('closes each in order and throws the first failure', async () => {
    const closed: number[] = [];
    const close = (number: number, failure?: Error) => (): void => {
      closed.push(number);
      if (failure !== undefined) throw failure;
    };
    const later = (number: number, failure?: Error) => async (): Promise<void> => {
      await Promise.resolve();
      close(number, failure)();
    };
    const first = new Error('the first');
    const all = closeEach(close(1), close(2, first), close(3), later(4, new Error('another')), close(5), later(6));
    expect(closed).toEqual([1, 2, 3]);
    await expect(all).rejects.toBe(first);
    expect(closed).toEqual([1, 2, 3, 4, 5, 6]);
    await closeEach(later(7), close(8));
    expect(closed.slice(6)).toEqual([7, 8]);
  });
});
