import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes/hex.ts';
import { addressOf } from '../../src/move/address.ts';
import { LATE_NATIVES } from '../../src/native/late-natives.ts';
import { NativePrices } from '../../src/native/prices.ts';
import { nativeTable } from '../../src/native/table.ts';
import { NativeTable } from '../../src/vm/native-table.ts';
import { expectRefusal } from '../refusal.ts';
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

  it('must be there where all schedules have them, and be exact when multiplied', () => {
    expectRefusal(() => prices.of('a.per_byte'), 'invalid-argument', 'no entry a.per_byte');
    expectRefusal(() => prices.of('a.high'), 'limit-exceeded');
    expectRefusal(() => prices.find('a.high'), 'limit-exceeded');
  });
});

describe('the table of natives', () => {
  it('is made for each schedule, and only for whole ones', () => {
    expect(nativeTable(pricesWith())).toBeDefined();
    const entries = pricesWith({ 'account.create_signer.base': undefined });
    expectRefusal(() => nativeTable(entries), 'invalid-argument', 'no entry account.create_signer.base');
    const high = pricesWith({ 'rs256.verify.base': 2n ** 32n + 1n });
    expectRefusal(() => nativeTable(high), 'limit-exceeded');
  });

  it.each(
    LATE_NATIVES.map((late) => [`0x${toHex(late.module.address).slice(-1)}::${late.module.name}`, late] as const),
  )('knows the prices of %s before its code is loaded', (_, late) => {
    const needed = [...pricesWith().keys()].filter((key) => {
      const prices = new NativePrices(pricesWith({ [key]: undefined }));
      return key.startsWith(`${late.module.name}.`) && throws(() => late.natives(prices));
    });
    expect([...late.prices].sort()).toEqual(needed.sort());
    for (const key of needed) {
      expectRefusal(() => nativeTable(pricesWith({ [key]: undefined })), 'invalid-argument', `no entry ${key}`);
    }
    expect(late.natives(new NativePrices(pricesWith()))).not.toEqual({});
  });

  it('makes the natives of a module when one is asked for, once', () => {
    const made: string[] = [];
    const module = { address: addressOf(2), name: 'm' };
    const native = (): boolean => true;
    const table = new NativeTable().addLate(module, () => {
      made.push('m');
      return { f: native };
    });
    expect(made).toEqual([]);
    expect(table.get({ ...module, name: 'n' }, 'f')).toBeUndefined();
    expect(made).toEqual([]);
    expect(table.get(module, 'g')).toBeUndefined();
    expect(table.get(module, 'f')).toBe(native);
    expect(made).toEqual(['m']);
  });

  it('asks again for natives that could not be made', () => {
    const module = { address: addressOf(2), name: 'm' };
    let fails = true;
    const table = new NativeTable().addLate(module, () => {
      if (fails) throw new RangeError('Maximum call stack size exceeded');
      return { f: () => true };
    });
    expect(() => table.get(module, 'f')).toThrow(RangeError);
    fails = false;
    expect(table.get(module, 'f')).toBeDefined();
  });
});

function throws(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch {
    return true;
  }
}
