/**
 * Adds to an archive: the records that a log has and the archive lacks, and dumps.
 *
 * Each record is checked before it is archived: that it follows the one before, that its parts belong together, and
 * that the writer of this chain signed it (log/record.ts). Whether its change leads to the state root that it
 * names is checked when it is applied: for each dump made from records, each restore and each verification.
 *
 * A file gets its name when it is complete, and then the manifest is replaced. A process that dies in between leaves a
 * file that the manifest does not list; the next one checks it and adds it. Nothing that has a name is ever deleted.
 * @module
 */
import { readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes, joinBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { LOG_SEGMENT_BYTES } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { HEAD_KEY, type Head, readHead } from '../../chain/ledger/head.ts';
import { DirectoryOwner } from '../../store/directory-owner.ts';
import { dumpRows } from '../../store/dump.ts';
import { makeDirectory, orFailed } from '../../store/file-sync.ts';
import { type CommitLog, isSameRecord, type LogHead, type LogRecord } from '../commit-log.ts';
import { placeInLog } from '../log-place.ts';
import { checkRecord, type LogPlace, summaryAt, writerKeyOf } from '../record.ts';
import { decodedRecord } from '../replica.ts';
import { frameOf } from '../segment.ts';
import { Archive, damaged, recordsOfFile } from './archive.ts';
import {
  type ArchiveManifest,
  chunksOf,
  dumpFile,
  EMPTY_MANIFEST,
  type FileDigest,
  fileDigestOf,
  isArchive,
  isDump,
  isPartial,
  type Orders,
  readArchiveManifest,
  segmentFile,
  segmentOrders,
  writeManifest,
  writeWhole,
} from './archive-files.ts';

/** Bytes of records that an archive writes at a time. */
const ARCHIVE_CHUNK_BYTES: number = 2 ** 20;

/** How records are archived. */
export interface ArchiveRecordsOptions {
  /** Bytes after which a segment ends. Default: LOG_SEGMENT_BYTES. */
  readonly segmentBytes?: number | undefined;
  /** Public keys that may sign besides those that already did. Default: if none did, that of the first record. */
  readonly writers?: readonly Uint8Array[] | undefined;
  /** Called with the number of records archived so far, and of how many. If it throws, the work ends. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The head of a log after some records, and the keys that signed the chain so far. */
interface Checked {
  readonly head: LogHead;
  readonly writers: readonly Uint8Array[];
}

/** Files of the archive's owner (store/directory-owner.ts). */
const OWNER_FILE = /^owner-/;

export class ArchiveWriter {
  readonly archive: Archive;
  readonly #owner: DirectoryOwner;
  /** Keys that may sign records besides those that already did. */
  #mayWrite: readonly Uint8Array[] = [];

  private constructor(archive: Archive, owner: DirectoryOwner) {
    this.archive = archive;
    this.#owner = owner;
  }

  /**
   * Opens an archive to add to it, and creates it in an empty or missing directory.
   * @throws {EngineError} `store-locked` if another process adds to it, `invalid-argument` for a directory with other files,
   * `corrupt`, `format-unknown`, `store-failed`
   */
  static async open(given: string): Promise<ArchiveWriter> {
    const path = await orFailed(given, async () => {
      await makeDirectory(given);
      return realpathSync(given);
    });
    const isNew = !isArchive(path);
    const other = isNew ? readdirSync(path).find((name) => !OWNER_FILE.test(name) && !isPartial(name)) : undefined;
    if (other !== undefined) {
      throw new EngineError(
        'invalid-argument',
        `${path} is no archive and not empty, it has ${other}: name another directory`,
      );
    }
    const owner = await orFailed(path, async () => DirectoryOwner.take(path));
    try {
      owner.confirm();
      for (const name of readdirSync(path).filter(isPartial)) await rm(join(path, name));
      if (isNew) await writeManifest(path, EMPTY_MANIFEST);
      const archive = isNew ? new Archive(path, await readArchiveManifest(path)) : await Archive.open(path);
      const writer = new ArchiveWriter(archive, owner);
      for (const name of archive.strays().filter(isDump)) await writer.#adoptDump(name);
      return writer;
    } catch (error) {
      owner.leave(true);
      throw error;
    }
  }

  close(): void {
    this.#owner.leave(true);
  }

  /**
   * Adds a dump, unless the archive has one of that order.
   * @returns the head in it
   * @throws {EngineError} `log-mismatch` for a dump of another chain, or of an order that the records do not reach yet;
   * `corrupt`, `malformed-bytes`, `format-unknown`, `store-failed`; what `chunks` throws
   */
  async addDump(chunks: AsyncIterable<Uint8Array>): Promise<{ readonly head: Head; readonly isNew: boolean }> {
    let head: Head | undefined;
    const added = await writeWhole(this.archive.path, chunks, async ({ path }) => {
      head = await headOfDump(path);
      await this.#assertFits(head);
      return this.#hasDump(head.order) ? undefined : dumpFile(head.order);
    });
    if (added !== undefined) await this.#list({ dumps: [...this.archive.dumps, { ...added, head: head! }] });
    return { head: head!, isNew: added !== undefined };
  }

  /**
   * Adds the records that `log` has by now and the archive lacks.
   * @returns how many; 0 if there are none
   * @throws {EngineError} `not-found` for an archive without a dump that the log continues; `log-mismatch` for a log of
   * another chain; `pruned` if the log begins after the archive's end; `corrupt` for a record that is not sound, naming
   * its order; what the log and `onProgress` throw. What is complete by then stays.
   */
  async addRecords(log: CommitLog, options: ArchiveRecordsOptions = {}): Promise<number> {
    const { segmentBytes = LOG_SEGMENT_BYTES, onProgress } = options;
    this.#mayWrite = options.writers ?? [];
    const end = await log.head();
    let at = await this.#beginning(log, end);
    const total = Number(end.order - at.order);
    const before = at.order;
    const report = (order: bigint): void => onProgress?.(Number(order - before), total);
    const [stray] = this.archive.strays();
    if (stray !== undefined) at = await this.#adoptSegment(stray, at);
    while (at.order < end.order) {
      const from = at;
      let checked: Checked | undefined;
      const chunks = this.#chunks(log, from, end.order, segmentBytes, (now) => {
        checked = now;
        report(now.head.order);
      });
      const orders = (): { first: bigint; last: bigint } => ({ first: from.order + 1n, last: checked!.head.order });
      const added = await writeWhole(this.archive.path, chunks, () =>
        checked === undefined ? undefined : segmentFile(orders()),
      );
      if (added === undefined || checked === undefined) throw ended(at.order, end.order);
      await this.#listSegment({ ...orders(), ...added }, from, checked);
      at = checked.head;
    }
    return Number(at.order - before);
  }

  /**
   * Prunes a log up to the newest archived record, which stays in it: a restored node starts there. Before that, the
   * segments with what the log still holds are read once more.
   * @throws {EngineError} `corrupt` naming a segment that is damaged, in which case nothing was pruned. What the log
   * throws
   */
  async pruneLog(log: CommitLog): Promise<void> {
    const { end, segments } = this.archive;
    const oldest = await oldestIn(log);
    for (const segment of segments.filter(({ last }) => last >= oldest)) {
      const path = join(this.archive.path, segmentFile(segment));
      const { sha256 } = await fileDigestOf(path);
      if (sha256 !== segment.sha256) throw damaged(path, `expected the SHA-256 ${segment.sha256}, got ${sha256}`);
    }
    if (segments.length > 0) await log.prune(end.order);
  }

  /** Where the archive ends in the log. */
  async #beginning(log: CommitLog, logEnd: LogHead): Promise<LogHead> {
    const { end, segments, dumps } = this.archive;
    if (segments.length > 0) {
      if (logEnd.order > end.order) return end;
      if (isSameRecord(logEnd, end)) return end;
      throw (await this.#isForeign(logEnd))
        ? mismatch(
            `the log ends at order ${logEnd.order}, and the archive holds another chain up to order ${end.order}`,
          )
        : mismatch(
            `the log ends at order ${logEnd.order}, and the archive at order ${end.order}; after a power failure, a log in a directory knows its end again once a writer has taken over: start the writer first. Otherwise the log lost its end, or is of another chain`,
          );
    }
    let failure: unknown = new EngineError(
      'not-found',
      `${this.archive.path} has no dump for the records to follow: archive the data directory of a node first`,
    );
    for (const { head } of dumps) {
      try {
        const { order, epoch, digest } = await placeInLog(log, logEnd, head);
        return { order, epoch, digest, stateRoot: head.stateRoot };
      } catch (error) {
        if (!(error instanceof EngineError) || (error.code !== 'pruned' && error.code !== 'log-mismatch')) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Whether the archive is known to have another record of that order. */
  async #isForeign(record: LogHead): Promise<boolean> {
    if (this.archive.segmentAt(record.order) === undefined) return false;
    const own = await summaryAt(this.archive, record.order);
    return own !== undefined && !isSameRecord(record, own);
  }

  /** The frames of the next segment, in pieces of about ARCHIVE_CHUNK_BYTES; `onChecked` gets each record in them. */
  async *#chunks(
    log: CommitLog,
    after: LogPlace,
    last: bigint,
    bytesMax: number,
    onChecked: (checked: Checked) => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let at = after;
    let { writers } = this.archive.manifest;
    let [held, heldBytes, bytes]: [Uint8Array[], number, number] = [[], 0, 0];
    for await (const record of log.read(after.order + 1n)) {
      const checked = this.#check(record, at, writers);
      ({ head: at, writers } = checked);
      const frame = frameOf(record);
      held.push(frame);
      [heldBytes, bytes] = [heldBytes + frame.length, bytes + frame.length];
      onChecked(checked);
      const isEnd = bytes >= bytesMax || record.order === last;
      if (!isEnd && heldBytes < ARCHIVE_CHUNK_BYTES) continue;
      yield joinBytes(held);
      if (isEnd) return;
      [held, heldBytes] = [[], 0];
    }
    if (held.length > 0) yield joinBytes(held);
  }

  #check(given: LogRecord, after: LogPlace, known: readonly Uint8Array[]): Checked {
    const record = decodedRecord(given);
    if (record.order === after.order + 1n && !equalBytes(record.previous, after.digest)) {
      throw mismatch(`the record of order ${record.order} continues another chain than the archive holds`);
    }
    checkRecord(record, after);
    const writer = writerKeyOf(record);
    const isAmong = (keys: readonly Uint8Array[]): boolean => keys.some((key) => equalBytes(key, writer));
    const isFirst = known.length + this.#mayWrite.length === 0;
    if (!isFirst && !isAmong(known) && !isAmong(this.#mayWrite)) {
      throw mismatch(
        `the record of order ${record.order} is signed with ${toHexPrefixed(writer)}, another key than those before it`,
      );
    }
    const writers = isAmong(known) ? known : [...known, writer];
    const { order, epoch, digest, executionInfo } = record;
    const dump = this.archive.dumps.find(({ head }) => head.order === order);
    if (dump !== undefined && !equalBytes(dump.head.stateRoot, executionInfo.stateRoot)) {
      throw mismatch(`the record of order ${order} leads to another state than the dump of that order`);
    }
    return { head: { order, epoch, digest, stateRoot: executionInfo.stateRoot }, writers };
  }

  /** Adds a segment that an earlier process completed but did not list. */
  async #adoptSegment(name: string, after: LogHead): Promise<LogHead> {
    const path = join(this.archive.path, name);
    const orders = segmentOrders(name);
    if (orders?.first !== after.order + 1n) throw foreign(path, `the archive ends at order ${after.order}`);
    let at = after;
    let checked: Checked | undefined;
    for await (const record of recordsOfFile(path, orders.first, orders.last)) {
      checked = this.#check(record, at, checked?.writers ?? this.archive.manifest.writers);
      at = checked.head;
    }
    await this.#listSegment({ ...orders, ...(await fileDigestOf(path)) }, after, checked!);
    return at;
  }

  async #adoptDump(name: string): Promise<void> {
    const path = join(this.archive.path, name);
    const head = await headOfDump(path);
    if (dumpFile(head.order) !== name) throw foreign(path, `it holds order ${head.order}`);
    await this.#assertFits(head);
    await this.#list({ dumps: [...this.archive.dumps, { ...(await fileDigestOf(path)), head }] });
  }

  #hasDump(order: bigint): boolean {
    return this.archive.dumps.some(({ head }) => head.order === order);
  }

  /** Asserts that a dump is of the archived chain. */
  async #assertFits({ order, genesisHash, chainId, stateRoot }: Head): Promise<void> {
    const { dumps, segments, end } = this.archive;
    const [first] = dumps;
    if (first !== undefined && !(equalBytes(first.head.genesisHash, genesisHash) && first.head.chainId === chainId)) {
      throw mismatch('the dump is of a chain with another genesis than the archive');
    }
    if (segments.length > 0 && order > end.order) {
      throw mismatch(
        `the dump is of order ${order}, and the records in the archive end at order ${end.order}: archive the log first`,
      );
    }
    if (this.archive.segmentAt(order) === undefined) return;
    const own = await summaryAt(this.archive, order);
    if (own === undefined || equalBytes(own.stateRoot, stateRoot)) return;
    throw mismatch(`the dump has another state at order ${order} than the records in the archive`);
  }

  async #listSegment(file: Orders & FileDigest, after: LogHead, { head, writers }: Checked): Promise<void> {
    const { start = after } = this.archive.manifest;
    await this.#list({ writers, start, segments: [...this.archive.segments, { ...file, head }] });
  }

  async #list(changed: Partial<ArchiveManifest>): Promise<void> {
    const { manifest, path } = this.archive;
    const next = { ...manifest, ...changed };
    const dumps = next.dumps.toSorted((left, right) => (left.head.order < right.head.order ? -1 : 1));
    this.#owner.assertHeld();
    await writeManifest(path, { ...next, dumps });
    this.archive.manifest = { ...next, dumps };
  }
}

