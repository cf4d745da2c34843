/**
 * movelet dump and movelet load: a chain as one file.
 * @module
 */
import { type FileHandle, open } from 'node:fs/promises';
import { EngineError } from '../base/error.ts';
import { HEAD_KEY, readHead } from '../chain/ledger/head.ts';
import { openDirectory } from '../store/directory.ts';
import { dumpStore, loadDump } from '../store/dump.ts';
import type { LevelStore } from '../store/level.ts';
import type { ReadableStore } from '../store/store.ts';
import { assertChainDirectory, type Option, readArguments, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { dumpTarget, writeDumpFile, writeDumpOutput } from './dump-file.ts';
import { Interruption } from './interruption.ts';
import { fillDirectory } from './new-directory.ts';
import { StageProgress } from './stage-progress.ts';
import { unreadable } from './unreadable.ts';
import { verifyShowing } from './verify.ts';

const DUMP_OPTIONS: Readonly<Record<string, Option>> = {
  data: { type: 'string', completes: 'directory' },
  force: { type: 'boolean' },
};

const LOAD_OPTIONS: Readonly<Record<string, Option>> = {
  data: { type: 'string', completes: 'directory' },
  trusted: { type: 'boolean' },
};

async function runDump(rest: readonly string[]): Promise<number> {
  const usage = 'dump FILE|- --data DIR [--force]';
  const args = readArguments(rest, DUMP_OPTIONS, { min: 1, max: 1, usage });
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('dump: --data DIR is missing: a chain in memory ends with the command');
  assertChainDirectory(data);
  const isForced = args.flag('force');
  // Checked first, so that nobody waits only to be refused.
  if (file !== '-') dumpTarget(file, isForced);
  const store = await openDirectory(data);
  try {
    const head = readHead(store);
    if (head === undefined) throw new EngineError('not-found', `${data} holds no chain`);
    const chunks = dumped(store);
    const bytes = file === '-' ? await writeDumpOutput(chunks) : await writeDumpFile(file, isForced, chunks);
    process.stderr.write(`dumped order ${head.order} in ${bytes} bytes${file === '-' ? '' : ` to ${file}`}\n`);
  } finally {
    await store.close();
  }
  return 0;
}

async function runLoad(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, LOAD_OPTIONS, { min: 1, max: 1, usage: 'load FILE|- --data DIR [--trusted]' });
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('load: --data DIR is missing: a chain in memory ends with the command');
  // Opened first, so that a missing file leaves no directory behind.
  const dump = file === '-' ? undefined : await openInput(file);
  // Catch interruptions from here on: they must not leave a directory behind either.
  const interruption = new Interruption();
  try {
    const bytes = dump?.createReadStream({ autoClose: false }) ?? process.stdin;
    const chunks = read(bytes, (await dump?.stat())?.size, interruption);
    const check = args.flag('trusted') ? undefined : checkSound;
    await fillDirectory(data, { ending: '.loading', inPlace: true }, async (store) => {
      const rows = await loadDump(store, chunks, { headKey: HEAD_KEY, check });
      const head = readHead(store);
      process.stderr.write(`loaded ${rows} rows, order ${head?.order ?? 'none'}, into ${data}\n`);
    });
  } finally {
    interruption.end();
    await dump?.close();
  }
  return 0;
}

/** The chunks of a dump, showing progress through the store on a terminal. */
export async function* dumped(store: LevelStore): AsyncIterable<Uint8Array> {
  const progress = new StageProgress();
  const interruption = new Interruption();
  const total = progress.isVisible ? await store.bytesOnDisk() : undefined;
  let written = 0;
  let last: Uint8Array | undefined;
  try {
    const chunks = dumpStore(store, {
      onRow: (key) => {
        last = key;
      },
    });
    for await (const chunk of chunks) {
      interruption.check(
        () => `stopped after ${written} bytes; no dump was written; run the same command to start over`,
      );
      yield chunk;
      written += chunk.length;
      // Rows may take a different number of bytes in the dump than in the store: the remaining time goes by the
      // store's.
      const done = total === undefined ? undefined : await store.bytesOnDisk(last);
      progress.show({ name: 'bytes', done: done ?? written, total });
    }
  } finally {
    progress.end();
    interruption.end();
  }
}

/** The chunks of a file, showing progress on a terminal. */
async function* read(
  chunks: AsyncIterable<Uint8Array>,
  total: number | undefined,
  interruption: Interruption,
): AsyncIterable<Uint8Array> {
  const progress = new StageProgress();
  let done = 0;
  try {
    for await (const chunk of chunks) {
      interruption.check(() => `stopped after ${done} bytes; nothing was loaded; run the same command to start over`);
      yield chunk;
      done += chunk.length;
      progress.show({ name: 'bytes', done, total });
    }
  } finally {
    progress.end();
  }
}

/** @throws {EngineError} `not-found` for a file that cannot be read */
async function openInput(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (cause) {
    throw unreadable('FILE', file, cause);
  }
}

/** A dump's digest only shows that it is intact, not who wrote it. */
export async function checkSound(whole: ReadableStore): Promise<void> {
  const { problems } = await verifyShowing(whole, 'nothing was loaded; run the same command to start over');
  if (problems.length === 0) return;
  const [first, ...more] = problems;
  const others = more.length === 0 ? '' : `, and ${more.length} more problems`;
  throw new EngineError('corrupt', `the dump does not hold a sound chain: ${first}${others}; nothing was loaded`, {
    details: { problems },
  });
}

export const dumpCommand: Command = {
  name: 'dump',
  summary: 'write a chain to one file',
  help: `usage: movelet dump FILE|- --data DIR [--force]

  --force                 replace FILE if it exists

The dump is of one moment, ends with a digest, and appears under its name only once it is complete. Links are followed;
anything but a regular file is refused. Use - for standard output, where only the digest reveals a truncated dump.
`,
  options: DUMP_OPTIONS,
  completes: 'file',
  run: runDump,
};

export const loadCommand: Command = {
  name: 'load',
  summary: 'read a dump into an empty directory',
  help: `usage: movelet load FILE|- --data DIR [--trusted]

  --trusted               trust the author of FILE: check only its digest, not what movelet verify checks

Use - for standard input. Nothing of a truncated or modified dump becomes visible. DIR must be empty or missing, and gets
its name when it is complete: until then it is DIR.loading. The current directory, or one that is mounted, is filled where
it is. If the command is killed, the same command begins anew. A genesis of the default framework is checked too; for a
chain from a genesis file, open it once with --genesis.
`,
  options: LOAD_OPTIONS,
  completes: 'file',
  run: runLoad,
};
