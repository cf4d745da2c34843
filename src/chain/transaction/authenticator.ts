/**
 * The proof that a sender agrees: which validator checks it, and what it checks.
 * Source: crates/rooch-types/src/transaction/authenticator.rs of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { bytes, u64 } from '../../base/bcs/primitive.ts';

export const VALIDATOR_SESSION = 0n;
export const VALIDATOR_BITCOIN = 1n;
export const VALIDATOR_BITCOIN_MULTISIGN = 2n;
export const VALIDATOR_WEBAUTHN = 3n;
export const VALIDATOR_DID = 4n;

/** Who vouches for a transaction: the number of a validator on the chain, and what that validator checks. */
export interface Authenticator {
  /** A `VALIDATOR_*` number, or one that a contract registered. */
  readonly validatorId: bigint;
  readonly payload: Uint8Array;
}

/** An authenticator in BCS. */
export const authenticator: Codec<Authenticator> = struct<Authenticator>({ validatorId: u64, payload: bytes });

/** The authenticator of transactions that nobody signs: genesis, impersonated calls. */
export const EMPTY_AUTHENTICATOR: Authenticator = { validatorId: VALIDATOR_SESSION, payload: new Uint8Array(0) };
