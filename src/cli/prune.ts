/**
 * movelet prune: a directory without the history that it need not keep.
 * @module
 */
import { Engine } from '../engine.ts';
import { assertChainDirectory, logToStderr, type Option, readArguments, readHistoryBound } from './arguments.ts';
import type { Command } from './command.ts';
import { Interruption } from './interruption.ts';
import { StageProgress } from './stage-progress.ts';

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
        interruption.check(() => `stopped at ${done} of ${total} orders; the same command goes on there`);
        progress.show({ name: 'orders', done: Number(done), total: Number(total) });
      },
    });
    progress.end();
    const bound = kept === 'all' ? 'all history is kept' : `at least ${kept} orders behind the head are kept`;
    process.stdout.write(`states are there from order ${oldestOrder} to ${engine.head.order}; ${bound}\n`);
    return 0;
  } finally {
    progress.end();
    interruption.end();
    await engine.close();
  }
}

export const pruneCommand: Command = {
  name: 'prune',
  summary: 'take away the states that a directory need not keep',
  help: `usage: movelet prune DIR [--history N]

  --history N|all         keep the states of N orders behind the head from now on, or all there are (default: as before)

Does at once what a node with a bounded history does beside its work, and gives the room back to the disk. Transactions,
events and indexes stay. It may be interrupted: nothing is lost, and the same command goes on.
`,
  options: OPTIONS,
  completes: 'directory',
  run,
};
