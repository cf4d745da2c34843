/**
 * The state tree's hash: SHA-256 tagged with `SMTNode`, that is sha256(t || t || data) with t = sha256("SMTNode").
 *
 * Nearly all of a tree's work is the hash of a pair: three blocks, of which the first (the tag) is always the same and
 * the last is always the same padding. So the state after the first block and the message schedule of the last are
 * computed once, and a pair costs one schedule and two rounds of compression. Hashes travel as eight big-endian words
 * in an `Int32Array`, so that nothing is packed or unpacked between one pair and the next.
 *
 * Written by hand because it takes half the time of `crypto.hash` over the same 128 bytes, which crosses a native
 * boundary and allocates, and a third of that of @noble/hashes with a cloned midstate; `bench/tree` prints figures. For
 * longer data the host is faster, so it hashes longer values.
 *
 * Source: FIPS 180-4; moveos/smt/src/jellyfish_merkle/hash.rs of the reference for the tag.
 * @module
 */
import { hostDigest } from './node-crypto.ts';
import { sha256 } from './sha256.ts';

/** Words of a hash. */
export const HASH_WORDS = 8;

const TAG = sha256(new TextEncoder().encode('SMTNode'));

const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;

const hostSha256 = hostDigest('sha256');

/** From this many bytes on the host's hash is faster, including the copy. */
const HOST_FROM_BYTES = 128;

const INITIAL = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

// biome-ignore format: the table of FIPS 180-4, eight to a row
const ROUND_CONSTANTS = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

// One hash at a time: all of this is synchronous, so the working state is the module's.
const state = new Int32Array(HASH_WORDS);
const message = new Int32Array(64);
const scheduled = new Int32Array(64);

/** Expands the sixteen words of `message` into the round inputs of one block, constants added. */
function schedule(target: Int32Array): void {
  for (let index = 0; index < BLOCK_WORDS; index++) target[index] = message[index]! + ROUND_CONSTANTS[index]!;
  for (let index = BLOCK_WORDS; index < 64; index++) {
    const x = message[index - 15]!;
    const y = message[index - 2]!;
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    const word = (message[index - 16]! + small0 + message[index - 7]! + small1) | 0;
    message[index] = word;
    target[index] = word + ROUND_CONSTANTS[index]!;
  }
}

/** Compresses one block into `state`. Eight rounds are unrolled, so that registers change roles instead of being moved. */
function compress(inputs: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let at = 0; at < 64; at += 8) {
    h =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        (g ^ (e & (f ^ g))) +
        inputs[at]!) |
      0;
    d = (d + h) | 0;
    h =
      (h +
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) | (c & (a | b)))) |
      0;
    g =
      (g +
        (((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7))) +
        (f ^ (d & (e ^ f))) +
        inputs[at + 1]!) |
      0;
    c = (c + g) | 0;
    g =
      (g +
        (((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10))) +
        ((h & a) | (b & (h | a)))) |
      0;
    f =
      (f +
        (((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7))) +
        (e ^ (c & (d ^ e))) +
        inputs[at + 2]!) |
      0;
    b = (b + f) | 0;
    f =
      (f +
        (((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10))) +
        ((g & h) | (a & (g | h)))) |
      0;
    e =
      (e +
        (((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7))) +
        (d ^ (b & (c ^ d))) +
        inputs[at + 3]!) |
      0;
    a = (a + e) | 0;
    e =
      (e +
        (((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10))) +
        ((f & g) | (h & (f | g)))) |
      0;
    d =
      (d +
        (((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7))) +
        (c ^ (a & (b ^ c))) +
        inputs[at + 4]!) |
      0;
    h = (h + d) | 0;
    d =
      (d +
        (((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10))) +
        ((e & f) | (g & (e | f)))) |
      0;
    c =
      (c +
        (((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7))) +
        (b ^ (h & (a ^ b))) +
        inputs[at + 5]!) |
      0;
    g = (g + c) | 0;
    c =
      (c +
        (((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10))) +
        ((d & e) | (f & (d | e)))) |
      0;
    b =
      (b +
        (((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7))) +
        (a ^ (g & (h ^ a))) +
        inputs[at + 6]!) |
      0;
    f = (f + b) | 0;
    b =
      (b +
        (((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10))) +
        ((c & d) | (e & (c | d)))) |
      0;
    a =
      (a +
        (((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7))) +
        (h ^ (f & (g ^ h))) +
        inputs[at + 7]!) |
      0;
    e = (e + a) | 0;
    a =
      (a +
        (((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10))) +
        ((b & c) | (d & (b | c)))) |
      0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}

