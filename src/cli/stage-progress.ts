/**
 * How far a long check is, on standard error: a bar on a terminal, and elsewhere a line now and then once it takes long.
 * @module
 */
import { ProgressBar, type ProgressOutput } from './progress-bar.ts';

/** Milliseconds between two pictures of the bar. */
const BAR_MS = 200;

/** Milliseconds between two lines, and before the first. */
const LINE_MS = 10_000;

export interface Stage {
  /** What is counted, in the plural. */
  readonly name: string;
  readonly done: number;
  /** Undefined where it is not known. */
  readonly total: number | undefined;
}

export class StageProgress {
  readonly #output: ProgressOutput;
  readonly #now: () => number;
  #stage: string | undefined;
  #began = 0;
  #shown: number;

  /** `now` gives milliseconds that never go back. */
  constructor(output: ProgressOutput = process.stderr, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    this.#shown = now();
  }

  show(stage: Stage): void {
    const now = this.#now();
    if (stage.name !== this.#stage) {
      this.#stage = stage.name;
      this.#began = now;
    }
    const isTerminal = this.#output.isTTY === true;
    if (now - this.#shown < (isTerminal ? BAR_MS : LINE_MS)) return;
    this.#shown = now;
    const { name, done, total } = stage;
    const note = `${name}${pace(done, total, now - this.#began)}`;
    if (isTerminal && total !== undefined) new ProgressBar(total, this.#output).show(done, note);
    else if (isTerminal) this.#output.write(`\r\u001b[2K${done} ${note}`);
    else this.#output.write(`${done}${total === undefined ? '' : `/${total}`} ${note}\n`);
  }

  /** Takes the bar away. */
  end(): void {
    new ProgressBar(0, this.#output).end();
  }
}

/** Rate and remaining time, once there is something to judge them by. */
function pace(done: number, total: number | undefined, milliseconds: number): string {
  if (done === 0 || milliseconds < BAR_MS) return '';
  const rate = (done * 1000) / milliseconds;
  const shown = rate < 10 ? rate.toFixed(1) : Math.round(rate);
  if (total === undefined) return `, ${shown}/s`;
  return `, ${shown}/s, ${Math.ceil(Math.max(total - done, 0) / rate)} s left`;
}
