import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/engine/workers/workers.ts';

const [ALICE, BOB, CAROL] = [{ name: 'alice' }, { name: 'bob' }, { name: 'carol' }];

describe('lines by connection', () => {
  it('serve each in turn, however many calls each has queued', () => {
    const lines = new Lines<string>(10);
    for (const waiter of ['a1', 'a2', 'a3']) lines.join(ALICE, waiter);
    lines.join(BOB, 'b1');
    lines.join(CAROL, 'c1');
    const order: (string | undefined)[] = [];
    for (let count = 0; count < 6; count++) order.push(lines.next());
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
  });

  it('serve first the connection that has had the least time', () => {
    const lines = new Lines<string>(10);
    lines.join(ALICE, 'a1');
    lines.join(ALICE, 'a2');
    lines.join(ALICE, 'a3');
    lines.join(BOB, 'b1');
    lines.join(BOB, 'b2');
    lines.join(BOB, 'b3');
    const order = ['a1', 'b1', 'b2', 'b3', 'a2', 'a3'].map(() => {
      const next = lines.next()!;
      lines.leave(next.startsWith('a') ? ALICE : BOB, next.startsWith('a') ? 2_000 : 900);
      return next;
    });
    expect(order).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'a3']);
  });

  it('let no connection save up time by not asking', () => {
    const lines = new Lines<string>(10);
    for (let count = 0; count < 5; count++) {
      lines.join(ALICE, 'a');
      lines.next();
      lines.leave(ALICE, 1_000);
    }
    lines.join(ALICE, 'a1');
    lines.join(ALICE, 'a2');
    for (const waiter of ['b1', 'b2', 'b3']) lines.join(BOB, waiter);
    const order = [1, 2, 3, 4, 5].map(() => {
      const next = lines.next()!;
      lines.leave(next.startsWith('a') ? ALICE : BOB, 1_000);
      return next;
    });
    // Bob, who is new, begins where Alice was when she was last served: he is one call ahead of her, not five.
    expect(order).toEqual(['b1', 'a1', 'b2', 'a2', 'b3']);
  });

  it('drop the last one of the longest line if too many wait', () => {
    const lines = new Lines<string>(3);
    for (const waiter of ['a1', 'a2', 'a3']) expect(lines.join(ALICE, waiter)).toBeUndefined();
    expect(lines.join(ALICE, 'a4')).toBe('a4');
    expect(lines.join(BOB, 'b1')).toBe('a3');
    expect(lines.join(CAROL, 'c1')).toBe('a2');
    // All lines have one: whoever came last goes.
    expect(lines.join({}, 'd1')).toBe('d1');
    expect([lines.next(), lines.next(), lines.next(), lines.next()]).toEqual(['a1', 'b1', 'c1', undefined]);
  });
});
