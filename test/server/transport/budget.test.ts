import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Budget, Share } from '../../../src/server/transport/budget.ts';

const CONNECTIONS = 8;

it('connections together never hold more than the budget, and each always has its reserve', () => {
  const step = fc.record({ who: fc.nat(CONNECTIONS - 1), amount: fc.integer({ min: -400, max: 400 }) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
      const budget = new Budget(max, CONNECTIONS);
      const shares = Array.from({ length: CONNECTIONS }, () => new Share(budget));
      const model = shares.map(() => 0);
      for (const { who, amount } of steps) {
        const wanted = Math.max(0, model[who]! + amount);
        const isTaken = shares[who]!.set(wanted);
        if (wanted <= Math.max(budget.reserve, model[who]!)) expect(isTaken).toBe(true);
        if (isTaken) model[who] = wanted;
        expect(shares.map(({ held }) => held)).toEqual(model);
        expect(model.reduce((sum, held) => sum + held, 0)).toBeLessThanOrEqual(max);
      }
      for (const share of shares) share.close();
      // All of it has been returned: the shared part, and one reserve.
      expect(new Share(budget).set(max - budget.reserve * (CONNECTIONS - 1))).toBe(true);
    }),
  );
});

it('the share of a connection that has ended holds nothing', () => {
  const budget = new Budget(100, 1);
  const share = new Share(budget);
  expect(share.add(60)).toBe(true);
  share.close();
  share.remove(60);
  expect(share.add(1)).toBe(false);
  expect([share.held, budget.isTight]).toEqual([0, false]);
});
