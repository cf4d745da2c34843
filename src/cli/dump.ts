/**
 * movelet dump and movelet load: a chain as one file.
 * @module
 */
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { EngineError } from '../error.ts';
import { HEAD_KEY, readHead } from '../ledger/head.ts';
import { openDirectory } from '../store/directory.ts';
import { dumpStore, loadDump } from '../store/dump.ts';
import type { ReadableStore } from '../store/store.ts';
import { verifyStore } from '../verify/verify.ts';
import { assertChainDirectory, readArguments, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { dumpTarget, writeDumpFile, writeDumpOutput } from './dump-file.ts';
import { StageProgress } from './stage-progress.ts';

async function runDump(rest: readonly string[]): Promise<number> {
  const usage = 'dump FILE|- --data DIR [--force]';
  const options = { data: { type: 'string' }, force: { type: 'boolean' } } as const;
  const args = readArguments(rest, options, { min: 1, max: 1, usage });
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('dump: --data DIR is missing: a chain in memory ends with the command');
  assertChainDirectory(data);
  const isForced = args.flag('force');
  // First, so that nobody waits for what is refused.
  if (file !== '-') dumpTarget(file, isForced);
  const store = await openDirectory(data);
  try {
    const head = readHead(store);
    if (head === undefined) throw new EngineError('not-found', `${data} holds no chain`);
    const chunks = dumpStore(store);
    const bytes = file === '-' ? await writeDumpOutput(chunks) : await writeDumpFile(file, isForced, chunks);
    process.stderr.write(`dumped order ${head.order} in ${bytes} bytes${file === '-' ? '' : ` to ${file}`}\n`);
  } finally {
    await store.close();
  }
  return 0;
}

async function runLoad(rest: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' }, trusted: { type: 'boolean' } } as const;
  const args = readArguments(rest, options, { min: 1, max: 1, usage: 'load FILE|- --data DIR [--trusted]' });
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('load: --data DIR is missing: a chain in memory ends with the command');
  // First, so that a file that is not there leaves no directory.
  const dump = file === '-' ? undefined : await open(file);
  const isNew = !existsSync(data);
  try {
    await loadInto(data, dump?.createReadStream({ autoClose: false }) ?? process.stdin, args.flag('trusted'));
  } catch (error) {
    // What the command made and could not fill would be taken for an empty chain by the next command.
    if (isNew) await rm(data, { recursive: true, force: true });
    throw error;
  } finally {
    await dump?.close();
  }
  return 0;
}

async function loadInto(data: string, dump: AsyncIterable<Uint8Array>, isTrusted: boolean): Promise<void> {
  const store = await openDirectory(data);
  try {
    const check = isTrusted ? undefined : checkSound;
    const rows = await loadDump(store, dump, { headKey: HEAD_KEY, check });
    const head = readHead(store);
    process.stderr.write(`loaded ${rows} rows, order ${head?.order ?? 'none'}, into ${data}\n`);
  } finally {
    await store.close();
  }
}

/** The digest of a dump tells only that it is as it was written, by whomever. */
async function checkSound(whole: ReadableStore): Promise<void> {
  const progress = new StageProgress();
  const { problems } = await verifyStore(whole, { onProgress: (stage) => progress.show(stage) }).finally(() =>
    progress.end(),
  );
  if (problems.length === 0) return;
  const [first, ...more] = problems;
  const others = more.length === 0 ? '' : `, and ${more.length} more problems`;
  throw new EngineError('corrupt', `the dump is of no sound chain: ${first}${others}; nothing was loaded`, {
    details: { problems },
  });
}

export const dumpCommand: Command = {
  name: 'dump',
  summary: 'write a chain to one file',
  help: `usage: movelet dump FILE|- --data DIR [--force]

  --force                 replace FILE where it exists

The dump is of one moment, ends with a digest, and appears under its name only when it is whole. Links are followed;
what is no regular file is refused. - stands for the standard output, where only the digest tells a dump that was cut.
`,
  run: runDump,
};

export const loadCommand: Command = {
  name: 'load',
  summary: 'read a dump into an empty directory',
  help: `usage: movelet load FILE|- --data DIR [--trusted]

  --trusted               believe whoever wrote FILE: check its digest only, not what movelet verify checks

- stands for the standard input. Nothing of a dump that is cut or changed becomes visible. A genesis of the default
framework is checked too; for a chain of a genesis file open it with --genesis once.
`,
  run: runLoad,
};
