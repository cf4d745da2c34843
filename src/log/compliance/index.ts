/**
 * The entry point `movelet/log`: what every commit log must do, as a test suite for implementers of a log.
 *
 * All it needs from a test runner is a function that takes a name and an asynchronous function:
 *
 * ```ts
 * import { test } from 'node:test';
 * import { logCompliance } from 'movelet/log';
 * logCompliance({ test, create: async () => { const name = await emptyLog(); return () => openMyLog(name); } });
 * ```
 * @module
 */

import { A_FUNCTION, assertFunction, assertOptions, wholeNumber } from '../../base/argument.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import type { EngineError } from '../../base/error.ts';
import { type Case, type CaseContext, expectError, RandomRows, registerCases } from '../../store/compliance/case.ts';
import { type CommitLog, emptyLogHead, type LogHead } from '../commit-log.ts';
import { expectHead, expectRecords, headOf, recordsFrom, sampleRecord, sampleRecords } from './case.ts';

/** What one writer appends, and what readers find. */
const appending: readonly Case<CommitLog>[] = [
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
    name: 'long records are read back whole',
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
    name: 'a reader that waits for changes is woken, and stops on abort',
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
    name: 'rejects every call after close, and closes twice',
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

/** Number of writers in the race, and of records each has to append. */
const WRITERS = 3;
const RECORDS_EACH = 6;

/** Writers that supersede each other. */
const takingOver: readonly Case<CommitLog>[] = [
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
    name: 'a superseded writer appends nothing more, and can still read',
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
  { name: 'each acknowledged record of racing writers is in the log once', run: race },
];

/** Appends until RECORDS_EACH records are acknowledged, taking over whenever it is fenced. */
async function contend(log: CommitLog, name: string, random: RandomRows): Promise<Uint8Array[]> {
  const acknowledged: Uint8Array[] = [];
  let head: LogHead | undefined;
  for (let attempt = 0; acknowledged.length < RECORDS_EACH; attempt++) {
    head ??= await log.takeOver();
    const records = sampleRecords(head, `${name}-${attempt}`, 1 + random.below(3));
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
    if (random.below(2) === 0) await new Promise(setImmediate);
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

async function race({ open, runs, seed }: CaseContext<CommitLog>): Promise<void> {
  let known = 0;
  for (let run = 0; run < runs; run++) {
    const writers = await Promise.all(Array.from({ length: WRITERS }, open));
    const brought = await Promise.all(
      writers.map((log, index) =>
        contend(log, `run-${run}-writer-${index}`, new RandomRows(seed + run * WRITERS + index)),
      ),
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

/** Number of appends to the pruned log, and of records in each. */
const APPENDS = 6;
const RECORDS_IN_EACH = 2;

/** A log whose beginning was pruned. */
const pruning: readonly Case<CommitLog>[] = [
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
    const made = sampleRecords(head, `append-${append}`, RECORDS_IN_EACH);
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

/** The test runner, and the log to test. */
export interface LogComplianceOptions {
  /** Registers a test, like `test` of Vitest, Jest and node:test. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes an empty log and returns a function that opens it, once for each process. The suite closes what it opens. */
  readonly create: () => Promise<() => Promise<CommitLog>>;
  /** Random runs of each randomised test. Default: 5. */
  readonly runs?: number | undefined;
  /** Seed of the random runs; a failure names its own. Default: 1. */
  readonly seed?: number | undefined;
}

const OPTIONS = { test: A_FUNCTION, create: A_FUNCTION, runs: wholeNumber(0), seed: wholeNumber(0) };

/** Registers the tests. For a non-compliant log, one of them rejects with an Error that says why. */
export function logCompliance(options: LogComplianceOptions): void {
  assertOptions(options, OPTIONS);
  const { test, create, runs = 5, seed = 1 } = options;
  assertFunction(test, 'test');
  assertFunction(create, 'create');
  registerCases([...appending, ...takingOver, ...pruning], test, create, { runs, seed });
}
