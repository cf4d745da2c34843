/** Where the chain of a store stands in a log that holds all of it, a part, or another chain. */
import { expect, it } from 'vitest';
import { type Head, storedHead } from '../../src/chain/ledger/head.ts';
import { type CommitLog, type LogHead, type LogRecord, missingRecord, prunedRecord } from '../../src/log/commit-log.ts';
import { placeInLog } from '../../src/log/log-place.ts';
import { headAfter, originDigest, summaryOf } from '../../src/log/record.ts';
import { decodedRecord } from '../../src/log/replica.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { collected } from '../collected.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ArchivedChain, transfer } from './archive/archived-chain.ts';

const directory = temporaryDirectories();

interface Chain {
  readonly heads: readonly Head[];
  readonly records: readonly LogRecord[];
}

/** A chain of three transfers of these amounts: its head after each of them, and its records. */
async function chainOf(amounts: readonly bigint[]): Promise<Chain> {
  const store = new MemoryStore();
  await using chain = await ArchivedChain.open(directory(), 1, { store });
  const heads = [storedHead(store)];
  for (const amount of amounts) {
    await transfer(chain.engine, amount);
    heads.push(storedHead(store));
  }
  return { heads, records: await collected(chain.log.read(1n)) };
}

/** A log that holds the records from order `first` on; `gap`: what it says of earlier ones, if not that it pruned them. */
function logOf(records: readonly LogRecord[], first: bigint, gap?: 'missing' | 'broken' | 'silent'): CommitLog {
  async function* read(from: bigint): AsyncGenerator<LogRecord> {
    if (from >= first) yield* records.filter(({ order }) => order >= from);
    else if (gap === undefined) throw prunedRecord(from, first);
    else if (gap === 'missing') throw missingRecord(from);
    else if (gap === 'broken') throw new TypeError('no log');
  }
  return { read } as unknown as CommitLog;
}

it('is that of its head, or before the first record if that continues it', async () => {
  const [own, other] = [await chainOf([1n, 2n, 3n]), await chainOf([4n, 5n, 6n])];
  const summaries = own.records.map(({ bytes }) => summaryOf(bytes));
  const end = (order: number): LogHead => headAfter(summaries[order - 1]!);
  const place = (log: CommitLog, logEnd: LogHead, head: Head): Promise<unknown> => placeInLog(log, logEnd, head);
  const nothing: LogHead = { ...end(1), order: 0n };
  const origin = (head: Head): object => ({ order: head.order, epoch: 0n, digest: originDigest(head) });
  const [genesis, first, second, third] = own.heads as [Head, Head, Head, Head];
  const whole = logOf(own.records, 1n);
  expect(await place(whole, nothing, third)).toEqual(origin(third));
  expect(await place(whole, end(3), genesis)).toEqual(origin(genesis));
  for (const [index, head] of [first, second, third].entries()) {
    expect(await place(whole, end(3), head)).toMatchObject({ order: head.order, digest: summaries[index]!.digest });
  }
  const refused = async (log: CommitLog, logEnd: LogHead, head: Head, code: string, words: string): Promise<void> =>
    expect(place(log, logEnd, head)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
      details: { order: String(head.order) },
    });
  await refused(whole, end(2), third, 'log-mismatch', 'ends at order 2');
  await refused(whole, end(3), other.heads[2]!, 'log-mismatch', 'order 2 leads to the state root');
  for (const gap of ['missing', 'silent'] as const) {
    const later = logOf(own.records, 3n, gap);
    await refused(later, end(3), second, 'log-mismatch', 'it continues another chain than the store holds');
    await refused(later, end(3), first, 'log-mismatch', 'does not hold what comes next');
    await refused(logOf([], 4n, gap), end(3), third, 'log-mismatch', 'does not hold what comes next');
  }
  await refused(logOf([], 4n), end(3), third, 'log-mismatch', 'does not hold what comes next');
  await refused(logOf(own.records, 3n), end(3), second, 'pruned', 'begins at order 3');
  await expect(place(logOf(own.records, 3n), end(3), first)).rejects.toMatchObject({ code: 'pruned' });
  await expect(place(logOf(own.records, 3n, 'broken'), end(3), first)).rejects.toThrow('no log');
});

it('a record says the order and the epoch at which it stands', async () => {
  const [record] = (await chainOf([1n])).records as [LogRecord];
  expect(decodedRecord(record).order).toBe(1n);
  for (const [place, what] of [
    [{ order: 2n }, 'order: expected 2, got 1'],
    [{ epoch: record.epoch + 1n }, `epoch: expected ${record.epoch + 1n}, got ${record.epoch}`],
  ] as const) {
    expect(() => decodedRecord({ ...record, ...place })).toThrow(
      expect.objectContaining({ code: 'corrupt', message: what }),
    );
  }
});
