/**
 * BLAKE2b (RFC 7693): the hash with a 32-byte digest, and its compression function F with any number of rounds, of which
 * the hash runs twelve. OpenSSL 3.0 has only the 64-byte digest, which is another function, and @noble/hashes has the
 * compression only inside its hash.
 *
 * Words of 64 bits are pairs of 32-bit integers, the lower half first.
 * Source: RFC 7693, sections 2.6, 2.7, 3.1 and 3.2; EIP-152.
 * @module
 */
import { blake2b } from './noble.ts';

/** Without a prototype: the library refuses that of another realm, such as Vitest's pool `vmForks` makes. */
const OPTIONS = { __proto__: null, dkLen: 32 };

/** The 32-byte BLAKE2b digest of `data`, without key. */
export function blake2b256(data: Uint8Array): Uint8Array {
  return blake2b()(data, OPTIONS);
}

export const BLAKE2F_STATE_BYTES = 64;
export const BLAKE2F_BLOCK_BYTES = 128;
export const BLAKE2F_COUNTER_BYTES = 16;

/** The initialization vector, that of SHA-512. */
const IV: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** Which words of the block each of ten rounds uses; the eleventh starts over. */
const SCHEDULE: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

const STATE_WORDS = 8;
const WORD_BYTES = 8;
const CARRY = 2 ** 32;

/**
 * The state after one block. All words are little endian.
 * @param rounds below 2^32
 * @param state 64 bytes
 * @param block 128 bytes
 * @param counter 16 bytes: how many bytes were hashed, including this block's
 */
export function blake2bCompress(
  rounds: number,
  state: Uint8Array,
  block: Uint8Array,
  counter: Uint8Array,
  isLast: boolean,
): Uint8Array {
  const words = new Int32Array(4 * STATE_WORDS);
  const before = readHalves(state);
  words.set(before);
  const offsets = readHalves(counter);
  IV.forEach((word, index) => {
    const at = 2 * (STATE_WORDS + index);
    words[at] = Number(word & 0xffff_ffffn);
    words[at + 1] = Number(word >> 32n);
  });
  for (let index = 0; index < offsets.length; index++) words[24 + index]! ^= offsets[index]!;
  if (isLast) {
    words[28] = ~words[28]!;
    words[29] = ~words[29]!;
  }
  runRounds(rounds, words, readHalves(block));
  const after = new DataView(new ArrayBuffer(BLAKE2F_STATE_BYTES));
  for (let index = 0; index < 2 * STATE_WORDS; index++) {
    after.setInt32(4 * index, before[index]! ^ words[index]! ^ words[index + 2 * STATE_WORDS]!, true);
  }
  return new Uint8Array(after.buffer);
}

function readHalves(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: bytes.length / (WORD_BYTES / 2) }, (_, index) => view.getUint32(4 * index, true));
}

function runRounds(rounds: number, v: Int32Array, m: Uint32Array): void {
  const schedule = SCHEDULE.map((row) => Uint8Array.from(row, (word) => 2 * word));
  for (let round = 0; round < rounds; round++) {
    const s = schedule[round % schedule.length]!;
    mix(v, 0, 8, 16, 24, m, s[0]!, s[1]!);
    mix(v, 2, 10, 18, 26, m, s[2]!, s[3]!);
    mix(v, 4, 12, 20, 28, m, s[4]!, s[5]!);
    mix(v, 6, 14, 22, 30, m, s[6]!, s[7]!);
    mix(v, 0, 10, 20, 30, m, s[8]!, s[9]!);
    mix(v, 2, 12, 22, 24, m, s[10]!, s[11]!);
    mix(v, 4, 14, 16, 26, m, s[12]!, s[13]!);
    mix(v, 6, 8, 18, 28, m, s[14]!, s[15]!);
  }
}

/** The mixing function G; `a` to `d`, `x` and `y` are indexes of lower halves. */
function mix(v: Int32Array, a: number, b: number, c: number, d: number, m: Uint32Array, x: number, y: number): void {
  let aLow = v[a]!;
  let aHigh = v[a + 1]!;
  let bLow = v[b]!;
  let bHigh = v[b + 1]!;
  let cLow = v[c]!;
  let cHigh = v[c + 1]!;
  let dLow = v[d]!;
  let dHigh = v[d + 1]!;
  let sum = (aLow >>> 0) + (bLow >>> 0) + m[x]!;
  aHigh = (aHigh + bHigh + m[x + 1]! + ((sum / CARRY) | 0)) | 0;
  aLow = sum | 0;
  let low = dHigh ^ aHigh; // rotated right by 32
  dHigh = dLow ^ aLow;
  dLow = low;
  sum = (cLow >>> 0) + (dLow >>> 0);
  cHigh = (cHigh + dHigh + ((sum / CARRY) | 0)) | 0;
  cLow = sum | 0;
  bLow ^= cLow;
  bHigh ^= cHigh;
  low = (bLow >>> 24) | (bHigh << 8); // by 24
  bHigh = (bHigh >>> 24) | (bLow << 8);
  bLow = low;
  sum = (aLow >>> 0) + (bLow >>> 0) + m[y]!;
  aHigh = (aHigh + bHigh + m[y + 1]! + ((sum / CARRY) | 0)) | 0;
  aLow = sum | 0;
  dLow ^= aLow;
  dHigh ^= aHigh;
  low = (dLow >>> 16) | (dHigh << 16); // by 16
  dHigh = (dHigh >>> 16) | (dLow << 16);
  dLow = low;
  sum = (cLow >>> 0) + (dLow >>> 0);
  cHigh = (cHigh + dHigh + ((sum / CARRY) | 0)) | 0;
  cLow = sum | 0;
  bLow ^= cLow;
  bHigh ^= cHigh;
  low = (bLow << 1) | (bHigh >>> 31); // by 63
  bHigh = (bHigh << 1) | (bLow >>> 31);
  bLow = low;
  v[a] = aLow;
  v[a + 1] = aHigh;
  v[b] = bLow;
  v[b + 1] = bHigh;
  v[c] = cLow;
  v[c + 1] = cHigh;
  v[d] = dLow;
  v[d + 1] = dHigh;
}
