/**
 * The requests of one connection on their way to the RPC.
 *
 * A few bytes can ask for a megabyte, and one socket read can hold hundreds of requests. So requests start in order of
 * arrival, a limited number at once, and none while earlier answers are unread.
 * @module
 */
export class RequestQueue {
  readonly #atOnceMax: number;
  readonly #mayStart: () => boolean;
  readonly #onDone: () => void;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #onIdle: (() => void)[] = [];

  /**
   * @param atOnceMax tasks that run at once
   * @param mayStart whether another one may start now; call `next` when this may have changed
   * @param onDone called when a task has ended, after others have started in its place
   */
  constructor(atOnceMax: number, mayStart: () => boolean, onDone: () => void = () => {}) {
    this.#atOnceMax = atOnceMax;
    this.#mayStart = mayStart;
    this.#onDone = onDone;
  }

  /** Number of tasks running or waiting. */
  get size(): number {
    return this.#running + this.#waiting.length;
  }

  /** Whether another task would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#atOnceMax || this.#waiting.length > 0 || !this.#mayStart();
  }

  /** Runs a task when those before it have started and it may. The task must not reject. */
  add(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.next();
  }

  /** Starts the tasks that may start. */
  next(): void {
    while (this.#running < this.#atOnceMax && this.#waiting.length > 0 && this.#mayStart()) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      this.#running++;
      void task().then(() => {
        this.#running--;
        this.next();
        this.#onDone();
        if (this.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
      });
    }
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Drops the waiting tasks. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
