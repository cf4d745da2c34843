/**
 * movelet prune: deletes the history that a directory no longer needs to keep.
 * @module
 */
import { Engine } from '../engine/engine.ts';
import {
  type Arguments,
  assertChainDirectory,
  type Command,
  command,
  logToStderr,
  readHistoryBound,
} from './arguments.ts';
import { longWork } from './progress.ts';

async function run(args: Arguments): Promise<number> {
  const [directory = ''] = args.positionals;
  const history = readHistoryBound(args.string('history'));
  assertChainDirectory(directory);
  const engine = await Engine.open({ store: directory, history, log: logToStderr });
  try {
    const { kept, oldestOrder } = await longWork('the same command continues from there', (show) =>
      engine.prune({
        onProgress: ({ done, total }) => show({ name: 'orders', done: Number(done), total: Number(total) }),
      }),
    );
    const bound = kept === 'all' ? 'new ones are all kept' : `at least the last ${kept} are kept`;
    process.stdout.write(`states are readable from order ${oldestOrder} to ${engine.head.order}; ${bound}\n`);
    return 0;
  } finally {
    await engine.close();
  }
}

export const pruneCommand: Command = command({
  name: 'prune',
  summary: 'delete the states that a directory no longer has to keep',
  usage: 'DIR [--history N]',
  example: './chain --history 1000',
  min: 1,
  help: `Does at once what a node with a bounded history does in the background, and frees the disk space. Transactions,
events and indexes are kept. It can be interrupted at any time; the same command continues where it stopped.
`,
  options: {
    history: {
      value: 'N|all',
      completes: ['all'],
      help: 'from now on, keep the states of at least the last N orders, or all (default: as before)',
    },
  },
  completes: 'directory',
  run,
});
