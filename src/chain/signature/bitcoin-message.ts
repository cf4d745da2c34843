/**
 * The message that a Bitcoin wallet signs for a transaction.
 *
 * It is `Rooch Transaction:` and a line feed, any text for the wallet to show, and the 64 lower-case hexadecimal digits of
 * the transaction hash. The hashed bytes have two forms, distinguished by the prefix in the payload:
 *
 * - `consensus`: the prefix `Bitcoin Signed Message:
 *
 * ` and the message, each preceded by its length as a CompactSize. This is what wallets sign by the convention of
 * Bitcoin Core's `signmessage`.
 * - `legacy`: prefix and message as they are. The prefix contains both lengths, so the signed bytes are the same; the
 *   official TypeScript SDK sends this form. Any other prefix is treated like this too.
 *
 * The bytes are hashed with SHA-256 twice: once here, once more by the signature scheme.
 *
 * Source: crates/rooch-types/src/framework/auth_payload.rs of the reference.
 * @module
 */

import { concatBytes, encodeUtf8, equalBytes, toHex } from '../../base/bytes/bytes.ts';
import { ByteWriter } from '../../base/bytes/writer.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { writeCount, writeSizedBytes } from '../../bitcoin/compact-size.ts';
import type { BitcoinPayload, MultisignPayload } from '../transaction/auth-payload.ts';

const STANDARD_PREFIX: Uint8Array = encodeUtf8('Bitcoin Signed Message:\n');
const MESSAGE_START: Uint8Array = encodeUtf8('Rooch Transaction:\n');
const HASH_DIGITS = 64;

/** The form of the prefix; see the head of this file. */
export type MessageForm = 'consensus' | 'legacy';

/** The part of a payload that says which message was signed. */
type MessageParts = Pick<BitcoinPayload, 'messagePrefix' | 'messageInfo'>;

/**
 * Prefix and message of a new signature.
 * @param info what the wallet shows to the signer after `Rooch Transaction:`
 */
export function messageParts(info: string, form: MessageForm): MessageParts {
  const messageInfo = concatBytes(MESSAGE_START, encodeUtf8(info === '' || info.endsWith('\n') ? info : `${info}\n`));
  if (form === 'consensus') return { messagePrefix: STANDARD_PREFIX, messageInfo };
  const writer = new ByteWriter();
  writeSizedBytes(writer, STANDARD_PREFIX);
  writeCount(writer, messageInfo.length + HASH_DIGITS);
  return { messagePrefix: writer.finish(), messageInfo };
}

/**
 * The SHA-256 of what a Bitcoin wallet signed; the signature is over the SHA-256 of this.
 * @param hash of the transaction, 32 bytes
 * @returns `undefined` if the message does not start as it must
 */
export function signedMessage(payload: MessageParts, hash: Uint8Array): Uint8Array | undefined {
  const { messagePrefix, messageInfo } = payload;
  if (!equalBytes(messageInfo.subarray(0, MESSAGE_START.length), MESSAGE_START)) return undefined;
  if (equalBytes(messagePrefix, STANDARD_PREFIX)) return sizedMessage(payload, hash);
  return sha256(concatBytes(messagePrefix, messageInfo, digits(hash)));
}

/** The same for several signers: the message may be any text, and both parts are preceded by their lengths. */
export function multisignMessage(payload: Pick<MultisignPayload, keyof MessageParts>, hash: Uint8Array): Uint8Array {
  return sizedMessage(payload, hash);
}

function sizedMessage({ messagePrefix, messageInfo }: MessageParts, hash: Uint8Array): Uint8Array {
  const writer = new ByteWriter(messagePrefix.length + messageInfo.length + 80);
  writeSizedBytes(writer, messagePrefix);
  writeSizedBytes(writer, concatBytes(messageInfo, digits(hash)));
  return sha256(writer.finish());
}

function digits(hash: Uint8Array): Uint8Array {
  return encodeUtf8(toHex(hash));
}
