/** The suite for logs finds logs that are wrong. */
import { describe, expect, it } from 'vitest';
import { type CommitLog, logCompliance, openDirectoryLog } from '../../src/log/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();

/** A sound log with another method, and how often it was closed. */
type Flaw = (log: CommitLog, closed: () => number) => Partial<CommitLog>;

const afterTaking = 'of a pruned log everything';
const closed = 'rejects every call after close';

const FLAWS: readonly (readonly [what: string, found: string, flaw: Flaw])[] = [
  [
    'appends after it was closed',
    closed,
    (log, times) => ({
      append: async (after, records) => (times() > 0 ? after : log.append(after, records)),
    }),
  ],
  [
    'is pruned after it was closed',
    closed,
    (log, times) => ({
      prune: async (before) => (times() > 0 ? undefined : log.prune(before)),
    }),
  ],
  [
    'says another epoch than a record has',
    afterTaking,
    (log) => ({
      read: async function* (from, options) {
        for await (const record of log.read(from, options)) yield { ...record, epoch: record.epoch + 1n };
      },
    }),
  ],
];

describe('the suite for logs', () => {
  it.each(FLAWS)('finds one that %s', async (_, found, flaw) => {
    const cases = new Map<string, () => Promise<void>>();
    logCompliance({
      test: (name, run) => cases.set(name, run),
      create: async () => {
        const path = directory();
        return () => flawed(path, flaw);
      },
    });
    const [name] = [...cases.keys()].filter((given) => given.startsWith(found));
    await expect(cases.get(name!)!()).rejects.toThrow(/expected .*, got /);
  });
});

async function flawed(path: string, flaw: Flaw): Promise<CommitLog> {
  const log = await openDirectoryLog(path);
  let times = 0;
  const wrong = flaw(log, () => times);
  return {
    takeOver: () => log.takeOver(),
    head: () => log.head(),
    append: (after, records) => log.append(after, records),
    read: (from, options) => log.read(from, options),
    changed: (signal) => log.changed(signal),
    prune: (before) => log.prune(before),
    close: async () => {
      times++;
      await log.close();
    },
    ...wrong,
  };
}
