/**
 * Checks of signatures over secp256k1 for programs that make many: with a table for the key, if it was seen often
 * recently, in a third of the time of libsecp256k1 (secp256k1-library.ts), which checks the others.
 *
 * Only acceptance counts. What is not accepted here is checked by the host, since nothing here tells a key that is not
 * a point from a wrong signature. So a table may fail for points that were crafted to be hard to add. Source: SEC 1
 * section 4.1.4.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { KeyTables } from './key-tables.ts';
import { inverter } from './modular-inverse.ts';
import { readScalar } from './scalar-bytes.ts';
import { secp256k1Library } from './secp256k1-library.ts';
import { secp256k1Multiples } from './secp256k1-multiples.ts';
import { sha256 } from './sha256.ts';

const { ORDER } = secp256k1.Point.Fn;
const inverseInGroup = inverter(ORDER);

const COMPRESSED_KEY_BYTES = 33;
const SIGNATURE_BYTES = 64;

const tables = new KeyTables((publicKey) => {
  const multiples = secp256k1Multiples();
  const point = pointOf(publicKey);
  if (multiples === undefined || point === undefined) return undefined;
  return (slot) => multiples.makeKeyTable(slot, point.x, point.y);
});

/**
 * Whether a fast check finds a signature of the SHA-256 of a message (r and s of 32 bytes, either s) valid.
 * @param publicKey SEC 1; only compressed ones are accepted
 */
export function acceptsEcdsa(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== COMPRESSED_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const library = secp256k1Library();
  const slot = tables.slotOf(publicKey);
  if (slot === undefined && library === undefined) return false;
  const hash = sha256(message);
  const isAccepted = slot !== undefined && acceptsByTable(slot, hash, signature);
  return isAccepted || (library?.check(publicKey, hash, signature) ?? false);
}

function acceptsByTable(slot: number, hash: Uint8Array, signature: Uint8Array): boolean {
  const multiples = secp256k1Multiples();
  if (multiples === undefined) return false;
  const r = readScalar(signature);
  const s = readScalar(signature, 32);
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return false;
  const inverse = inverseInGroup(s);
  const base = (readScalar(hash) * inverse) % ORDER;
  // The x may also be r plus the order, once in 2^128 signatures.
  return base !== 0n && multiples.isSum(r, base, slot, (r * inverse) % ORDER);
}

function pointOf(publicKey: Uint8Array): { readonly x: bigint; readonly y: bigint } | undefined {
  try {
    return secp256k1.Point.fromBytes(publicKey).toAffine();
  } catch {
    // Bytes that are not a point: the host will say so, too.
    return undefined;
  }
}
