import { describe, expect, it } from 'vitest';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { NativePrices } from '../../../src/execution/native/module-natives.ts';
import { NATIVE_MODULES, nativeTable } from '../../../src/execution/native/table.ts';
import { readGasSchedule } from '../../../src/vm/gas/schedule.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';
import { referenceGasEntries } from './reference-gas.ts';

const ours = new Map(GENESIS_GAS_ENTRIES);

/** A schedule that records the names it is asked for. */
class WatchedEntries extends Map<string, bigint> {
  readonly asked = new Set<string>();

  override get(name: string): bigint | undefined {
    this.asked.add(name);
    return super.get(name);
  }
}

/** Names that natives ask for, whether `entries` has them or not. */
function askedBy(entries: ReadonlyMap<string, bigint>): Set<string> {
  const watched = new WatchedEntries(entries);
  const prices = new NativePrices(watched);
  for (const { natives } of NATIVE_MODULES) natives(prices);
  return watched.asked;
}

describe('the gas schedule of new chains', () => {
  it('names everything once', () => {
    expect(ours.size).toBe(GENESIS_GAS_ENTRIES.length);
  });

  it('is whole: whatever has a price of its own finds it', () => {
    expect(() => readGasSchedule(ours)).not.toThrow();
    const asked = askedBy(ours);
    const free = [...asked].filter((name) => !ours.has(name));
    // The reference leaves out what costs nothing.
    expect(free).toEqual(['object.native_clear_fields.base']);
  });
});

describe.skipIf(!hasReference)(`against the gas tables of the reference${referenceNote}`, () => {
  const theirs = hasReference ? referenceGasEntries(process.env['MOVELET_REFERENCE']!) : new Map();

  it('every entry exists there, and costs the same', () => {
    const written = [...theirs.values()].filter(({ amount, isNative }) => amount > 0n || !isNative);
    expect(written.length).toBeGreaterThan(250);
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(written.map(({ name, amount }) => [name, amount])));
  });

  it('natives ask for no entry that the reference lacks', () => {
    expect([...askedBy(ours)].filter((name) => !theirs.has(name))).toEqual([]);
  });

  it('natives ask for every entry, except those that the reference does not read either', () => {
    const asked = askedBy(ours);
    const unused = [...theirs.values()].filter(({ name, isNative }) => isNative && !asked.has(name));
    expect(unused.map(({ name }) => name).sort()).toEqual([
      'groth16.prepare_verifying_key_internal.per_byte',
      // Read, but not where the native looks for them.
      'native_list_field_keys.list_field_keys.base',
      'native_list_field_keys.list_field_keys.per_byte',
      // A native that no framework declares.
      'nursery.event.write_to_event_store.unit_cost',
    ]);
  });

  it('a schedule may lack what the reference allows it to lack, and nothing else', () => {
    const asked = askedBy(ours);
    for (const { name, isNative, isOptional } of theirs.values()) {
      if (!isNative || !asked.has(name)) continue;
      const entries = new Map(ours);
      entries.delete(name);
      if (isOptional) expect(() => nativeTable(entries), name).not.toThrow();
      else expect(() => nativeTable(entries), name).toThrow(name);
    }
  });
});
