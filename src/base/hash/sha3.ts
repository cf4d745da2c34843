/**
 * SHA3-256 (FIPS 202): transaction hashes, object ids, field keys, the accumulators.
 *
 * Most of what is hashed is short. The host hashes a block in less time than WebAssembly does, but calling it takes
 * longer, so messages of few blocks are hashed here, once there have been enough of them for the module to pay off.
 *
 * The accumulators hash pairs of hashes, one after the other. So some hashes have numbered places, where pairs are
 * hashed without being copied. Their content is valid until another caller uses them.
 *
 * Keccak-256 as Ethereum uses it: the submission that became SHA-3, with its own padding. OpenSSL has it from version
 * 3.2 on, newer than Node 20's, so @noble/hashes serves every host.
 * @module
 */
import { keccak_256, sha3_256 as noble } from '@noble/hashes/sha3.js';
import { BLOCK_BYTES, FREE_AT, type KeccakSponge, keccakSponge, pad } from './keccak-sponge.ts';
import { hostHash } from './node-crypto.ts';

const hostSha3 = hostHash('sha3-256', noble);

const HASH_BYTES = 32;

/** The number of places: an accumulator has up to 63 frozen roots. */
const PLACES = 72;

/** Messages with more blocks, including the padding, are hashed by the host. */
const MESSAGE_BYTES = 4 * BLOCK_BYTES;

/** The layout of the sponge's memory: the places, the digest of a message, and the message. */
const PLACES_AT = FREE_AT;
const DIGEST_AT = PLACES_AT + PLACES * HASH_BYTES;
const MESSAGE_AT = DIGEST_AT + HASH_BYTES;
const MEMORY_BYTES = MESSAGE_AT + MESSAGE_BYTES;

/** Short hashes after which the module is created, which takes some milliseconds. */
const HASHES_BEFORE_MODULE = 4_096;

let hashes = 0;
let sponge: KeccakSponge | undefined;

/** The sponge's memory, once there is one. */
let memory: Uint8Array = new Uint8Array(MESSAGE_AT);

/** The 32-byte SHA3-256 digest of `data`. */
export function sha3(data: Uint8Array): Uint8Array {
  if (data.length >= MESSAGE_BYTES || !hasSponge()) return hostSha3(data);
  absorb(data, DIGEST_AT);
  return hashFrom(DIGEST_AT);
}

/** Writes the digest of `data` to a place. */
export function digestInto(place: number, data: Uint8Array): void {
  const at = PLACES_AT + place * HASH_BYTES;
  if (data.length >= MESSAGE_BYTES || !hasSponge()) memory.set(hostSha3(data), at);
  else absorb(data, at);
}

/** Writes a hash to a place. */
export function putHash(place: number, hash: Uint8Array): void {
  memory.set(hash, PLACES_AT + place * HASH_BYTES);
}

/** Writes the digest of two joined hashes, those in the places `left` and `right`, to the place `to`. */
export function hashPair(left: number, right: number, to: number): void {
  const leftAt = PLACES_AT + left * HASH_BYTES;
  const rightAt = PLACES_AT + right * HASH_BYTES;
  const at = PLACES_AT + to * HASH_BYTES;
  if (hasSponge()) {
    sponge!.absorbPair(leftAt, rightAt, at);
    return;
  }
  const joined = new Uint8Array(2 * HASH_BYTES);
  joined.set(memory.subarray(leftAt, leftAt + HASH_BYTES));
  joined.set(memory.subarray(rightAt, rightAt + HASH_BYTES), HASH_BYTES);
  memory.set(hostSha3(joined), at);
}

/** A copy of the hash in a place. */
export function hashIn(place: number): Uint8Array {
  return hashFrom(PLACES_AT + place * HASH_BYTES);
}

/** Whether short messages are hashed by the sponge; creates it when it is time. */
function hasSponge(): boolean {
  if (sponge === undefined && ++hashes === HASHES_BEFORE_MODULE) {
    sponge = keccakSponge(MEMORY_BYTES);
    if (sponge !== undefined) {
      sponge.memory.set(memory.subarray(PLACES_AT), PLACES_AT);
      memory = sponge.memory;
    }
  }
  return sponge !== undefined;
}

function absorb(data: Uint8Array, to: number): void {
  const blocks = Math.floor(data.length / BLOCK_BYTES) + 1;
  memory.set(data, MESSAGE_AT);
  pad(memory, MESSAGE_AT + data.length, MESSAGE_AT + blocks * BLOCK_BYTES);
  sponge!.absorb(MESSAGE_AT, blocks, to);
}

function hashFrom(at: number): Uint8Array {
  const hash = new Uint8Array(HASH_BYTES);
  for (let index = 0; index < HASH_BYTES; index++) hash[index] = memory[at + index]!;
  return hash;
}

/** The 32-byte Keccak-256 digest of `data`. */
export function keccak256(data: Uint8Array): Uint8Array {
  return keccak_256(data);
}
