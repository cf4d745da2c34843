/**
 * The event loop's share of a thread that the writer would otherwise keep to itself.
 * @module
 */

/**
 * Milliseconds after which the event loop gets a turn even if no transaction waits: a program that sends the next one
 * as soon as it has a receipt would otherwise starve timers, sockets and files.
 */
export const WRITER_EVENT_LOOP_MS_MAX = 10;

/**
 * Rounds of the event loop between two groups of commits: a waiting request gets its turn three rounds after it was read
 * (src/server/rpc/turns.ts), and what was sent in the meantime is read in the round after that.
 */
const ROUNDS_BETWEEN_GROUPS = 5;

/** When the event loop must get its next turn. */
export class EventLoopShare {
  /** By `performance.now`. */
  #due: number | undefined;

  /** Whether the event loop has waited so long that it comes first now. */
  isDue(): boolean {
    const now = performance.now();
    const due = this.#due;
    if (due !== undefined && now < due) return false;
    this.#due = now + WRITER_EVENT_LOOP_MS_MAX;
    return due !== undefined;
  }
}

/** The host's own timer: with a test's fake timer, the writer would wait forever. */
const { setImmediate } = globalThis;

/** Lets the event loop do its other work first: answers, timers, new submissions, waiting requests. */
export async function nextEvent(): Promise<void> {
  for (let round = 0; round < ROUNDS_BETWEEN_GROUPS; round++) await new Promise(setImmediate);
}