/**
 * The head of the chain in a dump, after reading all of it.
 * @throws {EngineError} `corrupt`, `malformed-bytes`, `format-unknown`
 */
export async function headOfDump(path: string): Promise<Head> {
  let head: Head | undefined;
  for await (const page of dumpRows(chunksOf(path))) {
    const row = page.find(({ key }) => equalBytes(key, HEAD_KEY));
    if (row !== undefined) head = readHead({ get: () => row.value });
  }
  if (head === undefined) throw new EngineError('corrupt', `${path}: the dump holds no chain`);
  return head;
}

/** The first order that a log holds. */
async function oldestIn(log: CommitLog): Promise<bigint> {
  try {
    for await (const { order } of log.read(1n, { max: 1 })) return order;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'pruned') throw error;
    return BigInt(String(error.details['oldest']));
  }
  return 1n;
}

function ended(order: bigint, expected: bigint): EngineError {
  return new EngineError('corrupt', `the log ends after order ${order}, and its head is order ${expected}`);
}

function foreign(path: string, reason: string): EngineError {
  return damaged(path, `the manifest does not list it, and it does not continue the archive (${reason}): move it away`);
}

function mismatch(reason: string): EngineError {
  return new EngineError('log-mismatch', `${reason}: nothing was archived`);
}
