/**
 * The inscription state that each transaction of a block passes on to the next: counts, the reward so far, and the
 * inscriptions that went to fees.
 *
 * All of it is one record, which every transaction reads and rewrites, though only the coinbase decodes the inscriptions
 * in it: with hundreds of them, decoding and encoding took longer than everything else. If many inscriptions went to
 * fees, each of the thousands of transactions that follow would write them again, so what exceeds the record's limit is
 * stored separately, under the transaction that paid it, until the coinbase takes it. No block so far has come near that
 * limit. In one that does, roots within the block differ from the reference's, but those after the coinbase do not.
 * Source: inscription_updater.move of the reference.
 * @module
 */

import { encodeInPlace } from '../../base/bcs/codec.ts';
import { INSCRIPTION_UPDATER_BYTES_MAX } from '../../base/config.ts';
import { assert } from '../../base/error.ts';
import { PENDING_TXIDS_KEY, type PendingBlock } from '../../bitcoin/block-store.ts';
import {
  appendFlotsams,
  countsOf,
  type Flotsam,
  INSCRIPTION_UPDATER_KEY,
  type InscriptionUpdater,
  NO_FLOTSAMS,
  type PackedFlotsams,
  startBlock,
  storedUpdater,
  unpackFlotsams,
} from '../../bitcoin/inscription-updater.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { pendingBlockId } from './l1-block.ts';
import type { MovingInscriptions } from './moving-inscriptions.ts';
import { INSCRIPTION_STORE_ID } from './object-id.ts';
import { FLOTSAMS_BY_TXID, INSCRIPTION_STORE, PENDING_TXIDS, UPDATER } from './object-type.ts';

export class InscriptionTransit {
  readonly #runtime: ObjectRuntime;
  readonly #height: number;
  readonly #id: ObjectId;
  readonly #isCoinbase: boolean;
  /** What earlier transactions paid as fees, as the record has it. */
  #flotsams: PackedFlotsams = NO_FLOTSAMS;

  constructor(runtime: ObjectRuntime, { blockHash, blockHeight }: PendingBlock, isCoinbase: boolean) {
    this.#runtime = runtime;
    this.#height = Number(blockHeight);
    this.#id = pendingBlockId(blockHash);
    this.#isCoinbase = isCoinbase;
  }

  /**
   * Takes what earlier transactions passed on. The coinbase gets everything that went to fees, as far as there is room;
   * the others get none of it.
   */
  take(inscriptions: MovingInscriptions): InscriptionUpdater {
    const runtime = this.#runtime;
    const store = runtime.get(INSCRIPTION_STORE_ID, INSCRIPTION_STORE);
    assert(store !== undefined, 'the chain has a store of inscriptions');
    const isUnderWay = runtime.hasField(this.#id, UPDATER, INSCRIPTION_UPDATER_KEY);
    if (!isUnderWay) return this.#withFloated(startBlock(this.#height, store), inscriptions);
    const { flotsams, ...updater } = runtime.removeField(this.#id, UPDATER, INSCRIPTION_UPDATER_KEY);
    this.#flotsams = flotsams;
    return this.#withFloated({ ...updater, flotsams: [] }, inscriptions);
  }

  /**
   * Passes `after` on to the next transaction; nothing after the coinbase, which is last.
   * @param tracksFees whether to pass on what went to fees; without the block's other fees, its place is unknown.
   */
  put(after: InscriptionUpdater, txid: Uint8Array, tracksFees: boolean): void {
    const runtime = this.#runtime;
    runtime.set(INSCRIPTION_STORE_ID, INSCRIPTION_STORE, countsOf(after));
    if (this.#isCoinbase) return;
    const before = tracksFees ? this.#flotsams : NO_FLOTSAMS;
    const paid = tracksFees ? after.flotsams : [];
    let left = { ...after, flotsams: appendFlotsams(before, paid) };
    if (paid.length > 0 && encodeInPlace(storedUpdater, left).length > INSCRIPTION_UPDATER_BYTES_MAX) {
      runtime.addField(this.#id, FLOTSAMS_BY_TXID, txid, paid);
      left = { ...after, flotsams: before };
    }
    runtime.addField(this.#id, UPDATER, INSCRIPTION_UPDATER_KEY, left);
  }

  #withFloated(updater: InscriptionUpdater, inscriptions: MovingInscriptions): InscriptionUpdater {
    if (!this.#isCoinbase) return updater;
    return { ...updater, flotsams: inscriptions.floated([...unpackFlotsams(this.#flotsams), ...this.#takeAside()]) };
  }

  /** Takes what was stored separately, in the order of the transactions that paid it. */
  #takeAside(): Flotsam[] {
    const runtime = this.#runtime;
    const aside: Flotsam[] = [];
    // The list of txids is the only field left.
    if (runtime.meta(this.#id)?.size === 1n) return aside;
    for (const txid of runtime.getField(this.#id, PENDING_TXIDS, PENDING_TXIDS_KEY) ?? []) {
      if (!runtime.hasField(this.#id, FLOTSAMS_BY_TXID, txid)) continue;
      for (const flotsam of runtime.removeField(this.#id, FLOTSAMS_BY_TXID, txid)) aside.push(flotsam);
    }
    return aside;
  }
}
