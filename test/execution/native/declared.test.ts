import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { NativePrices } from '../../../src/execution/native/module-natives.ts';
import { NATIVE_MODULES, nativeTable } from '../../../src/execution/native/table.ts';
import { formatAddress } from '../../../src/move/address.ts';
import type { NativeFunction } from '../../../src/vm/native.ts';
import { expectRefusal } from '../../refusal.ts';
import { hasReference, referenceNote, releasedPackages, releaseNumbers } from '../../vm/corpus.ts';
import { frameworkNatives, nativesOf, TEST_ONLY_NATIVES } from './declared-natives.ts';
import { pricesWith } from './native-world.ts';

/** A native is given the context, its signature, and the parameters that its Move declaration has. */
const OWN_PARAMETERS = 2;

const prices = new NativePrices(new Map(GENESIS_GAS_ENTRIES));
const implemented = new Map<string, NativeFunction<never>>(
  NATIVE_MODULES.flatMap(({ module, natives }) =>
    Object.entries(natives(prices)).map(([name, native]) => [
      `${formatAddress(module.address).replace(/^0x0*/, '0x')}::${module.name}::${name}`,
      native,
    ]),
  ),
);

describe('natives', () => {
  it('of every module of our framework are implemented, and no others', () => {
    const declared = frameworkNatives();
    expect(declared.size).toBeGreaterThan(100);
    const missing = [...declared.keys()].filter((name) => !implemented.has(name));
    const undeclared = [...implemented.keys()].filter((name) => !declared.has(name));
    expect({ missing, undeclared }).toEqual({ missing: [], undeclared: TEST_ONLY_NATIVES });
  });

  it('take the parameters that are declared', () => {
    const wrong = [...frameworkNatives()]
      .map(([name, { parameterCount }]) => {
        const taken = implemented.get(name)!.length - OWN_PARAMETERS;
        return taken === parameterCount ? '' : `${name} takes ${taken} of ${parameterCount}`;
      })
      .filter((text) => text !== '');
    expect(wrong).toEqual([]);
  });

  // What they do with type arguments and how many values they return shows when Move code calls them. `NativeWorld`
  // sees to it that tests declare natives as the framework does.
  it('are named in tests of their modules', () => {
    const folder = new URL('./', import.meta.url);
    const texts = readdirSync(folder)
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const untested = [...frameworkNatives().keys()].filter((native) => {
      const [, module, name] = /^(.*)::(\w+)$/.exec(native)!;
      return !texts.some((text) => text.includes(`'${module}'`) && new RegExp(`\\b${name}\\b`).test(text));
    });
    expect(untested).toEqual([]);
  });

  it.skipIf(!hasReference)(`are those of the newest released framework${referenceNote}`, () => {
    const released = releasedPackages(releaseNumbers().at(-1)!);
    expect(released.length).toBeGreaterThanOrEqual(4);
    const theirs = nativesOf(released.flatMap(({ modules }) => modules));
    const text = ([name, { text }]: readonly [string, { readonly text: string }]) => `${name}: ${text}`;
    expect([...frameworkNatives()].map(text).sort()).toEqual([...theirs].map(text).sort());
  });
});

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

  it('must exist if all schedules have them, and be exact when multiplied', () => {
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
