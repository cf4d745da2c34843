/**
 * A commit log between an engine and a real one, that fails as networks and disks do, or shows other records than it holds.
 * @module
 */

import { EngineError } from '../../src/base/error.ts';
import type { CommitLog, LogHead, LogRecord, ReadOptions } from '../../src/log/index.ts';

/** What happens to one append. */
export type Fault = 'none' | 'refused' | 'lost before' | 'lost after' | 'delayed' | 'too long';

export interface Faults {
  /** What each append waits for. */
  readonly hold?: (() => Promise<void>) | undefined;
  /** Asked before each append. */
  readonly append?: (() => Fault) | undefined;
  /** Asked before `head` is read: whether it fails. */
  readonly head?: (() => boolean) | undefined;
  /** What is read instead of a record; undefined if it is left out. */
  readonly read?: ((record: LogRecord) => LogRecord | undefined) | undefined;
}

export class FaultyLog implements CommitLog {
  readonly #log: CommitLog;
  readonly #faults: Faults;
  appends = 0;
  /** An append on its way, which arrives before the next one. */
  #delayed: (() => Promise<unknown>) | undefined;

  constructor(log: CommitLog, faults: Faults) {
    this.#log = log;
    this.#faults = faults;
  }

  takeOver(): Promise<LogHead> {
    return this.#log.takeOver();
  }

  async head(): Promise<LogHead> {
    if (this.#faults.head?.() === true) throw new EngineError('log-failed', 'no route to the log');
    return this.#log.head();
  }

  async append(after: LogHead, records: readonly Uint8Array[]): Promise<LogHead> {
    this.appends++;
    await this.#faults.hold?.();
    const fault = this.#faults.append?.() ?? 'none';
    await this.#delayed?.();
    this.#delayed = undefined;
    if (fault === 'delayed') this.#delayed = () => this.#log.append(after, records);
    if (fault === 'too long') throw new EngineError('limit-exceeded', 'this log takes no records of that length');
    if (fault === 'refused') throw new EngineError('log-failed', 'the log refuses');
    if (fault === 'lost before' || fault === 'delayed') throw new EngineError('log-unknown', 'the connection was lost');
    const head = await this.#log.append(after, records);
    if (fault === 'lost after') throw new EngineError('log-unknown', 'the connection was lost');
    return head;
  }

  async *read(fromOrder: bigint, options?: ReadOptions): AsyncGenerator<LogRecord, void, undefined> {
    for await (const record of this.#log.read(fromOrder, options)) {
      const shown = this.#faults.read === undefined ? record : this.#faults.read(record);
      if (shown !== undefined) yield shown;
    }
  }

  changed(signal: AbortSignal): AsyncIterable<void> {
    return this.#log.changed(signal);
  }

  prune(beforeOrder: bigint): Promise<void> {
    return this.#log.prune(beforeOrder);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
