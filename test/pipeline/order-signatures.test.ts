/** Signatures made ahead of their turns: the same ones, in fewer calls, whatever becomes of the queue. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderWitness } from '../../src/chain/transaction/sequence-info.ts';
import { ORDER_SIGNATURES_AHEAD_MAX, OrderSignatures } from '../../src/pipeline/order-signatures.ts';

const hashOf = (index: number): Uint8Array => new Uint8Array(32).fill(index & 0xff, 0, 16).fill(index >> 8, 16);

/**
 * A signer whose signature is the witness itself, over a queue whose first transaction is the next to begin; and
 * how many signatures it was asked for in each call.
 */
function counting(queue: Uint8Array[]): { readonly signatures: OrderSignatures; readonly calls: number[] } {
  const calls: number[] = [];
  const signatures = new OrderSignatures(
    (witnesses) => {
      calls.push(witnesses.length);
      return witnesses;
    },
    (count) => queue.slice(0, count),
  );
  return { signatures, calls };
}

describe('order signatures', () => {
  it('are made one at a time when nothing waits', () => {
    const { signatures, calls } = counting([]);
    for (let order = 1; order <= 5; order++) {
      const hash = hashOf(order);
      expect(signatures.of(hash, BigInt(order))).toEqual(orderWitness(hash, BigInt(order)));
    }
    expect(calls).toEqual([1, 1, 1, 1, 1]);
  });

  it('are made in growing batches for a queue, never more than the limit ahead', () => {
    const hashes = Array.from({ length: 2_000 }, (_, index) => hashOf(index));
    const queue = [...hashes];
    const { signatures, calls } = counting(queue);
    for (const [index, hash] of hashes.entries()) {
      queue.shift();
      expect(signatures.of(hash, BigInt(index))).toEqual(orderWitness(hash, BigInt(index)));
    }
    expect(
      calls.reduce((sum, count) => sum + count, 0),
      'each made once',
    ).toBe(2_000);
    expect(Math.max(...calls)).toBe(ORDER_SIGNATURES_AHEAD_MAX + 1);
    expect(calls.length).toBeLessThan(20);
  });

  it('are right whichever transactions are refused, and at most three times as many as are used', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 600 }), (isRefused) => {
        const hashes = isRefused.map((_, index) => hashOf(index));
        const queue = [...hashes];
        const { signatures, calls } = counting(queue);
        let order = 1n;
        for (const [index, hash] of hashes.entries()) {
          queue.shift();
          if (isRefused[index]!) continue;
          expect(signatures.of(hash, order)).toEqual(orderWitness(hash, order));
          order++;
        }
        const made = calls.reduce((sum, count) => sum + count, 0);
        expect(made).toBeLessThanOrEqual(3 * Number(order));
      }),
    );
  });
});
