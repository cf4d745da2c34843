/**
 * A reader: it follows a log, applies its records one after another, and reports its progress.
 *
 * If the log cannot be reached, the reader waits for it. If a record is invalid, or the log has lost records, the
 * reader stops for good, names the order, and keeps answering at the last correct root.
 * @module
 */
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError, messageOf } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { LogStatus } from '../query/status.ts';
import { type CommitLog, LOG_READ_RECORDS, type LogHead, type LogRecord } from './commit-log.ts';
import { placeInLog } from './log-place.ts';
import type { Replica, Replicated } from './replica.ts';

interface LogReaderOptions {
  readonly log: CommitLog;
  readonly replica: Replica;
  /** Whether the log held records when the place of the replica was found in it. */
  readonly isPlaced: boolean;
  /** Calls `write` when the chain is free, and announces the commits that it returns. */
  readonly replicate: (write: () => Promise<readonly Commit[]>) => Promise<void>;
  readonly say: Log;
}

export class LogReader {
  readonly #options: LogReaderOptions;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #state: LogStatus['state'] = 'following';
  #problem: string | undefined;
  #head: LogHead | undefined;
  #isPlaced: boolean;
  /** When the reader was last level with the log, by the process's monotonic clock; undefined before the first time. */
  #levelAt: number | undefined;
  readonly #begunAt: number = performance.now();

  constructor(options: LogReaderOptions) {
    this.#options = options;
    this.#isPlaced = options.isPlaced;
  }

  get status(): LogStatus {
    const { order: applied, epoch } = this.#options.replica.place;
    const head = this.#head === undefined || this.#head.order < applied ? applied : this.#head.order;
    return {
      role: 'reader',
      state: this.#state,
      epoch: this.#head?.epoch ?? epoch,
      applied,
      head,
      behind: head - applied,
      ageMs: Math.round(performance.now() - (this.#levelAt ?? this.#begunAt)),
      problem: this.#problem,
    };
  }

  /** Starts following. */
  start(): void {
    this.#running ??= this.#follow();
  }

  /** Stops following, after the records that are being applied. */
  async leave(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    try {
      for await (const _ of this.#options.log.changed(signal)) {
        await this.#recheck();
        if (this.#state === 'stopped') return;
      }
    } catch (error) {
      if (!signal.aborted) this.#stop(error);
    }
  }

  async #recheck(): Promise<void> {
    try {
      const head = await this.#options.log.head();
      this.#head = head;
      await this.#advance(head);
      if (this.#state === 'waiting') this.#say('info', 'the commit log answers again');
      this.#state = 'following';
      this.#problem = undefined;
      this.#levelAt = performance.now();
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      if (!(error instanceof EngineError) || error.code !== 'log-failed') {
        this.#stop(error);
        return;
      }
      if (this.#state !== 'waiting') this.#say('warning', `${error.message}; reads go on at order ${this.#applied}`);
      this.#state = 'waiting';
      this.#problem = error.message;
    }
  }

  get #applied(): bigint {
    return this.#options.replica.place.order;
  }

  /** Applies the records up to `head`. */
  async #advance(head: LogHead): Promise<void> {
    const { log, replica } = this.#options;
    if (head.order === 0n) return;
    // A power failure may take the first mark of a log in a directory: the log then looks empty until a writer takes over.
    if (!this.#isPlaced && replica.head.order > 0n) replica.placeAt(await placeInLog(log, head, replica.head));
    this.#isPlaced = true;
    if (head.order < this.#applied) {
      throw new EngineError(
        'log-mismatch',
        `the commit log ends at order ${head.order}, and order ${this.#applied} was read from it`,
      );
    }
    let ahead = this.#read(this.#applied + 1n, head);
    try {
      while (this.#applied < head.order && !this.#ended.signal.aborted) {
        const records = await ahead;
        const last = records.at(-1);
        if (last === undefined) return;
        // Read the next records while these are written: syncing the store takes as long as reading.
        ahead = this.#read(last.order + 1n, head);
        await this.#apply(records);
      }
    } finally {
      // Nothing is being read once this returns.
      await ahead.catch(() => undefined);
    }
    const { order, digest } = replica.place;
    if (order !== head.order || equalBytes(digest, head.digest)) return;
    throw new EngineError(
      'log-mismatch',
      `the commit log has another record of order ${order} than the one that was read: expected the digest ${toHexPrefixed(digest)}, got ${toHexPrefixed(head.digest)}`,
      { details: { order: String(order) } },
    );
  }

  /** The next records up to `head`; none beyond it. */
  #read(fromOrder: bigint, head: LogHead): Promise<LogRecord[]> {
    const read = async (): Promise<LogRecord[]> => {
      const records: LogRecord[] = [];
      const { log } = this.#options;
      const { signal } = this.#ended;
      if (fromOrder > head.order) return records;
      for await (const record of log.read(fromOrder, { max: LOG_READ_RECORDS, signal })) records.push(record);
      return records;
    };
    const records = read();
    // The caller gets the error when it awaits the records, after it has applied the previous ones.
    records.catch(() => undefined);
    return records;
  }

  async #apply(records: readonly LogRecord[]): Promise<void> {
    const { replica, replicate } = this.#options;
    let replicated: Replicated | undefined;
    await replicate(async () => {
      replicated = await replica.apply(records);
      return replicated.commits;
    });
    if (replicated?.failure !== undefined) throw replicated.failure;
  }

  #stop(error: unknown): void {
    const reason = messageOf(error);
    this.#state = 'stopped';
    this.#problem = reason;
    this.#say('error', `the reader stopped: ${reason}; it answers at order ${this.#applied}, the last that was right`);
  }

  #say(level: 'info' | 'warning' | 'error', message: string): void {
    this.#options.say({ level, message, details: { order: String(this.#applied) } });
  }
}
