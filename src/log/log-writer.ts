import { EngineError } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import type { OrderSigner } from '../chain/transaction/order-signature.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { CommitSink } from '../pipeline/commit-sink.ts';
import type { LogStatus } from '../query/status.ts';
import { type CommitLog, isSameRecord, type LogHead } from './commit-log.ts';
import { headAfter, recordsOf, summaryAt, summaryOf } from './record.ts';

/** Milliseconds before an append is retried; doubled with each attempt. */
const LOG_RETRY_MS = 50;

/** The longest of these waits: how long a writer may take to resume after its log is back. */
const LOG_RETRY_MS_MAX = 5_000;

interface LogWriterOptions {
  readonly log: CommitLog;
  /** The head of the log, or of the chain if the log is empty. */
  readonly head: LogHead;
  readonly sign: OrderSigner;
  /** Milliseconds after which writes no longer wait for an append; 0 if they wait until its first failure. */
  readonly outageMsMax: number;
  readonly say: Log;
}

/** An outage of the log. */
interface Silence {
  /** By the process's monotonic clock. */
  readonly since: number;
  problem: EngineError;
  /** Whether it has lasted so long that writes no longer wait. */
  isOutage: boolean;
}

export class LogWriter implements CommitSink {
  readonly #options: LogWriterOptions;
  #head: LogHead;
  #failure: EngineError | undefined;
  readonly #appends = { count: 0, commits: 0, ms: 0, failed: 0 };
  #silence: Silence | undefined;
  #isLeaving = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#head = options.head;
  }

  get status(): LogStatus {
    const { epoch, order } = this.#head;
    const silence = this.#silence;
    const ageMs = silence === undefined ? 0 : Math.round(performance.now() - silence.since);
    const problem = (this.#failure ?? silence?.problem)?.message;
    const place = { epoch, applied: order, head: order, behind: 0n, ageMs };
    return { role: 'writer', state: this.#state, ...place, problem, appends: { ...this.#appends } };
  }

  get #state(): LogStatus['state'] {
    if (this.#failure !== undefined) return isSuperseded(this.#failure) ? 'fenced' : 'failed';
    return this.#silence?.isOutage === true ? 'waiting' : 'writing';
  }

  /** From now on, an outage ends the writer. */
  leave(): void {
    this.#isLeaving = true;
  }

  async append(commits: readonly Commit[], onOutage: (error: EngineError) => void): Promise<void> {
    const { epoch } = this.#head;
    const records = recordsOf(commits, this.#head, epoch, this.#options.sign).map(({ bytes }) => bytes);
    const begun = performance.now();
    const deadline = this.#deadline(begun, onOutage);
    try {
      this.#head = await this.#appended(records, (error) => this.#unanswered(begun, error, onOutage));
      this.#appends.count++;
      this.#appends.commits += commits.length;
      this.#appends.ms += performance.now() - begun;
      this.#answered();
    } catch (error) {
      if (error instanceof EngineError && error.code !== 'limit-exceeded') this.#failure = error;
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Ends the wait for an append in time, even while a single call of the log takes longer. */
  #deadline(begun: number, onOutage: (error: EngineError) => void): ReturnType<typeof setTimeout> | undefined {
    const { outageMsMax } = this.#options;
    if (outageMsMax === 0) return undefined;
    return setTimeout(() => {
      const none = new EngineError('log-unknown', `no answer to an append within ${outageMsMax} ms`);
      this.#silence ??= { since: begun, problem: none, isOutage: false };
      this.#endWaiting(this.#silence, onOutage);
    }, outageMsMax);
  }

  /** @param onFailure called after each attempt that failed */
  async #appended(records: readonly Uint8Array[], onFailure: (error: EngineError) => void): Promise<LogHead> {
    const { log } = this.#options;
    const last = headAfter(summaryOf(records.at(-1)!));
    // Once an outcome is unknown, it stays unknown until the log says whether the records are in.
    let unknown: EngineError | undefined;
    for (let retryMs = LOG_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LOG_RETRY_MS_MAX)) {
      try {
        if (unknown !== undefined && (await this.#isIn(last))) return last;
        return await log.append(this.#head, records);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        if (error.code === 'log-unknown') unknown = error;
        // If the first append succeeded without an answer, it fences the second attempt.
        else if (error.code === 'fenced' && unknown !== undefined && (await this.#isIn(last))) return last;
        else if (error.code !== 'log-failed') throw error;
        onFailure(error);
        if (this.#silence?.isOutage === true && this.#isLeaving) throw unknown ?? error;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  #unanswered(since: number, problem: EngineError, onOutage: (error: EngineError) => void): void {
    this.#appends.failed++;
    this.#silence ??= { since, problem, isOutage: false };
    this.#silence.problem = problem;
    if (this.#options.outageMsMax === 0) this.#endWaiting(this.#silence, onOutage);
  }

  #endWaiting(silence: Silence, onOutage: (error: EngineError) => void): void {
    if (silence.isOutage) return;
    silence.isOutage = true;
    const { problem } = silence;
    this.#say('warning', `the commit log does not answer, and writes are refused until it does: ${problem.message}`);
    onOutage(problem);
  }

  #answered(): void {
    const silence = this.#silence;
    this.#silence = undefined;
    if (silence?.isOutage !== true) return;
    const seconds = Math.round((performance.now() - silence.since) / 1_000);
    this.#say('info', `the commit log answers again, after ${seconds} s, and writes go on`);
  }

  #say(level: 'info' | 'warning', message: string): void {
    this.#options.say({ level, message, details: { order: String(this.#head.order) } });
  }

  /** Whether the log holds the record of `last`. If another writer has taken over, the next append says so. */
  async #isIn(last: LogHead): Promise<boolean> {
    const { log } = this.#options;
    const head = await log.head();
    if (isSameRecord(head, last)) return true;
    if (head.order < last.order) return false;
    const found = await summaryAt(log, last.order);
    return found !== undefined && isSameRecord(found, last);
  }
}

/** Whether another writer took over. A log in a directory also ends the epoch of a writer whose disk failed. */
function isSuperseded({ code, details }: EngineError): boolean {
  return code === 'fenced' && details['disk'] === undefined;
}
