/**
 * SHA3-256 (FIPS 202): transaction hashes, object ids, field keys, the accumulators.
 *
 * Most of what is hashed is short. The host hashes as fast as the permutation in WebAssembly does, but it takes as long
 * again to be called, so what is one block is hashed here, once there was so much of it that making the module pays.
 * @module
 */
import { sha3_256 as noble } from '@noble/hashes/sha3.js';
import { type KeccakPermutation, keccakPermutation } from './keccak-permutation.ts';
import { hostHash } from './node-crypto.ts';

const hostSha3 = hostHash('sha3-256', noble);

const HASH_BYTES = 32;
const STATE_BYTES = 200;
const BLOCK_BYTES = STATE_BYTES - 2 * HASH_BYTES;

/** Hashes of one block after which the module is made, which takes some milliseconds. */
const HASHES_BEFORE_MODULE = 4_096;

let hashes = 0;
let permutation: KeccakPermutation | undefined;

/** The 32-byte SHA3-256 digest of `data`. */
export function sha3(data: Uint8Array): Uint8Array {
  if (data.length >= BLOCK_BYTES) return hostSha3(data);
  if (permutation === undefined) {
    if (++hashes === HASHES_BEFORE_MODULE) permutation = keccakPermutation();
    return hostSha3(data);
  }
  const { state, permute } = permutation;
  state.fill(0, data.length, STATE_BYTES);
  state.set(data);
  // The two bits of SHA-3, and the padding.
  state[data.length] = 0x06;
  state[BLOCK_BYTES - 1]! ^= 0x80;
  permute();
  const hash = new Uint8Array(HASH_BYTES);
  for (let index = 0; index < HASH_BYTES; index++) hash[index] = state[index]!;
  return hash;
}
