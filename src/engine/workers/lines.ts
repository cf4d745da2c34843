/**
 * Decides which call is next when calls take long: one queue ("line") for each connection. The line with the fewest
 * running calls is served first, and among those the one that has used the least time. A new or returning line starts
 * level with the others, so nobody can save up time. If too many wait, the last call of the longest line is refused.
 * @module
 */
interface Line<Waiter> {
  readonly waiting: Waiter[];
  /** Running calls. */
  running: number;
  /** Milliseconds that it has used, plus those credited to it as used while it was idle. */
  used: number;
}

export class Lines<Waiter> {
  readonly #max: number;
  readonly #lines = new WeakMap<object, Line<Waiter>>();
  /** The lines with waiting calls; the one that was served last is at the end. */
  readonly #asking = new Set<Line<Waiter>>();
  #size = 0;
  /** The used time of the line that was served last, when it was served. */
  #level = 0;

  /** @param max how many may wait, in all lines together */
  constructor(max: number) {
    this.#max = max;
  }

  /** How many wait, in all lines together. */
  get size(): number {
    return this.#size;
  }

  /** Adds a call to a line; returns the one that must be refused for it, if any. */
  join(connection: object, waiter: Waiter): Waiter | undefined {
    const line = this.#line(connection);
    line.waiting.push(waiter);
    this.#asking.add(line);
    if (++this.#size <= this.#max) return undefined;
    let longest = line;
    for (const other of this.#asking) if (other.waiting.length > longest.waiting.length) longest = other;
    return this.#take(longest, longest.waiting.pop());
  }

  /** The next call, which counts as running from now on. */
  next(): Waiter | undefined {
    let least: Line<Waiter> | undefined;
    for (const line of this.#asking) if (least === undefined || isBefore(line, least)) least = line;
    if (least === undefined) return undefined;
    least.running++;
    this.#level = Math.max(this.#level, least.used);
    this.#asking.delete(least);
    if (least.waiting.length > 1) this.#asking.add(least);
    return this.#take(least, least.waiting.shift());
  }

  /** Reports that a call of a line is done. */
  leave(connection: object, ms: number): void {
    const line = this.#line(connection);
    line.running--;
    line.used += ms;
  }

  #take(line: Line<Waiter>, waiter: Waiter | undefined): Waiter | undefined {
    this.#size--;
    if (line.waiting.length === 0) this.#asking.delete(line);
    return waiter;
  }

  #line(connection: object): Line<Waiter> {
    let line = this.#lines.get(connection);
    if (line === undefined) {
      line = { waiting: [], running: 0, used: 0 };
      this.#lines.set(connection, line);
    }
    if (line.waiting.length === 0 && line.running === 0) line.used = Math.max(line.used, this.#level);
    return line;
  }
}

function isBefore<Waiter>(line: Line<Waiter>, other: Line<Waiter>): boolean {
  return line.running === other.running ? line.used < other.used : line.running < other.running;
}
