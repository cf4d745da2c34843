/**
 * A progress bar on standard error, where that is a terminal.
 * @module
 */
const WIDTH = 30;
const ERASE_LINE = '\r\u001b[2K';

/** Anything like `process.stderr`. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export class ProgressBar {
  readonly #output: ProgressOutput;
  readonly #total: number;

  constructor(total: number, output: ProgressOutput = process.stderr) {
    this.#total = total;
    this.#output = output;
  }

  /** Shows that `done` of all are done, and a note. */
  show(done: number, note: string): void {
    if (this.#output.isTTY !== true) return;
    const filled = Math.round((WIDTH * done) / Math.max(this.#total, 1));
    const bar = `${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}`;
    this.#output.write(`${ERASE_LINE}[${bar}] ${done}/${this.#total} ${note}`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#output.isTTY === true) this.#output.write(ERASE_LINE);
  }
}
