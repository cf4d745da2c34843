/**
 * libsecp256k1 (libsecp256k1.ts) for programs that check or sign often: a check takes less than half of the host's
 * time, a signature a quarter of the time of a single one of ours, and less than half of one by the table
 * (pipeline/batch-signer.ts).
 *
 * Loading it takes as long as a hundred checks, so it is loaded after some requests. Whether it is loaded changes no
 * answer: callers have another way with the same result.
 * @module
 */

/**
 * Whether an ECDSA signature over secp256k1 is valid.
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

/** Checks and signatures before the library is loaded. */
const USES_BEFORE_LIBRARY = 64;

let uses = 0;
let load: (() => Promise<Secp256k1Library>) | undefined;
let library: Secp256k1Library | undefined;

/** Sets how libsecp256k1 is loaded. */
export function offerLibrary(loadLibrary: () => Promise<Secp256k1Library>): void {
  load ??= loadLibrary;
}

/** The library for one more check or signature; undefined if it is not loaded yet, or cannot be. */
export function secp256k1Library(): Secp256k1Library | undefined {
  if (uses < USES_BEFORE_LIBRARY && ++uses === USES_BEFORE_LIBRARY) void useLibrary();
  return library;
}

async function useLibrary(): Promise<void> {
  try {
    library = await load?.();
  } catch {
    // Callers continue without it.
  }
}