/** Puts the 64 bytes from `at` into `message` as words. */
function loadBlock(bytes: Uint8Array, at: number): void {
  for (let index = 0; index < BLOCK_WORDS; index++) {
    const from = at + index * 4;
    message[index] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
}

/** The state after the block that holds the tag twice. */
const TAGGED = ((): Int32Array => {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(TAG, 0);
  block.set(TAG, TAG.length);
  state.set(INITIAL);
  loadBlock(block, 0);
  schedule(scheduled);
  compress(scheduled);
  return state.slice();
})();

/** The round inputs of the padding block that ends each message of 128 bytes. */
const PAIR_PADDING = ((): Int32Array => {
  const inputs = new Int32Array(64);
  message.fill(0);
  message[0] = 0x80000000;
  message[BLOCK_WORDS - 1] = 128 * 8;
  schedule(inputs);
  return inputs;
})();

function startTagged(): void {
  for (let index = 0; index < HASH_WORDS; index++) state[index] = TAGGED[index]!;
}

/**
 * The tagged hash of two joined hashes: a tree's inner pair, or a leaf's key and value hash.
 * Reads eight words of `left` from `leftAt` and of `right` from `rightAt`, writes eight words of `target` from
 * `targetAt`; the arrays and places may be the same.
 */
export function taggedPairWords(
  left: Int32Array,
  leftAt: number,
  right: Int32Array,
  rightAt: number,
  target: Int32Array,
  targetAt: number,
): void {
  for (let index = 0; index < HASH_WORDS; index++) {
    message[index] = left[leftAt + index]!;
    message[HASH_WORDS + index] = right[rightAt + index]!;
  }
  schedule(scheduled);
  startTagged();
  compress(scheduled);
  compress(PAIR_PADDING);
  for (let index = 0; index < HASH_WORDS; index++) target[targetAt + index] = state[index]!;
}

/** The tagged hash of the bytes of `data` from `start` to its end, as eight words of `target` from `targetAt`. */
export function taggedHashWords(data: Uint8Array, start: number, target: Int32Array, targetAt: number): void {
  const length = data.length - start;
  if (hostSha256 !== undefined && length >= HOST_FROM_BYTES) {
    digestToWords(hostSha256(taggedMessage(data, start)), target, targetAt);
    return;
  }
  startTagged();
  let at = start;
  for (; at + BLOCK_BYTES <= data.length; at += BLOCK_BYTES) {
    loadBlock(data, at);
    schedule(scheduled);
    compress(scheduled);
  }
  const rest = data.length - at;
  tail.fill(0);
  for (let index = 0; index < rest; index++) tail[index] = data[at + index]!;
  tail[rest] = 0x80;
  const bits = (BLOCK_BYTES + length) * 8;
  const blocks = rest < BLOCK_BYTES - 8 ? 1 : 2;
  for (let index = 0; index < 4; index++) tail[blocks * BLOCK_BYTES - 1 - index] = bits >>> (index * 8);
  for (let block = 0; block < blocks; block++) {
    loadBlock(tail, block * BLOCK_BYTES);
    schedule(scheduled);
    compress(scheduled);
  }
  for (let index = 0; index < HASH_WORDS; index++) target[targetAt + index] = state[index]!;
}

const tail = new Uint8Array(2 * BLOCK_BYTES);

/** The tag twice and the bytes of `data` from `start`, for the host to hash; valid until the next call. */
function taggedMessage(data: Uint8Array, start: number): Uint8Array {
  const length = BLOCK_BYTES + data.length - start;
  let joined = hostMessage;
  if (length > hostMessage.length) {
    joined = new Uint8Array(length);
    joined.set(hostMessage.subarray(0, BLOCK_BYTES));
  }
  joined.set(start === 0 ? data : data.subarray(start), BLOCK_BYTES);
  if (joined !== hostMessage) return joined;
  // Consecutive leaves often have the same length.
  if (hostView.length !== length) hostView = hostMessage.subarray(0, length);
  return hostView;
}

/** Begins with the tag twice; most values fit after it. */
const hostMessage = new Uint8Array(4096);
hostMessage.set(TAG, 0);
hostMessage.set(TAG, TAG.length);
let hostView = hostMessage;

const result = new Int32Array(HASH_WORDS);

/** The 32-byte tagged hash of `data`. */
export function taggedHash(data: Uint8Array): Uint8Array {
  taggedHashWords(data, 0, result, 0);
  return wordsToHash(result, 0);
}

/** Writes the 32 bytes of `hash` as eight big-endian words of `target` from `at`. */
export function hashToWords(hash: Uint8Array, target: Int32Array, at: number): void {
  for (let index = 0; index < HASH_WORDS; index++) {
    const from = index * 4;
    target[at + index] = (hash[from]! << 24) | (hash[from + 1]! << 16) | (hash[from + 2]! << 8) | hash[from + 3]!;
  }
}

/** The same for a digest that is a string with one character per byte. */
function digestToWords(digest: string, target: Int32Array, at: number): void {
  for (let index = 0; index < HASH_WORDS; index++) {
    const from = index * 4;
    const high = (digest.charCodeAt(from) << 24) | (digest.charCodeAt(from + 1) << 16);
    target[at + index] = high | (digest.charCodeAt(from + 2) << 8) | digest.charCodeAt(from + 3);
  }
}

/** The 32 bytes of the eight words of `words` from `at`. */
export function wordsToHash(words: ArrayLike<number>, at: number): Uint8Array {
  const hash = new Uint8Array(32);
  writeWords(words, at, hash, 0);
  return hash;
}

/** Writes the eight words of `words` from `at` as 32 bytes of `target` from `targetAt`. */
export function writeWords(words: ArrayLike<number>, at: number, target: Uint8Array, targetAt: number): void {
  for (let index = 0; index < HASH_WORDS; index++) {
    const word = words[at + index]!;
    const to = targetAt + index * 4;
    target[to] = word >>> 24;
    target[to + 1] = word >>> 16;
    target[to + 2] = word >>> 8;
    target[to + 3] = word;
  }
}
