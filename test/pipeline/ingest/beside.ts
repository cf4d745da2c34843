/** Transactions that are sent while a Bitcoin block is ingested. */
import type { Engine } from '../../../src/index.ts';
import { payment } from '../../payment.ts';

export class Beside {
  readonly #engine: Engine;
  readonly #sent: Promise<bigint>[] = [];
  readonly #stop: () => void;
  #batches = 0;

  /** Sends a transaction when the first of every `each` batches of the ingestion can be read. */
  constructor(engine: Engine, each: number) {
    this.#engine = engine;
    this.#stop = engine.on('head', ({ head }) => {
      if (this.#batches++ % each === 0) this.#sent.push(this.#send(head.order));
    });
  }

  /** How many transactions came between the head at which each was sent and its own order, itself included. */
  async waits(): Promise<bigint[]> {
    this.#stop();
    return Promise.all(this.#sent);
  }

  async #send(head: bigint): Promise<bigint> {
    const [alice, bob] = this.#engine.accounts;
    const { order } = await this.#engine.executeAs(alice!.address, payment(bob!.address));
    return order - head;
  }
}
