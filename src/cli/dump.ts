/**
 * movelet dump and movelet load: a chain as one file, which appears complete or not at all, and a directory from it.
 * @module
 */

import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineError } from '../base/error.ts';
import { HEAD_KEY, readHead } from '../chain/ledger/head.ts';
import { openDirectory } from '../store/directory.ts';
import { clearStore, dumpStore, loadDump } from '../store/dump.ts';
import { syncFile, syncName } from '../store/file-sync.ts';
import type { LevelStore } from '../store/level.ts';
import { StagedDirectory } from '../store/staged-directory.ts';
import type { ReadableStore } from '../store/store.ts';
import {
  type Arguments,
  assertChainDirectory,
  type Command,
  command,
  UsageError,
  unreadableFile,
} from './arguments.ts';
import { Interruption, longWork, type ShowStage, StageProgress } from './progress.ts';
import { verifyShowing } from './verify.ts';

async function runDump(args: Arguments): Promise<number> {
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('dump: --data DIR is missing: a chain in memory ends with the command');
  assertChainDirectory(data);
  const isForced = args.flag('force');
  // Checked first, so that a refusal does not come after a long wait.
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

async function runLoad(args: Arguments): Promise<number> {
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('load: --data DIR is missing: a chain in memory ends with the command');
  // Opened first, so that a missing file leaves no directory behind.
  const dump = file === '-' ? undefined : await openInput(file);
  const bytes = dump?.createReadStream({ autoClose: false }) ?? process.stdin;
  const check = args.flag('trusted') ? undefined : checkSound;
  try {
    const total = (await dump?.stat())?.size;
    await longWork('nothing was loaded; run the same command to start over', (show) =>
      fillDirectory(data, { ending: '.loading', inPlace: true }, async (store) => {
        const rows = await loadDump(store, counted(bytes, total, show), { headKey: HEAD_KEY, check });
        const head = readHead(store);
        process.stderr.write(`loaded ${rows} rows, order ${head?.order ?? 'none'}, into ${data}\n`);
      }),
    );
  } finally {
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

/** The same chunks, telling `show` how many bytes were read. */
async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  total: number | undefined,
  show: ShowStage,
): AsyncIterable<Uint8Array> {
  let done = 0;
  for await (const chunk of chunks) {
    show({ name: 'bytes', done, total });
    yield chunk;
    done += chunk.length;
  }
}

/** @throws {EngineError} `not-found` for a file that cannot be read */
async function openInput(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (cause) {
    throw unreadableFile('FILE', file, cause);
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

export const dumpCommand: Command = command({
  name: 'dump',
  summary: 'write a chain to one file',
  usage: 'FILE|- --data DIR [--force]',
  example: 'chain.dump --data ./chain',
  min: 1,
  help: `The dump is of one moment, ends with a digest, and appears under its name only once it is complete. Links are followed;
anything but a regular file is refused. Use - for standard output, where only the digest reveals a truncated dump.
`,
  options: {
    data: { value: 'DIR', completes: 'directory', help: 'the directory of the chain, which no node has open' },
    force: { help: 'replace FILE if it exists' },
  },
  completes: 'file',
  run: runDump,
});

export const loadCommand: Command = command({
  name: 'load',
  summary: 'read a dump into an empty directory',
  usage: 'FILE|- --data DIR [--trusted]',
  example: 'chain.dump --data ./copy',
  min: 1,
  help: `Use - for standard input. Nothing of a truncated or modified dump becomes visible. DIR must be empty or missing, and gets
its name when it is complete: until then it is DIR.loading. The current directory, or one that is mounted, is filled in
place. If the command is killed, run it again to start over. A genesis of the default framework is checked too; for a
chain from a genesis file, open it once with --genesis.
`,
  options: {
    data: { value: 'DIR', completes: 'directory', help: 'the directory to fill' },
    trusted: { help: 'trust the author of FILE: check only its digest, not what movelet verify checks' },
  },
  completes: 'file',
  run: runLoad,
});

/** Maximum number of links followed in a row, as in Linux. */
const LINKS_MAX = 40;

/**
 * The file behind a name after following links. It need not exist.
 * @throws {UsageError} for anything but a regular file, for a folder that is missing, and for a file that exists unless
 * `isForced`
 */
function dumpTarget(name: string, isForced: boolean): string {
  const target = followed(resolve(name), LINKS_MAX);
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) {
    if (!existsSync(dirname(target))) throw new UsageError(`dump: there is no folder ${dirname(target)}`);
    return target;
  }
  if (!found.isFile()) {
    throw new UsageError(`dump: ${name} is not a regular file; use - for standard output`);
  }
  if (!isForced) throw new UsageError(`dump: ${name} exists; --force replaces it`);
  return target;
}

/** A link to a file that does not exist yet is followed too. */
function followed(path: string, left: number): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  if (left === 0) throw new UsageError(`dump: ${path}: too many symbolic links in a row`);
  return followed(resolve(realpathSync(dirname(path)), readlinkSync(path)), left - 1);
}

/**
 * Writes to a temporary file beside it and renames at the end, so that no partial dump ever has the name.
 * @returns the number of bytes.
 * @throws {UsageError} for a file that was created in the meantime, unless `isForced`
 */
export async function writeDumpFile(
  name: string,
  isForced: boolean,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<number> {
  const target = dumpTarget(name, isForced);
  const partial = `${target}.${process.pid}.partial`;
  const handle = await open(partial, 'wx');
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await syncFile(handle);
    await handle.close();
    dumpTarget(target, isForced);
    await rename(partial, target);
    // Otherwise a power failure might take the name back.
    await syncName(target);
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
  return bytes;
}

/**
 * Writes to standard output and leaves it open.
 * @returns the number of bytes.
 */
async function writeDumpOutput(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  if (process.stdout.isTTY)
    throw new UsageError('dump: a dump is not text; redirect standard output to a file or program');
  let bytes = 0;
  const passed = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    await pipeline(Readable.from(passed()), process.stdout, { end: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPIPE') throw cause;
    const message = 'the program that reads standard output has ended before the dump: what it has is no complete dump';
    throw new EngineError('transport-failed', message, { cause });
  }
  return bytes;
}

interface FillOptions {
  /** What the name of the directory ends in until it is complete. */
  readonly ending: string;
  /** Whether `fill` writes the head last, so that a directory which cannot be replaced can be filled where it is. */
  readonly inPlace?: boolean | undefined;
}

/**
 * Fills a directory that is empty or missing. It gets its name when it is complete (store/staged-directory.ts), since the
 * next command would take one that is half full for a chain, and one that is still empty for a new one. If that fails, nothing is left; what a killed process left is removed.
 * @throws {EngineError} as `StagedDirectory.at` and `openDirectory`, and what `fill` throws
 */
export async function fillDirectory<T>(
  path: string,
  { ending, inPlace = false }: FillOptions,
  fill: (store: LevelStore) => Promise<T>,
): Promise<T> {
  let staged: StagedDirectory;
  try {
    staged = await StagedDirectory.at(path, ending);
  } catch (error) {
    if (inPlace && error instanceof EngineError && error.code === 'invalid-argument') return fillInPlace(path, fill);
    throw error;
  }
  const store = await openEmpty(staged);
  try {
    const filled = await fill(store);
    await store.close();
    await staged.finish();
    return filled;
  } catch (error) {
    await store.close().catch(() => undefined);
    // Then another process has it.
    if (!(error instanceof EngineError) || error.code !== 'store-lost') await staged.clear();
    throw error;
  }
}

async function openEmpty(staged: StagedDirectory): Promise<LevelStore> {
  const store = await staged.open();
  const [row] = await store.range({ limit: 1 });
  if (row === undefined) return store;
  await store.close();
  await staged.clear();
  return staged.open();
}

async function fillInPlace<T>(path: string, fill: (store: LevelStore) => Promise<T>): Promise<T> {
  const store = await openDirectory(path);
  try {
    // Rows without a head were left by a process that was killed during this.
    if (readHead(store) === undefined) await clearStore(store);
    const filled = await fill(store);
    await store.close();
    return filled;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  }
}
