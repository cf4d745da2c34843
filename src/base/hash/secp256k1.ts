/**
 * Keys of secp256k1 and ECDSA: by libsecp256k1, the library of Bitcoin Core, in WebAssembly (the package
 * `@bitauth/libauth`), and by `@noble/curves` until that is loaded, and where it cannot be. Both give the same results.
 * Loading the library takes as long as many signatures, so it is loaded after some.
 *
 * The Jacobi symbol tells whether a number is a square, and so the x-coordinate of a point, in a sixth of the time of taking
 * the root. Source: Handbook of Applied Cryptography, 2.149.
 * @module
 */
import type { Secp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1-types.js';
import { bytesToNumberBE } from '../bytes/bigint.ts';
import { secp256k1 } from './noble.ts';
import { sha256 } from './sha256.ts';

const COMPRESSED_KEY_BYTES = 33;
const UNCOMPRESSED_KEY_BYTES = 65;
const SIGNATURE_BYTES = 64;

/** Signatures and checks before the library is loaded. */
const USES_BEFORE_LIBRARY = 32;

let uses = 0;
let library: Secp256k1 | undefined;
let loading: Promise<void> | undefined;

/** Loads the library, if the host can. Await it before many signatures or checks. */
export function loadSecp256k1(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth/build/lib/crypto/secp256k1.js');
  try {
    library = await instantiateSecp256k1();
  } catch {
    // The host has no WebAssembly, or does not allow it.
  }
}

/** The library for one more use; undefined if it is not loaded yet, or cannot be. */
function loaded(): Secp256k1 | undefined {
  if (loading === undefined && ++uses > USES_BEFORE_LIBRARY) void loadSecp256k1();
  return library;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Whether bytes are a secret key: 32 bytes, big endian, from 1 to below the order of the curve. */
export function isSecp256k1Secret(bytes: Uint8Array): boolean {
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32) return false;
  const number = bytesToNumberBE(bytes);
  return number > 0n && number < ORDER;
}

/** Compressed, 33 bytes. The secret must be valid. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  const key = loaded()?.derivePublicKeyCompressed(secret) ?? secp256k1().getPublicKey(secret, true);
  return bytesOf(key);
}

/**
 * ECDSA over the SHA-256 of a message, with the nonce of RFC 6979 and the lower s: r and s, 64 bytes. The secret must be
 * valid.
 */
export function signSecp256k1(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const signature = loaded()?.signMessageHashCompact(secret, sha256(message)) ?? secp256k1().sign(message, secret);
  return bytesOf(signature);
}

/**
 * Whether an ECDSA signature is valid: r and s of 32 bytes, with the lower s.
 * @param publicKey SEC 1, compressed or uncompressed; false for bytes that are no public key
 * @param digest 32 bytes
 */
export function verifySecp256k1(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  const keyBytes = publicKey.length;
  if (keyBytes !== COMPRESSED_KEY_BYTES && keyBytes !== UNCOMPRESSED_KEY_BYTES) return false;
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    const known = loaded();
    if (known !== undefined) return known.verifySignatureCompactLowS(signature, publicKey, digest);
    return secp256k1().verify(signature, digest, publicKey, { prehash: false, lowS: true });
  } catch {
    // Bytes that are not a point or a signature.
    return false;
  }
}

/** The library returns a text for an invalid key. */
function bytesOf(made: Uint8Array | string): Uint8Array {
  if (typeof made === 'string') throw new TypeError(made);
  return made;
}

/** Even, since dividing by an even power of two keeps the symbol. */
const ZEROS_AT_ONCE = 30n;

/** Whether `value`, which is from 1 to below the prime, is a square. */
export function isQuadraticResidue(value: bigint, prime: bigint): boolean {
  let number = value;
  let modulus = prime;
  let isResidue = true;
  while (number !== 0n) {
    const low = Number(BigInt.asUintN(31, number));
    if (low === 0) {
      number >>= ZEROS_AT_ONCE;
      continue;
    }
    const zeros = 31 - Math.clz32(low & -low);
    const lowModulus = Number(BigInt.asUintN(3, modulus));
    // 2 is no square modulo 3 and 5 of 8.
    if ((zeros & 1) === 1 && (lowModulus === 3 || lowModulus === 5)) isResidue = !isResidue;
    number >>= BigInt(zeros);
    // The two symbols of odd numbers differ if both are 3 modulo 4.
    if ((lowModulus & Number(BigInt.asUintN(2, number))) === 3) isResidue = !isResidue;
    const rest = modulus % number;
    modulus = number;
    number = rest;
  }
  return isResidue && modulus === 1n;
}
