/**
 * movelet verify: checks a directory from the first row to the last. Code of archives is loaded when it runs.
 * @module
 */
import { openForReading } from '../store/read-only-directory.ts';
import type { ReadableStore } from '../store/store.ts';
import { type VerifyReport, verifyStore } from '../verify/verify.ts';
import { assertChainDirectory, readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { Interruption } from './interruption.ts';
import { StageProgress } from './stage-progress.ts';

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, {}, { min: 1, max: 1, usage: 'verify DIR' });
  const [directory = ''] = args.positionals;
  const { isArchive } = await import('../archive/manifest.ts');
  if (isArchive(directory)) return runArchive(directory);
  assertChainDirectory(directory);
  const store = await openForReading(directory, { checkTables: true });
  try {
    const report = await verifyShowing(store, 'nothing was changed; the next movelet verify starts over');
    process.stdout.write(
      `${report.transactions} transactions, ${report.nodes} tree nodes, ${report.objects} objects and fields, ${report.derivedRows} index rows: ${
        report.problems.length === 0 ? 'sound' : `${report.problems.length} problems`
      }\n`,
    );
    for (const problem of report.problems) process.stdout.write(`${problem}\n`);
    return report.problems.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function runArchive(directory: string): Promise<number> {
  const [{ Archive }, { verifyArchive }] = await Promise.all([
    import('../archive/archive.ts'),
    import('../archive/verification.ts'),
  ]);
  const progress = new StageProgress();
  const interruption = new Interruption();
  try {
    const { segments, records, dumps, problems } = await verifyArchive(await Archive.open(directory), {
      onProgress: (stage) => {
        const { name, done, total } = stage;
        interruption.check(() => `stopped at ${done} of ${total} ${name}; the next movelet verify starts over`);
        progress.show(stage);
      },
    });
    progress.end();
    const found = problems.length === 0 ? 'sound' : `${problems.length} problems`;
    process.stdout.write(`segments: ${segments}, records: ${records}, dumps: ${dumps}: ${found}\n`);
    for (const problem of problems) process.stdout.write(`${problem}\n`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    progress.end();
    interruption.end();
  }
}

/**
 * Verifies a store and shows the progress.
 * @param after what to say on an interruption
 * @throws {Interrupted}
 */
export async function verifyShowing(store: ReadableStore, after: string): Promise<VerifyReport> {
  const progress = new StageProgress();
  const interruption = new Interruption();
  try {
    return await verifyStore(store, {
      onProgress: (stage) => {
        const { name, done, total } = stage;
        interruption.check(() => `stopped at ${done}${total === undefined ? '' : ` of ${total}`} ${name}; ${after}`);
        progress.show(stage);
      },
    });
  } finally {
    progress.end();
    interruption.end();
  }
}

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'check every row of a directory, or every record of an archive',
  help: `usage: movelet verify DIR

Checks the files, then hashes, rows and indexes, and lists what is wrong; the exit code is then 1. The chain is not
changed; a read-only directory is read through links in the temporary directory. Progress is shown on standard error, if
that is a terminal.

DIR may also be an archive. Then each file is compared with its digest, and every record is checked and applied to the oldest
dump, in the temporary directory, which needs as much space as the chain.
`,
  options: {},
  completes: 'directory',
  run,
};
