/**
 * movelet verify: checks a directory from the first row to the last.
 * @module
 */

import { openForReading } from '../store/read-only-directory.ts';
import { verifyStore } from '../verify/verify.ts';
import { assertChainDirectory, readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { StageProgress } from './stage-progress.ts';

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, {}, { min: 1, max: 1, usage: 'verify DIR' });
  const [directory = ''] = args.positionals;
  assertChainDirectory(directory);
  const store = await openForReading(directory, { checkTables: true });
  try {
    const progress = new StageProgress();
    const report = await verifyStore(store, { onProgress: (stage) => progress.show(stage) }).finally(() =>
      progress.end(),
    );
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

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'check every row of a directory',
  help: `usage: movelet verify DIR

Checks the files, then hashes, rows and indexes, and lists what is wrong; exits with 1 when something is. Nothing of
the chain is changed; a directory that cannot be written is read through links among the temporary files. How far it is stands on standard error: on a terminal, or where it takes longer than ten seconds.
`,
  run,
};
