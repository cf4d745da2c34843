/**
 * Order signatures of transactions, made ahead of their turns: in batches they cost a fifth of what they cost one by
 * one, and a Bitcoin block has thousands.
 *
 * A transaction's order is a guess until its turn comes, since an earlier one may be refused. A signature is used only
 * if the guess was right, so guesses only affect the time that signing takes. As long as they are right, each batch is
 * twice the size of the one before; after a wrong guess the batch size starts again at one, so at most half are wasted.
 * @module
 */
import { equalBytes } from '../base/bytes/compare.ts';
import { orderWitness } from '../chain/transaction/sequence-info.ts';

/** Order signatures made ahead for waiting transactions: a wrong guess wastes 20 ms of work at most. */
export const ORDER_SIGNATURES_AHEAD_MAX = 255;

/** Signs 32-byte order witnesses; returns scheme flag, signature and public key for each. */
export type OrderSigner = (witnesses: readonly Uint8Array[]) => readonly Uint8Array[];

/** Hashes of the transactions that are expected next, `count` at most, in the order of their turns. */
export type Upcoming = (count: number) => readonly Uint8Array[];

export class OrderSignatures {
  readonly #sign: OrderSigner;
  readonly #upcoming: Upcoming;
  /** Made ahead, by order. */
  readonly #ready = new Map<bigint, { readonly hash: Uint8Array; readonly signature: Uint8Array }>();
  #aheadMax = 0;

  constructor(sign: OrderSigner, upcoming: Upcoming) {
    this.#sign = sign;
    this.#upcoming = upcoming;
  }

  /** The signature over the order of a transaction. */
  of(hash: Uint8Array, order: bigint): Uint8Array {
    const ready = this.#ready.get(order);
    if (ready !== undefined && equalBytes(ready.hash, hash)) {
      this.#ready.delete(order);
      return ready.signature;
    }
    this.#aheadMax = this.#ready.size > 0 ? 0 : Math.min(2 * this.#aheadMax + 1, ORDER_SIGNATURES_AHEAD_MAX);
    this.#ready.clear();
    return this.#make(hash, order);
  }

  #make(hash: Uint8Array, order: bigint): Uint8Array {
    const hashes = [hash, ...this.#upcoming(this.#aheadMax)];
    const signatures = this.#sign(hashes.map((own, index) => orderWitness(own, order + BigInt(index))));
    for (let index = 1; index < hashes.length; index++) {
      this.#ready.set(order + BigInt(index), { hash: hashes[index]!, signature: signatures[index]! });
    }
    return signatures[0]!;
  }
}
