/**
 * Checks of Ed25519 signatures for programs that make many: with a table for the key, if it was seen often recently, in
 * half the host's time.
 *
 * Only acceptance counts: what is not accepted here is checked by the host. So the rule is the host's, that of OpenSSL:
 * the equation without the cofactor, an S below the order, and an R that is the encoding of the resulting point. Keys
 * that are not canonical encodings get no table, since OpenSSL accepts some of them.
 * Source: RFC 8032 section 5.1.7; `ossl_ed25519_verify` of OpenSSL.
 * @module
 */
import { decodePoint, ORDER, readEncodedPoint } from './ed25519-curve.ts';
import { ed25519Multiples } from './ed25519-multiples.ts';
import { KeyTables } from './key-tables.ts';
import { readLittleEndian } from './scalar-bytes.ts';
import { sha512 } from './sha512.ts';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

const tables = new KeyTables((publicKey) => {
  const multiples = ed25519Multiples();
  const point = decodePoint(publicKey);
  return multiples === undefined || point === undefined ? undefined : (slot) => multiples.makeKeyTable(slot, point);
});

/** Whether the table of its key proves a message's signature valid. */
export function acceptsEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const slot = tables.slotOf(publicKey);
  const multiples = slot === undefined ? undefined : ed25519Multiples();
  if (slot === undefined || multiples === undefined) return false;
  const s = readLittleEndian(signature, 32);
  if (s >= ORDER) return false;
  return multiples.isDifference(readEncodedPoint(signature), s, slot, challengeOf(publicKey, message, signature));
}

/** The digest of R, the key and the message, modulo the order. */
function challengeOf(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): bigint {
  const length = 2 * KEY_BYTES + message.length;
  if (hashed.length !== length) hashed = new Uint8Array(length);
  for (let index = 0; index < KEY_BYTES; index++) {
    hashed[index] = signature[index]!;
    hashed[KEY_BYTES + index] = publicKey[index]!;
  }
  hashed.set(message, 2 * KEY_BYTES);
  const digest = sha512(hashed);
  return ((readLittleEndian(digest, 32) << 256n) | readLittleEndian(digest)) % ORDER;
}

/** Transactions sign hashes, so all messages have the same length. */
let hashed = new Uint8Array(0);
