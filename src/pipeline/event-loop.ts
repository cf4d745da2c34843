/**
 * The event loop's share of a thread that the writer would otherwise keep to itself.
 * @module
 */
import { ROUNDS_BETWEEN_GROUPS, WRITER_EVENT_LOOP_MS_MAX } from '../base/config.ts';

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
