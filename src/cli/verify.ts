/**
 * movelet verify: checks a directory from the first row to the last. The archive code is loaded on demand.
 * @module
 */

import { type VerifyReport, verifyStore } from '../query/verify/verify.ts';
import { openDirectory, openForReading } from '../store/directory.ts';
import { beginBatch } from '../store/gathered-batch.ts';
import type { ReadableStore, Store } from '../store/store.ts';
import { type Arguments, assertChainDirectory, type Command, command, UsageError } from './arguments.ts';
import { longWork } from './progress.ts';

async function run(args: Arguments): Promise<number> {
  const directory = directoryOf(args);
  const { isArchive } = await import('../log/archive/archive-files.ts');
  if (isArchive(directory)) {
    if (args.flag('repair')) throw new UsageError('--repair: an archive is not repaired; archive the chain anew');
    return runArchive(directory);
  }
  assertChainDirectory(directory);
  const open = args.flag('repair') ? openDirectory : openForReading;
  const store = await open(directory, { checkTables: true });
  try {
    const report = await verifyTelling(store);
    if (report.problems.length === 0) return 0;
    return args.flag('repair') ? await repair(store, report) : 1;
  } finally {
    await store.close();
  }
}

/** @throws {UsageError} unless exactly one is given */
function directoryOf({ positionals, string }: Arguments): string {
  const given = [...positionals, string('data')].filter((each) => each !== undefined);
  const [directory] = given;
  if (directory !== undefined && given.length === 1) return directory;
  const got = directory === undefined ? 'none' : 'both';
  throw new UsageError(`expected DIR or --data DIR, got ${got}; usage: movelet verify DIR [--repair]`);
}

async function verifyTelling(store: ReadableStore): Promise<VerifyReport> {
  const report = await verifyShowing(store, 'nothing was changed; the next movelet verify starts over');
  const { transactions, nodes, objects, derivedRows, problems } = report;
  tell(
    `${transactions} transactions, ${nodes} tree nodes, ${objects} objects and fields, ${derivedRows} index rows`,
    problems,
  );
  return report;
}

/** Writes the rows that can be derived from others, and verifies the result. */
async function repair(store: Store, { remedy }: VerifyReport): Promise<number> {
  if (remedy === undefined) {
    process.stdout.write(
      'not repaired: not all of it follows from other rows; restore the directory from a dump, an archive or a copy\n',
    );
    return 1;
  }
  const batch = beginBatch(store);
  await batch.add(remedy);
  await batch.commit([], { sync: true });
  process.stdout.write(`repaired: ${remedy.length} rows; verified anew:\n`);
  return (await verifyTelling(store)).problems.length === 0 ? 0 : 1;
}

async function runArchive(directory: string): Promise<number> {
  const [{ Archive }, { verifyArchive }] = await Promise.all([
    import('../log/archive/archive.ts'),
    import('../log/archive/verification.ts'),
  ]);
  const archive = await Archive.open(directory);
  const { segments, records, dumps, problems } = await longWork('the next movelet verify starts over', (onProgress) =>
    verifyArchive(archive, { onProgress }),
  );
  tell(`segments: ${segments}, records: ${records}, dumps: ${dumps}`, problems);
  return problems.length === 0 ? 0 : 1;
}

function tell(counts: string, problems: readonly string[]): void {
  const found = problems.length === 0 ? 'sound' : `${problems.length} problems`;
  process.stdout.write(`${[`${counts}: ${found}`, ...problems].join('\n')}\n`);
}

/**
 * Verifies a store and shows progress.
 * @param after what to say on an interruption
 * @throws {Interrupted}
 */
export function verifyShowing(store: ReadableStore, after: string): Promise<VerifyReport> {
  return longWork(after, (onProgress) => verifyStore(store, { onProgress }));
}

export const verifyCommand: Command = command({
  name: 'verify',
  summary: 'check every row of a directory, or every record of an archive',
  usage: 'DIR [--repair]',
  example: './chain',
  max: 1,
  help: `Checks the files, then hashes, rows and indexes, and lists what is wrong; the exit code is then 1. The chain is not
changed; a read-only directory is read through links in the temporary directory. Progress is shown on standard error, if
that is a terminal.

DIR may also be an archive. Then each file is compared with its digest, and every record is checked and applied to the oldest
dump, in the temporary directory, which needs as much space as the chain.
`,
  options: {
    data: { value: 'DIR', completes: 'directory', help: 'the same as DIR alone' },
    repair: {
      help: 'rewrite rows that follow from others, such as those of indexes, and verify again; only if that fixes everything. Copy the directory first',
    },
  },
  completes: 'directory',
  run,
});
