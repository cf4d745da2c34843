/**
 * Limits how many inscriptions a transaction may create and move.
 *
 * Seven witness bytes make an inscription, and a small transaction may move all that ever landed on the outputs it
 * spends; a block may have many such transactions. No node can follow that without a limit. What does not fit is left
 * out permanently: an envelope then creates no inscription, and an inscription that would move stays at its last
 * location, which no output lists any more. After the first one that does not fit, none does, so what is left out is
 * always the end of the transaction's sequence: the inscriptions on its inputs, then its envelopes, each in order.
 *
 * The limits are far beyond any block so far: see TRANSACTION_INSCRIPTION_BYTES_MAX and BLOCK_INSCRIPTION_BYTES_MAX.
 * @module
 */
import { BLOCK_INSCRIPTION_BYTES_MAX, TRANSACTION_INSCRIPTION_BYTES_MAX } from '../base/config.ts';
import { contentLength } from './envelope-record.ts';
import type { Revealed } from './inscription-updater.ts';

/** Bytes that moving an inscription counts for, besides those of its value: about the size of its location. */
const INSCRIPTION_COST_BYTES = 380;
/** The same for creating an inscription, which makes two objects: the inscription and its number. */
const NEW_INSCRIPTION_COST_BYTES = 700;

export class InscriptionRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  #isClosed = false;
  #leftOut = 0;

  /** `usedByBlock`: the room used by earlier transactions of the block. */
  constructor(usedByBlock = 0) {
    this.#bytesMax = Math.max(
      0,
      Math.min(TRANSACTION_INSCRIPTION_BYTES_MAX, BLOCK_INSCRIPTION_BYTES_MAX - usedByBlock),
    );
  }

  /** The room taken so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many inscriptions found no room. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Bytes that may still be taken. */
  get bytesLeft(): number {
    return this.#isClosed ? 0 : this.#bytesMax - this.#bytes;
  }

  /** How many new inscriptions without any content still fit. */
  get places(): number {
    return this.#isClosed ? 0 : Math.floor((this.#bytesMax - this.#bytes) / NEW_INSCRIPTION_COST_BYTES);
  }

  /** Takes room for a moving inscription whose value has `bytes` bytes; false if there is none. */
  takeMoved(bytes: number): boolean {
    return this.#take(INSCRIPTION_COST_BYTES + bytes);
  }

  /** Takes room for a new inscription that went to fees; false if there is none. */
  takeRevealed({ envelope }: Revealed): boolean {
    return this.takeNew(contentLength(envelope.payload));
  }

  /** Takes room for a new inscription whose content has about `bytes` bytes; false if there is none. */
  takeNew(bytes: number): boolean {
    return this.#take(NEW_INSCRIPTION_COST_BYTES + bytes);
  }

  /** Counts inscriptions that did not even ask for room because there is none. */
  leaveOut(count: number): void {
    if (count === 0) return;
    this.#isClosed = true;
    this.#leftOut += count;
  }

  #take(cost: number): boolean {
    if (this.#isClosed || cost > this.#bytesMax - this.#bytes) {
      this.leaveOut(1);
      return false;
    }
    this.#bytes += cost;
    return true;
  }
}
