/**
 * movelet prune: deletes the history that a directory no longer needs to keep.
 * @module
 */
import { Engine } from '../engine/engine.ts';
import {
  assertChainDirectory,
  type Command,
  logToStderr,
  type Option,
  readArguments,
  readHistoryBound,
} from './arguments.ts';
import { Interruption, StageProgress } from './progress.ts';

const OPTIONS: Readonly<Record<string, Option>> = { history: { type: 'string', completes: ['all'] } };

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, OPTIONS, { min: 1, max: 1, usage: 'prune DIR [--history N]' });
  const [directory = ''] = args.positionals;
  const history = readHistoryBound(args.string('history'));
  assertChainDirectory(directory);
  const engine = await Engine.open({ store: directory, history, log: logToStderr });
  const progress = new StageProgress();
  const interruption = new Interruption();
  try {
    const { kept, oldestOrder } = await engine.prune({
      onProgress: ({ done, total }) => {
        interruption.check(() => `stopped at ${done} of ${total} orders; the same command continues from there`);
        progress.show({ name: 'orders', done: Number(done), total: Number(total) });
      },
    });
    progress.end();
    const bound = kept === 'all' ? 'new ones are all kept' : `at least the last ${kept} are kept`;
    process.stdout.write(`states are readable from order ${oldestOrder} to ${engine.head.order}; ${bound}\n`);
    return 0;
  } finally {
    progress.end();
    interruption.end();
    await engine.close();
  }
}

export const pruneCommand: Command = {
  name: 'prune',
  summary: 'delete the states that a directory no longer has to keep',
  help: `usage: movelet prune DIR [--history N]

  --history N|all         from now on, keep the states of at least the last N orders, or all (default: as before)

Does at once what a node with a bounded history does in the background, and gives the space back to the disk. Transactions,
events and indexes are kept. It can be interrupted at any time; the same command continues where it stopped.
`,
  options: OPTIONS,
  completes: 'directory',
  run,
};
