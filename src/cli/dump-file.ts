/**
 * Where `movelet dump` writes: a file that appears whole or not at all, and takes the place of another only when told.
 * @module
 */
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './arguments.ts';

/** Links in a row that are followed; Linux follows as many. */
const LINKS_MAX = 40;

/**
 * The file that a name stands for, links followed, which need not exist.
 * @throws {UsageError} for what is no regular file, and for a file that exists unless `isForced`.
 */
export function dumpTarget(name: string, isForced: boolean): string {
  const target = followed(resolve(name), LINKS_MAX);
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return target;
  if (!found.isFile()) {
    throw new UsageError(`dump: ${name} is no regular file; - stands for the standard output`);
  }
  if (!isForced) throw new UsageError(`dump: ${name} exists; --force replaces it`);
  return target;
}

/** A link to a file that does not exist yet is followed too. */
function followed(path: string, left: number): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  if (left === 0) throw new UsageError(`dump: ${path} is a link that leads nowhere`);
  return followed(resolve(realpathSync(dirname(path)), readlinkSync(path)), left - 1);
}

/**
 * Writes beside the file and renames at the end, so that no half-written dump bears the name.
 * @returns the number of bytes.
 * @throws {UsageError} for a file that came to be meanwhile, unless `isForced`.
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
    await handle.sync();
    await handle.close();
    dumpTarget(target, isForced);
    await rename(partial, target);
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
  return bytes;
}

/**
 * Writes to the standard output and leaves it open.
 * @returns the number of bytes.
 */
export async function writeDumpOutput(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  if (process.stdout.isTTY)
    throw new UsageError('dump: a dump is no text; send the standard output to a file or program');
  let bytes = 0;
  const counted = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(Readable.from(counted()), process.stdout, { end: false });
  return bytes;
}
