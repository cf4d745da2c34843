/** An app that shows the inscriptions of one owner. docs/testing-bitcoin.md goes through this file and its tests. */
import type { AddressInput, Engine, OwnedInscription } from 'movelet';

/** The inscriptions of one owner, kept up to date with the chain. */
export class Gallery {
  shown: readonly OwnedInscription[] = [];
  readonly #engine: Engine;
  readonly #owner: AddressInput;
  readonly #stop: () => void;
  #reading = Promise.resolve();

  constructor(engine: Engine, owner: AddressInput) {
    this.#engine = engine;
    this.#owner = owner;
    // Called for each change of the head, including those that take blocks back.
    this.#stop = engine.on('head', () => this.#read());
    this.#read();
  }

  /** Resolves once everything announced so far is shown. */
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
