/**
 * How fast blocks are ingested while a follower catches up, averaged over the most recent ones.
 * @module
 */

/** The most recent blocks from which a follower computes its rate. */
export const BITCOIN_PACE_BLOCKS_MAX = 100;

/** Times are milliseconds of a monotonic clock. */
export class Pace {
  /** When it began, and when each recent block was done. */
  #times: number[] = [];

  /** Forgets the past: work starts now. */
  begin(now: number): void {
    this.#times = [now];
  }

  /** Records that a block is done. */
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

  /** Whole seconds until `blocks` more are done; undefined while there is no rate. */
  secondsFor(blocks: number): number | undefined {
    const rate = this.blocksPerSecond;
    return rate === undefined ? undefined : Math.ceil(blocks / rate);
  }
}
