/**
 * A commit log in a directory of segment files, for processes on one machine; archives use it too.
 *
 * A segment (segment.ts) holds records of one epoch; small files (segment.ts) say which epochs exist, where each
 * begins, and how far the newest is durable, which is as far as readers go. An append is one write and one `fdatasync`,
 * and resolves after both.
 *
 * Not for file systems shared by several machines: one machine may see another's claim too late.
 * @module
 */
import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { argumentError, assertOptions, wholeNumber } from '../base/argument.ts';
import { joinBytes } from '../base/bytes/bytes.ts';
import { LOG_SEGMENT_BYTES } from '../base/config.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { makeDirectory, syncData, syncDirectory } from '../store/file-sync.ts';
import {
  assertAppend,
  assertPrune,
  assertRead,
  assertSignal,
  type CommitLog,
  emptyLogHead,
  failed,
  fenced,
  Hints,
  LOG_POLL_MS,
  type LogHead,
  type LogRecord,
  missingRecord,
  prunedRecord,
  type ReadOptions,
} from './commit-log.ts';
import { headAfter, summariesAfter, summaryOf, takesAfter } from './record.ts';
import {
  EpochFiles,
  frameOf,
  framesFrom,
  lastOrderOf,
  parseSegmentName,
  type SegmentName,
  type StartedEpoch,
  segmentName,
} from './segment.ts';

/** Options of a directory log. */
export interface DirectoryLogOptions {
  /** Bytes after which a segment ends and the next one begins. Default: LOG_SEGMENT_BYTES. */
  readonly segmentBytes?: number | undefined;
}

const OPTIONS = { segmentBytes: wholeNumber(1) };

/** The reason for refusing appends: it is unknown whether the last records are in the log. */
interface Doubt {
  readonly error: EngineError;
  /** Whether the disk failed: then reading back proves nothing. */
  readonly isOfDisk: boolean;
}

interface OpenSegment {
  readonly file: FileHandle;
  length: number;
  /** Whether its name is durable. */
  isNamed: boolean;
}

/**
 * Opens the log in a directory, and creates the directory if it does not exist. Opening changes nothing else: only
 * `takeOver` makes it a writer.
 * @throws {EngineError} `invalid-argument`, `log-failed`.
 */
export async function openDirectoryLog(path: string, options: DirectoryLogOptions = {}): Promise<DirectoryLog> {
  if (typeof path !== 'string' || path === '') throw argumentError('path', 'the path of a directory', path);
  assertOptions(options, OPTIONS);
  return orFailed(async () => {
    await makeDirectory(path);
    return new DirectoryLog(path, options.segmentBytes ?? LOG_SEGMENT_BYTES);
  });
}

/** What `openDirectoryLog` opens. */
export class DirectoryLog implements CommitLog {
  readonly #path: string;
  readonly #segmentBytes: number;
  readonly #epochs: EpochFiles;
  /** The head after this log's own appends; undefined before `takeOver`. */
  #own: LogHead | undefined;
  #segment: OpenSegment | undefined;
  /** Serializes appends and take-overs. */
  #last: Promise<unknown> = Promise.resolve();
  #doubt: Doubt | undefined;
  /** The reason for the end of this writer's epoch, once settled. */
  #ended: EngineError | undefined;
  /** Where the last read ended, so that the next one can start there. */
  #cursor: { readonly name: string; readonly order: bigint; readonly offset: number } | undefined;
  #isClosed = false;

  /** @internal */
  constructor(path: string, segmentBytes: number) {
    this.#path = path;
    this.#segmentBytes = segmentBytes;
    this.#epochs = new EpochFiles(path);
  }

