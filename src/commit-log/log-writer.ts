/**
 * The writer's side of a log: every group of commits is appended to the log in one call before it goes to the store.
 *
 * If the outcome of an append is unknown, the head of the log is read before anything else happens: either the records are
 * in, or the same ones are appended again. If the log cannot be reached, the writer retries for LOG_OUTAGE_MS_MAX and then
 * stops. Whether the records are in is found out when the chain is opened again, since the log wins.
 * @module
 */
import { setTimeout as wait } from 'node:timers/promises';
import { equalBytes } from '../bytes/compare.ts';
import { LOG_RETRY_MS } from '../config.ts';
import { EngineError } from '../error.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { OrderSigner } from '../pipeline/order-signatures.ts';
import type { CommitSink } from '../pipeline/writer.ts';
import type { LogStatus } from '../query/status.ts';
import type { CommitLog } from './commit-log.ts';
import { isSameRecord, type LogHead } from './log-head.ts';
import { recordsOf } from './record.ts';
import { headAfter, summaryOf } from './record-summary.ts';

export interface LogWriterOptions {
  readonly log: CommitLog;
  /** The head of the log; of the chain, if the log is empty. */
  readonly head: LogHead;
  readonly sign: OrderSigner;
  /** Milliseconds for which a log that cannot be reached is retried. */
  readonly outageMsMax: number;
}

export class LogWriter implements CommitSink {
  readonly #options: LogWriterOptions;
  #head: LogHead;
  #failure: EngineError | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#head = options.head;
  }

  get status(): LogStatus {
    const { epoch, order } = this.#head;
    const state = this.#failure === undefined ? 'writing' : this.#failure.code === 'fenced' ? 'fenced' : 'failed';
    const problem = this.#failure?.message;
    return { role: 'writer', state, epoch, applied: order, head: order, behind: 0n, ageMs: 0, problem };
  }

  async append(commits: readonly Commit[]): Promise<void> {
    const { epoch } = this.#head;
    const records = recordsOf(commits, this.#head, epoch, this.#options.sign).map(({ bytes }) => bytes);
    try {
      this.#head = await this.#appended(records);
    } catch (error) {
      if (error instanceof EngineError && error.code !== 'limit-exceeded') this.#failure = error;
      throw error;
    }
  }

  async #appended(records: readonly Uint8Array[]): Promise<LogHead> {
    const { log, outageMsMax } = this.#options;
    const end = performance.now() + outageMsMax;
    const last = headAfter(summaryOf(records.at(-1)!));
    // Once an outcome is unknown, it stays unknown until the log says whether the records are in.
    let unknown: EngineError | undefined;
    for (;;) {
      try {
        if (unknown !== undefined && (await this.#isIn(last))) return last;
        return await log.append(this.#head, records);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        if (error.code === 'log-unknown') unknown = error;
        // If the first append succeeded without an answer, it fences the second attempt.
        else if (error.code === 'fenced' && unknown !== undefined && (await this.#isIn(last))) return last;
        else if (error.code !== 'log-failed') throw error;
        if (performance.now() >= end) throw unknown ?? error;
        await wait(LOG_RETRY_MS);
      }
    }
  }

  /**
   * Whether the log holds the record that `last` describes.
   * @throws {EngineError} `fenced` if it holds another record of that order, or has a newer writer and not this record
   */
  async #isIn(last: LogHead): Promise<boolean> {
    const { log } = this.#options;
    const head = await log.head();
    if (isSameRecord(head, last)) return true;
    if (head.order >= last.order) {
      for await (const { bytes } of log.read(last.order, { max: 1 })) {
        if (equalBytes(summaryOf(bytes).digest, last.digest)) return true;
      }
    }
    if (head.epoch === last.epoch && head.order < last.order) return false;
    throw new EngineError(
      'fenced',
      `another writer took over the log from that of epoch ${last.epoch}: nothing was appended`,
      {
        details: { epoch: String(last.epoch) },
      },
    );
  }
}
