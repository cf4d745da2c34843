/**
 * Waits for a hint or for some time, whichever comes first.
 * @module
 */

/** Hints that arrive between two waits are kept and count as one. */
export class Hints {
  #wake: (() => void) | undefined;
  #isHinted = true;

  /** Ends the current wait, or the next one. */
  readonly hint = (): void => {
    this.#isHinted = true;
    this.#wake?.();
  };

  /** Yields at once, then after each call of `hint`, and every `milliseconds` anyway, until `signal` aborts. */
  async *until(signal: AbortSignal, milliseconds: number): AsyncGenerator<void, void, undefined> {
    signal.addEventListener('abort', this.hint);
    try {
      while (!signal.aborted) {
        if (!this.#isHinted) await this.#wait(milliseconds);
        this.#isHinted = false;
        if (!signal.aborted) yield;
      }
    } finally {
      signal.removeEventListener('abort', this.hint);
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
