/** Counts of events, kept from batch to batch, against numbers in a map. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countEventsBefore,
  EventCounts,
  eventRecords,
  readEventCount,
  readEvents,
  writeEvent,
} from '../../../src/chain/ledger/events.ts';
import { type ObjectId, parseStructTag } from '../../../src/query/transaction-builder.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { runs } from '../../effort.ts';

const TYPE = parseStructTag('0x3::coin_store::DepositEvent');
const HANDLES: readonly ObjectId[] = [0, 1, 2].map((number) => [new Uint8Array(32).fill(number)]);

/** A handle as an array of its own, or as one that many share. */
const handleOf = (number: number, isShared: boolean): ObjectId =>
  isShared ? HANDLES[number]! : HANDLES[number]!.map((part) => part.slice());

const emitted = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.boolean()), { maxLength: 5 });
/** Whether a commit is written, or refused after its events were counted; what becomes of the batch. */
const commits = fc.array(fc.record({ emitted, isTaken: fc.boolean() }), { maxLength: 3 });
const batches = fc.array(fc.record({ commits, isTaken: fc.boolean() }));

describe('counts of events', () => {
  it('go on from batch to batch, and from the store again once somebody else has written to it', () => {
    fc.assert(
      fc.property(batches, (all) => {
        const store = new MemoryStore();
        const counts = new EventCounts(store);
        let expected = [0n, 0n, 0n];
        for (const batch of all) {
          const [kept, before] = [store.checkpoint(), [...expected]];
          for (const commit of batch.commits) {
            const next = [...expected];
            const events = commit.emitted.map(([number, isShared], index) => ({
              handle: handleOf(number, isShared),
              eventType: TYPE,
              eventData: new Uint8Array(0),
              eventIndex: BigInt(index),
            }));
            const { records, counted } = eventRecords(counts, 1n, events);
            expect(records.map(({ event }) => event.eventSeq)).toEqual(
              commit.emitted.map(([number]) => next[number]!++),
            );
            if (!commit.isTaken) continue;
            counts.take(counted);
            expected = next;
          }
          store.apply(RowBatch.operationsOf((rows) => counts.write(rows)));
          expect(HANDLES.map((handle) => readEventCount(store, handle))).toEqual(expected);
          if (batch.isTaken) continue;
          store.restore(kept);
          counts.forget();
          expected = before;
        }
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it('are written only if they are new, and once for all transactions of a batch', () => {
    const counts = new EventCounts(new MemoryStore());
    const event = { handle: HANDLES[0]!, eventType: TYPE, eventData: new Uint8Array(0), eventIndex: 0n };
    counts.take(eventRecords(counts, 1n, [event]).counted);
    counts.take(eventRecords(counts, 2n, [event]).counted);
    expect(RowBatch.operationsOf((rows) => counts.write(rows))).toHaveLength(1);
    expect(RowBatch.operationsOf((rows) => counts.write(rows))).toHaveLength(0);
  });
});

it('the events of a handle before a position are those of earlier orders, and of its order with a lower index', () => {
  const [handle] = HANDLES as [ObjectId];
  const positions = [
    { order: 3n, index: 1 },
    { order: 3n, index: 4 },
    { order: 8n, index: 0 },
  ];
  const store = new MemoryStore();
  const counts = new EventCounts(store);
  counts.take(
    eventRecords(
      counts,
      3n,
      positions.map(() => ({ handle, eventType: TYPE, eventData: new Uint8Array(0), eventIndex: 0n })),
    ).counted,
  );
  const rows = RowBatch.operationsOf(function* (batch) {
    const several = [0, 1, 2].map((index) => ({ order: 4n, index }));
    for (const [seq, position] of [...positions, ...several].entries()) {
      const event = { handle, eventSeq: BigInt(seq), eventType: TYPE, eventData: new Uint8Array(0), eventIndex: 0n };
      writeEvent(batch, { position, event });
    }
    yield* counts.write(batch);
  });
  store.apply(rows);
  const indexes = (from: number, limit?: number): number[] =>
    readEvents(store, 4n, from, limit).map(({ position }) => position.index);
  expect([indexes(0), indexes(0, 2), indexes(1, 2), indexes(3, 2), indexes(0, 0)]).toEqual([
    [0, 1, 2],
    [0, 1],
    [1, 2],
    [],
    [],
  ]);
  const before = (order: bigint, index: number): bigint => countEventsBefore(store, handle, { order, index });
  expect([before(3n, 1), before(3n, 2), before(3n, 4), before(3n, 5)]).toEqual([0n, 1n, 1n, 2n]);
  expect([before(2n, 9), before(4n, 0), before(8n, 0), before(8n, 1)]).toEqual([0n, 2n, 2n, 3n]);
});
