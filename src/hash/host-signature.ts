/**
 * Signature checks of the host, where there are such: 2 times (secp256k1) to 15 times (P-256) faster than @noble/curves.
 *
 * The host's word counts only where every implementation says the same: callers check the form of keys and signatures
 * before, and ask a second implementation where the curve's rules leave a choice.
 * @module
 */
import { concatBytes } from '../bytes/compare.ts';
import { fromHex } from '../bytes/hex.ts';
import { nodeCrypto } from './node-crypto.ts';

export type HostCurve = 'secp256k1' | 'p256' | 'ed25519';

/** What stands before a key of this length in a SubjectPublicKeyInfo (RFC 5280, RFC 5480, RFC 8410). */
const KEY_HEADS: Readonly<Record<HostCurve, ReadonlyMap<number, Uint8Array>>> = {
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

/**
 * Whether a signature of a message is right: ECDSA over SHA-256 with r and s of 32 bytes, or Ed25519.
 * @param publicKey SEC 1 compressed or uncompressed, or 32 bytes of Ed25519
 * @returns `undefined` where the host cannot tell: it has no such curve, or refuses the key.
 */
export function hostVerify(
  curve: HostCurve,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean | undefined {
  const head = KEY_HEADS[curve].get(publicKey.length);
  if (nodeCrypto === undefined || head === undefined) return undefined;
  try {
    // The declared type asks for a Buffer; the host takes any view of bytes.
    const info = concatBytes(head, publicKey) as Buffer;
    const key = nodeCrypto.createPublicKey({ key: info, format: 'der', type: 'spki' });
    const algorithm = curve === 'ed25519' ? null : 'sha256';
    return nodeCrypto.verify(algorithm, message, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return undefined;
  }
}
