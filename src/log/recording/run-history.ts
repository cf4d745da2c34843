/**
 * What a recording holds in memory: the frames of its file, and the moments the chain went through.
 *
 * A history can continue another one: a fork's history has the original chain's frames up to the fork, followed by its
 * own. So starting to record a fork costs nothing, however long the run was.
 * @module
 */
import { toHex } from '../../base/bytes/hex.ts';
import type { Head } from '../../chain/ledger/head.ts';

/** The part of a head that distinguishes one moment of a chain from another. */
export type Place = Pick<Head, 'order' | 'stateRoot' | 'accumulator' | 'timestamp'>;

export class RunHistory {
  readonly #before: Part | undefined;
  readonly #frames: Uint8Array[] = [];
  /** This history's own moments by place; empty for a chain that never goes back. */
  readonly #moments = new Map<string, number>();
  #moment = 0;
  #bytes = 0;

  constructor(before?: RunHistory) {
    if (before === undefined) return;
    this.#before = { of: before, frames: before.#frames.length, moment: before.#moment };
    this.#moment = before.#moment;
    this.#bytes = before.#bytes;
  }

  /** The number of inputs so far, on all branches. */
  get inputs(): number {
    return this.#moment;
  }

  /** Length of all frames. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Remembers the current moment under the chain's place. */
  mark(place: Place): void {
    this.#moments.set(keyOf(place), this.#moment);
  }

  /** Moves to the next moment, after an input was given an order. */
  advance(): void {
    this.#moment++;
  }

  /** Keeps a frame. */
  add(frame: Uint8Array): void {
    this.#bytes += frame.length;
    this.#frames.push(frame);
  }

  /** The latest moment at which the chain was at this place; undefined if it never was. */
  find(place: Place): number | undefined {
    const key = keyOf(place);
    let momentMax = this.#moment;
    for (const history of this.#back()) {
      momentMax = Math.min(momentMax, history.moment);
      const moment = history.of.#moments.get(key);
      if (moment !== undefined && moment <= momentMax) return moment;
    }
    return undefined;
  }

  /** All frames, from where the first history began. */
  frames(): Uint8Array[] {
    return Array.from(this.#back(), ({ of, frames }) => of.#frames.slice(0, frames))
      .reverse()
      .flat();
  }

  /** This history and those that it continues, each up to where the next one begins. A loop: forks of forks may be many. */
  *#back(): Iterable<Part> {
    const own: Part = { of: this, frames: this.#frames.length, moment: this.#moment };
    for (let part: Part | undefined = own; part !== undefined; part = part.of.#before) yield part;
  }
}

/** A history up to some moment. */
interface Part {
  readonly of: RunHistory;
  readonly frames: number;
  readonly moment: number;
}

function keyOf({ order, stateRoot, accumulator, timestamp }: Place): string {
  return `${order} ${timestamp} ${toHex(stateRoot)} ${toHex(accumulator.root)}`;
}
