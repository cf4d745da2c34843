/** Pairs that are hashed in WebAssembly have the hashes of the host. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, assert, describe, expect, it, vi } from 'vitest';
import { type PairHashing, pairHasher } from '../../../src/base/hash/pair-code.ts';
import { taggedPairWords } from '../../../src/base/hash/tagged.ts';

const tag = createHash('sha256').update('SMTNode').digest();

function byHost(words: Int32Array): number[] {
  const data = Buffer.alloc(64);
  for (let index = 0; index < 16; index++) data.writeInt32BE(words[index]!, index * 4);
  const hash = createHash('sha256').update(tag).update(tag).update(data).digest();
  return Array.from({ length: 8 }, (_, index) => hash.readInt32BE(index * 4));
}

const pairArbitrary = fc
  .array(fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1, -(2 ** 31), 2 ** 31 - 1)), { minLength: 16, maxLength: 16 })
  .map((words) => Int32Array.from(words));

const NOTHING: PairHashing = { state: new Int32Array(8), roundConstants: new Int32Array(64), padding: [] };

afterEach(() => vi.unstubAllGlobals());

describe('the hash of a pair', () => {
  it('is that of the host, before WebAssembly is used and after', () => {
    const words = new Int32Array(16);
    const place = { left: 0, right: 8 };
    for (let round = 0; round < 3; round++) {
      fc.assert(
        fc.property(pairArbitrary, fc.constantFrom(0, 3, 8), (pair, at) => {
          const expected = byHost(pair);
          words.set(pair);
          taggedPairWords(words, place.left, words, place.right, words, at);
          expect([...words.subarray(at, at + 8)]).toEqual(expected);
        }),
      );
      for (let count = 0; count < 6_000; count++) taggedPairWords(words, 0, words, 8, words, count & 8);
      expect([...words.subarray(0, 16)].every((word) => word === 0)).toBe(false);
    }
  });

  it('is not computed in WebAssembly if the host has none, or forbids it', () => {
    assert(pairHasher(NOTHING) !== undefined, 'this host has WebAssembly');
    vi.stubGlobal('WebAssembly', undefined);
    expect(pairHasher(NOTHING)).toBeUndefined();
    const Module = function forbidden(): never {
      throw new Error('Wasm code generation disallowed by embedder');
    };
    vi.stubGlobal('WebAssembly', { Module });
    expect(pairHasher(NOTHING)).toBeUndefined();
  });

  it('goes on in JavaScript where the host forbids WebAssembly', async () => {
    vi.resetModules();
    vi.stubGlobal('WebAssembly', undefined);
    const portable = await import('../../../src/base/hash/tagged.ts');
    const words = Int32Array.from({ length: 16 }, (_, index) => index * 0x1234567);
    const chain = words.slice();
    for (let count = 0; count < 10_050; count++) {
      portable.taggedPairWords(words, 0, words, 8, words, count & 8);
      taggedPairWords(chain, 0, chain, 8, chain, count & 8);
    }
    expect(words).toEqual(chain);
    const pair = words.slice();
    portable.taggedPairWords(words, 0, words, 8, words, 0);
    expect([...words.subarray(0, 8)]).toEqual(byHost(pair));
  });
});
