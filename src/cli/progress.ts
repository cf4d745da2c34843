/**
 * Long-running work: a progress line with rate and remaining time on standard error, if that is a terminal, and
 * signals. The first signal asks the work to stop where it can be resumed, or a node to close. The next one finds no
 * listener and ends the process immediately, which loses nothing that was acknowledged.
 * @module
 */

const BAR_WIDTH = 30;
const ERASE_LINE = '\r\u001b[2K';

/** Milliseconds between two updates. */
const PICTURE_MS = 200;

const BYTES_IN_MEGABYTE = 1_000_000;

/** Anything like `process.stderr`. */
interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

interface Stage {
  /** What is counted, in the plural; `bytes` are shown as megabytes. */
  readonly name: string;
  readonly done: number;
  /** Undefined if it is unknown. */
  readonly total: number | undefined;
  /** Details on where the work is. */
  readonly note?: string | undefined;
}

/** Shows how far the work is. @throws {Interrupted} if an interruption has asked for it */
export type ShowStage = (stage: Stage) => void;

export class StageProgress {
  readonly #output: ProgressOutput;
  readonly #now: () => number;
  #stage: string | undefined;
  #began = 0;
  /** What was already done when the stage was first shown; it does not count towards the rate. */
  #doneBefore = 0;
  #shown: number;

  /** `now` returns monotonic milliseconds. */
  constructor(output: ProgressOutput = process.stderr, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    this.#shown = now();
  }

  /** Whether anything is shown at all. */
  get isVisible(): boolean {
    return this.#output.isTTY === true;
  }

  /** Redraws the stage, unless it was drawn a moment ago. */
  show(stage: Stage): void {
    if (this.#output.isTTY !== true) return;
    const now = this.#now();
    if (stage.name !== this.#stage) {
      this.#stage = stage.name;
      this.#began = now;
      this.#doneBefore = stage.done;
    }
    if (now - this.#shown < PICTURE_MS) return;
    this.#shown = now;
    this.#output.write(`${ERASE_LINE}${picture(stage, stage.done - this.#doneBefore, now - this.#began)}`);
  }

  /** Removes the line. */
  end(): void {
    if (this.#output.isTTY === true) this.#output.write(ERASE_LINE);
  }
}

function picture({ name, done, total, note }: Stage, doneHere: number, milliseconds: number): string {
  const isBytes = name === 'bytes';
  const shown = (count: number): string =>
    isBytes ? (count / BYTES_IN_MEGABYTE).toFixed(1) : Number.isInteger(count) ? `${count}` : count.toFixed(1);
  const unit = isBytes ? 'MB' : name;
  const rest = `${pace(doneHere, total === undefined ? undefined : total - done, milliseconds, shown)}${note === undefined ? '' : `, ${note}`}`;
  if (total === undefined) return `${shown(done)} ${unit}${rest}`;
  const filled = Math.round((BAR_WIDTH * Math.min(done, total)) / Math.max(total, 1));
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${shown(done)}/${shown(total)} ${unit}${rest}`;
}

/** Rate and remaining time, once there is enough to estimate them. */
function pace(done: number, left: number | undefined, milliseconds: number, shown: (count: number) => string): string {
  if (done <= 0 || milliseconds < PICTURE_MS) return '';
  const rate = (done * 1000) / milliseconds;
  const text = shown(rate < 10 ? rate : Math.round(rate));
  if (left === undefined) return `, ${text}/s`;
  return `, ${text}/s, ${duration(Math.ceil(Math.max(left, 0) / rate))} left`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

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

/**
 * Does work that shows its progress and can be interrupted.
 * @param after what an interruption leaves, and how to continue
 * @throws {Interrupted}
 */
export async function longWork<T>(after: string, work: (show: ShowStage) => Promise<T>): Promise<T> {
  const progress = new StageProgress();
  const interruption = new Interruption();
  try {
    return await work((stage) => {
      const { name, done, total, note } = stage;
      const where = `${done}${total === undefined ? '' : ` of ${total}`} ${name}${note === undefined ? '' : `, ${note}`}`;
      interruption.check(() => `stopped at ${where}; ${after}`);
      progress.show(stage);
    });
  } finally {
    progress.end();
    interruption.end();
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
