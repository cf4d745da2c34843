/**
 * What one writer appends, and what readers find.
 * @module
 */
import type { CommitLog } from '../commit-log.ts';
import { emptyLogHead } from '../log-head.ts';
import { type Case, expectError, expectHead, expectRecords, recordsFrom } from './case.ts';
import { headOf, sampleRecord, sampleRecords } from './sample-record.ts';

export const appending: readonly Case[] = [
  {
    name: 'an empty log has an empty head and no records',
    run: async ({ open }) => {
      const log = await open();
      expectHead(await log.head(), emptyLogHead(), 'the head');
      await expectRecords(log, []);
    },
  },
  {
    name: 'what was appended is read as it was, by others as well, and after the log was opened again',
    run: async ({ open }) => {
      const [writer, reader] = [await open(), await open()];
      const begun = await writer.takeOver();
      expectHead(begun, { ...emptyLogHead(), epoch: 1n }, 'the head of the first epoch');
      const first = sampleRecords(begun, 'first', 3);
      const head = await writer.append(begun, first);
      expectHead(head, headOf(first), 'what the append gives');
      expectHead(await writer.head(), head, "the writer's head");
      expectHead(await reader.head(), head, "another one's head");
      await expectRecords(reader, first);
      const second = sampleRecords(head, 'second', 2);
      await writer.append(head, second);
      await expectRecords(reader, [...first, ...second]);
      await writer.close();
      await expectRecords(await open(), [...first, ...second]);
    },
  },
  {
    name: 'a part of the records is read, from any order on',
    run: async ({ open }) => {
      const log = await open();
      let head = await log.takeOver();
      const records: Uint8Array[] = [];
      for (let group = 0; group < 5; group++) {
        const made = sampleRecords(head, `group-${group}`, group + 1);
        head = await log.append(head, made);
        records.push(...made);
      }
      for (let order = 1; order <= records.length + 1; order++) {
        await expectRecords(log, records.slice(order - 1), BigInt(order));
      }
      const some: bigint[] = [];
      for await (const { order } of log.read(4n, { max: 3 })) some.push(order);
      if (some.join() !== '4,5,6')
        throw new Error(`expected orders 4, 5 and 6 of at most 3 records, got ${some.join()}`);
      const ended = new AbortController();
      ended.abort();
      for await (const { order } of log.read(1n, { signal: ended.signal }))
        throw new Error(`order ${order} after the end`);
    },
  },
  {
    name: 'a log may begin with a chain that is older than itself',
    run: async ({ open }) => {
      const log = await open();
      const { epoch } = await log.takeOver();
      const origin = { epoch, order: 500n, digest: new Uint8Array(32).fill(7), stateRoot: new Uint8Array(32).fill(8) };
      const records = sampleRecords(origin, 'late', 4);
      const head = await log.append(origin, records);
      expectHead(head, headOf(records), 'what the append gives');
      await expectRecords(await open(), records, 501n);
      await expectError(['pruned'], () => recordsFrom(log, 1n), 'reading from before the first record');
    },
  },
  {
    name: 'long records come back whole',
    run: async ({ open }) => {
      const log = await open();
      const begun = await log.takeOver();
      const long = sampleRecord(begun, 'long', 3_000_000);
      const head = await log.append(begun, [long]);
      const short = sampleRecord(head, 'short');
      await log.append(head, [short]);
      await expectRecords(await open(), [long, short]);
    },
  },
  {
    name: 'who waits for changes is woken, and stops when told to',
    run: async ({ open }) => {
      const [writer, reader] = [await open(), await open()];
      const ended = new AbortController();
      const found: bigint[] = [];
      const following = (async () => {
        for await (const _ of reader.changed(ended.signal)) {
          for await (const { order } of reader.read(BigInt(found.length) + 1n)) found.push(order);
          if (found.length >= 3) ended.abort();
        }
      })();
      let head = await writer.takeOver();
      for (const name of ['a', 'b', 'c']) head = await writer.append(head, [sampleRecord(head, name)]);
      await following;
      if (found.join() !== '1,2,3') throw new Error(`expected orders 1, 2 and 3, got ${found.join()}`);
    },
  },
  {
    name: 'refuses records that do not follow the head or each other, and takes none of them',
    run: async ({ open }) => {
      const log = await open();
      const begun = await log.takeOver();
      const records = sampleRecords(begun, 'a', 3);
      const refused = (given: readonly Uint8Array[], what: string): Promise<void> =>
        expectError(['invalid-argument'], () => log.append(begun, given), what);
      await refused([], 'no records');
      await refused(records.slice(1), 'records without the first');
      await refused([records[0]!, records[2]!], 'records with a gap');
      await refused([records[0]!, records[0]!], 'a record twice');
      await refused([sampleRecord({ ...begun, epoch: 9n }, 'b')], 'a record of another epoch');
      await expectRecords(log, []);
      await log.append(begun, records);
      await expectRecords(log, records);
    },
  },
  {
    name: 'is closed, once and for all',
    run: async ({ open }) => {
      const log = await open();
      const head = await log.takeOver();
      const records = sampleRecords(head, 'late', 1);
      await log.close();
      await log.close();
      const calls: readonly [string, (log: CommitLog) => unknown][] = [
        ['takeOver', (closed) => closed.takeOver()],
        ['head', (closed) => closed.head()],
        ['append', (closed) => closed.append(head, records)],
        ['read', (closed) => recordsFrom(closed, 1n)],
        ['prune', (closed) => closed.prune(1n)],
      ];
      for (const [name, call] of calls) await expectError(['closed'], () => call(log), name);
      await expectRecords(await open(), []);
    },
  },
];
