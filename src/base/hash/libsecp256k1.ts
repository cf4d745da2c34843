/**
 * libsecp256k1, the library of Bitcoin Core, in WebAssembly (the package @bitauth/libauth).
 *
 * It is loaded when many signatures are checked or made (secp256k1-library.ts) and ready some milliseconds later.
 * @module
 */
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js';
import type { Secp256k1Library } from './secp256k1-library.ts';

/**
 * Instantiates the library. Its check accepts either s, and refuses a key that is not a point.
 * @throws {Error} if the host has no WebAssembly
 */
export async function libsecp256k1(): Promise<Secp256k1Library> {
  const library = await instantiateSecp256k1();
  return {
    check: (publicKey, hash, signature) => library.verifySignatureCompact(signature, publicKey, hash),
    sign: (secret, hash) => {
      const signature = library.signMessageHashCompact(secret, hash);
      if (typeof signature === 'string') throw new TypeError(signature);
      return signature;
    },
  };
}
