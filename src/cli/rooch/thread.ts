/**
 * A thread that runs `rooch` commands, so that a caller can sleep until one is done: suites call `roochCommand` without
 * `await`, even for a node of their own process.
 * @module
 */
import { existsSync } from 'node:fs';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { EngineError, type ErrorCode } from '../../base/error.ts';

/** A command for the thread. */
export interface Ask {
  readonly words: readonly string[];
  readonly place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> };
  /** Receives output, and sends one message when the command should end. */
  readonly port: MessagePort;
  /** Its only number is set to 1, and notified, after each message. */
  readonly wake: Int32Array;
}

/** What the thread reports of a command. */
export type Told =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'ended'; readonly output: string; readonly failure: CommandFailure | undefined };

/** Why a command failed. */
export interface CommandFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Milliseconds that a command may take while its caller sleeps: compiling and publishing a large package takes seconds.
 */
const COMMAND_MS_MAX = 600_000;

/** A command that runs. */
export class RunningCommand {
  readonly #port: MessagePort;
  readonly #wake: Int32Array;
  #output = '';
  #ended: Extract<Told, { kind: 'ended' }> | undefined;

  constructor(port: MessagePort, wake: Int32Array) {
    this.#port = port;
    this.#wake = wake;
    // A command does not keep the process alive.
    port.unref();
  }

  /**
   * Resolves with the output so far once it has `text`.
   * @throws {EngineError} if the command ends without it, or time is up
   */
  async printed(text: string, timeoutMs: number): Promise<string> {
    const isOver = new Promise<boolean>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs, false);
      this.#port.on('message', (told: Told) => {
        this.#take(told);
        if (!this.#output.includes(text) && this.#ended === undefined) return;
        clearTimeout(timeout);
        resolve(true);
      });
    });
    const isInTime = await isOver;
    this.#port.unref();
    if (this.#output.includes(text)) return this.#output;
    const rest = `without the output ${text}; so far: ${this.#output}`;
    this.#port.postMessage('end');
    if (!isInTime) throw new EngineError('limit-exceeded', `${timeoutMs} ms passed ${rest}`);
    throw failed(this.#ended?.failure ?? { code: 'not-found', message: `it ended ${rest}` });
  }

  /**
   * Sleeps until the command is done.
   * @throws {EngineError} with what it wrote to standard error, if it failed
   */
  wait(): string {
    for (const until = Date.now() + COMMAND_MS_MAX; this.#ended === undefined; ) {
      const message = receiveMessageOnPort(this.#port);
      if (message !== undefined) {
        this.#take(message.message as Told);
        continue;
      }
      if (Date.now() > until) throw new EngineError('limit-exceeded', `a command took more than ${COMMAND_MS_MAX} ms`);
      Atomics.wait(this.#wake, 0, 0, COMMAND_MS_MAX);
      Atomics.store(this.#wake, 0, 0);
    }
    if (this.#ended.failure !== undefined) throw failed(this.#ended.failure);
    return this.#output;
  }

  /** Tells a command that runs on, such as a server, to end, and sleeps until it has. */
  end(): void {
    this.#port.postMessage('end');
    this.wait();
  }

  #take(told: Told): void {
    if (told.kind === 'ended') this.#ended = told;
    this.#output += told.kind === 'output' ? told.text : told.output;
  }
}

const failed = ({ code, message }: CommandFailure): EngineError => new EngineError(code, `rooch: ${message}`);

let worker: Worker | undefined;

/** Begins a command on the thread of this process, which begins with the first. */
export function beginCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RunningCommand {
  worker ??= begin();
  const { port1, port2 } = new MessageChannel();
  const wake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const place = { cwd: process.cwd(), env };
  worker.postMessage({ words, place, port: port2, wake } satisfies Ask, [port2]);
  return new RunningCommand(port1, wake);
}

/** @throws {EngineError} `not-supported` without the program of the thread, for which a caller would sleep in vain */
function begin(): Worker {
  // A separate function, because bundlers would look for the file otherwise.
  const beside = (file: string): URL => new URL(file, import.meta.url);
  const program = import.meta.url.endsWith('.ts') ? '../../../dist/cli/rooch/worker.js' : './worker.js';
  if (!existsSync(beside(program))) {
    const message = 'the program of its thread is not there: a TestBox needs movelet installed, not bundled';
    throw new EngineError('not-supported', message);
  }
  const made = new Worker(beside(program), { execArgv: [] });
  made.unref();
  return made;
}