  takeOver(): Promise<LogHead> {
    return this.#inTurn(async () => {
      await this.#closeSegment();
      const epoch = await this.#epochs.claim();
      await this.#settle();
      const head = await this.#startOf(epoch);
      this.#doubt = undefined;
      this.#ended = undefined;
      this.#own = head;
      return head;
    });
  }

  head(): Promise<LogHead> {
    return this.#inTurn(async () => {
      if (this.#doubt !== undefined) await this.#resolve(this.#doubt, this.#own!);
      return this.#durable(await this.#epochs.started());
    });
  }

  async append(after: LogHead, records: readonly Uint8Array[]): Promise<LogHead> {
    assertAppend(after, records);
    return this.#inTurn(async () => {
      const own = this.#own;
      if (own === undefined) throw new EngineError('invalid-argument', 'append: expected takeOver before it');
      const refusal = this.#ended ?? this.#doubt?.error;
      if (refusal !== undefined) throw refusal;
      if (!takesAfter(own, after) || this.#epochs.isClaimed(own.epoch + 1n)) throw fenced(own);
      const summaries = summariesAfter(after, records);
      const last = headAfter(summaries.at(-1)!);
      await this.#write(
        summaries[0]!.order,
        joinBytes(records.map((bytes, index) => frameOf({ ...summaries[index]!, bytes }))),
        own.epoch,
      );
      if (this.#epochs.isClaimed(own.epoch + 1n)) throw this.#doubtful('another writer took over meanwhile', false);
      await this.#epochs.mark(last).catch((error: unknown) => {
        throw this.#doubtful('that they are durable could not be noted', true, error);
      });
      this.#own = last;
      return last;
    });
  }

  async *read(fromOrder: bigint, options: ReadOptions = {}): AsyncGenerator<LogRecord, void, undefined> {
    assertRead(fromOrder, options);
    this.#assertOpen();
    const { max = Number.POSITIVE_INFINITY, signal } = options;
    try {
      const epochs = await this.#epochs.started();
      const { order: last } = await this.#durable(epochs);
      const segments = await this.#segments();
      let next = fromOrder;
      for (let count = 0; next <= last && count < max; ) {
        const before = next;
        for await (const record of this.#section(next, last, epochs, segments)) {
          if (signal?.aborted === true || count === max) return;
          this.#assertOpen();
          yield record;
          next++;
          count++;
        }
        if (next === before) throw await this.#absent(next);
      }
    } catch (error) {
      throw failedOnDisk(error);
    }
  }

  async *changed(signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const hints = new Hints();
    assertSignal(signal);
    const watcher = watched(this.#path, hints.hint);
    try {
      yield* hints.until(signal, LOG_POLL_MS);
    } finally {
      watcher?.close();
    }
  }

  async prune(beforeOrder: bigint): Promise<void> {
    assertPrune(beforeOrder);
    return this.#inTurn(async () => {
      const epochs = await this.#epochs.started();
      const { order: newest } = await this.#durable(epochs);
      const before = beforeOrder < newest ? beforeOrder : newest;
      const segments = await this.#segments();
      const ended = segments.filter((segment) => lastOrderOf(segment, segments, epochs, newest) < before);
      if (ended.length === 0) return;
      const order = lastOrderOf(ended.at(-1)!, segments, epochs, newest);
      if (!(await this.#isPruned(order))) {
        const last = await this.#headAt(order, epochs, segments).catch(async (error: unknown) => {
          // Another process may have pruned further in the meantime.
          if (!(await this.#isPruned(order))) throw error;
        });
        if (last !== undefined) await this.#epochs.prune(last);
      }
      for (const { name } of ended) await unlink(join(this.#path, name)).catch(orGone);
      await syncDirectory(this.#path);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#closeSegment();
    await this.#epochs.close();
  }

  async #isPruned(order: bigint): Promise<boolean> {
    return order <= ((await this.#epochs.pruned())?.order ?? 0n);
  }

  /** Begins every claimed epoch at the end of the log. */
  async #settle(): Promise<void> {
    for (let epoch = await this.#epochs.unstarted(); epoch !== undefined; epoch = await this.#epochs.unstarted()) {
      await this.#epochs.begin(epoch, await this.#end());
    }
  }

  async #startOf(epoch: bigint): Promise<LogHead> {
    const started = (await this.#epochs.started()).find((one) => one.epoch === epoch);
    if (started === undefined) throw new EngineError('log-failed', `epoch ${epoch} was claimed and did not begin`);
    return started.start;
  }

  /** The newest record known to be durable. */
  async #durable(epochs: readonly StartedEpoch[]): Promise<LogHead> {
    const newest = epochs.at(-1);
    if (newest === undefined) return emptyLogHead();
    return (await this.#epochs.marked(newest.epoch)) ?? newest.start;
  }

  /** The last record of the newest epoch that has begun, acknowledged or not; durable when this returns. */
  async #end(): Promise<LogHead> {
    const newest = (await this.#epochs.started()).at(-1);
    if (newest === undefined) return emptyLogHead();
    const own = (await this.#segments()).filter(({ epoch }) => epoch === newest.epoch);
    // A pruned record is noted before it is deleted, so what these names lack is noted by now.
    let end = latest(newest.start, await this.#epochs.pruned(), await this.#epochs.marked(newest.epoch));
    // The log never ends before what was acknowledged, even if a record there is damaged: reading it fails.
    const at = own.findLastIndex(({ firstOrder }) => firstOrder <= end.order + 1n);
    for (const { name } of own.slice(Math.max(at, 0))) {
      const file = await openUnlessPruned(join(this.#path, name));
      if (file === undefined) return this.#end();
      try {
        await syncData(file);
        for await (const { record } of framesFrom(file, 0)) {
          const isNext = end.order === 0n || record.order === end.order + 1n;
          if (isNext && record.epoch === newest.epoch) end = headAfter(summaryOf(record.bytes));
        }
      } finally {
        await file.close();
      }
    }
    return end;
  }

  /** The records from `from` on, up to the end of the segment that contains `from`. */
  async *#section(
    from: bigint,
    last: bigint,
    epochs: readonly StartedEpoch[],
    segments: readonly SegmentName[],
  ): AsyncGenerator<LogRecord, void, undefined> {
    const at = epochs.findLastIndex(({ start }) => start.order < from);
    const owner = epochs[at]?.epoch;
    const segment = segments.findLast(({ epoch, firstOrder }) => epoch === owner && firstOrder <= from);
    if (segment === undefined) return;
    const until = epochs[at + 1]?.start.order ?? last;
    const file = await openUnlessPruned(join(this.#path, segment.name));
    if (file === undefined) return;
    try {
      const isNear = this.#cursor?.name === segment.name && this.#cursor.order <= from;
      const start = isNear ? this.#cursor! : { order: segment.firstOrder, offset: 0 };
      let next = start.order;
      for await (const { record, end } of framesFrom(file, start.offset)) {
        if (record.order !== next || record.epoch !== owner || next > until || next > last) return;
        next++;
        this.#cursor = { name: segment.name, order: next, offset: end };
        if (record.order >= from) yield record;
        if (next > until || next > last) return;
      }
    } finally {
      await file.close();
    }
  }

  async #headAt(order: bigint, epochs: readonly StartedEpoch[], segments: readonly SegmentName[]): Promise<LogHead> {
    for await (const { bytes } of this.#section(order, order, epochs, segments)) return headAfter(summaryOf(bytes));
    throw missingRecord(order);
  }

  /** Why a requested record is missing. */
  async #absent(order: bigint): Promise<EngineError> {
    const [oldest] = await this.#segments();
    return oldest !== undefined && order < oldest.firstOrder
      ? prunedRecord(order, oldest.firstOrder)
      : missingRecord(order);
  }

  /** The segments, in the order of their records. */
  async #segments(): Promise<readonly SegmentName[]> {
    const names = (await readdir(this.#path)).sort();
    return names.map(parseSegmentName).filter((name) => name !== undefined);
  }

  async #write(firstOrder: bigint, bytes: Uint8Array, epoch: bigint): Promise<void> {
    const segment = await this.#segmentFor(firstOrder, epoch);
    try {
      for (let written = 0; written < bytes.length; ) {
        const { bytesWritten } = await segment.file.write(
          bytes,
          written,
          bytes.length - written,
          segment.length + written,
        );
        written += bytesWritten;
      }
    } catch (error) {
      // A full disk may have taken some of the records: truncate the file again, so that none is in.
      await segment.file.truncate(segment.length).catch((failure: unknown) => {
        throw this.#doubtful('a part of them was written and could not be taken back', true, failure);
      });
      throw failedOnDisk(error);
    }
    segment.length += bytes.length;
    await syncData(segment.file).catch((error: unknown) => {
      throw this.#doubtful('the disk did not confirm them', true, error);
    });
  }

  async #segmentFor(firstOrder: bigint, epoch: bigint): Promise<OpenSegment> {
    if (this.#segment === undefined || this.#segment.length >= this.#segmentBytes) {
      await this.#closeSegment();
      const file = await open(join(this.#path, segmentName(firstOrder, epoch).name), 'wx');
      this.#segment = { file, length: 0, isNamed: false };
    }
    const segment = this.#segment;
    if (!segment.isNamed) await syncDirectory(this.#path);
    segment.isNamed = true;
    return segment;
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    await segment?.file.close();
  }

  #doubtful(reason: string, isOfDisk: boolean, cause?: unknown): EngineError {
    const error = new EngineError('log-unknown', `the log may or may not hold the records: ${reason}`, { cause });
    this.#doubt = { error, isOfDisk };
    return error;
  }

  /** Settles whether the last records are in, which fences their writer. */
  async #resolve({ error, isOfDisk }: Doubt, own: LogHead): Promise<void> {
    // The next epoch begins before these records, so they are void even if the disk has kept them. If it has begun
    // already, it decides; later epochs are those of other writers, who may have acknowledged records.
    if (isOfDisk && (await this.#epochs.beginNext(own))) this.#ended = diskFailed(own, error);
    await this.#settle();
    this.#ended ??= fenced(own);
    this.#doubt = undefined;
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => {
      this.#assertOpen();
      return orFailed(run);
    });
    this.#last = done.catch(() => {});
    return done;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new EngineError('closed', 'the log is closed');
  }
}

/** Undefined if the host cannot watch another directory: then the log is polled. */
function watched(path: string, hint: () => void): FSWatcher | undefined {
  try {
    return watch(path, { persistent: false }, hint).on('error', hint);
  } catch {
    return undefined;
  }
}

/** The last of some heads of one log. */
function latest(...heads: readonly [LogHead, ...(LogHead | undefined)[]]): LogHead {
  const [first, ...others] = heads;
  return others.reduce<LogHead>((last, head) => (head !== undefined && head.order > last.order ? head : last), first);
}

/** Undefined if the file is gone: the log may be pruned while it is read. */
async function openUnlessPruned(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(orGone);
}

/** For files that another process may have pruned. */
function orGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw failedOnDisk(error);
}

/** The disk did not confirm records, and no other writer has taken over since. */
function diskFailed({ epoch }: LogHead, { cause, message }: EngineError): EngineError {
  const reason = cause instanceof Error ? cause.message : message;
  return new EngineError(
    'fenced',
    `the disk of the log failed, which ended the epoch ${epoch} of this writer: nothing was appended (${reason}); repair the disk, and start this writer again`,
    { details: { epoch: String(epoch), disk: 'failed' }, cause },
  );
}

/** Node 26 denies fsync under --permission, even if all files may be written. */
const WITHOUT_PERMISSION = 'Run without --permission, or keep the log in PostgreSQL (movelet/log)';

/** The error for what the file system threw; errors of the log stay as they are. */
function failedOnDisk(error: unknown): EngineError {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_ACCESS_DENIED') return failed(error);
  const message = `Node's permission model denies what a log in a directory needs: ${messageOf(error)} ${WITHOUT_PERMISSION}`;
  return new EngineError('not-supported', message, { cause: error });
}

/** @throws {EngineError} what `run` throws, as an error of the log */
async function orFailed<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw failedOnDisk(error);
  }
}
