/**
 * ECDSA over secp256k1 with one key, many messages at a time: the same bytes as @noble/curves, in a fraction of the time.
 *
 * Most of the work is multiplying the base point by the nonce (hash/secp256k1-multiples.ts). The nonces of all messages
 * are inverted together (Montgomery's trick).
 *
 * Neither BigInt nor table look-ups take constant time; an observer can only time a whole batch.
 * Source: SEC 1 section 4.1.3, RFC 6979 section 3.2.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { inverter } from '../base/hash/modular-inverse.ts';
import { readScalar, writeScalar } from '../base/hash/scalar-bytes.ts';
import { type Secp256k1Multiples, secp256k1Multiples, TOGETHER_MAX } from '../base/hash/secp256k1-multiples.ts';
import { deterministicNonce } from '../base/hash/secp256k1-nonce.ts';
import { sha256 } from '../base/hash/sha256.ts';

const { ORDER } = secp256k1.Point.Fn;
const HALF_ORDER = ORDER >> 1n;
const inverseInGroup = inverter(ORDER);

/**
 * Signs each of `messages` with a secret key: 64 bytes (r, s) over its SHA-256, with the lower of the two s.
 * @returns undefined if the host has no WebAssembly, or does not allow it
 */
export function signBatch(secretKey: Uint8Array, messages: readonly Uint8Array[]): Uint8Array[] | undefined {
  const multiples = secp256k1Multiples();
  if (multiples === undefined) return undefined;
  const signatures: Uint8Array[] = [];
  for (let from = 0; from < messages.length; from += TOGETHER_MAX) {
    signatures.push(...signTogether(multiples, secretKey, messages.slice(from, from + TOGETHER_MAX)));
  }
  return signatures;
}

function signTogether(
  multiples: Secp256k1Multiples,
  secretKey: Uint8Array,
  messages: readonly Uint8Array[],
): Uint8Array[] {
  const secret = readScalar(secretKey);
  const digests = messages.map((message) => readScalar(sha256(message)) % ORDER);
  // A nonce and its negative lead to the same signature, since the lower s is taken. One of them is odd.
  const nonces = digests.map((digest) => {
    const nonce = deterministicNonce(secretKey, digest);
    return (nonce & 1n) === 1n ? nonce : ORDER - nonce;
  });
  const x = multiples.ofBase(nonces);
  if (x === undefined) return messages.map((message) => secp256k1.sign(message, secretKey));
  const inverses = inversesOf(nonces);
  return messages.map((message, index) => {
    const r = x[index]! % ORDER;
    const s = (inverses[index]! * ((digests[index]! + r * secret) % ORDER)) % ORDER;
    // Another nonce is needed once in 2^256 signatures.
    if (r === 0n || s === 0n) return secp256k1.sign(message, secretKey);
    const signature = new Uint8Array(64);
    writeScalar(signature, 0, r);
    writeScalar(signature, 32, s > HALF_ORDER ? ORDER - s : s);
    return signature;
  });
}

/** The inverse of each number modulo the group order, with a single inversion; none of the numbers may be 0. */
function inversesOf(numbers: readonly bigint[]): bigint[] {
  const inverses: bigint[] = [];
  let product = 1n;
  for (const number of numbers) {
    inverses.push(product);
    product = (product * number) % ORDER;
  }
  let inverse = inverseInGroup(product);
  for (let index = numbers.length - 1; index >= 0; index--) {
    inverses[index] = (inverse * inverses[index]!) % ORDER;
    inverse = (inverse * numbers[index]!) % ORDER;
  }
  return inverses;
}
