/**
 * Lets time pass on an idle chain. Move code reads the time of the last transaction; whenever that is older than the
 * interval, a transaction of its own sets it to the clock's. No Bitcoin block is mined.
 * @module
 */
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import type { Engine } from '../engine/engine.ts';

export class BlockTime {
  readonly #engine: Pick<Engine, 'dev' | 'head'>;
  readonly #interval: bigint;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  /** @param milliseconds how old the chain's time becomes at most; its clock must run */
  constructor(engine: Pick<Engine, 'dev' | 'head'>, milliseconds: number, log: Log) {
    this.#engine = engine;
    this.#interval = BigInt(milliseconds);
    this.#log = log;
  }

  start(): void {
    this.#running ??= this.#run().catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return;
      const message = `the chain's time no longer moves by itself: ${messageOf(error)}`;
      this.#log({ level: 'error', message });
    });
  }

  /** Resolves once nothing more is sent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { dev } = this.#engine;
    while (!signal.aborted) {
      const left = this.#engine.head.timestamp + this.#interval - dev.time.now();
      if (left > 0n) await wait(Number(left), undefined, { signal, ref: false });
      else await dev.time.advance(0n);
    }
  }
}
