/**
 * How fast blocks are ingested while a follower catches up, over the last of them.
 * @module
 */
import { BITCOIN_PACE_BLOCKS_MAX } from '../config.ts';

/** Times are milliseconds of a clock that never goes back. */
export class Pace {
  /** When it began, and when each of the last blocks was done. */
  #times: number[] = [];

  /** Forgets what was before: work begins now. */
  begin(now: number): void {
    this.#times = [now];
  }

  /** A block is done. */
  add(now: number): void {
    this.#times.push(now);
    if (this.#times.length > BITCOIN_PACE_BLOCKS_MAX + 1) this.#times.shift();
  }

  /** Blocks per second; undefined before the first one. */
  get blocksPerSecond(): number | undefined {
    const [first] = this.#times;
    const last = this.#times.at(-1);
    if (first === undefined || last === undefined || last <= first) return undefined;
    return ((this.#times.length - 1) * 1_000) / (last - first);
  }

  /** Whole seconds that `blocks` more will take; undefined while there is no rate. */
  secondsFor(blocks: number): number | undefined {
    const rate = this.blocksPerSecond;
    return rate === undefined ? undefined : Math.ceil(blocks / rate);
  }
}
