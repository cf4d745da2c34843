/**
 * Signature checks by the host, if it has them: 2 times (secp256k1) to 15 times (P-256) faster than @noble/curves.
 *
 * The host's verdict counts only where all implementations agree: callers first check the form of keys and signatures,
 * and ask a second implementation where the curve's rules leave a choice.
 *
 * When many signatures over secp256k1 or Ed25519 are checked, the host seldom does it (secp256k1-check.ts,
 * ed25519-check.ts).
 *
 * Reading a key takes the host between a third of a check and a whole one, so recent keys are kept. A check may also
 * have been made ahead by another thread (signature-threads.ts); then its verdict is there at once. Neither changes an
 * answer, since a check is a pure function of its four parts.
 * @module
 */
import type { KeyObject } from 'node:crypto';
import { textOfBytes } from '../bytes/byte-text.ts';
import { concatBytes, equalBytes } from '../bytes/compare.ts';
import { fromHex } from '../bytes/hex.ts';
import { SIGNATURE_KEYS_MAX, SIGNATURES_WAITING_MAX } from '../config.ts';
import { acceptsEd25519 } from './ed25519-check.ts';
import { nodeCrypto } from './node-crypto.ts';
import { acceptsEcdsa } from './secp256k1-check.ts';

export type HostCurve = 'secp256k1' | 'p256' | 'ed25519';

/** What a signature check depends on: ECDSA over SHA-256 of the message with r and s of 32 bytes, or Ed25519. */
export interface SignatureCheck {
  readonly curve: HostCurve;
  /** SEC 1 compressed or uncompressed, or 32 bytes of Ed25519. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** The bytes before a key of this length in a SubjectPublicKeyInfo (RFC 5280, RFC 5480, RFC 8410). */
export const KEY_HEADS: Readonly<Record<HostCurve, ReadonlyMap<number, Uint8Array>>> = {
  secp256k1: new Map([
    [33, fromHex('3036301006072a8648ce3d020106052b8104000a032200')],
    [65, fromHex('3056301006072a8648ce3d020106052b8104000a034200')],
  ]),
  p256: new Map([
    [33, fromHex('3039301306072a8648ce3d020106082a8648ce3d030107032200')],
    [65, fromHex('3059301306072a8648ce3d020106082a8648ce3d030107034200')],
  ]),
  ed25519: new Map([[32, fromHex('302a300506032b6570032100')]]),
};

/** Keys in the host's form, the most recently used last. */
const keys = new Map<string, KeyObject>();

/** Checks that other threads were asked for, the newest last: functions that say whether the check is known to hold. */
const verdicts = new Map<string, () => boolean>();

/**
 * Whether a signature of a message is valid.
 * @returns `undefined` if the host cannot tell: it has no such curve, or refuses the key.
 */
export function hostVerify(
  curve: HostCurve,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean | undefined {
  const check = { curve, publicKey, message, signature };
  if (verdicts.size > 0 && isKnown(nameOf(check))) return true;
  if (refused !== undefined && isSame(refused.check, check)) return refused.verdict;
  const verdict = verify(check);
  if (verdict !== true) refused = { check: copyOf(check), verdict };
  return verdict;
}

/** The last check that was refused or unknown: a validator that has to say why a signature is refused asks again. */
let refused: { readonly check: SignatureCheck; readonly verdict: false | undefined } | undefined;

function isSame(left: SignatureCheck, right: SignatureCheck): boolean {
  return (
    left.curve === right.curve &&
    equalBytes(left.signature, right.signature) &&
    equalBytes(left.message, right.message) &&
    equalBytes(left.publicKey, right.publicKey)
  );
}

/** A copy, since the parts may be memory that is reused. */
function copyOf({ curve, publicKey, message, signature }: SignatureCheck): SignatureCheck {
  return { curve, publicKey: publicKey.slice(), message: message.slice(), signature: signature.slice() };
}

function verify({ curve, publicKey, message, signature }: SignatureCheck): boolean | undefined {
  if (curve === 'secp256k1' && acceptsEcdsa(publicKey, message, signature)) return true;
  if (curve === 'ed25519' && acceptsEd25519(publicKey, message, signature)) return true;
  const key = keyOf(curve, publicKey);
  if (nodeCrypto === undefined || key === undefined) return undefined;
  try {
    return nodeCrypto.verify(algorithmOf(curve), message, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return undefined;
  }
}

/**
 * Announces that another thread makes a check: `hostVerify` asks `holds` first, and makes the check itself unless the
 * answer is true.
 */
export function expectVerdict(check: SignatureCheck, holds: () => boolean): void {
  const name = nameOf(check);
  verdicts.delete(name);
  if (verdicts.size >= SIGNATURES_WAITING_MAX) verdicts.delete(verdicts.keys().next().value!);
  verdicts.set(name, holds);
}

/** Whether another thread has found that a check holds. Each is looked up once. */
function isKnown(name: string): boolean {
  const holds = verdicts.get(name)?.() ?? false;
  if (holds) verdicts.delete(name);
  return holds;
}

function algorithmOf(curve: HostCurve): string | null {
  return curve === 'ed25519' ? null : 'sha256';
}

function keyOf(curve: HostCurve, publicKey: Uint8Array): KeyObject | undefined {
  const head = KEY_HEADS[curve].get(publicKey.length);
  if (nodeCrypto === undefined || head === undefined) return undefined;
  const name = curve + textOfBytes(publicKey);
  let key = keys.get(name);
  if (key !== undefined) {
    keys.delete(name);
  } else {
    try {
      // The declared type is a Buffer, but the host takes any view of bytes.
      const info = concatBytes(head, publicKey) as Buffer;
      key = nodeCrypto.createPublicKey({ key: info, format: 'der', type: 'spki' });
    } catch {
      // Not a point of the curve, or no such curve.
      return undefined;
    }
    if (keys.size >= SIGNATURE_KEYS_MAX) keys.delete(keys.keys().next().value!);
  }
  keys.set(name, key);
  return key;
}

/** All parts, with the lengths of the first ones, so that no two checks have the same name. */
function nameOf({ curve, publicKey, message, signature }: SignatureCheck): string {
  return `${curve}${publicKey.length},${signature.length},${textOfBytes(publicKey)}${textOfBytes(signature)}${textOfBytes(message)}`;
}
