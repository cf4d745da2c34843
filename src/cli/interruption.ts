/**
 * Signals from outside. The first one asks long work to stop at a point where it can be resumed, or a node to close; the
 * next one finds no listener and ends the process at once, which loses nothing that was acknowledged.
 * @module
 */

/** The work was stopped; the message says where, and how to continue. */
export class Interrupted extends Error {}

export class Interruption {
  #isAsked = false;
  readonly #onSignal = (): void => {
    this.#isAsked = true;
  };

  /** Listens until `end`. */
  constructor() {
    process.once('SIGINT', this.#onSignal);
  }

  /**
   * Stops the work if an interruption has asked for it.
   * @param where says where it stopped, and how to continue
   * @throws {Interrupted}
   */
  check(where: () => string): void {
    if (this.#isAsked) throw new Interrupted(where());
  }

  end(): void {
    process.off('SIGINT', this.#onSignal);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `close` at the first of the signals. */
export function onEndSignal(close: () => void): void {
  const end = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
    close();
  };
  for (const signal of SIGNALS) process.on(signal, end);
}
