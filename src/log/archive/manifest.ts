/**
 * The manifest of an archive: which files belong to it, with their digests. It is human-readable JSON with a digest of
 * its own, and is replaced as a whole; everything else in an archive is written once.
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, encode } from '../../base/bcs/codec.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { EngineError } from '../../base/error.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { type Head, head } from '../../chain/ledger/head.ts';
import { orFailed } from '../../store/file-failure.ts';
import { type LogHead, logHead } from '../log-head.ts';
import { type FileDigest, type Orders, writeWhole } from './archive-files.ts';

const MANIFEST = 'archive.json';

/** The archive format that this version writes and reads. */
const ARCHIVE_VERSION = 1;

/** A file of records. */
export interface ArchivedSegment extends Orders, FileDigest {
  /** The head of the log after its last record. */
  readonly head: LogHead;
}

/** A dump of the chain. */
export interface ArchivedDump extends FileDigest {
  /** The head of the chain in it. */
  readonly head: Head;
}

/** What an archive consists of; segments and dumps each in the order of the chain. */
export interface Manifest {
  /** The public keys that signed the records. */
  readonly writers: readonly Uint8Array[];
  /** The head of the log before the first segment: the records follow a dump of this order. */
  readonly start: LogHead | undefined;
  readonly dumps: readonly ArchivedDump[];
  readonly segments: readonly ArchivedSegment[];
}

export const EMPTY_MANIFEST: Manifest = { writers: [], start: undefined, dumps: [], segments: [] };

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
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const text = textOf(manifest);
  const bytes = new TextEncoder().encode(`${JSON.stringify({ ...text, sha256: digestOfText(text) }, null, 1)}\n`);
  await writeWhole(directory, chunksOf(bytes), () => MANIFEST);
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** @throws {EngineError} `not-found`, `corrupt`, `format-unknown` */
export async function readManifest(directory: string): Promise<Manifest> {
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

function manifestOf(path: string, text: Text): Manifest {
  try {
    return decoded(text);
  } catch (cause) {
    throw unreadable(path, undefined, cause);
  }
}

function decoded({ writers, start, dumps, segments }: Text): Manifest {
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
function disorderIn({ start, dumps, segments }: Manifest): string | undefined {
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

function textOf({ writers, start, dumps, segments }: Manifest): Text {
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
