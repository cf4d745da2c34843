/** An app that shows the inscriptions of one owner. docs/testing-bitcoin.md goes through this file and its tests. */
import type { AddressInput, Engine, OwnedInscription } from 'movelet';

/** What somebody owns, kept as the chain has it. */
export class Gallery {
  shown: readonly OwnedInscription[] = [];
  readonly #engine: Engine;
  readonly #owner: AddressInput;
  readonly #stop: () => void;
  #reading = Promise.resolve();

  constructor(engine: Engine, owner: AddressInput) {
    this.#engine = engine;
    this.#owner = owner;
    // Called for each change of the head, also for one that takes blocks back.
    this.#stop = engine.on('head', () => this.#read());
    this.#read();
  }

  /** Resolves once all that was told so far is shown. */
  settled(): Promise<void> {
    return this.#reading;
  }

  close(): void {
    this.#stop();
  }

  #read(): void {
    this.#reading = this.#reading.then(async () => {
      const page = await this.#engine.bitcoin.inscriptions({ kind: 'owner', owner: this.#owner }, { limit: 100 });
      this.shown = page.data;
    });
  }
}
