/**
 * movelet fork: packs what forks of a node have read into a file, from which they continue without that node.
 * @module
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { EngineError, messageOf } from '../base/error.ts';
import { packFork } from '../engine/remote/open-remote.ts';
import { type Arguments, type Command, command, UsageError } from './arguments.ts';
import { REMOTE_FORK_OPTIONS, readForkKind, readForkPlace } from './node-options.ts';

async function runFork(args: Arguments): Promise<number> {
  const [url = '', file = ''] = args.positionals;
  if (existsSync(file) && !args.flag('force')) {
    throw new UsageError(`${file} exists; give another name, or --force`);
  }
  const at = args.string('at');
  const place = at === undefined ? undefined : readForkPlace(at);
  const bytes = packFork({ url, kind: readForkKind(args), at: place, cache: args.string('fork-cache') });
  writeWhole(file, bytes);
  process.stderr.write(`wrote ${bytes.length} bytes to ${file}: movelet serve --fork ${file} goes on from there\n`);
  return 0;
}

/** A file that appears whole or not at all. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const unfinished = `${file}.${process.pid}.part`;
  try {
    writeFileSync(unfinished, bytes, { flag: 'wx' });
    renameSync(unfinished, file);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw new EngineError('store-failed', `${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

export const forkCommand: Command = command({
  name: 'fork',
  summary: 'pack what forks of a node have read into a file, to continue offline',
  usage: 'URL FILE [--at ORDER]',
  example: 'https://node.example live.fork --at 120000',
  min: 2,
  completes: 'file',
  help: `The file has what forks of the node at URL have read at that order, and nothing else: do on a fork (movelet serve --fork URL,
or Engine.open({ fork: { url } }) in tests) whatever should be possible later, then write the file. movelet serve --fork FILE,
or Engine.open({ fork: { file } }), continues from it without a network.`,
  options: {
    at: {
      value: 'ORDER',
      help: 'where the forks began: an order, or a state root (default: where the last one began)',
    },
    'fork-kind': REMOTE_FORK_OPTIONS['fork-kind']!,
    'fork-cache': REMOTE_FORK_OPTIONS['fork-cache']!,
    force: { help: 'replace FILE' },
  },
  run: runFork,
});
