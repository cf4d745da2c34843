/**
 * Text of BIP 173 and BIP 350 as the reference reads it: up to 1,023 characters, in either case, ignoring the padding
 * bits of the last character. Source: bech32 0.11 of the reference.
 * @module
 */
import { bech32, bech32m } from '@scure/base';
import { decodeUtf8, isAscii } from '../../base/bytes/utf8.ts';
import { attempt } from './attempt.ts';

export const BECH32_TEXT_LENGTH_MAX = 1023;
const PREFIX_LENGTH_MAX = 83;

interface Bech32Text {
  /** The human-readable part, in lower case. */
  readonly prefix: string;
  /** 5 bits each, without the checksum. */
  readonly words: readonly number[];
  /** Whether the checksum is that of BIP 350. */
  readonly isBech32m: boolean;
}

/** `undefined` for bytes that are not text with one of the two checksums. */
export function readBech32(bytes: Uint8Array, lengthMax: number = BECH32_TEXT_LENGTH_MAX): Bech32Text | undefined {
  if (bytes.length > lengthMax || !isAscii(bytes)) return undefined;
  const text = decodeUtf8(bytes)!;
  const modern = attempt(() => bech32m.decode(text, false));
  const decoded = modern ?? attempt(() => bech32.decode(text, false));
  if (decoded === undefined || decoded.prefix.length > PREFIX_LENGTH_MAX) return undefined;
  return { prefix: decoded.prefix, words: decoded.words, isBech32m: modern !== undefined };
}

/** A human-readable part, in lower case; `undefined` for any other bytes. */
export function readBech32Prefix(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > PREFIX_LENGTH_MAX) return undefined;
  const text = decodeUtf8(bytes);
  if (text === undefined || !/^[\x21-\x7e]+$/.test(text)) return undefined;
  const lower = text.toLowerCase();
  return text === lower || text === text.toUpperCase() ? lower : undefined;
}

/** The bytes of 5-bit words, without left-over bits. */
export function bech32Bytes(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.floor((words.length * 5) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const word of words) {
    held = ((held << 5) | word) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >>> bits) & 0xff;
    }
  }
  return bytes;
}
