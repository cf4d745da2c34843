/**
 * Who is next where calls take long: one line for each connection. The line with the fewest calls at work is served
 * first, and among those the one that had the least time; one that comes new, or back, begins where the others are, so
 * that nobody saves up time. Where too many wait, the last one of the longest line goes.
 * @module
 */
interface Line<Waiter> {
  readonly waiting: Waiter[];
  /** Calls at work. */
  running: number;
  /** Milliseconds that it had, and those that it missed while it did not ask. */
  used: number;
}

export class Lines<Waiter> {
  readonly #max: number;
  readonly #lines = new WeakMap<object, Line<Waiter>>();
  /** Those in which somebody waits, the one that was served last behind the others. */
  readonly #asking = new Set<Line<Waiter>>();
  #size = 0;
  /** What the line had that was served last, when it was. */
  #level = 0;

  /** @param max how many may wait, in all lines together */
  constructor(max: number) {
    this.#max = max;
  }

  /** How many wait, in all lines together. */
  get size(): number {
    return this.#size;
  }

  /** Puts one more into a line; gives the one that has to go for it. */
  join(connection: object, waiter: Waiter): Waiter | undefined {
    const line = this.#line(connection);
    line.waiting.push(waiter);
    this.#asking.add(line);
    if (++this.#size <= this.#max) return undefined;
    let longest = line;
    for (const other of this.#asking) if (other.waiting.length > longest.waiting.length) longest = other;
    return this.#take(longest, longest.waiting.pop());
  }

  /** The next one, which is at work from now on. */
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

  /** Says that one of a line is done. */
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
