/**
 * The signer of a transaction, judging only by its authenticator.
 *
 * The chain's validators are Move code (`0x3::bitcoin_validator`, `0x3::session_validator` and those that contracts
 * register), and their verdict counts. Most of their time is cryptography, which does not depend on the state. This file
 * has that part as pure functions: `verifyAuthenticator` tells whose signature an authenticator holds.
 *
 * Only positive results count. Otherwise the signer is "not proven": then the validator runs and reports the reason as the
 * chain's status.
 *
 * Source: the validators of the reference's framework.
 * @module
 */

import { A_U64, assertBytes, assertFits, assertObject, type Expectation, oneOf } from '../../base/argument.ts';
import { decode } from '../../base/bcs.ts';
import { compareBytes, concatBytes, equalBytes, fromHex, textOfBytes } from '../../base/bytes/bytes.ts';
import { SESSION_KEYS_KNOWN_MAX } from '../../base/config.ts';
import { unlessRefused } from '../../base/error.ts';
import { blake2b256 } from '../../base/hash/blake2.ts';
import { hostAcceptsEd25519, verifyEd25519, verifyP256 } from '../../base/hash/host-verify.ts';
import { verifySecp256k1 } from '../../base/hash/secp256k1.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { type BitcoinAddress, readBitcoinAddress } from '../../bitcoin/address.ts';
import { isAddressOfPublicKey } from '../../bitcoin/address-derivation.ts';
import type { Address } from '../../move/address.ts';
import {
  type BitcoinPayload,
  bitcoinPayload,
  decodeSessionPayload,
  multisignPayload,
  SESSION_KEY_BYTES,
  SESSION_SCHEMES,
  type SessionPayload,
  type SessionScheme,
  SIGNATURE_BYTES,
} from '../transaction/auth-payload.ts';
import {
  type Authenticator,
  VALIDATOR_BITCOIN,
  VALIDATOR_BITCOIN_MULTISIGN,
  VALIDATOR_SESSION,
} from '../transaction/signed.ts';
import { multisignMessage, signedMessage } from './bitcoin-message.ts';

/** The signer of an authenticator. The chain decides what the signer may do. */
export type VerifiedSigner =
  | {
      readonly kind: 'bitcoin';
      readonly publicKey: Uint8Array;
      readonly bitcoinAddress: BitcoinAddress;
      /** The account of the address, which may differ from the transaction's sender. */
      readonly account: Address;
    }
  | {
      readonly kind: 'session';
      readonly scheme: SessionScheme;
      readonly publicKey: Uint8Array;
      /** The key under which the sender's account must have a session key: 32 bytes, 33 for scheme `p256`. */
      readonly authenticationKey: Uint8Array;
    }
  /** Every key signed. The validator checks whether they differ, suffice and belong to the account. */
  | { readonly kind: 'multisign'; readonly publicKeys: readonly Uint8Array[] };

/**
 * The signer that an authenticator proves.
 * @param hash of the transaction (`transactionHash`), 32 bytes
 * @returns `undefined` if nothing is proven: a wrong or malformed signature, or a validator whose proofs only the chain
 * can check
 */
export function verifyAuthenticator(hash: Uint8Array, authenticator: Authenticator): VerifiedSigner | undefined {
  assertBytes(hash, 'hash', 32);
  assertObject(authenticator, 'authenticator', '{ validatorId, payload }');
  assertFits(authenticator.validatorId, 'authenticator.validatorId', A_U64);
  assertBytes(authenticator.payload, 'authenticator.payload');
  const claim = readClaim(hash, authenticator);
  return claim?.checks.every(holds) === true ? proofOf(claim) : undefined;
}

/** A copy of what a claim with valid signatures proves; undefined if the Bitcoin address is not the key's. */
function proofOf(claim: Claim): VerifiedSigner | undefined {
  if (claim.kind === 'multisign') return { kind: 'multisign', publicKeys: claim.publicKeys.map((key) => key.slice()) };
  const publicKey = claim.publicKey.slice();
  if (claim.kind === 'session') {
    const { scheme, authenticationKey } = claim;
    return { kind: 'session', scheme, publicKey, authenticationKey: authenticationKey.slice() };
  }
  const { bitcoinAddress, account } = claim;
  if (!isAddressOfPublicKey(bitcoinAddress, publicKey)) return undefined;
  return { kind: 'bitcoin', publicKey, bitcoinAddress: bitcoinAddress.slice(), account: account.slice() };
}

export const SESSION_SCHEME: Expectation = oneOf(SESSION_SCHEMES);

/** The key's name in the account's table of session keys. Source: `0x3::session_key`. */
export function sessionAuthenticationKey(scheme: SessionScheme, publicKey: Uint8Array): Uint8Array {
  assertFits(scheme, 'scheme', SESSION_SCHEME);
  assertBytes(publicKey, 'publicKey', SESSION_KEY_BYTES[scheme]);
  return makeAuthenticationKey(scheme, publicKey);
}

function makeAuthenticationKey(scheme: SessionScheme, publicKey: Uint8Array): Uint8Array {
  const flag = Uint8Array.of(SESSION_SCHEMES.indexOf(scheme));
  return scheme === 'p256' ? concatBytes(flag, sha256(publicKey)) : blake2b256(concatBytes(flag, publicKey));
}

/** Authentication keys of recent session keys, by scheme and key: the hash takes a fifth of a signature check. */
const authenticationKeys = new Map<string, Uint8Array>();

