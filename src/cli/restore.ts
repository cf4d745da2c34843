/**
 * movelet restore: a data directory from an archive. The archive code is loaded on demand, like that of logs.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/hex.ts';
import { type Option, readArguments, readOrder } from './arguments.ts';
import type { Command } from './command.ts';
import { checkSound } from './dump.ts';
import { Interruption } from './interruption.ts';
import { StageProgress } from './stage-progress.ts';

const OPTIONS: Readonly<Record<string, Option>> = { to: { type: 'string' }, trusted: { type: 'boolean' } };

async function run(rest: readonly string[]): Promise<number> {
  const usage = 'restore ARCHIVE DIR [--to ORDER] [--trusted]';
  const args = readArguments(rest, OPTIONS, { min: 2, max: 2, usage });
  const to = readOrder(args, 'to');
  const [source = '', directory = ''] = args.positionals;
  const [{ Archive }, { restoreArchive }] = await Promise.all([
    import('../log/archive/archive.ts'),
    import('../log/archive/restore.ts'),
  ]);
  const archive = await Archive.open(source);
  const progress = new StageProgress();
  const interruption = new Interruption();
  try {
    const { order, stateRoot } = await restoreArchive(archive, directory, {
      to,
      check: args.flag('trusted') ? undefined : checkSound,
      onProgress: (stage) => {
        const { name, done, total } = stage;
        interruption.check(() => `stopped at ${done} of ${total} ${name}; the same command continues`);
        progress.show(stage);
      },
    });
    progress.end();
    process.stdout.write(`restored order ${order}, state root ${toHexPrefixed(stateRoot)}, into ${directory}\n`);
    return 0;
  } finally {
    progress.end();
    interruption.end();
  }
}

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'make a data directory from an archive',
  help: `usage: movelet restore ARCHIVE DIR [--to ORDER] [--trusted]

  --to ORDER              restore the chain as it was after this order (default: the newest)
  --trusted               trust the author of the archive's dumps: check only their digests, as for movelet load

DIR must be empty or missing, and neither mounted itself nor the current directory. It begins with the newest dump at or
before the order; the records after that are checked one by one, and each must lead to the state root that it names. DIR gets
its name when it is complete: until then it is DIR.restoring, and the same command continues there after an interruption.
`,
  options: OPTIONS,
  completes: 'directory',
  run,
};
