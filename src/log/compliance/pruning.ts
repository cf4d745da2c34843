/**
 * A log whose beginning was pruned.
 * @module
 */
import type { EngineError } from '../../base/error.ts';
import type { CommitLog } from '../commit-log.ts';
import type { LogHead } from '../log-head.ts';
import { type Case, expectError, expectHead, expectRecords, recordsFrom } from './case.ts';
import { headOf, sampleRecords } from './sample-record.ts';

/** Number of appends to the pruned log, and of records in each. */
const APPENDS = 6;
const RECORDS_EACH = 2;

export const pruning: readonly Case[] = [
  {
    name: 'of a pruned log everything from the given order on is left, and perhaps more',
    run: async ({ open }) => {
      const log = await open();
      const { records, head } = await filled(log);
      await log.prune(8n);
      for (const opened of [log, await open()]) {
        expectHead(await opened.head(), head, 'the head');
        await expectRecords(opened, records.slice(7), 8n);
        const oldest = await oldestLeft(opened);
        if (oldest > 8n) throw new Error(`expected order 8 or an earlier one to be left, got ${oldest}`);
        await expectRecords(opened, records.slice(Number(oldest) - 1), oldest);
      }
      await log.prune(8n);
      await log.prune(1n);
      await expectRecords(log, records.slice(7), 8n);
    },
  },
  {
    name: 'a pruned log is appended to and taken over as any other, even if only the newest record was to be left',
    run: async ({ open }) => {
      const log = await open();
      const { records, head } = await filled(log);
      await log.prune(2n ** 64n - 1n);
      await expectRecords(log, records.slice(-1), head.order);
      const more = sampleRecords(head, 'more', 3);
      expectHead(await log.append(head, more), headOf(more), 'the head after an append');
      const other = await open();
      const taken = await other.takeOver();
      expectHead(taken, { ...headOf(more), epoch: head.epoch + 1n }, 'the head that is taken over');
      const last = sampleRecords(taken, 'last', 2);
      await other.append(taken, last);
      await other.prune(taken.order);
      await expectError(['fenced'], () => log.append(headOf(more), sampleRecords(headOf(more), 'x', 1)), 'the first');
      await expectRecords(await open(), [...more.slice(-1), ...last], taken.order);
      const end = await other.append(headOf(last), sampleRecords(headOf(last), 'end', 1));
      await other.prune(end.order);
      const third = await (await open()).takeOver();
      expectHead(third, { ...end, epoch: end.epoch + 1n }, 'the head after the epoch lost its beginning');
    },
  },
  {
    name: 'an empty log is pruned without effect',
    run: async ({ open }) => {
      const log = await open();
      await log.prune(5n);
      const head = await log.takeOver();
      const records = sampleRecords(head, 'a', 2);
      await log.append(head, records);
      await log.prune(0n);
      await expectRecords(log, records);
    },
  },
];

async function filled(log: CommitLog): Promise<{ readonly records: readonly Uint8Array[]; readonly head: LogHead }> {
  let head = await log.takeOver();
  const records: Uint8Array[] = [];
  for (let append = 0; append < APPENDS; append++) {
    const made = sampleRecords(head, `append-${append}`, RECORDS_EACH);
    head = await log.append(head, made);
    records.push(...made);
  }
  return { records, head };
}

/** The first order a log has, which it names when asked for a pruned one. */
async function oldestLeft(log: CommitLog): Promise<bigint> {
  try {
    await recordsFrom(log, 1n);
    return 1n;
  } catch (error) {
    const { code, details } = error as EngineError;
    if (code !== 'pruned') throw error;
    return BigInt(String(details['oldest']));
  }
}
