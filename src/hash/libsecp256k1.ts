/**
 * libsecp256k1, the library of Bitcoin Core, in WebAssembly (the package @bitauth/libauth): it checks a signature in less
 * than half of the host's time.
 *
 * It is loaded when many signatures are checked (host-signature.ts) and ready some milliseconds later.
 * @module
 */
import { instantiateSecp256k1 } from '@bitauth/libauth';
import type { EcdsaCheck } from './host-signature.ts';

/**
 * Instantiates the library. Its check takes either s, and no key that is not a point.
 * @throws {Error} where the host has no WebAssembly
 */
export async function libsecp256k1(): Promise<EcdsaCheck> {
  const library = await instantiateSecp256k1();
  return (publicKey, hash, signature) => library.verifySignatureCompact(signature, publicKey, hash);
}
