/**
 * An interruption from the keyboard (SIGINT) during long work: the first one asks the work to stop at a point where it
 * can be resumed, the second one ends the process at once.
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
