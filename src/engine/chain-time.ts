/**
 * The chain's time, and how a test moves it.
 *
 * Every transaction has the time at which it was ordered, never before that of its predecessor; Move code reads it as
 * `0x2::timestamp`. Without a clock, time stands still between blocks; with one, it follows the clock. Setting the time
 * is a transaction, the control `set-time`, from which the clock counts on. The offset is stored with the chain: a
 * chain that is reopened, or loaded from a dump, goes on from there, including the time while it was closed. A chain
 * whose time was set without a clock, and is opened with one that is behind, goes on from its own time. Time only goes
 * back when the chain reverts to a snapshot.
 * @module
 */

import { argumentError, assertFits, CLOCK_TIME } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { CHAIN_TIME_MS_MAX } from '../base/config.ts';
import { type Head, readClockOffset } from '../chain/ledger/head.ts';
import type { State } from '../chain/state/state.ts';
import type { SequencerClock } from '../pipeline/turn.ts';
import type { EngineCore } from './engine-core.ts';

/** The sequencer's clock, as moved by controls. */
export class MovedClock implements SequencerClock {
  readonly #clock: () => bigint;
  #offset: bigint;
  /** The chain's row when it was moved last. */
  #row: bigint;

  /**
   * @param offset milliseconds by which it has been moved so far
   * @param row the offset in the chain's row, which is that of another clock if a fork has its own
   */
  constructor(clock: () => bigint, offset: bigint, row: bigint) {
    this.#clock = clock;
    this.#offset = offset;
    this.#row = row;
  }

  /** @throws {EngineError} `invalid-argument` for a clock that gives something else */
  read(): bigint {
    const now = this.#clock();
    assertFits(now, 'clock', CLOCK_TIME);
    return now + this.#offset;
  }

  get offset(): bigint {
    return this.#offset;
  }

  /**
   * The offset of a chain whose row is `row`. A store is ahead of the clock for a moment: listeners are told of a new
   * time before the clock is moved.
   */
  offsetAt(row: bigint): bigint {
    return row === this.#row ? this.#offset : row;
  }

  moveTo(offset: bigint, row: bigint = offset): void {
    this.#offset = offset;
    this.#row = row;
  }

  /** Moves the clock forward to `time`; returns whether it was behind. */
  catchUp(time: bigint): boolean {
    const behind = time - this.read();
    if (behind <= 0n) return false;
    this.#offset += behind;
    return true;
  }
}

/** The chain's clock, which tests move forward. */
export class ChainTime {
  static {
    reportAtCaller(ChainTime);
  }

  readonly #core: EngineCore;

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** Milliseconds since 1970-01-01 UTC: the time that a transaction sent now would see. */
  now(): bigint {
    const { head, state } = this.#core.current();
    return this.#at(head, state, this.#core.clock?.read());
  }

  /**
   * Sets the time, and returns it.
   *
   * ```ts
   * await engine.dev.time.set(Date.UTC(2030, 0));
   * ```
   * @param time in milliseconds since 1970-01-01 UTC, or a date
   * @throws {EngineError} `invalid-argument` for a time before the present one; as `Engine.executeAs`
   */
  async set(time: bigint | number | Date): Promise<bigint> {
    const milliseconds = toMilliseconds(time instanceof Date ? time.getTime() : time);
    return this.#submit(() => milliseconds);
  }

  /**
   * Moves the time forward from where it is when this call's turn comes, and returns it.
   *
   * ```ts
   * await engine.dev.time.advance(24 * 60 * 60 * 1_000);
   * ```
   * @throws {EngineError} as `set`
   */
  async advance(milliseconds: bigint | number): Promise<bigint> {
    const by = toMilliseconds(milliseconds);
    return this.#submit((head, state, reading) => this.#at(head, state, reading) + by);
  }

  /** Submits the control, and returns the time that it set. */
  async #submit(timeAt: (head: Head, state: State, reading: bigint | undefined) => bigint): Promise<bigint> {
    const { clock, submissions } = this.#core;
    let time = 0n;
    let reading: bigint | undefined;
    // The input gets the reading on which its time is based: a later one could already be past it.
    const taken = clock && {
      read: () => reading!,
      get offset() {
        return clock.offset;
      },
    };
    await submissions.submit(
      ({ head, state }) => {
        reading = clock?.read();
        time = timeAt(head, state, reading);
        return { kind: 'control', control: { kind: 'set-time', milliseconds: time } };
      },
      () => clock?.moveTo(readClockOffset(this.#core.current().rows)),
      taken,
    );
    return time;
  }

  #at(head: Head, state: State, reading: bigint | undefined): bigint {
    const times = [head.timestamp, this.#core.execution.timeOf(state), reading ?? 0n];
    return times.reduce((latest, time) => (time > latest ? time : latest));
  }
}

function toMilliseconds(given: bigint | number): bigint {
  const time = typeof given === 'number' && Number.isSafeInteger(given) ? BigInt(given) : given;
  if (typeof time === 'bigint' && time >= 0n && time <= CHAIN_TIME_MS_MAX) return time;
  throw argumentError('milliseconds', `an integer from 0 to ${CHAIN_TIME_MS_MAX} (CHAIN_TIME_MS_MAX)`, given);
}
