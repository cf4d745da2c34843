/**
 * The payloads of authenticators.
 *
 * Source: crates/rooch-types/src/framework/auth_payload.rs of the reference.
 * @module
 */
import { bytes, type Codec, string, struct, vector } from '../../base/bcs.ts';

/** `0x3::auth_payload::AuthPayload`: a message that a Bitcoin wallet signed. */
export interface BitcoinPayload {
  /** secp256k1 ECDSA, 64 bytes. */
  readonly signature: Uint8Array;
  readonly messagePrefix: Uint8Array;
  /** The message without the hexadecimal digits of the transaction hash at its end. */
  readonly messageInfo: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** Text of the wallet's address, on any network. */
  readonly fromAddress: string;
}

/** `0x3::auth_payload::MultisignAuthPayload`: one message that several keys signed. */
export interface MultisignPayload {
  /** In the order of the keys. */
  readonly signatures: readonly Uint8Array[];
  readonly messagePrefix: Uint8Array;
  readonly messageInfo: Uint8Array;
  readonly publicKeys: readonly Uint8Array[];
}

export const bitcoinPayload: Codec<BitcoinPayload> = struct<BitcoinPayload>({
  signature: bytes,
  messagePrefix: bytes,
  messageInfo: bytes,
  publicKey: bytes,
  fromAddress: string,
});

export const multisignPayload: Codec<MultisignPayload> = struct<MultisignPayload>({
  signatures: vector(bytes),
  messagePrefix: bytes,
  messageInfo: bytes,
  publicKeys: vector(bytes),
});

/** Signature schemes of session keys; the first byte of a session payload is the index in this list. */
export const SESSION_SCHEMES = ['ed25519', 'secp256k1', 'p256'] as const;

/** The signature schemes of session keys. */
export type SessionScheme = (typeof SESSION_SCHEMES)[number];

/** The payload of a session key's authenticator: scheme (1 byte), signature (64) and public key (32 or 33). */
export interface SessionPayload {
  readonly scheme: SessionScheme;
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

export const SIGNATURE_BYTES = 64;

/** Bytes of a public key under each scheme. */
export const SESSION_KEY_BYTES: Readonly<Record<SessionScheme, number>> = { ed25519: 32, secp256k1: 33, p256: 33 };

/** Writes a session payload, which is not BCS itself. */
export function encodeSessionPayload({ scheme, signature, publicKey }: SessionPayload): Uint8Array {
  const payload = new Uint8Array(1 + signature.length + publicKey.length);
  payload[0] = SESSION_SCHEMES.indexOf(scheme);
  payload.set(signature, 1);
  payload.set(publicKey, 1 + signature.length);
  return payload;
}

/**
 * Reads a session payload. Bytes after the key are ignored, as in `0x3::session_validator`.
 * @returns `undefined` for an unknown scheme or too few bytes
 */
export function decodeSessionPayload(payload: Uint8Array): SessionPayload | undefined {
  const scheme = SESSION_SCHEMES[payload[0] ?? SESSION_SCHEMES.length];
  if (scheme === undefined) return undefined;
  const keyAt = 1 + SIGNATURE_BYTES;
  const end = keyAt + SESSION_KEY_BYTES[scheme];
  if (payload.length < end) return undefined;
  return { scheme, signature: payload.subarray(1, keyAt), publicKey: payload.subarray(keyAt, end) };
}
