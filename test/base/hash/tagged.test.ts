import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import {
  hashToWords,
  taggedHash,
  taggedHashWords,
  taggedPairWords,
  wordsToHash,
} from '../../../src/base/hash/tagged.ts';
import { taggedPair } from '../tagged-pair.ts';

const tag = createHash('sha256').update('SMTNode').digest();
const byNode = (...parts: Uint8Array[]): string => {
  const hash = createHash('sha256').update(tag).update(tag);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

describe('tagged hash', () => {
  it('gives the values of state.md 1.1', () => {
    expect(toHex(tag)).toBe('142f804193cc3f5ae4528582f157de21e00cdce94d943a64a851ed57befdde2d');
    expect(toHex(taggedHash(new Uint8Array(0)))).toBe(
      '14dac625db5746f54f1b30b92fcfd249abbec0ed7c5da8e2e8ef7b053c2ab0d9',
    );
    expect(toHex(taggedHash(new TextEncoder().encode('abc')))).toBe(
      'eda56352218d59cb80be67e68dd45956d9f262332eae6f79a903d6a4f8b6084e',
    );
  });

  it('agrees with the host at every length around the block and host bounds, and at large ones', () => {
    const words = new Int32Array(10);
    for (const length of [...Array.from({ length: 300 }, (_, index) => index), 4031, 4032, 4033, 100_000]) {
      const data = Uint8Array.from({ length: length + 3 }, (_, index) => (index * 131 + length * 7) & 255);
      const expected = byNode(data.subarray(3));
      expect(toHex(taggedHash(data.subarray(3)))).toBe(expected);
      taggedHashWords(data, 3, words, 1);
      expect(toHex(wordsToHash(words, 1))).toBe(expected);
    }
  });

  it('hashes pairs like the host, in place too', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(hash, hash, (left, right) => {
        const expected = byNode(left, right);
        expect(toHex(taggedPair(left, right))).toBe(expected);
        const words = new Int32Array(16);
        hashToWords(left, words, 0);
        hashToWords(right, words, 8);
        taggedPairWords(words, 0, words, 8, words, 8);
        expect(toHex(wordsToHash(words, 8))).toBe(expected);
        expect(toHex(wordsToHash(words, 0))).toBe(toHex(left));
      }),
    );
  });

  it('is the same on a host without a native hash', async () => {
    vi.resetModules();
    vi.doMock('../../../src/base/hash/node-crypto.ts', async (original) => ({
      ...(await original<object>()),
      hostDigest: () => undefined,
    }));
    const portable = await import('../../../src/base/hash/tagged.ts');
    vi.doUnmock('../../../src/base/hash/node-crypto.ts');
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 500, 5000]) {
      const data = Uint8Array.from({ length }, (_, index) => (index * 31) & 255);
      expect(toHex(portable.taggedHash(data))).toBe(byNode(data));
    }
  });
});
