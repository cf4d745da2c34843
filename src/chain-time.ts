/**
 * The chain's time, and how a test moves it.
 *
 * Every transaction has the time at which it was ordered, none earlier than the one before, and Move code reads it as
 * `0x2::timestamp`. A chain without a clock stands still between blocks; with one, it follows the clock. Setting the time
 * is a transaction of its own, the control `set-time`, and from then on the clock counts on from what was set. Time never
 * goes back, but with the chain to a snapshot.
 * @module
 */
import { CHAIN_TIME_MS_MAX } from './config.ts';
import type { Head } from './ledger/head.ts';
import type { Execution } from './open.ts';
import type { ReaderSource } from './query/reader.ts';
import type { State } from './state/state.ts';
import type { Submit } from './submission.ts';
import { argumentError } from './value/received.ts';

/** What the time needs of its engine. */
export interface ChainTimeHost {
  readonly source: ReaderSource;
  readonly execution: Pick<Execution, 'timeOf'>;
  readonly submit: Submit;
  /** Milliseconds. Undefined for a chain whose time moves with its blocks only. */
  readonly clock: (() => bigint) | undefined;
}

export class ChainTime {
  readonly #host: ChainTimeHost;
  #offset = 0n;

  constructor(host: ChainTimeHost) {
    this.#host = host;
  }

  /** Milliseconds since 1970-01-01 UTC: what a transaction would see that is sent now. */
  get now(): bigint {
    const { head, state } = this.#host.source.current();
    return this.#at(head, state);
  }

  /**
   * Sets the time, and gives it.
   *
   * ```ts
   * await engine.time.set(Date.UTC(2030, 0));
   * ```
   * @param milliseconds since 1970-01-01 UTC
   * @throws {EngineError} `invalid-argument` for a time before the present one; as `Engine.call`
   */
  async set(milliseconds: bigint | number): Promise<bigint> {
    const time = toMilliseconds(milliseconds);
    await this.#submit(() => time);
    return this.now;
  }

  /**
   * Moves the time forward from where it is when this has its turn, and gives it.
   *
   * ```ts
   * await engine.time.advance(24 * 60 * 60 * 1_000);
   * ```
   * @throws {EngineError} as `set`
   */
  async advance(milliseconds: bigint | number): Promise<bigint> {
    const by = toMilliseconds(milliseconds);
    await this.#submit((head, state) => this.#at(head, state) + by);
    return this.now;
  }

  /** What the clock says, as it was set; undefined where there is none. */
  read(): bigint | undefined {
    const { clock } = this.#host;
    return clock && clock() + this.#offset;
  }

  /** A clock that goes on as this one does, wherever this one is set to later. */
  clockNow(): (() => bigint) | undefined {
    const { clock } = this.#host;
    const offset = this.#offset;
    return clock && (() => clock() + offset);
  }

  /** How far the clock was moved: a part of a snapshot. */
  get offset(): bigint {
    return this.#offset;
  }

  /** Puts the clock to where it was at a snapshot. */
  restore(offset: bigint): void {
    this.#offset = offset;
  }

  async #submit(timeAt: (head: Head, state: State) => bigint): Promise<void> {
    await this.#host.submit(
      ({ head, state }) => ({ kind: 'control', control: { kind: 'set-time', milliseconds: timeAt(head, state) } }),
      ({ head }) => this.#follow(head),
    );
  }

  /** The clock counts on from what was set. */
  #follow({ timestamp }: Head): void {
    const { clock } = this.#host;
    if (clock !== undefined) this.#offset = timestamp - clock();
  }

  #at(head: Head, state: State): bigint {
    const times = [head.timestamp, this.#host.execution.timeOf(state), this.read() ?? 0n];
    return times.reduce((latest, time) => (time > latest ? time : latest));
  }
}

function toMilliseconds(given: bigint | number): bigint {
  const time = typeof given === 'number' && Number.isSafeInteger(given) ? BigInt(given) : given;
  if (typeof time === 'bigint' && time >= 0n && time <= CHAIN_TIME_MS_MAX) return time;
  throw argumentError('milliseconds', `an integer from 0 to ${CHAIN_TIME_MS_MAX} (CHAIN_TIME_MS_MAX)`, given);
}
