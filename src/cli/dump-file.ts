/**
 * The file that `movelet dump` writes: it appears complete or not at all, and replaces an existing file only if told
 * to.
 * @module
 */
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineError } from '../base/error.ts';
import { syncFile, syncName } from '../store/file-sync.ts';
import { UsageError } from './arguments.ts';

/** Maximum number of links followed in a row, as in Linux. */
const LINKS_MAX = 40;

/**
 * The file behind a name after following links. It need not exist.
 * @throws {UsageError} for anything but a regular file, for a folder that is missing, and for a file that exists unless
 * `isForced`
 */
export function dumpTarget(name: string, isForced: boolean): string {
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
  chunks: AsyncIterable<Uint8Array>,
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
export async function writeDumpOutput(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  if (process.stdout.isTTY)
    throw new UsageError('dump: a dump is not text; redirect standard output to a file or program');
  let bytes = 0;
  const counted = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    await pipeline(Readable.from(counted()), process.stdout, { end: false });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPIPE') throw cause;
    const message = 'the program that reads standard output has ended before the dump: what it has is no complete dump';
    throw new EngineError('transport-failed', message, { cause });
  }
  return bytes;
}
