/**
 * Writers that supersede each other.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import type { CommitLog } from '../commit-log.ts';
import type { LogHead } from '../log-head.ts';
import { type Case, type CaseContext, expectError, expectHead, expectRecords, recordsFrom } from './case.ts';
import { headOf, sampleRecord, sampleRecords } from './sample-record.ts';

/** Number of writers in the race, and of records each has to append. */
const WRITERS = 3;
const RECORDS_EACH = 6;

export const takingOver: readonly Case[] = [
  {
    name: 'an append before taking over is refused',
    run: async ({ open }) => {
      const log = await open();
      const head = await log.head();
      await expectError(['invalid-argument', 'fenced'], () => log.append(head, [sampleRecord(head, 'a')]), 'append');
      await expectRecords(log, []);
    },
  },
  {
    name: 'a writer that was superseded appends nothing more, and reads on',
    run: async ({ open }) => {
      const [first, second] = [await open(), await open()];
      const begun = await first.takeOver();
      const records = sampleRecords(begun, 'first', 2);
      const head = await first.append(begun, records);
      const taken = await second.takeOver();
      expectHead(taken, { ...head, epoch: head.epoch + 1n }, 'the head that is taken over');
      await expectError(['fenced'], () => first.append(head, sampleRecords(head, 'late', 2)), 'the first writer');
      const more = sampleRecords(taken, 'second', 2);
      await second.append(taken, more);
      await expectError(['fenced'], () => first.append(head, sampleRecords(head, 'later', 1)), 'the first writer');
      await expectRecords(first, [...records, ...more]);
      const back = await first.takeOver();
      expectHead(back, { ...headOf(more), epoch: 3n }, 'the head that is taken back');
      await expectError(
        ['fenced'],
        () => second.append(headOf(more), sampleRecords(headOf(more), 'x', 1)),
        'the second',
      );
    },
  },
  {
    name: 'an append on a head that is not the newest is refused',
    run: async ({ open }) => {
      const log = await open();
      const begun = await log.takeOver();
      const head = await log.append(begun, sampleRecords(begun, 'a', 2));
      await expectError(['fenced'], () => log.append(begun, sampleRecords(begun, 'b', 1)), 'an old head');
      const other = { ...head, digest: new Uint8Array(32).fill(1) };
      await expectError(['fenced'], () => log.append(other, sampleRecords(other, 'c', 1)), 'the head of another log');
      await log.append(head, sampleRecords(head, 'd', 1));
    },
  },
  { name: 'of writers that race, each record that was acknowledged is in the log once', run: race },
];

/** Appends until RECORDS_EACH records are acknowledged, taking over whenever it is fenced. */
async function contend(log: CommitLog, name: string, random: () => number): Promise<Uint8Array[]> {
  const acknowledged: Uint8Array[] = [];
  let head: LogHead | undefined;
  for (let attempt = 0; acknowledged.length < RECORDS_EACH; attempt++) {
    head ??= await log.takeOver();
    const records = sampleRecords(head, `${name}-${attempt}`, 1 + Math.floor(random() * 3));
    try {
      head = await log.append(head, records);
      acknowledged.push(...records);
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code !== 'fenced' && code !== 'log-unknown') throw error;
      if (code === 'log-unknown' && (await isIn(log, records))) acknowledged.push(...records);
      head = undefined;
    }
    // Lets others in between.
    if (random() < 0.5) await new Promise(setImmediate);
  }
  return acknowledged;
}

/** Whether an append with an unknown outcome succeeded: once the head has been read, the answer does not change. */
async function isIn(log: CommitLog, records: readonly Uint8Array[]): Promise<boolean> {
  const { order } = await log.head();
  const last = headOf(records);
  if (order < last.order) return false;
  const [record] = await recordsFrom(log, last.order);
  return record !== undefined && equalBytes(record.bytes, records.at(-1)!);
}

async function race({ open, runs, seed }: CaseContext): Promise<void> {
  let known = 0;
  for (let run = 0; run < runs; run++) {
    const writers = await Promise.all(Array.from({ length: WRITERS }, open));
    const brought = await Promise.all(
      writers.map((log, index) => contend(log, `run-${run}-writer-${index}`, randomFrom(seed + run * WRITERS + index))),
    );
    const wanted = brought.flat();
    const found = await recordsFrom(await open(), 1n);
    for (const [index, { order }] of found.entries()) {
      if (order !== BigInt(index + 1)) throw new Error(`with seed ${seed + run}: order ${order} at place ${index + 1}`);
    }
    const held = found.slice(known).map(({ bytes }) => bytes);
    for (const record of wanted) {
      const times = held.filter((bytes) => equalBytes(bytes, record)).length;
      if (times !== 1) throw new Error(`with seed ${seed + run}: an acknowledged record is in the log ${times} times`);
    }
    if (held.length !== wanted.length) {
      throw new Error(`with seed ${seed + run}: ${held.length - wanted.length} records that no append acknowledged`);
    }
    known = found.length;
  }
}

/** Numbers from 0 up to 1 that are the same for the same seed (a linear congruential generator). */
function randomFrom(seed: number): () => number {
  let state = BigInt(seed) * 2n + 1n;
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 33n) / 2 ** 31;
  };
}
