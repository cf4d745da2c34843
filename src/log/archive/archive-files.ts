/**
 * The files of an archive: their names, how they are written, and the manifest that lists them with their digests.
 *
 * A file is written under a temporary name that ends in `.partial`, synced, read back and compared, and only then gets
 * its own name. So a file with the name of a segment or a dump is complete, even if the process was killed.
 *
 * The manifest is human-readable JSON with a digest of its own, and is replaced as a whole; everything else in an
 * archive is written once.
 * @module
 */
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, encode } from '../../base/bcs.ts';
import { fromHex, toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { createSha256, sha256 } from '../../base/hash/sha256.ts';
import { type Head, head } from '../../chain/ledger/head.ts';
import { fileFailure, orFailed, syncDirectory, syncFile } from '../../store/file-sync.ts';
import { type LogHead, logHead } from '../commit-log.ts';

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
    const found = await fileDigestOf(path);
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
export async function fileDigestOf(path: string): Promise<FileDigest> {
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

const MANIFEST = 'archive.json';

/** The archive format that this version writes and reads. */
const ARCHIVE_VERSION = 1;

export interface ArchivedSegment extends Orders, FileDigest {
  /** The head of the log after its last record. */
  readonly head: LogHead;
}

export interface ArchivedDump extends FileDigest {
  readonly head: Head;
}

/** What an archive consists of; segments and dumps each in the order of the chain. */
export interface ArchiveManifest {
  /** The public keys that signed the records. */
  readonly writers: readonly Uint8Array[];
  /** The head of the log before the first segment: the records follow a dump of this order. */
  readonly start: LogHead | undefined;
  readonly dumps: readonly ArchivedDump[];
  readonly segments: readonly ArchivedSegment[];
}

export const EMPTY_MANIFEST: ArchiveManifest = { writers: [], start: undefined, dumps: [], segments: [] };

/** Whether a directory is an archive. */
export function isArchive(directory: string): boolean {
  return existsSync(join(directory, MANIFEST));
}

interface Text {
  readonly version: number;
  readonly writers: readonly string[];
  readonly start: string | null;
  readonly dumps: readonly (FileDigest & {
    readonly order: string;
    readonly stateRoot: string;
    readonly head: string;
  })[];
  readonly segments: readonly (FileDigest & {
    readonly first: string;
    readonly last: string;
    readonly stateRoot: string;
    readonly head: string;
  })[];
}

/** @throws {EngineError} `store-failed` */
export async function writeManifest(directory: string, manifest: ArchiveManifest): Promise<void> {
  const text = textOf(manifest);
  const bytes = new TextEncoder().encode(`${JSON.stringify({ ...text, sha256: digestOfText(text) }, null, 1)}\n`);
  await writeWhole(directory, onceOf(bytes), () => MANIFEST);
}

async function* onceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** @throws {EngineError} `not-found`, `corrupt`, `format-unknown` */
export async function readArchiveManifest(directory: string): Promise<ArchiveManifest> {
  const path = join(directory, MANIFEST);
  if (!isArchive(directory)) throw new EngineError('not-found', `${directory} is no archive: it has no ${MANIFEST}`);
  const given = parsed(path, await orFailed(path, () => readFile(path, 'utf8')));
  const { sha256: digest, ...text } = given;
  if (typeof text.version === 'number' && text.version > ARCHIVE_VERSION) {
    throw new EngineError(
      'format-unknown',
      `${path}: expected an archive of version ${ARCHIVE_VERSION}, got version ${text.version}: use the movelet that wrote it, or a later one`,
      { details: { expected: ARCHIVE_VERSION, received: text.version } },
    );
  }
  if (text.version !== ARCHIVE_VERSION || digest !== digestOfText(text)) throw damaged(path);
  const manifest = manifestOf(path, text);
  // A right digest does not say that the content is.
  if (JSON.stringify(textOf(manifest)) !== JSON.stringify(text)) throw unreadable(path);
  const disorder = disorderIn(manifest);
  if (disorder !== undefined) throw unreadable(path, disorder);
  return manifest;
}

function manifestOf(path: string, text: Text): ArchiveManifest {
  try {
    return decoded(text);
  } catch (cause) {
    throw unreadable(path, undefined, cause);
  }
}

function decoded({ writers, start, dumps, segments }: Text): ArchiveManifest {
  return {
    writers: writers.map(fromHex),
    start: start === null ? undefined : decode(logHead, fromHex(start)),
    dumps: dumps.map(({ bytes, sha256, head: bcs }) => ({ bytes, sha256, head: decode(head, fromHex(bcs)) })),
    segments: segments.map(({ first, last, bytes, sha256, head: bcs }) => ({
      first: BigInt(first),
      last: BigInt(last),
      bytes,
      sha256,
      head: decode(logHead, fromHex(bcs)),
    })),
  };
}

/** What is wrong with the order of an archive's files; undefined if each follows the one before. */
function disorderIn({ start, dumps, segments }: ArchiveManifest): string | undefined {
  for (const [index, { head }] of dumps.entries()) {
    const before = dumps[index - 1]?.head.order;
    if (before !== undefined && head.order <= before)
      return `the dump of order ${head.order} follows that of ${before}`;
  }
  let end = start?.order;
  for (const { first, last, head } of segments) {
    if (end === undefined || first !== end + 1n || last < first || head.order !== last)
      return `a segment of the orders ${first} to ${last}, which ends at ${head.order}, follows order ${end ?? 'none'}`;
    end = last;
  }
  return undefined;
}

function parsed(path: string, json: string): Text & { readonly sha256?: unknown } {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value as Text;
  } catch {
    throw damaged(path);
  }
  throw damaged(path);
}

function textOf({ writers, start, dumps, segments }: ArchiveManifest): Text {
  return {
    version: ARCHIVE_VERSION,
    writers: writers.map(toHex),
    start: start === undefined ? null : toHex(encode(logHead, start)),
    dumps: dumps.map(({ bytes, sha256, head: { order, stateRoot }, head: given }) => ({
      order: String(order),
      stateRoot: toHex(stateRoot),
      bytes,
      sha256,
      head: toHex(encode(head, given)),
    })),
    segments: segments.map(({ first, last, bytes, sha256, head: given }) => ({
      first: String(first),
      last: String(last),
      stateRoot: toHex(given.stateRoot),
      bytes,
      sha256,
      head: toHex(encode(logHead, given)),
    })),
  };
}

function digestOfText(text: Text): string {
  return toHex(sha256(new TextEncoder().encode(JSON.stringify(text))));
}

function damaged(path: string): EngineError {
  return new EngineError(
    'corrupt',
    `${path} is damaged: its digest does not match; restore it from a copy of the archive`,
  );
}

function unreadable(path: string, reason = 'it does not read as a manifest', cause?: unknown): EngineError {
  return new EngineError(
    'corrupt',
    `${path} is not what movelet writes: ${reason}; restore it from a copy of the archive`,
    {
      cause,
    },
  );
}
