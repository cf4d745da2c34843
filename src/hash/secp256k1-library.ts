/**
 * libsecp256k1 (libsecp256k1.ts) for those who check or sign often: a check takes it less than half of the host's time,
 * a signature a quarter of what ours takes alone, and less than half of one by the table (pipeline/batch-signer.ts).
 *
 * It takes as long to load as a hundred checks, so it is loaded when it has been asked for a while. Whether it is there
 * changes no answer: who asks has another way, with the same result.
 * @module
 */

/**
 * Whether an ECDSA signature over secp256k1 is right.
 * @param publicKey SEC 1 compressed
 * @param hash 32 bytes
 * @param signature r and s of 32 bytes
 */
export type EcdsaCheck = (publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array) => boolean;

/**
 * r and s of 32 bytes, the lower s, with the nonce of RFC 6979.
 * @param secret 32 bytes, a secret key
 * @param hash 32 bytes, below the order of the group
 */
export type EcdsaSign = (secret: Uint8Array, hash: Uint8Array) => Uint8Array;

export interface Secp256k1Library {
  readonly check: EcdsaCheck;
  readonly sign: EcdsaSign;
}

/** Checks and signatures from which on the library is used. */
const USES_BEFORE_LIBRARY = 64;

let uses = 0;
let load: (() => Promise<Secp256k1Library>) | undefined;
let library: Secp256k1Library | undefined;

/** Says how libsecp256k1 is loaded: what uses it is read from a cache of code, where it can load nothing itself. */
export function offerLibrary(loadLibrary: () => Promise<Secp256k1Library>): void {
  load ??= loadLibrary;
}

/** The library for one more check or signature; undefined where it is not loaded, or cannot be. */
export function secp256k1Library(): Secp256k1Library | undefined {
  if (uses < USES_BEFORE_LIBRARY && ++uses === USES_BEFORE_LIBRARY) void useLibrary();
  return library;
}

async function useLibrary(): Promise<void> {
  try {
    library = await load?.();
  } catch {
    // The others go on.
  }
}
