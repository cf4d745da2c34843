/**
 * ECDSA over secp256k1 under one key, many messages at a time: what @noble/curves signs, to the byte, in a tenth of the
 * time.
 *
 * Most of a signature is the multiple of the base point by its nonce, which the tables of hash/secp256k1-tables.ts give
 * many of at a time. The inverses of the nonces share a single inversion (Montgomery's trick).
 * Source: SEC 1 section 4.1.3, RFC 6979 section 3.2.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { concatBytes } from '../bytes/compare.ts';
import { deterministicNonce } from '../hash/secp256k1-nonce.ts';
import type { CurveTables } from '../hash/secp256k1-tables.ts';
import { sha256 } from '../hash/sha256.ts';

const { Fn } = secp256k1.Point;
const ORDER = Fn.ORDER;
const HALF_ORDER = ORDER >> 1n;

/** Signs each of `messages` with a secret key: 64 bytes (r, s) over its SHA-256, with the lower of the two s. */
export function signBatch(tables: CurveTables, secretKey: Uint8Array, messages: readonly Uint8Array[]): Uint8Array[] {
  const secret = bytesToNumberBE(secretKey);
  const digests = messages.map((message) => bytesToNumberBE(sha256(message)) % ORDER);
  const nonces = digests.map((digest) => deterministicNonce(secretKey, digest));
  const x = tables.multiplesOfBase(nonces);
  const inverses = invertAll(nonces);
  return messages.map((message, index) => {
    const r = x[index]! % ORDER;
    const s = (inverses[index]! * ((digests[index]! + r * secret) % ORDER)) % ORDER;
    // Asks for another nonce, once in 2^256 signatures.
    if (r === 0n || s === 0n) return secp256k1.sign(message, secretKey);
    return concatBytes(numberToBytesBE(r, 32), numberToBytesBE(s > HALF_ORDER ? ORDER - s : s, 32));
  });
}

/** The inverse of each number, none of them 0, modulo the order of the group. */
function invertAll(numbers: readonly bigint[]): bigint[] {
  const products: bigint[] = [];
  let product = 1n;
  for (const number of numbers) {
    products.push(product);
    product = (product * number) % ORDER;
  }
  const inverses: bigint[] = new Array(numbers.length);
  let inverse = Fn.inv(product);
  for (let index = numbers.length - 1; index >= 0; index--) {
    inverses[index] = (inverse * products[index]!) % ORDER;
    inverse = (inverse * numbers[index]!) % ORDER;
  }
  return inverses;
}
