import { describe, expect, it } from 'vitest';
import { NativePrices } from '../../../src/execution/native/module-natives.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { expectRefusal } from '../../refusal.ts';
import { pricesWith } from './native-world.ts';

describe('the prices of natives', () => {
  const prices = new NativePrices(
    new Map([
      ['a.base', 7n],
      ['a.high', 2n ** 32n + 1n],
    ]),
  );

  it('are numbers by name', () => {
    expect(prices.of('a.base')).toBe(7);
    expect(prices.find('a.base')).toBe(7);
    expect(prices.find('a.per_byte')).toBeUndefined();
  });

  it('must be there if all schedules have them, and be exact when multiplied', () => {
    expectRefusal(() => prices.of('a.per_byte'), 'invalid-argument', 'no entry a.per_byte');
    expectRefusal(() => prices.of('a.high'), 'limit-exceeded');
    expectRefusal(() => prices.find('a.high'), 'limit-exceeded');
  });
});

describe('the table of natives', () => {
  it('is made for each schedule, and only for complete ones', () => {
    expect(nativeTable(pricesWith())).toBeDefined();
    const entries = pricesWith({ 'account.create_signer.base': undefined });
    expectRefusal(() => nativeTable(entries), 'invalid-argument', 'no entry account.create_signer.base');
    const high = pricesWith({ 'rs256.verify.base': 2n ** 32n + 1n });
    expectRefusal(() => nativeTable(high), 'limit-exceeded');
  });
});
