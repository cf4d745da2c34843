/**
 * Checks of signatures over secp256k1 for those who make many: by a table of the key, if it is one that was seen often of
 * late, in a third of the time of libsecp256k1 (secp256k1-library.ts), which checks the others.
 *
 * Only a yes counts. What is not accepted here, the host looks at: nothing here tells a key that is no point from a
 * signature that is wrong. So a table may fail for points that were made to be hard to add.
 * Source: SEC 1 section 4.1.4.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { textOfBytes } from '../bytes/byte-text.ts';
import { SIGNATURE_KEYS_MAX, SIGNATURE_TABLES_MAX } from '../config.ts';
import { inverter } from './modular-inverse.ts';
import { readScalar } from './scalar-bytes.ts';
import { secp256k1Library } from './secp256k1-library.ts';
import { secp256k1Multiples } from './secp256k1-multiples.ts';
import { sha256 } from './sha256.ts';

const { ORDER } = secp256k1.Point.Fn;
const inverseInGroup = inverter(ORDER);

const COMPRESSED_KEY_BYTES = 33;
const SIGNATURE_BYTES = 64;

/** From this many checks on, tables are made. */
const CHECKS_BEFORE_TABLES = 64;
/** So often a key must have been checked before it gets a table, which takes as long as four checks without. */
const CHECKS_BEFORE_TABLE = 8;

interface Key {
  checks: number;
  /** Which table is the key's, if it has one. */
  slot: number | undefined;
}

/** Keys that were seen, the first one first. */
const keys = new Map<string, Key>();
/** Whose tables there are, and when each was used last, counted in checks. */
const tables: { readonly key: Key; usedAt: number }[] = [];
let checks = 0;

/**
 * Whether a signature of the SHA-256 of a message (r and s of 32 bytes, either s) is found right by what is fast.
 * @param publicKey SEC 1; only compressed ones are accepted
 */
export function acceptsEcdsa(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== COMPRESSED_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const library = secp256k1Library();
  if (++checks < CHECKS_BEFORE_TABLES && library === undefined) return false;
  const hash = sha256(message);
  return acceptsKnown(publicKey, hash, signature) || (library?.check(publicKey, hash, signature) ?? false);
}

function acceptsKnown(publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
  const slot = tableOf(publicKey);
  const multiples = slot === undefined ? undefined : secp256k1Multiples();
  if (slot === undefined || multiples === undefined) return false;
  const r = readScalar(signature);
  const s = readScalar(signature, 32);
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return false;
  const inverse = inverseInGroup(s);
  const base = (readScalar(hash) * inverse) % ORDER;
  // The x may also be r and the order together, once in 2^128 signatures.
  return base !== 0n && multiples.isSum(r, base, slot, (r * inverse) % ORDER);
}

/** The table of a key; undefined for one that has none yet. */
function tableOf(publicKey: Uint8Array): number | undefined {
  const name = textOfBytes(publicKey);
  let key = keys.get(name);
  if (key === undefined) {
    if (keys.size >= SIGNATURE_KEYS_MAX) keys.delete(keys.keys().next().value!);
    key = { checks: 0, slot: undefined };
    keys.set(name, key);
  }
  if (key.slot === undefined && ++key.checks === CHECKS_BEFORE_TABLE) makeTable(key, publicKey);
  if (key.slot !== undefined) tables[key.slot]!.usedAt = checks;
  return key.slot;
}

function makeTable(key: Key, publicKey: Uint8Array): void {
  const multiples = secp256k1Multiples();
  const point = pointOf(publicKey);
  if (multiples === undefined || point === undefined) return;
  const slot = freeSlot();
  multiples.makeKeyTable(slot, point.x, point.y);
  tables[slot] = { key, usedAt: checks };
  key.slot = slot;
}

/** The place of a new table: that of the key which was not checked for longest, if all are taken. */
function freeSlot(): number {
  if (tables.length < SIGNATURE_TABLES_MAX) return tables.length;
  let oldest = 0;
  for (let slot = 1; slot < tables.length; slot++) if (tables[slot]!.usedAt < tables[oldest]!.usedAt) oldest = slot;
  const { key } = tables[oldest]!;
  key.slot = undefined;
  key.checks = 0;
  return oldest;
}

function pointOf(publicKey: Uint8Array): { readonly x: bigint; readonly y: bigint } | undefined {
  try {
    return secp256k1.Point.fromBytes(publicKey).toAffine();
  } catch {
    // Bytes that are no point: the host says so, too.
    return undefined;
  }
}
