/**
 * Archives: the whole history of a chain, in files that are written once.
 *
 * An archive is a directory, or any object store mounted as one. It holds records of a commit log in segments, each
 * named after its first and last order; dumps of the chain, each named after its order; and a manifest with the digest
 * of each file. The segments follow each other without a gap. The first one follows a dump, so each order from there on
 * can be restored: from the newest dump before it and the records in between.
 *
 * The records are those of the log, in the same frames (log/segment.ts), signed by the writer. A data directory has no
 * records: the ledger keeps neither the clock's readings nor the bytes of Bitcoin blocks, and only the writer can sign.
 * So a data directory contributes a dump to an archive, and a log contributes records.
 * @module
 */
import { existsSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import type { Head } from '../../chain/ledger/head.ts';
import { orFailed } from '../../store/file-sync.ts';
import { emptyLogHead, type LogHead, type LogRecord, prunedRecord, type ReadOptions } from '../commit-log.ts';
import { type LogPlace, summaryAt } from '../record.ts';
import { framesFrom } from '../segment.ts';
import {
  type ArchivedDump,
  type ArchivedSegment,
  type ArchiveManifest,
  dumpFile,
  eachOrFailed,
  type FileDigest,
  fileDigestOf,
  isDump,
  readArchiveManifest,
  segmentFile,
  segmentOrders,
} from './archive-files.ts';

export class Archive {
  readonly path: string;
  #manifest: ArchiveManifest;
  /** Segments whose digest was checked by this object. */
  readonly #checked = new Set<string>();

  /** @internal */
  constructor(path: string, manifest: ArchiveManifest) {
    this.path = path;
    this.#manifest = manifest;
  }

  /**
   * Opens an archive to read it.
   * @throws {EngineError} `not-found`, `corrupt` naming a file that is missing, `format-unknown`, `store-failed`
   */
  static async open(path: string): Promise<Archive> {
    const archive = new Archive(path, await readArchiveManifest(path));
    const [missing] = archive.files().filter(({ name }) => !existsSync(join(path, name)));
    if (missing !== undefined) throw damaged(join(path, missing.name), 'it is missing');
    return archive;
  }

  get manifest(): ArchiveManifest {
    return this.#manifest;
  }

  /** @internal */
  set manifest(manifest: ArchiveManifest) {
    this.#manifest = manifest;
  }

  get dumps(): readonly ArchivedDump[] {
    return this.#manifest.dumps;
  }

  get segments(): readonly ArchivedSegment[] {
    return this.#manifest.segments;
  }

  /** The newest archived record; order 0 if there is none. */
  get end(): LogHead {
    return this.segments.at(-1)?.head ?? emptyLogHead();
  }

  /** The newest order that can be restored. */
  get newest(): bigint {
    const dumped = this.dumps.at(-1)?.head.order ?? 0n;
    return this.end.order > dumped ? this.end.order : dumped;
  }

  /** All files but the manifest. */
  files(): readonly (FileDigest & { readonly name: string })[] {
    return [
      ...this.dumps.map((dump) => ({ ...dump, name: dumpFile(dump.head.order) })),
      ...this.segments.map((segment) => ({ ...segment, name: segmentFile(segment) })),
    ];
  }

  /** Names of segments and dumps in the directory that the manifest does not list. */
  strays(): readonly string[] {
    const known = new Set(this.files().map(({ name }) => name));
    const isOfArchive = (name: string): boolean => isDump(name) || segmentOrders(name) !== undefined;
    return readdirSync(this.path)
      .filter((name) => isOfArchive(name) && !known.has(name))
      .sort();
  }

  segmentAt(order: bigint): ArchivedSegment | undefined {
    return this.segments.find(({ first, last }) => first <= order && order <= last);
  }

  /**
   * The place among the records of the chain that has this head.
   * @throws {EngineError} `pruned` for a head before the first record, `log-mismatch` for one of another chain; as `read`
   */
  async placeOf({ order, stateRoot }: Head): Promise<LogPlace> {
    const { start } = this.#manifest;
    if (order === start?.order) return assertSameState(start, stateRoot);
    const found = await summaryAt(this, order);
    if (found !== undefined) return assertSameState(found, stateRoot);
    throw prunedRecord(order, this.segments[0]?.first ?? 0n);
  }

  /**
   * Asserts that a file is still as it was written.
   * @throws {EngineError} `corrupt` naming it, `store-failed`
   */
  async check({ name, bytes, sha256 }: FileDigest & { readonly name: string }): Promise<void> {
    if (this.#checked.has(name)) return;
    const path = join(this.path, name);
    if (!existsSync(path)) throw damaged(path, 'it is missing');
    const found = await fileDigestOf(path);
    if (found.bytes !== bytes) throw damaged(path, `expected ${bytes} bytes, got ${found.bytes}`);
    if (found.sha256 !== sha256) throw damaged(path, `expected the SHA-256 ${sha256}, got ${found.sha256}`);
    this.#checked.add(name);
  }

  /**
   * The archived records from `fromOrder` on. The digest of each segment is checked before it is read.
   * @throws {EngineError} `pruned` for an order before the first; `corrupt` naming the segment; `store-failed`
   */
  async *read(fromOrder: bigint, options: ReadOptions = {}): AsyncGenerator<LogRecord, void, undefined> {
    const { max = Number.POSITIVE_INFINITY, signal } = options;
    const [oldest] = this.segments;
    if (oldest !== undefined && fromOrder < oldest.first) throw prunedRecord(fromOrder, oldest.first);
    let left = max;
    for (const segment of this.segments.filter(({ last }) => last >= fromOrder)) {
      if (left <= 0) return;
      for await (const record of this.#records(segment)) {
        if (record.order < fromOrder) continue;
        if (left <= 0 || signal?.aborted === true) return;
        yield record;
        left--;
      }
    }
  }

  async *#records(segment: ArchivedSegment): AsyncGenerator<LogRecord, void, undefined> {
    const name = segmentFile(segment);
    await this.check({ ...segment, name });
    yield* recordsOfFile(join(this.path, name), segment.first, segment.last);
  }
}

/**
 * The records of a segment, which must be those of the orders from `first` to `last` and no others.
 * @throws {EngineError} `corrupt` naming the file
 */
export async function* recordsOfFile(
  path: string,
  first: bigint,
  last: bigint,
): AsyncGenerator<LogRecord, void, undefined> {
  const file = await orFailed(path, () => open(path, 'r'));
  try {
    const { size } = await file.stat();
    let next = first;
    let read = 0;
    for await (const { record, end } of eachOrFailed(path, framesFrom(file, 0))) {
      if (record.order !== next)
        throw damaged(path, `expected the record of order ${next}, got that of ${record.order}`);
      next++;
      read = end;
      yield record;
    }
    if (next !== last + 1n) throw damaged(path, `expected records up to order ${last}, got them up to ${next - 1n}`);
    if (read !== size) throw damaged(path, `other bytes follow its last record`);
  } finally {
    await file.close();
  }
}

function assertSameState(place: LogHead, stateRoot: Uint8Array): LogPlace {
  if (equalBytes(place.stateRoot, stateRoot)) return place;
  throw new EngineError(
    'log-mismatch',
    `the archive has another state at order ${place.order} than the chain: they do not belong together`,
    { details: { order: String(place.order) } },
  );
}

export function damaged(path: string, reason: string): EngineError {
  return new EngineError('corrupt', `the file ${path} of the archive is not what it should be: ${reason}`, {
    details: { file: path },
  });
}
