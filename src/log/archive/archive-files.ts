/**
 * The files of an archive: their names, and how they are written.
 *
 * A file is written under a temporary name that ends in `.partial`, synced, read back and compared, and only then gets
 * its own name. So a file with the name of a segment or a dump is complete, even if the process was killed.
 * @module
 */
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../base/bytes/hex.ts';
import { EngineError } from '../../base/error.ts';
import { createSha256 } from '../../base/hash/sha256.ts';
import { fileFailure, orFailed } from '../../store/file-failure.ts';
import { syncDirectory, syncFile } from '../../store/file-sync.ts';

const SEGMENT = /^(\d{20})-(\d{20})\.segment$/;
const DUMP = /^(\d{20})\.dump$/;
const PARTIAL = /\.partial$/;

/** The orders of a segment, both included. */
export interface Orders {
  readonly first: bigint;
  readonly last: bigint;
}

/** What a file holds, as the manifest has it. */
export interface FileDigest {
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
}

export function segmentFile({ first, last }: Orders): string {
  return `${padded(first)}-${padded(last)}.segment`;
}

export function dumpFile(order: bigint): string {
  return `${padded(order)}.dump`;
}

/** The orders of a segment, from its name; undefined for any other file. */
export function segmentOrders(name: string): Orders | undefined {
  const [, first, last] = SEGMENT.exec(name) ?? [];
  return first === undefined || last === undefined ? undefined : { first: BigInt(first), last: BigInt(last) };
}

export function isDump(name: string): boolean {
  return DUMP.test(name);
}

/** Whether a file was left behind by a process that died while writing it. */
export function isPartial(name: string): boolean {
  return PARTIAL.test(name);
}

function padded(order: bigint): string {
  return String(order).padStart(20, '0');
}

/** A file that is complete and durable, but does not have its name yet. */
export interface WrittenFile extends FileDigest {
  readonly path: string;
}

/**
 * Writes a file and reads it back.
 * @param nameOf checks the file, and gives it its name, or undefined if it is not to be kept
 * @throws {EngineError} `store-failed`, `corrupt` if what was read back differs; what `chunks` and `nameOf` throw. Then there
 * is no file.
 */
export async function writeWhole(
  directory: string,
  chunks: AsyncIterable<Uint8Array>,
  nameOf: (written: WrittenFile) => string | undefined | Promise<string | undefined>,
): Promise<FileDigest | undefined> {
  const path = join(directory, 'next.partial');
  try {
    const { bytes, sha256 } = await written(path, chunks);
    const found = await digestOf(path);
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new EngineError('corrupt', `${path}: what was read back is not what was written: check the disk`);
    }
    const name = await nameOf({ path, bytes, sha256 });
    if (name === undefined) {
      await rm(path);
      return undefined;
    }
    await orFailed(path, () => rename(path, join(directory, name)));
    await orFailed(path, () => syncDirectory(directory));
    return { bytes, sha256 };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function written(path: string, chunks: AsyncIterable<Uint8Array>): Promise<FileDigest> {
  const file = await orFailed(path, () => open(path, 'w'));
  const hash = createSha256();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await orFailed(path, () => file.writeFile(chunk));
      hash.update(chunk);
      bytes += chunk.length;
    }
    await orFailed(path, () => syncFile(file));
  } finally {
    await file.close();
  }
  return { bytes, sha256: toHex(Uint8Array.from(hash.digest())) };
}

/**
 * The digest of a file.
 * @throws {EngineError} `store-failed` for one that cannot be read
 */
export async function digestOf(path: string): Promise<FileDigest> {
  const hash = createSha256();
  let bytes = 0;
  await orFailed(path, async () => {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  });
  return { bytes, sha256: toHex(Uint8Array.from(hash.digest())) };
}

const READ_BYTES = 1_048_576;

/**
 * The bytes of a file.
 * @throws {EngineError} `store-failed` for one that cannot be read
 */
export function chunksOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  return eachOrFailed(path, createReadStream(path) as AsyncIterable<Uint8Array>);
}

/** What is read from a file. Names it in an error of the file system. */
export async function* eachOrFailed<T>(path: string, source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* source;
  } catch (cause) {
    throw fileFailure(path, cause);
  }
}
