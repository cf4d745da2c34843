/**
 * movelet dump and movelet load: a chain as one file.
 * @module
 */
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { EngineError } from '../error.ts';
import { HEAD_KEY, readHead } from '../ledger/head.ts';
import { openDirectory } from '../store/directory.ts';
import { dumpStore, loadDump } from '../store/dump.ts';
import { assertChainDirectory, readArguments, UsageError } from './arguments.ts';
import type { Command } from './command.ts';

async function runDump(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, { data: { type: 'string' } }, { min: 1, max: 1, usage: 'dump FILE --data DIR' });
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('dump: --data DIR is missing: a chain in memory ends with the command');
  assertChainDirectory(data);
  const store = await openDirectory(data);
  try {
    const head = readHead(store);
    if (head === undefined) throw new EngineError('not-found', `${data} holds no chain`);
    const bytes = await writeWhole(file, dumpStore(store));
    process.stderr.write(`dumped order ${head.order} in ${bytes} bytes to ${file}\n`);
  } finally {
    await store.close();
  }
  return 0;
}

/** Writes beside the file and renames at the end, so that no half-written dump bears the name. */
async function writeWhole(file: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w');
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
    await handle.close();
    await rename(partial, file);
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
  return bytes;
}

async function runLoad(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, { data: { type: 'string' } }, { min: 1, max: 1, usage: 'load FILE --data DIR' });
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data === undefined) throw new UsageError('load: --data DIR is missing: a chain in memory ends with the command');
  // First, so that a file that is not there leaves no directory.
  const dump = await open(file);
  const isNew = !existsSync(data);
  try {
    await loadInto(data, dump);
  } catch (error) {
    // What the command made and could not fill would be taken for an empty chain by the next command.
    if (isNew) await rm(data, { recursive: true, force: true });
    throw error;
  } finally {
    await dump.close();
  }
  return 0;
}

async function loadInto(data: string, dump: FileHandle): Promise<void> {
  const store = await openDirectory(data);
  try {
    const rows = await loadDump(store, dump.createReadStream({ autoClose: false }), { headKey: HEAD_KEY });
    const head = readHead(store);
    process.stderr.write(`loaded ${rows} rows, order ${head?.order ?? 'none'}, into ${data}\n`);
  } finally {
    await store.close();
  }
}

export const dumpCommand: Command = {
  name: 'dump',
  summary: 'write a chain to one file',
  help: `usage: movelet dump FILE --data DIR

The dump is of one moment, ends with a digest, and appears under its name only when it is whole.
`,
  run: runDump,
};

export const loadCommand: Command = {
  name: 'load',
  summary: 'read a dump into an empty directory',
  help: `usage: movelet load FILE --data DIR

Nothing of a dump that is cut or changed becomes visible.
`,
  run: runLoad,
};