/** Do not write to it. */
function knownKey(scheme: SessionScheme, publicKey: Uint8Array): Uint8Array {
  const name = scheme + textOfBytes(publicKey);
  let known = authenticationKeys.get(name);
  if (known === undefined) {
    if (authenticationKeys.size === SESSION_KEYS_KNOWN_MAX) authenticationKeys.clear();
    known = makeAuthenticationKey(scheme, publicKey);
    authenticationKeys.set(name, known);
  }
  return known;
}

/** What a signature check depends on: ECDSA over SHA-256 of the message with r and s of 32 bytes, or Ed25519. */
export interface SignatureCheck {
  readonly curve: SessionScheme;
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * What an authenticator claims. It is true if its checks hold and, for a Bitcoin address, if the key controls it. Its
 * parts are shared with later claims: do not write to them.
 */
export type Claim = { readonly checks: readonly SignatureCheck[] } & VerifiedSigner;

/**
 * Reads a claim.
 * @param hash of the transaction, 32 bytes
 * @returns `undefined` for an authenticator that cannot be valid, or whose validator is not known here
 */
export function readClaim(hash: Uint8Array, { validatorId, payload }: Authenticator): Claim | undefined {
  return unlessRefused(() => {
    if (validatorId === VALIDATOR_SESSION) return sessionClaim(hash, decodeSessionPayload(payload));
    if (validatorId === VALIDATOR_BITCOIN) return bitcoinClaim(hash, decode(bitcoinPayload, payload));
    return validatorId === VALIDATOR_BITCOIN_MULTISIGN ? multisignClaim(hash, payload) : undefined;
  }, 'malformed-bytes');
}

function sessionClaim(message: Uint8Array, payload: SessionPayload | undefined): Claim | undefined {
  if (payload === undefined) return undefined;
  const { scheme, signature, publicKey } = payload;
  const check = { curve: scheme, publicKey, message, signature };
  return { kind: 'session', checks: [check], scheme, publicKey, authenticationKey: knownKey(scheme, publicKey) };
}

function bitcoinClaim(hash: Uint8Array, payload: BitcoinPayload): Claim | undefined {
  const message = signedMessage(payload, hash);
  const address = readBitcoinAddress(payload.fromAddress);
  if (message === undefined || address === undefined) return undefined;
  const { signature, publicKey } = payload;
  const check: SignatureCheck = { curve: 'secp256k1', publicKey, message, signature };
  return { kind: 'bitcoin', checks: [check], publicKey, ...address };
}

function multisignClaim(hash: Uint8Array, bytes: Uint8Array): Claim | undefined {
  const payload = decode(multisignPayload, bytes);
  const { signatures, publicKeys } = payload;
  if (signatures.length !== publicKeys.length || publicKeys.length === 0) return undefined;
  const message = multisignMessage(payload, hash);
  const checks = signatures.map(
    (signature, index): SignatureCheck => ({ curve: 'secp256k1', publicKey: publicKeys[index]!, message, signature }),
  );
  return { kind: 'multisign', checks, publicKeys };
}

/** The larger of the two valid s is refused, so that a signature cannot be turned into another one. */
const S_MAX: Readonly<Record<Exclude<SessionScheme, 'ed25519'>, Uint8Array>> = {
  secp256k1: fromHex('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'),
  p256: fromHex('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8'),
};

/** The orders of the curves: a signature is two numbers below the order. */
const ORDER: Readonly<Record<Exclude<SessionScheme, 'ed25519'>, Uint8Array>> = {
  secp256k1: fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
  p256: fromHex('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'),
};
const ZERO = new Uint8Array(32);

/** Whether a chain that does not check signatures accepts this one. It may accept others, too. */
export function isWellFormed(check: SignatureCheck): boolean {
  const { curve, signature } = check;
  if (!hasLengths(check)) return false;
  if (curve === 'ed25519') return true;
  return [signature.subarray(0, 32), signature.subarray(32)].every(
    (scalar) => !equalBytes(scalar, ZERO) && compareBytes(scalar, ORDER[curve]) < 0,
  );
}

function hasLengths({ curve, publicKey, signature }: SignatureCheck): boolean {
  return signature.length === SIGNATURE_BYTES && publicKey.length === SESSION_KEY_BYTES[curve];
}

/** Whether key and signature have the only form that the validators accept. */
function hasForm(check: SignatureCheck): boolean {
  const { curve, signature } = check;
  if (!hasLengths(check)) return false;
  if (curve === 'ed25519') return true;
  // A key of this length that does not begin with 2 or 3 is no point of the curve.
  return compareBytes(signature.subarray(32), S_MAX[curve]) <= 0;
}

/** As `holds`, without those valid Ed25519 signatures that the host refuses: they take long to check. */
export function isAccepted(check: SignatureCheck): boolean {
  if (check.curve !== 'ed25519') return holds(check);
  return hasForm(check) && hostAcceptsEd25519(check.publicKey, check.message, check.signature);
}

/** Whether a signature is valid by the rules of the natives that the validators call. */
function holds(check: SignatureCheck): boolean {
  if (!hasForm(check)) return false;
  const { curve, publicKey, message, signature } = check;
  if (curve === 'secp256k1') return verifySecp256k1(publicKey, sha256(message), signature);
  return (curve === 'ed25519' ? verifyEd25519 : verifyP256)(publicKey, message, signature);
}
