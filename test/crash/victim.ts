/**
 * A process that is killed. It says `ready`, waits for a line, says `open` once it has its engine, then what was
 * acknowledged.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** It ends before optimised code pays off, as most test files do (vitest.config.ts). */
const OPTIMISED_LATER = '--interrupt-budget=1000000';

export class Victim {
  /** What it has printed so far. */
  readonly lines: string[] = [];
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<void>;

  /** Starts it within a test, which kills it at its end. */
  constructor(program: string, ...args: readonly string[]) {
    const started = spawn(process.execPath, [OPTIMISED_LATER, program, ...args]);
    this.#process = started;
    let rest = '';
    started.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts);
    });
    let errors = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    this.#closed = new Promise<void>((resolve, reject) => {
      started.on('close', (_, signal) =>
        signal === 'SIGKILL' ? resolve() : reject(new Error(`the child ended: ${errors}`)),
      );
    });
    onTestFinished(() => {
      started.kill('SIGKILL');
    });
  }

  get isReady(): boolean {
    return this.lines.includes('ready');
  }

  /** It has died by itself. */
  get hasEnded(): boolean {
    return this.#process.signalCode !== null;
  }

  get isOpen(): boolean {
    return this.lines.includes('open');
  }

  /** Waits for what it says; rejects if it ends first. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && this.#process.exitCode === null && this.#process.signalCode === null) await pause(1);
    if (!isTrue()) await this.#closed;
  }

  /** Lets it begin. */
  async go(): Promise<void> {
    await this.until(() => this.isReady);
    this.#process.stdin.write('\n');
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#closed;
  }
}
