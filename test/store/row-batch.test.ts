/** Rows in one buffer: what a batch holds is what was written, in either form and in every store that takes it. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { columnKey } from '../../src/store/column.ts';
import { MemoryStore, OverlayStore } from '../../src/store/memory.ts';
import { operationsOf, RowBatch } from '../../src/store/row-batch.ts';
import type { Operation, RevertibleStore } from '../../src/store/store.ts';
import { runs } from '../effort.ts';
import { batchArbitrary } from './batch-arbitrary.ts';

vi.mock('../../src/store/limits.ts', async (original) => ({
  ...(await original<typeof import('../../src/store/limits.ts')>()),
  COMMIT_PIECE_OPERATIONS: 10,
  STORE_KEY_BYTES_MAX: 400,
  STORE_VALUE_BYTES_MAX: 20_000,
}));

/** Lengths around those at which a value's length takes one more byte, in a row. */
const lengths = fc.oneof(fc.nat(200), fc.integer({ min: 16_370, max: 16_400 }), fc.nat(20_000));
const values = lengths.map((length) => Uint8Array.from({ length }, (_, index) => index * length));
const keys = fc.uint8Array({ minLength: 1, maxLength: 300 }).filter(([first]) => first !== 0);

const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('put' as const), key: keys, value: values }),
    fc.record({ type: fc.constant('put' as const), key: keys, value: values, isNew: fc.constant(true) }),
    fc.record({ type: fc.constant('put' as const), key: keys, value: values, replaced: values }),
    fc.record({ type: fc.constant('delete' as const), key: keys }),
    fc.record({ type: fc.constant('delete' as const), key: keys, replaced: values }),
  ),
  { maxLength: 30 },
);

const contentOf = (store: RevertibleStore) => store.range({ limit: 10_000 });

describe('a batch of rows', () => {
  it('gives back the operations that were added, in memory of their own, and is empty once cleared', () => {
    const batch = new RowBatch();
    fc.assert(
      fc.property(operations, operations, (first, second) => {
        batch.clear();
        for (const operation of first) batch.add(operation);
        expect(batch.length).toBe(first.length);
        const given = batch.operations();
        batch.clear();
        expect(batch.operations()).toEqual([]);
        for (const operation of second) batch.add(operation);
        expect(operationsOf(batch)).toEqual(second);
        expect(given).toEqual(first);
        expect(operationsOf(first)).toBe(first);
      }),
      { numRuns: runs(60, 1000) },
    );
  });

  it('holds what an encoder writes, whatever length it expects', () => {
    fc.assert(
      fc.property(keys, keys, values, fc.boolean(), (key, more, value, isLong) => {
        const batch = new RowBatch();
        batch.put('event', true);
        batch.writer.bytes(key);
        batch.writer.bytes(more.subarray(0, 50));
        batch.value(isLong);
        batch.writer.bytes(value);
        batch.end();
        batch.delete('object', value);
        batch.writer.bytes(key);
        batch.endDeletion();
        batch.put('head', value);
        batch.value(isLong);
        batch.end();
        expect(batch.operations()).toEqual([
          { type: 'put', key: columnKey('event', key, more.subarray(0, 50)), value, isNew: true },
          { type: 'delete', key: columnKey('object', key), replaced: value },
          { type: 'put', key: columnKey('head'), value: new Uint8Array(0), replaced: value },
        ]);
      }),
      { numRuns: runs(100, 2000) },
    );
  });

  it('takes back a row that was begun, and gives its value', () => {
    const batch = new RowBatch();
    batch.add({ type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(2) });
    batch.put('event', true);
    batch.writer.bytes(Uint8Array.of(3));
    batch.value(true);
    batch.writer.bytes(Uint8Array.of(4, 5));
    expect(batch.takeBack()).toEqual(Uint8Array.of(4, 5));
    batch.add({ type: 'delete', key: Uint8Array.of(6) });
    expect(batch.operations()).toEqual([
      { type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(2) },
      { type: 'delete', key: Uint8Array.of(6) },
    ]);
  });

  it('does in memory and in a fork what its operations do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(batchArbitrary, fc.boolean()), { maxLength: 8 }), async (batches) => {
        const base = new MemoryStore();
        base.apply(batches.flatMap(([some]) => some.slice(0, 2)));
        for (const open of [() => base.fork(), () => OverlayStore.over(base.view())]) {
          const [packed, plain] = [open(), open()];
          const batch = new RowBatch();
          for (const [some, isSeen] of batches) {
            const before = await contentOf(packed);
            const view = isSeen ? packed.view() : undefined;
            batch.clear();
            for (const operation of some) batch.add(operation);
            packed.applyRows(batch);
            plain.apply(some);
            expect(await contentOf(packed)).toEqual(await contentOf(plain));
            if (view === undefined) continue;
            expect(await view.range({ limit: 10_000 })).toEqual(before);
            view.release();
          }
        }
      }),
      { numRuns: runs(60, 1000) },
    );
  });

  it('is not taken by a store that is closed or has a large batch', async () => {
    for (const store of [new MemoryStore(), OverlayStore.over(new MemoryStore().view())]) {
      const batch = store.begin();
      expect(() => store.applyRows(new RowBatch())).toThrow(expect.objectContaining({ code: 'batch-open' }));
      await batch.abandon();
      store.applyRows(new RowBatch());
      await store.close();
      expect(() => store.applyRows(new RowBatch())).toThrow(expect.objectContaining({ code: 'closed' }));
    }
  });

  it('refuses what no store takes', () => {
    const tooLong = expect.objectContaining({ code: 'limit-exceeded' });
    const batch = new RowBatch();
    batch.put('event');
    batch.writer.bytes(new Uint8Array(399));
    batch.value();
    batch.end();
    batch.put('event');
    batch.writer.bytes(new Uint8Array(400));
    expect(() => batch.value()).toThrow(tooLong);
    batch.put('event');
    batch.value(true);
    batch.writer.bytes(new Uint8Array(20_001));
    expect(() => batch.end()).toThrow(tooLong);
    expect(() => batch.add({ type: 'put', key: new Uint8Array(401).fill(1), value: new Uint8Array(0) })).toThrow(
      tooLong,
    );
    expect(() => batch.add({ type: 'delete', key: new Uint8Array(0) })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });

  it('is full after a number of rows, and writing goes on once it is emptied', () => {
    const batch = new RowBatch();
    const counts: number[] = [];
    for (const _ of numbers(batch, 25)) {
      counts.push(batch.length);
      batch.clear();
    }
    expect([...counts, batch.length]).toEqual([10, 10, 5]);
    expect(RowBatch.operationsOf((all) => numbers(all, 25)).map(({ key }) => key[1])).toEqual(
      Array.from({ length: 25 }, (_, number) => number),
    );
  });
});

function* numbers(batch: RowBatch, count: number): Generator<void> {
  for (let number = 0; number < count; number++) {
    batch.put('event');
    batch.writer.u8(number);
    batch.value();
    batch.end();
    if (batch.isFull) yield;
  }
}
