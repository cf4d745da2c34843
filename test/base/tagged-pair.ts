import { hashToWords, taggedPairWords, wordsToHash } from '../../src/base/hash/tagged.ts';

/** The 32-byte tagged hash of two joined 32-byte strings. */
export function taggedPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const words = new Int32Array(24);
  hashToWords(left, words, 0);
  hashToWords(right, words, 8);
  taggedPairWords(words, 0, words, 8, words, 16);
  return wordsToHash(words, 16);
}
